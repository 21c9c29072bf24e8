"""What a Terraform object waits for."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.terraform.objects import terraform

from plumbline.kube.names import Ref
from plumbline.terraform.checks import Dependency, cycle, cycle_message, dependencies, unmet


def named(name, namespace="team-a"):
    return Ref("infra.contrib.fluxcd.io", "Terraform", namespace, name)


READY = {"type": "Ready", "status": "True", "reason": "x", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
STATUS = {"observedGeneration": 1, "conditions": [READY], "lastAppliedRevision": "main@sha1:b"}
US = terraform({"dependsOn": [{"name": "db"}]}, name="app")


def db(spec=None, **status):
    return terraform(spec, name="db", status={**STATUS, **status})


CASES = [
    (Dependency(db()), None, "ready at the same revision"),
    (Dependency(None), "unable to get 'team-a/db' dependency: terraforms.infra.contrib.fluxcd.io \"db\" not found", "not there"),
    (Dependency(db(observedGeneration=0)), "dependency 'team-a/db' is not ready", "not yet looked at"),
    (Dependency(db(conditions=[])), "dependency 'team-a/db' is not ready", "not known to be ready"),
    (Dependency(db(conditions=[{**READY, "status": "Unknown"}])), "dependency 'team-a/db' is not ready", "not ready"),
    (Dependency(db(lastAppliedRevision="main@sha1:a")), "dependency 'team-a/db' is not updated yet", "at an older revision"),
    (Dependency(db(lastAppliedRevision="main@sha1:a", lastPlannedRevision="main@sha1:b")), None, "planned, with no changes"),
    (
        Dependency(db({"sourceRef": {"kind": "GitRepository", "name": "other"}}, lastAppliedRevision="x")),
        None,
        "of another source",
    ),
    (
        Dependency(db({"sourceRef": {"kind": "GitRepository", "name": "infra", "namespace": "team-a"}}, lastAppliedRevision="x")),
        "dependency 'team-a/db' is not updated yet",
        "of the same source, whose namespace is written out",
    ),
    (
        Dependency(db({"writeOutputsToSecret": {"name": "out"}}), output_secret=False),
        "dependency output secret: 'team-a/out' of 'team-a/db' is not ready yet",
        "without its outputs",
    ),
    (Dependency(db({"writeOutputsToSecret": {"name": "out"}})), None, "with its outputs"),
]  # fmt: skip


@pytest.mark.parametrize(("dependency", "expected", "why"), CASES, ids=[each[-1] for each in CASES])
def test_an_object_waits_for_one_that_is(dependency, expected, why):
    found = unmet(US, "main@sha1:b", {named("db"): dependency})
    assert [each.message for each in found] == ([expected] if expected else [])
    assert all(each.reason == "DependencyNotReady" and each.ref == named("db") for each in found)


def test_objects_of_other_namespaces_are_not_waited_for_unless_allowed():
    subject = terraform({"dependsOn": [{"name": "db", "namespace": "team-b"}]})
    [found] = unmet(subject, "r", {})
    assert found.reason == "AccessDenied"
    assert found.message == "cannot access team-b/db, cross-namespace references have been disabled"
    [missing] = unmet(subject, "r", {}, cross_namespace=True)
    assert missing.reason == "DependencyNotReady"


def test_two_objects_without_a_namespace_in_their_source_share_it_only_within_one():
    other = terraform(name="db", namespace="team-b", status={**STATUS, "lastAppliedRevision": "x"})
    subject = terraform({"dependsOn": [{"name": "db", "namespace": "team-b"}]})
    assert unmet(subject, "r", {named("db", "team-b"): Dependency(other)}, cross_namespace=True) == []


def test_all_that_is_missing_is_said_in_the_order_of_the_object():
    subject = terraform({"dependsOn": [{"name": "b"}, {"name": "a"}, {"name": "b"}]})
    assert dependencies(subject.ref, subject.spec) == (named("b"), named("a"))
    assert [each.ref.name for each in unmet(subject, "r", {})] == ["b", "a"]


GRAPHS = [
    ({}, "", "no dependencies"),
    ({"a": "b", "b": "c"}, "", "a chain"),
    ({"a": "a"}, "a a", "itself"),
    ({"a": "b", "b": "a"}, "a b a", "each other"),
    ({"a": "bd", "b": "c", "c": "d", "d": "a"}, "a d a", "the shortest way"),
    ({"a": "b", "b": "c", "c": "b"}, "", "a ring that it is not in"),
    ({"a": "bc", "b": "d", "c": "d"}, "", "a diamond is none"),
]


@pytest.mark.parametrize(("edges", "expected", "why"), GRAPHS, ids=[each[-1] for each in GRAPHS])
def test_a_ring_of_dependencies_is_named(edges, expected, why):
    found = cycle(named("a"), lambda ref: tuple(map(named, edges.get(ref.name, ""))))
    assert " ".join(each.name for each in found) == expected


def test_a_ring_is_said_from_its_beginning_to_its_end():
    assert cycle_message((named("a"), named("b"), named("a"))).endswith(": team-a/a -> team-a/b -> team-a/a")


@given(st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3)), st.integers(0, 6))
def test_a_ring_is_found_where_one_leads_back_and_nowhere_else(edges, start):
    def next_(ref):
        return tuple(named(str(each)) for each in edges.get(int(ref.name), ()))

    reached = set(edges.get(start, ()))
    while more := {each for ref in reached for each in edges.get(ref, ())} - reached:
        reached |= more
    found = cycle(named(str(start)), next_)
    assert bool(found) is (start in reached)
    for one, other in pairwise(found):
        assert other in next_(one)
