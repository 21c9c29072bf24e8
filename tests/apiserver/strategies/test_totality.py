"""Whatever JSON an object is made of, its strategy prepares it or leaves it to validation, and never falls over."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.access.identity import Identity
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.strategies import Strategy, Writing, strategy_of
from plumbline.apiserver.versions.conversion import converted
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape
from plumbline.kube.schema.shape import Shape

KINDS = [each.kind for each in builtin_resources() if "create" in each.verbs]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 40000)
    | st.sampled_from(["", "a", "None", "1500m", "IPv6", "1.2.3.4", "TZ", "Always", "LoadBalancer", "Local"])
)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "a", "type"]), inner, max_size=2)
    ),
    max_leaves=6,
)


@cache
def shaped(kind: GroupVersionKind) -> st.SearchStrategy[Json]:
    """Objects whose fields have the right names and any values at all."""
    shape = builtin_shape(kind)
    assert shape is not None
    return _fields(shape, 4)


def _fields(shape: Shape, depth: int) -> st.SearchStrategy[Json]:
    fields = dict(shape.fields)
    if not fields or not depth:
        items = _fields(shape.values, depth - 1) if depth and shape.values.fields else JSON
        return JSON | st.lists(items, max_size=2)
    below = {name: _fields(child, depth - 1) for name, child in fields.items()}
    names = st.sets(st.sampled_from(sorted(below)), min_size=1, max_size=6)
    return names.flatmap(lambda chosen: st.fixed_dictionaries({name: below[name] for name in sorted(chosen)})) | JSON


def _object(kind: GroupVersionKind, drawn: Json) -> JsonObject:
    found = drawn if isinstance(drawn, dict) else {"spec": drawn}
    metadata = found.get("metadata") if isinstance(found.get("metadata"), dict) else {}
    return {
        **found,
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": "n", "uid": "u", **metadata},
    }


def _everything(strategy: Strategy, new: JsonObject, old: JsonObject) -> None:
    writing = Writing("2026-01-01T00:00:00Z", Identity("me", groups=("g",), extra={"e": ("f",)}), [], Ids(1))
    created = strategy.prepare_create(strategy.read(new), writing)
    strategy.create_warnings(created)
    for prepare in (strategy.prepare_update, *strategy.prepare_subresource.values()):
        updated = prepare(new, old, writing)
        strategy.update_warnings(updated, old)
        for warn in strategy.subresource_warnings.values():
            warn(updated, old)
    if strategy.grace_s:
        strategy.grace_s(new, None)
    if strategy.begin_deletion:
        strategy.begin_deletion(new, writing)
    if strategy.held:
        strategy.held(new)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=settings.default.max_examples // 5)
@given(drawn=st.data())
def test_a_strategy_takes_any_object(kind: GroupVersionKind, drawn: st.DataObject) -> None:
    objects = [_object(kind, drawn.draw(shaped(kind))) for _ in range(2)]
    _everything(strategy_of(kind), *objects)


CONVERTED = [kind for kind in KINDS if kind.kind in ("Event", "HorizontalPodAutoscaler")]


@pytest.mark.parametrize("kind", CONVERTED, ids=str)
@settings(max_examples=settings.default.max_examples // 5)
@given(drawn=st.data())
def test_a_conversion_takes_any_object(kind: GroupVersionKind, drawn: st.DataObject) -> None:
    obj = _object(kind, drawn.draw(shaped(kind)))
    for other in CONVERTED:
        if other.kind == kind.kind:
            converted(obj, other)
