"""The order of groups and versions."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.discovery.groups import arranged, by_priority
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.resources.resource import Resource
from plumbline.kube.names import GroupVersionKind

PRIORITIES = [
    (["v1", "v2"], ["v2", "v1"], "newer before older"),
    (["v10", "v2"], ["v10", "v2"], "by number, not by letter"),
    (["v1alpha1", "v1beta1", "v1"], ["v1", "v1beta1", "v1alpha1"], "stable, beta, alpha"),
    (["v2alpha1", "v1"], ["v1", "v2alpha1"], "stability counts more than age"),
    (["v1beta2", "v1beta10"], ["v1beta10", "v1beta2"], "the number after beta counts as well"),
    (["foo", "bar", "v1"], ["v1", "bar", "foo"], "what is no version comes last, by name"),
    (["v1gamma1", "v1alpha1"], ["v1alpha1", "v1gamma1"], "no stage but alpha and beta"),
    (["v01", "v1"], ["v01", "v1"], "equal numbers are told apart by name"),
]


def custom(group, version, plural="things"):
    return Resource(GroupVersionKind(group, version, "Thing"), plural, singular="thing", namespaced=True, custom=True)


@pytest.mark.parametrize(("versions", "ordered", "why"), PRIORITIES, ids=[why for _, _, why in PRIORITIES])
def test_versions_are_ordered_by_priority(versions, ordered, why):
    assert by_priority(versions) == ordered


@given(st.lists(st.from_regex(r"v[0-9]{1,3}((alpha|beta)[0-9]{1,3})?\Z|[a-z0-9]{1,5}\Z"), unique=True))
def test_the_order_does_not_depend_on_where_versions_came_from(versions):
    ordered = by_priority(versions)
    assert sorted(ordered) == sorted(versions)
    assert by_priority(list(reversed(versions))) == ordered
    assert all(by_priority([later, earlier]) == [earlier, later] for earlier, later in pairwise(ordered))


def test_groups_of_crds_follow_the_built_in_ones_by_name():
    groups = arranged([custom("z.example.org", "v1"), *builtin_resources(), custom("a.example.org", "v1")])
    names = [group.name for group in groups]
    assert names[:3] == ["", "apiregistration.k8s.io", "apps"]
    assert names[-3:] == ["flowcontrol.apiserver.k8s.io", "a.example.org", "z.example.org"]


def test_a_version_that_a_crd_adds_to_a_built_in_group_comes_first_and_leaves_the_group_where_it_is():
    groups = arranged([*builtin_resources(), custom("networking.k8s.io", "v1alpha9")])
    found = next(group for group in groups if group.name == "networking.k8s.io")
    assert [version.name.version for version in found.versions] == ["v1alpha9", "v1"]
    assert groups.index(found) == [group.name for group in arranged(builtin_resources())].index("networking.k8s.io")


def test_the_newer_built_in_version_is_the_preferred_one():
    found = next(group for group in arranged(builtin_resources()) if group.name == "autoscaling")
    assert [version.name.version for version in found.versions] == ["v2", "v1"]
