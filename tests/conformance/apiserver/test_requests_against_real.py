"""Verbs, options and refusals: request for request what the real server answers."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from .twins import Past, Step

pytestmark = pytest.mark.conformance

CM = "/api/v1/namespaces/{ns}/configmaps"
DEPLOY = "/apis/apps/v1/namespaces/{ns}/deployments"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIALS = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def cm(name: str = "a", **extra: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v"}, **extra}


def made(name: str = "a", **extra: Any) -> Step:
    return Step("POST", CM, cm(name, **extra))


def last_version(past: Past) -> str:
    return str(past[-1].json["metadata"]["resourceVersion"])


def deploy(name: str = "web", **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, **metadata},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "nginx"}]},
            },
        },
    }


SCRIPTS: dict[str, Sequence[Step]] = {
    "create, read, again": [made(), Step("GET", f"{CM}/a"), made(), Step("GET", f"{CM}/none")],
    "create without a body": [Step("POST", CM, b"")],
    "create with broken json": [Step("POST", CM, b'{"a":'), Step("POST", CM, b"[]"), Step("POST", CM, b'"x"')],
    "create of another kind": [Step("POST", CM, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}})],
    "create in another version": [Step("POST", CM, cm(apiVersion="v2")), Step("POST", CM, cm(apiVersion="apps/v1"))],
    "create without kind": [Step("POST", CM, {"metadata": {"name": "bare"}, "data": {"a": "b"}})],
    "create in another namespace": [Step("POST", CM, cm(metadata={"name": "a", "namespace": "elsewhere"}))],
    "create without a name": [Step("POST", CM, cm(metadata={}))],
    "create with a bad name": [Step("POST", CM, cm("A_b")), Step("POST", CM, cm("x" * 254))],
    "create with a resource version": [Step("POST", CM, cm(metadata={"name": "a", "resourceVersion": "7"}))],
    "create with system fields": [
        Step("POST", CM, cm(metadata={"name": "a", "uid": "u", "selfLink": "x", "generation": 7, "creationTimestamp": "2020-01-01T00:00:00Z"})),
    ],
    "create dry": [Step("POST", CM, cm(), {"dryRun": "All"}), Step("GET", f"{CM}/a"), Step("POST", CM, cm(), {"dryRun": "Some"})],
    "create with a manager": [
        Step("POST", CM, cm(), {"fieldManager": "me"}),
        Step("POST", CM, cm("b"), {"fieldManager": "x" * 129}),
        Step("POST", CM, cm("b"), {"fieldManager": "a\u0007b"}),
    ],
    "create where nothing is": [Step("POST", "/api/v1/namespaces/none-such/configmaps", cm())],
    "field validation": [
        Step("POST", CM, cm("warn", bogus=1, other={"x": 1})),
        Step("POST", CM, cm("strict", bogus=1), {"fieldValidation": "Strict"}),
        Step("POST", CM, cm("ignored", bogus=1), {"fieldValidation": "Ignore"}),
        Step("POST", CM, cm("odd"), {"fieldValidation": "Maybe"}),
        Step("POST", CM, b'{"metadata":{"name":"dup"},"data":{"a":"1","a":"2"},"data":{"a":"3"}}'),
        Step("POST", CM, b'{"metadata":{"name":"dup2"},"data":{"a":"1","a":"2"}}', {"fieldValidation": "Strict"}),
        Step("POST", DEPLOY, {**deploy(), "spec": {**deploy()["spec"], "bogus": {"deep": 1}, "Replicas": 2}}),
    ],
    "types": [
        Step("POST", CM, cm(data={"a": 1})),
        Step("POST", CM, cm(data=["a"])),
        Step("POST", CM, cm(data="x")),
        Step("POST", CM, cm(immutable="yes")),
        Step("POST", CM, cm(metadata={"name": 7})),
        Step("POST", CM, cm(metadata={"name": "a", "labels": {"a": 1}})),
        Step("POST", CM, cm(metadata="a")),
        Step("POST", CM, cm(binaryData={"a": "%%%"})),
        Step("POST", DEPLOY, {**deploy(), "spec": {**deploy()["spec"], "replicas": "two"}}),
        Step("POST", DEPLOY, {**deploy(), "spec": {**deploy()["spec"], "replicas": 1.5}}),
        Step("POST", DEPLOY, {**deploy(), "spec": {**deploy()["spec"], "replicas": 99999999999}}),
        Step("POST", DEPLOY, {**deploy(), "spec": []}),
    ],
    "media types": [
        Step("POST", CM, b"metadata: {name: yaml}\ndata: {a: b}\n", type="application/yaml"),
        Step("POST", CM, b"<x/>", type="text/xml"),
        Step("GET", f"{CM}/yaml", accept="application/yaml"),
        Step("GET", f"{CM}/yaml", accept="text/html"),
        Step("GET", f"{CM}/yaml", accept="*/*"),
        Step("GET", f"{CM}/yaml", accept=PARTIAL),
        Step("GET", CM, accept=PARTIALS),
        Step("GET", CM, accept=TABLE),
        Step("GET", f"{CM}/yaml", accept=TABLE),
        Step("GET", CM, accept=TABLE, query={"includeObject": "None"}),
        Step("GET", CM, accept=TABLE, query={"includeObject": "Odd"}),
        Step("GET", CM, accept="application/json;as=Table;v=v9;g=meta.k8s.io"),
    ],
    "update": [
        made(),
        Step("PUT", f"{CM}/a", cm(data={"k": "w"})),
        Step("PUT", f"{CM}/a", cm(data={"k": "w"})),
        Step("PUT", f"{CM}/a", lambda past: cm(metadata={"name": "a", "resourceVersion": last_version(past)}, data={})),
        Step("PUT", f"{CM}/a", cm(metadata={"name": "a", "resourceVersion": "1"})),
        Step("PUT", f"{CM}/a", cm(metadata={"name": "a", "resourceVersion": "x"})),
        Step("PUT", f"{CM}/a", cm(metadata={"name": "a", "uid": "other"})),
        Step("PUT", f"{CM}/a", cm("b")),
        Step("PUT", f"{CM}/a", cm(metadata={})),
        Step("PUT", f"{CM}/none", cm("none")),
        Step("PUT", CM, cm()),
    ],
    "merge patch": [
        made(),
        Step("PATCH", f"{CM}/a", {"data": {"x": "y", "k": None}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"data": {"x": "y"}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"metadata": {"name": "b"}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"metadata": {"resourceVersion": "1"}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"data": {"x": 1}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"bogus": 1}, {"fieldValidation": "Strict"}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"bogus": 1}, type=MERGE),
        Step("PATCH", f"{CM}/a", b"{", type=MERGE),
        Step("PATCH", f"{CM}/a", b"[]", type=MERGE),
        Step("PATCH", f"{CM}/none", {}, type=MERGE),
        Step("PATCH", f"{CM}/a", {}, type="application/json"),
        Step("PATCH", f"{CM}/a", {}, {"force": "true"}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"data": {"dry": "run"}}, {"dryRun": "All"}, type=MERGE),
        Step("GET", f"{CM}/a"),
    ],
    "json patch": [
        made(),
        Step("PATCH", f"{CM}/a", [{"op": "add", "path": "/data/x", "value": "y"}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", [{"op": "test", "path": "/data/x", "value": "z"}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", [{"op": "remove", "path": "/data/none"}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", [{"op": "odd", "path": "/data/none"}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", {"op": "add"}, type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", [{"op": "test", "path": "/data/x", "value": "y"}] * 10_001, type=JSON_PATCH),
    ],
    "strategic patch": [
        Step("POST", DEPLOY, deploy()),
        Step("PATCH", f"{DEPLOY}/web", {"spec": {"template": {"spec": {"containers": [{"name": "d", "image": "x"}]}}}}, type=STRATEGIC),
        Step("PATCH", f"{DEPLOY}/web", {"spec": {"template": {"spec": {"containers": [{"image": "x"}]}}}}, type=STRATEGIC),
        Step("PATCH", f"{DEPLOY}/web", {"spec": {"replicas": 3}}, type=STRATEGIC),
        Step("PATCH", f"{DEPLOY}/web", {"spec": {"selector": {"matchLabels": {"app": "other"}}}}, type=STRATEGIC),
    ],
    "apply": [
        Step("PATCH", f"{CM}/a", cm(), type=APPLY),
        Step("PATCH", f"{CM}/a", cm(), {"fieldManager": "m1"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(), {"fieldManager": "m1"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(data={"k": "w"}), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(data={"k": "w"}), {"fieldManager": "m2", "force": "true"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(bogus=1), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm("b"), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(apiVersion="v2"), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(kind="Secret"), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", b"a: [", {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", b"[]", {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(metadata={"name": "a", "managedFields": []}), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(metadata={"name": "a", "resourceVersion": "1"}), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(data={"k": 1}), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/dry", cm("dry"), {"fieldManager": "m2", "dryRun": "All"}, type=APPLY),
        Step("PATCH", f"{CM}/a", {"apiVersion": "v1", "kind": "ConfigMap"}, {"fieldManager": "m1"}, type=APPLY),
    ],
    "delete": [
        made(),
        Step("DELETE", f"{CM}/a"),
        Step("DELETE", f"{CM}/a"),
        made("b", metadata={"name": "b", "finalizers": ["example.org/x"]}),
        Step("DELETE", f"{CM}/b"),
        Step("DELETE", f"{CM}/b"),
        made("b"),
        Step("PATCH", f"{CM}/b", {"metadata": {"finalizers": ["example.org/x", "example.org/y"]}}, type=MERGE),
        Step("PATCH", f"{CM}/b", {"metadata": {"finalizers": None}}, type=MERGE),
        Step("GET", f"{CM}/b"),
        made("c"),
        Step("DELETE", f"{CM}/c", {"preconditions": {"uid": "other"}}),
        Step("DELETE", f"{CM}/c", {"preconditions": {"resourceVersion": "1"}}),
        Step("DELETE", f"{CM}/c", {"propagationPolicy": "Odd"}),
        Step("DELETE", f"{CM}/c", {"propagationPolicy": "Orphan", "orphanDependents": True}),
        Step("DELETE", f"{CM}/c", {"dryRun": ["All"]}),
        Step("DELETE", f"{CM}/c", query={"dryRun": "All"}),
        Step("DELETE", f"{CM}/c", b"{"),
        Step("DELETE", f"{CM}/c", {"kind": "Pod", "apiVersion": "v1"}),
        Step("DELETE", f"{CM}/c", {"propagationPolicy": "Foreground"}),
        Step("GET", f"{CM}/c"),
        Step("DELETE", f"{CM}/c", {"propagationPolicy": "Background"}),
        made("d"),
        Step("DELETE", f"{CM}/d", {"orphanDependents": False}),
        made("e"),
        Step("DELETE", f"{CM}/e", {"gracePeriodSeconds": 5}),
    ],
    "delete collection": [
        made("a", metadata={"name": "a", "labels": {"x": "1"}}),
        made("b"),
        Step("DELETE", CM, query={"labelSelector": "x=1"}),
        Step("GET", CM),
        Step("DELETE", CM, query={"dryRun": "All"}),
        Step("DELETE", CM),
        Step("GET", CM),
    ],
    "lists": [
        *(made(name, metadata={"name": name, "labels": {"n": name}}) for name in "abcd"),
        Step("GET", CM),
        Step("GET", CM, query={"limit": "2"}),
        Step("GET", CM, query=lambda past: {"limit": "1", "continue": past[-1].json["metadata"]["continue"]}),
        Step("GET", CM, query=lambda past: {"continue": past[-1].json["metadata"]["continue"], "resourceVersion": "5"}),
        Step("GET", CM, query={"continue": "nonsense"}),
        Step("GET", CM, query={"labelSelector": "n in (a,b)"}),
        Step("GET", CM, query={"labelSelector": "n in (a,b)", "limit": "1"}),
        Step("GET", CM, query={"labelSelector": "!!"}),
        Step("GET", CM, query={"fieldSelector": "metadata.name=c"}),
        Step("GET", CM, query={"fieldSelector": "metadata.name!=c,metadata.namespace={ns}"}),
        Step("GET", CM, query={"fieldSelector": "data.k=v"}),
        Step("GET", CM, query={"fieldSelector": "x"}),
        Step("GET", CM, query={"resourceVersion": "0", "limit": "1"}),
        Step("GET", CM, query={"resourceVersion": "x"}),
        Step("GET", CM, query={"resourceVersion": "-1"}),
        Step("GET", CM, query={"resourceVersionMatch": "Exact"}),
        Step("GET", CM, query={"resourceVersionMatch": "Exact", "resourceVersion": "0"}),
        Step("GET", CM, query={"resourceVersionMatch": "Odd", "resourceVersion": "1"}),
        Step("GET", CM, query={"sendInitialEvents": "true"}),
        Step("GET", CM, query={"limit": "x"}),
        Step("GET", f"{CM}/a", query={"resourceVersion": "0"}),
        Step("GET", f"{CM}/a", query={"resourceVersion": "x"}),
        Step("GET", "/api/v1/namespaces/none-such/configmaps"),
    ],
    "watches": [
        made(),
        made("b", metadata={"name": "b", "labels": {"x": "1"}}),
        Step("PATCH", f"{CM}/b", {"metadata": {"labels": {"x": None}}}, type=MERGE),
        Step("DELETE", f"{CM}/b"),
        Step("GET", CM, query=lambda past: {"watch": "1", "timeoutSeconds": "1", "resourceVersion": str(past[0].json["metadata"]["resourceVersion"])}),
        Step("GET", CM, query=lambda past: {"watch": "1", "timeoutSeconds": "1", "labelSelector": "x", "resourceVersion": str(past[0].json["metadata"]["resourceVersion"])}),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1"}),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1", "resourceVersion": "0"}, accept=TABLE),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1", "sendInitialEvents": "true", "allowWatchBookmarks": "true", "resourceVersionMatch": "NotOlderThan"}),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1", "sendInitialEvents": "true"}),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1", "resourceVersionMatch": "NotOlderThan"}),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1", "resourceVersion": "x"}),
        Step("GET", f"{CM}/a", query={"watch": "1", "timeoutSeconds": "1"}),
        Step("GET", "/api/v1/watch/namespaces/{ns}/configmaps", query={"timeoutSeconds": "1"}),
    ],
    "what is not there": [
        Step("GET", "/apis/none.example/v1/things"),
        Step("GET", "/apis/apps/v9/deployments"),
        Step("GET", "/api/v1/things"),
        Step("GET", "/api/v1/namespaces/{ns}/things/x"),
        Step("GET", "/nonsense"),
        Step("GET", "/api/v9"),
        Step("GET", "/apis/none.example"),
        Step("POST", f"{CM}/a", cm()),
        Step("DELETE", "/api/v1/namespaces"),
        Step("PATCH", CM, {}, type=MERGE),
        Step("GET", f"{CM}/a/status"),
        Step("GET", "/api/v1/configmaps/a"),
        Step("POST", "/api/v1/configmaps", cm()),
        Step("GET", "/api/v1/namespaces/{ns}/namespaces"),
        Step("OPTIONS", CM),
        Step("GET", "/api/v1/namespaces/{ns}/nodes"),
    ],
    "generated names": [
        Step("POST", CM, cm(metadata={"generateName": "g-" + "x" * 70}), compared=False),
        Step("POST", CM, cm(metadata={"name": "given", "generateName": "g-"})),
        Step("POST", CM, cm(metadata={"generateName": "BAD-"}), compared=False),
    ],
    "health and version": [
        Step("GET", "/healthz"),
        Step("GET", "/livez"),
        Step("GET", "/readyz"),
        Step("GET", "/livez/ping"),
    ],
    "large": [
        Step("POST", CM, cm(data={"k": "v" * 1_048_576})),
        Step("POST", CM, cm(data={"k": "v" * 1_048_570})),
    ],
    "owners": [
        Step("POST", CM, cm(metadata={"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}] * 2})),
    ],
    "status": [
        Step("POST", DEPLOY, {**deploy(), "status": {"replicas": 5}}),
        Step("PUT", f"{DEPLOY}/web/status", {**deploy(labels={"no": "label"}), "status": {"replicas": 2, "readyReplicas": 1}}),
        Step("PATCH", f"{DEPLOY}/web/status", {"status": {"availableReplicas": 1}, "spec": {"replicas": 9}}, type=MERGE),
        Step("PATCH", f"{DEPLOY}/web/status", {"apiVersion": "apps/v1", "kind": "Deployment", "status": {"updatedReplicas": 1}}, {"fieldManager": "s"}, type=APPLY),
        Step("PATCH", f"{DEPLOY}/web", {"status": {"availableReplicas": 7}}, type=MERGE),
        Step("GET", f"{DEPLOY}/web/status"),
        Step("PATCH", f"{DEPLOY}/none/status", {"apiVersion": "apps/v1", "kind": "Deployment", "status": {}}, {"fieldManager": "s"}, type=APPLY),
    ],
    "scale": [
        Step("POST", DEPLOY, deploy()),
        Step("GET", f"{DEPLOY}/web/scale"),
        Step("PATCH", f"{DEPLOY}/web/scale", {"spec": {"replicas": 4}}, type=MERGE),
        Step("PUT", f"{DEPLOY}/web/scale", {"metadata": {"name": "web", "namespace": "{ns}"}, "spec": {"replicas": 2}}),
        Step("PATCH", f"{DEPLOY}/web/scale", {"spec": {"replicas": -1}}, type=MERGE),
        Step("GET", f"{DEPLOY}/none/scale"),
        Step("GET", f"{DEPLOY}/web"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_both_servers_answer_alike(compared: Callable[[Sequence[Step]], list[str]], name: str) -> None:
    found = compared(SCRIPTS[name])
    assert not found, "\n".join(found)
