"""The cache holds bytes, knows what matters, and finds by index."""

import msgspec
import pytest

from plumbline.base.json import encode
from plumbline.kernel.cache import Cache, Relevance, cached


def raw(name="a", version="1", **parts):
    metadata = {
        "name": name,
        "namespace": "n",
        "uid": f"uid-{name}",
        "resourceVersion": version,
        **parts.pop("metadata", {}),
    }
    return encode({"apiVersion": "v1", "kind": "X", "metadata": metadata, **parts})


def mark(relevance=None, **parts):
    return cached(raw(**parts), relevance or Relevance()).relevant


def test_what_changes_with_every_write_does_not_matter():
    noisy = {"generation": 7, "managedFields": [{"manager": "m"}]}
    assert mark(spec={"a": 1}) == mark(spec={"a": 1}, version="2", metadata=noisy)


@pytest.mark.parametrize(
    "parts",
    [
        {"spec": {"a": 2}},
        {"spec": {"a": 1}, "status": {"b": 1}},
        {"spec": {"a": 1}, "metadata": {"labels": {"l": "1"}}},
        {"spec": {"a": 1}, "metadata": {"annotations": {"l": "1"}}},
        {"spec": {"a": 1}, "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}},
        {"spec": {"a": 1}, "metadata": {"finalizers": ["f"]}},
        {"spec": {"a": 1}, "metadata": {"ownerReferences": [{"uid": "u"}]}},
        {"spec": {"a": 1}, "metadata": {"uid": "another"}},
        {"spec": {"a": 1}, "data": {}},
    ],
    ids=str,
)
def test_everything_else_matters(parts):
    assert mark(**parts) != mark(spec={"a": 1})


def test_status_and_named_annotations_can_be_declared_noise():
    quiet = Relevance(status=False, ignored_annotations=frozenset({"tick"}))
    noisy = {"metadata": {"annotations": {"tick": "9"}}, "status": {"x": 1}}
    assert mark(quiet, spec={}) == mark(quiet, spec={}, **noisy)
    assert cached(raw(status={"x": 1}), quiet).status != cached(raw(), quiet).status, "it is still told apart"


def test_objects_are_decoded_when_somebody_looks_and_never_printed():
    entry = cached(raw(spec={"password": "hunter2"}), Relevance())
    assert entry.object()["spec"] == {"password": "hunter2"}
    assert "hunter2" not in repr(entry)


def test_what_is_no_object_is_refused():
    with pytest.raises(msgspec.DecodeError):
        cached(b'{"metadata": 3}', Relevance())


def test_indexes_follow_every_change():
    cache = Cache(indexes={"team": lambda entry: [entry.meta.labels["team"]] if "team" in entry.meta.labels else []})
    for name, team in (("a", "x"), ("b", "x"), ("c", "y"), ("d", None)):
        labels = {"labels": {"team": team}} if team else {}
        cache.put(cached(raw(name, metadata=labels), cache.relevance))

    def names(team):
        return [entry.meta.name for entry in cache.indexed("team", team)]

    assert (names("x"), names("y"), names("z")) == (["a", "b"], ["c"], [])
    cache.put(cached(raw("a", "2", metadata={"labels": {"team": "y"}}), cache.relevance))
    assert (names("x"), names("y")) == (["b"], ["a", "c"])
    cache.drop(("n", "b"))
    assert names("x") == []
    assert cache.drop(("n", "b")) is None
    assert len(cache) == 3
    assert {entry.meta.name for entry in cache} == {"a", "c", "d"}
