"""Patches that are wrong: as text, as patches, in what they make of an object."""

from collections.abc import Iterable
from typing import Any

from tests.apiserver.scripts.decoding import IGNORE, STRICT, TEXTS, WARN
from tests.apiserver.scripts.samples import APPLY, CM, DEPLOY, DRY, JSON_PATCH, MERGE, STRATEGIC, cm, deploy, made
from tests.apiserver.scripts.steps import Script, Step

APPLYING = {**DRY, "fieldManager": "m"}


def patches(path: str, bodies: Iterable[Any], type: str, query: dict[str, str] = DRY) -> list[Step]:  # noqa: A002 - as steps say it
    return [Step("PATCH", path, body, query, type=type) for body in bodies]


def template(**fields: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": fields}}}


FIELDS: tuple[Any, ...] = (
    {"data": {"x": 1}}, {"data": 7}, {"data": []}, {"data": "x"}, {"metadata": {"labels": {"a": 1}}}, {"metadata": {"labels": []}}, {"metadata": {"creationTimestamp": "x"}}, {"metadata": {"generation": 1.5}}, {"metadata": 7},
    {"bogus": 1, "data": {"x": "y"}}, {"metadata": {"bogus": {"a": {"b": 1}}, "labels": {"z": "1", "a": "2"}}}, {"immutable": "x"}, {"binaryData": {"a": "%"}}, {"kind": "Secret"}, {"kind": "Nothing"}, {"apiVersion": "v9"}, {"apiVersion": "a/b/c"}, {"kind": 7},
    {"metadata": {"name": "b"}}, {"metadata": {"name": ""}}, {"metadata": {"namespace": "elsewhere"}}, {"data": {"<a>": 1, "&": "x"}}, {"data": None, "bogus": {"b": 1, "a": [{"d": None, "c": 1}]}},
)  # fmt: skip
REPEATED = (
    b'{"data":{"x":"1","x":"2"},"data":{"y":"3"}}', b'{"metadata":{"labels":{"a":"b"}},"metadata":{"labels":{"c":"d"}},"bogus":1,"bogus":2}', b'{"data" :{"x":"1"}}', b'{"data":{"x":"1","x":2}}',
)  # fmt: skip

OPERATIONS: tuple[Any, ...] = (
    {"op": "add"}, [7], [None], [[]], ["x"], [{"op": 7}], [{"op": "add", "path": 7}], [{"op": "add", "path": "/data/x", "value": "y", "bogus": 1}], [{"op": "add", "path": "/data/x"}], [{"op": "add"}], [{"path": "/data/x"}], [{}], [],
    [{"op": "remove", "path": "/data/none"}], [{"op": "replace", "path": "/none/x", "value": 1}], [{"op": "test", "path": "/data/k", "value": "z"}], [{"op": "move", "from": "/none", "path": "/data/x"}], [{"op": "copy", "from": "/data/k", "path": "/a/b"}],
    [{"op": "add", "path": "/data/x", "value": 1}], [{"op": "add", "path": "/bogus", "value": {"z": 1, "a": 2}}], [{"op": "replace", "path": "/data", "value": 7}], [{"op": "replace", "path": "", "value": 7}], [{"op": "replace", "path": "", "value": []}],
    [{"op": "replace", "path": "", "value": {}}], [{"op": "replace", "path": "/kind", "value": "Secret"}], [{"op": "remove", "path": "/metadata/name"}], [{"op": "remove", "path": "/metadata"}], [{"op": "add", "path": "metadata/x", "value": 1}],
    [{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}, {"op": "add", "path": "/metadata/labels/c", "value": 1}], [{"op": "Add", "path": "/data/x", "value": "y"}], [{"op": "add", "path": "/metadata/annotations/x~1y", "value": "z"}],
)  # fmt: skip
REPEATED_OPERATIONS = (
    b'[{"op":"add","op":"add","path":"/data/x","value":"y"}]',
    b'[{"op":"add","path":"/data/x","value":"y","value":"z"}]',
    b'[{"op":"add","path":"/data/x","value":"y"}',
)

STRATEGIES: tuple[Any, ...] = (
    template(containers=[{"image": "x"}]), template(containers=["x"]), template(containers={"a": "b"}), template(containers=7), template(containers=[{"name": 7}]), template(containers=[{"name": "c", "image": 7}]), template(containers=[{"name": "c", "ports": [{"containerPort": "80"}]}]),
    {"spec": {"replicas": "x"}}, {"spec": {"replicas": 1.5}}, {"spec": {"replicas": 2**33 + 3}}, {"spec": {"replicas": True}}, {"spec": {"replicas": {}}}, {"spec": 7}, {"spec": []}, {"spec": {"paused": "x"}}, {"spec": {"paused": 1}},
    {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate", "rollingUpdate": {}}}}, {"spec": {"strategy": {"$retainKeys": "x"}}}, {"spec": {"$patch": "odd"}}, {"$patch": "odd"}, {"spec": {"$deleteFromPrimitiveList": 7}}, {"spec": {"$deleteFromPrimitiveList/x": 7}},
    {"spec": {"$setElementOrder/x": [1]}}, {"metadata": {"finalizers": [[1]]}}, {"metadata": {"finalizers": "x"}}, {"metadata": {"finalizers": [1]}}, {"metadata": {"labels": {"a": 1}}}, {"metadata": {"labels": "x"}}, {"metadata": {"creationTimestamp": "x"}}, {"metadata": {"creationTimestamp": 7}},
    {"bogus": 1, "spec": {"bogus": 2, "template": {"spec": {"bogus": 3}}}}, {"kind": "Pod"}, {"kind": 7}, {"apiVersion": "v9"}, {"metadata": {"name": "b"}}, {"status": {"replicas": "x"}}, {"spec": {"selector": {"matchLabels": {"a": 1}}}}, template(volumes=[{"name": "v", "emptyDir": 7}]),
    template(nodeSelector={"a": 1}), template(nodeSelector=[]), template(containers=[{"name": "c", "resources": {"limits": {"cpu": "x"}}}]), template(containers=[{"name": "c", "livenessProbe": {"httpGet": {"port": []}}}]),
)  # fmt: skip

CONFIGURATIONS: tuple[Any, ...] = (
    b"", b"null\n", b"[]", b"x", b"7", b"a: [", b"a: b: c\n", b"\ta: b\n", b"a: *x\n", {}, {"kind": "ConfigMap"}, {"apiVersion": "v1"}, {"apiVersion": "v1", "kind": 7}, {"apiVersion": 7, "kind": "ConfigMap"}, cm(apiVersion="a/b/c"), cm(apiVersion="apps/v1"), cm(kind="Pod"),
    cm(data=7), cm(data=[]), cm(data={"a": 1}), cm(bogus=1), cm(metadata={"name": "a", "bogus": 1}), cm(metadata=7), cm(metadata=[]), cm(metadata=None), cm(metadata={}), cm(metadata={"name": "b"}), cm(metadata={"name": "a", "labels": {"a": 1}}),
    cm(metadata={"name": "a", "managedFields": [{}]}), cm(metadata={"name": "a", "namespace": "elsewhere"}), cm(metadata={"name": "a", "uid": "x"}), cm(metadata={"name": "a", "finalizers": "x"}), cm(data={"a": None}), cm(data=None), cm(immutable="x"),
    b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: b\n  a: c\n", b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2"}}',
)  # fmt: skip

MEDIA = (
    "application/json", "text/plain", f"{MERGE}; charset=utf-8", f"{MERGE};", f"{MERGE} ;x=y", MERGE.upper(), f"{MERGE}, {JSON_PATCH}", "application/apply-patch+cbor", "application/yaml", "*/*",
)  # fmt: skip

SCRIPTS: dict[str, Script] = {
    "texts as merge patches": [made(), *patches(f"{CM}/a", TEXTS, MERGE), *patches(f"{CM}/a", TEXTS, MERGE, IGNORE)],
    "texts as json patches": [made(), *patches(f"{CM}/a", TEXTS, JSON_PATCH), *patches(f"{CM}/a", TEXTS, JSON_PATCH, IGNORE)],
    "texts as strategic patches": [made(), *patches(f"{CM}/a", TEXTS, STRATEGIC), *patches(f"{CM}/a", TEXTS, STRATEGIC, IGNORE)],
    "texts for what is not there": [Step("PATCH", f"{CM}/none", b"{", type=each) for each in (MERGE, JSON_PATCH, STRATEGIC)],
    "merge patches": [made(), *patches(f"{CM}/a", FIELDS, MERGE), *patches(f"{CM}/a", FIELDS, MERGE, STRICT), *patches(f"{CM}/a", REPEATED, MERGE, WARN), *patches(f"{CM}/a", REPEATED, MERGE, STRICT)],
    "json patches": [made(), *patches(f"{CM}/a", OPERATIONS, JSON_PATCH), *patches(f"{CM}/a", REPEATED_OPERATIONS, JSON_PATCH, WARN), *patches(f"{CM}/a", (*REPEATED_OPERATIONS, *OPERATIONS[:8]), JSON_PATCH, STRICT)],
    "json patches without strictness": [made(), *patches(f"{CM}/a", OPERATIONS[:13], JSON_PATCH, IGNORE)],
    "strategic patches": [Step("POST", DEPLOY, deploy()), *patches(f"{DEPLOY}/web", STRATEGIES, STRATEGIC), *patches(f"{DEPLOY}/web", STRATEGIES[:12], STRATEGIC, STRICT)],
    "strategic patches of maps": [made(), *patches(f"{CM}/a", (*FIELDS, *REPEATED), STRATEGIC), *patches(f"{CM}/a", (*FIELDS[9:11], *REPEATED), STRATEGIC, STRICT)],
    "applied configurations": [made(), *patches(f"{CM}/a", CONFIGURATIONS, APPLY, APPLYING), *patches(f"{CM}/a", CONFIGURATIONS[-2:], APPLY, {**APPLYING, "fieldValidation": "Strict"})],
    "configurations that create": patches(f"{CM}/a", CONFIGURATIONS, APPLY, APPLYING),
    "media types of patches": [made(), *(Step("PATCH", f"{CM}/a", {"data": {"x": "y"}}, DRY, type=media) for media in MEDIA)],
}  # fmt: skip
