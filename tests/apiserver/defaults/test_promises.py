"""What holds for every kind: defaults are added once, to a copy, whatever the object looks like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apiserver.defaults.samples import held, label, manifests, typed

from plumbline.apiserver.defaults import defaulted
from plumbline.apiserver.defaults.kinds import _RULES
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.base.json import decode, encode
from plumbline.kube.names import GroupVersionKind

SAMPLES = manifests()
NOW = "2026-01-01T00:00:00Z"

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
anything = st.recursive(
    scalars,
    lambda below: st.lists(below, max_size=2) | st.dictionaries(st.text(max_size=3), below, max_size=2),
    max_leaves=3,
)


@pytest.mark.parametrize("obj", SAMPLES, ids=label)
def test_defaults_are_added_once(obj):
    once = held(obj, now=NOW)
    assert defaulted(GroupVersionKind.of(obj), once, now=NOW) is once


@pytest.mark.parametrize("obj", SAMPLES, ids=label)
def test_what_went_in_stays_as_it_was(obj):
    given_object = typed(obj)
    before = encode(given_object)
    defaulted(GroupVersionKind.of(obj), given_object, now=NOW)
    assert encode(given_object) == before


@pytest.mark.parametrize("obj", SAMPLES, ids=label)
def test_no_two_objects_share_what_a_default_made(obj):
    one, other = (list(_containers(held(decode(encode(obj)), now=NOW))) for _ in range(2))
    assert not set(map(id, one)) & set(map(id, other))


def _containers(value):
    """The lists and maps in *value*."""
    if isinstance(value, dict | list):
        yield value
        for child in value.values() if isinstance(value, dict) else value:
            yield from _containers(child)


@given(st.data())
def test_no_value_in_any_place_is_too_odd(data):
    obj = data.draw(st.sampled_from(SAMPLES))
    kind = GroupVersionKind.of(obj)
    odd = _replaced(typed(obj), data.draw)
    encode(defaulted(kind, odd, now=NOW))


def _replaced(node, draw):
    """*node* with anything in one place of it."""
    if not node or not isinstance(node, dict | list) or draw(st.integers(0, 5)) == 0:
        return draw(anything)
    if isinstance(node, list):
        at = draw(st.integers(0, len(node) - 1))
        return [*node[:at], _replaced(node[at], draw), *node[at + 1 :]]
    name = draw(st.sampled_from(sorted(node)))
    return {**node, name: _replaced(node[name], draw)}


@pytest.mark.parametrize("obj", [{}, {"spec": None}, {"spec": {}}, {"metadata": [], "spec": "x", "status": 1}])
@pytest.mark.parametrize("kind", _RULES, ids=str)
def test_objects_with_nothing_in_them_are_no_trouble(kind, obj):
    assert isinstance(defaulted(kind, obj), dict)


def test_every_kind_with_defaults_is_served():
    subresources = {each.kind for resource in builtin_resources() for each in resource.subresources.values()}
    assert _RULES.keys() - {resource.kind for resource in builtin_resources()} - subresources == set()


def test_every_served_kind_that_is_stored_has_a_sample():
    seen = {GroupVersionKind.of(obj) for obj in SAMPLES}
    stored = {resource.kind for resource in builtin_resources() if "update" in resource.verbs}
    assert stored - seen == set()


def test_a_kind_that_kubernetes_does_not_know_stays_as_it_is():
    obj = {"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"replicas": 0}}
    assert defaulted(GroupVersionKind("example.com", "v1", "Widget"), obj) is obj
