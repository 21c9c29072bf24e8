"""The fast reading never takes what the slow one would not."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apiserver.scripts.samples import cm, deploy, pod

from plumbline.apiserver.decoding.bodies import Wanted, keys_in, plain
from plumbline.apiserver.decoding.checks import Odd, keys_of
from plumbline.apiserver.decoding.depth import DEEPEST
from plumbline.apiserver.decoding.tree import parsed
from plumbline.apiserver.decoding.types import body_type, structure
from plumbline.apiserver.decoding.unmarshal import unmarshalled
from plumbline.base.errors import LimitExceeded
from plumbline.base.json import encode
from plumbline.kube.names import GroupVersionKind


def wanted(obj):
    kind = GroupVersionKind.of(obj)
    return Wanted(kind, body_type(kind))


RICH = {
    **deploy(labels={"a": "b"}, creationTimestamp="2024-01-01T00:00:00Z", generation=3, finalizers=["x/y"]),
    "status": {"replicas": 1, "conditions": [{"type": "Available", "status": "True", "lastUpdateTime": None}]},
}
RICH["spec"] |= {
    "replicas": 2,
    "paused": False,
    "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
}
RICH["spec"]["template"]["spec"] = {
    **pod()["spec"],
    "nodeSelector": {"a": "b"},
    "containers": [
        {"name": "c", "resources": {"limits": {"cpu": "500m", "memory": 1024}}, "ports": [{"containerPort": 80}]}
    ],
    "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}],
}
SCHEMA = {
    "type": "object",
    "default": {"a": [1]},
    "maximum": 1.5,
    "additionalProperties": False,
    "properties": {
        "a": {"items": {"type": "string"}, "enum": ["x", 1]},
        "b": {"items": [{"type": "x"}], "additionalProperties": {}},
    },
    "dependencies": {},
}
GOOD = [
    cm(binaryData={"b": "aGk="}, immutable=True),
    RICH,
    pod(),
    {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": {"renewTime": "2024-01-01T00:00:00.000000Z"}},
]


@pytest.mark.parametrize("obj", GOOD, ids=lambda obj: obj["kind"])
def test_what_is_right_is_taken_at_once(obj):
    assert plain(encode(obj), wanted(obj)) == obj


def test_schemas_are_taken_at_once():
    assert keys_of(SCHEMA, structure("apiextensions/v1.JSONSchemaProps")) == 15


@pytest.mark.parametrize(
    "written",
    [
        b'{"a":1 }', b'{"a": 1}', b'{\n "a": {"b": []}\n}', b'{"a":"x\\":y"}', b'{"a":"{\\"b\\":{\\"c\\":1}}"}', b'{"a":"b : c"}',
    ],
)  # fmt: skip
def test_keys_are_counted_without_reading(written):
    assert keys_in(written) == sum(len(each) for _, each in objects(parsed(written)))


def objects(node, path=()):
    if isinstance(node, list):
        if node and isinstance(node[0], tuple):
            yield path, node
        for each in node:
            yield from objects(each[1] if isinstance(each, tuple) else each, path)


@pytest.mark.parametrize("written", [b'{"a" :1,"b":1,"b":2}', b'{"a\\\\":1,"b":1,"b":2}', b'{"a"\n\t:1}'])
def test_where_counting_could_be_wrong_it_is_not_done(written):
    assert keys_in(written) == -1


VALUES = st.sampled_from(
    [0, -1, 1.5, 2**31, 2**63, "", "x", "1", "5Gi", "aGk=", "%", "2024-01-01T00:00:00Z", "2024-02-30T00:00:00Z", True, None, [], {}, [1], ["a"], [None], [{}], {"a": 1}, {"a": "b"}, {"a": None}, {"bogus": 1}]
)  # fmt: skip


def places(value, path=()):
    for step, child in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield (*path, step)
        yield from places(child, (*path, step))


@given(st.data())
def test_what_is_taken_at_once_go_takes_without_a_word(data):
    obj = copy.copy(data.draw(st.sampled_from(GOOD)))
    *path, last = data.draw(st.sampled_from([each for each in places(obj) if each[0] not in ("kind", "apiVersion")]))
    within = obj
    for step in path:
        within[step] = copy.copy(within[step])
        within = within[step]
    within[last] = data.draw(VALUES)
    written = encode(obj)
    taken = plain(written, wanted(obj))
    if taken is not None:
        read = unmarshalled(parsed(written), wanted(obj).type)
        assert read.complaints == ()
        assert read.value.keys() == taken.keys()


@pytest.mark.parametrize(
    "value", [7, [], "x", {"items": "x"}, {"additionalProperties": 7}, {"dependencies": {"a": ["b"]}}]
)
def test_what_is_no_schema_is_odd(value):
    with pytest.raises(Odd):
        keys_of(value, structure("apiextensions/v1.JSONSchemaProps"))


@pytest.mark.parametrize(
    "written", [b'{"kind":"Secret"}', b'{"apiVersion":"v2"}', b'{"kind":null}', b"[]", b"{", b'{"a":' * 5000, b'{"data":{"a":"x","a":"y"}}']
)  # fmt: skip
def test_what_needs_a_second_look_is_not_taken(written):
    assert plain(written, wanted(cm())) is None


def test_what_is_too_deep_is_refused():
    deep = encode({"apiVersion": "apps/v1", "kind": "ControllerRevision", "data": 0})
    deep = deep[:-2] + b"[" * DEEPEST + b"]" * DEEPEST + b"}"
    with pytest.raises(LimitExceeded):
        plain(deep, wanted({"apiVersion": "apps/v1", "kind": "ControllerRevision"}))
    wide = {**cm(), "metadata": {"name": "a", "managedFields": [{"fieldsV1": {}} for _ in range(DEEPEST)]}}
    assert plain(encode(wide), wanted(wide)) == wide
