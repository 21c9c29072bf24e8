"""The real API server writes the same objects in JSON and in protobuf, and reads them in both: so must this room."""

import http.client
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import pytest
import yaml
from tests.apiserver.protobuf.written import body, body_of, chunk, number

from plumbline.apiserver import protobuf
from plumbline.apiserver.protobuf import decoded, openapi_v2
from plumbline.apiserver.protobuf.table import BODIES, OPENAPI
from plumbline.apiserver.protobuf.wire import varint
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.base.errors import BadDocument
from plumbline.base.json import decode, encode
from plumbline.kube.names import GroupVersionKind

pytestmark = pytest.mark.conformance

JSON = "application/json"
PROTOBUF = "application/vnd.kubernetes.protobuf"
OPENAPI_V2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
API_MODULE = "k8s.io/api@v0.36.3"
TOOL = Path(__file__).parents[3] / "tools" / "protobuf_table"
PER_KIND = 4


class Wire:
    """One connection, for bytes as they are."""

    def __init__(self, cluster):
        where = urlsplit(cluster.url)
        self.connection = http.client.HTTPSConnection(where.hostname, where.port, context=cluster.tls, timeout=30)

    def send(self, method, path, content=None, content_type=JSON, accept=JSON):
        self.connection.request(method, path, content, {"Content-Type": content_type, "Accept": accept})
        reply = self.connection.getresponse()
        raw = reply.read()
        return reply.status, decode(raw) if accept == JSON else raw


@pytest.fixture(scope="module")
def wire(real_cluster):
    wire = Wire(real_cluster)
    yield wire
    wire.connection.close()


@pytest.fixture(scope="module")
def go():
    command = shutil.which("go")
    if command is None:
        pytest.fail("Go is not on PATH; run `make peers` first")

    def run(*arguments, folder=None):
        environment = os.environ | {"GOFLAGS": "-mod=mod"}
        argv = [command, *arguments]
        return subprocess.run(argv, cwd=folder, capture_output=True, check=True, timeout=600, env=environment).stdout

    return run


@pytest.mark.parametrize(("package", "file_name"), [(".", "messages.txt"), ("./openapi", "openapi_v2.txt")])
def test_the_tables_are_what_the_types_of_the_release_say(go, package, file_name):
    assert go("run", package, folder=TOOL) == Path(protobuf.__file__).with_name(file_name).read_bytes()


def test_upstreams_own_samples_are_read_as_they_are_in_json(go):
    folder = Path(json.loads(go("mod", "download", "-json", API_MODULE))["Dir"]) / "testdata" / "HEAD"
    compared = 0
    for api_version, kind in BODIES.kinds:
        name = f"{api_version.replace('/', '.') if '/' in api_version else f'core.{api_version}'}.{kind}"
        sample = folder / f"{name}.pb"
        if sample.exists():
            assert decoded(sample.read_bytes()) == decode((folder / f"{name}.json").read_bytes()), name
            compared += 1
    assert compared > 60


def collections():
    return [each for each in builtin_resources() if "list" in each.verbs and each.kind.kind != "ComponentStatus"]


def test_what_the_server_holds_is_the_same_in_both_forms(wire):
    kinds = 0
    for resource in collections():
        status, listed = wire.send("GET", f"{resource.name.root}/{resource.plural}?limit={PER_KIND}")
        assert status == 200, listed
        for item in listed["items"]:
            path = path_of(resource, item["metadata"])
            _, before = wire.send("GET", path)
            _, raw = wire.send("GET", path, accept=PROTOBUF)
            _, after = wire.send("GET", path)
            if before == after:
                assert decoded(raw) == without_inner_kinds(before), path
        kinds += bool(listed["items"])
    assert kinds > 12, "a fresh cluster has objects of many kinds"


def without_inner_kinds(obj):
    """Protobuf has no place for the kind and version of objects inside an object, such as claim templates."""
    templates = obj.get("spec", {}).get("volumeClaimTemplates") if obj["kind"] == "StatefulSet" else None
    if not templates:
        return obj
    bare = [{name: value for name, value in each.items() if name not in ("kind", "apiVersion")} for each in templates]
    return {**obj, "spec": {**obj["spec"], "volumeClaimTemplates": bare}}


def path_of(resource, metadata):
    namespace = f"namespaces/{metadata['namespace']}/" if resource.namespaced else ""
    return f"{resource.name.root}/{namespace}{resource.plural}/{metadata['name']}"


POD_SPEC = {
    "automountServiceAccountToken": False,
    "terminationGracePeriodSeconds": 0,
    "priority": 0,
    "securityContext": {"runAsUser": 0, "supplementalGroups": [0, 7]},
    "tolerations": [{"operator": "Exists", "tolerationSeconds": 0, "effect": "NoExecute"}],
    "containers": [
        {
            "name": "web",
            "image": "registry.example/web:1",
            "env": [{"name": "EMPTY"}, {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
            "envFrom": [{"configMapRef": {"name": "c", "optional": False}}],
            "ports": [{"containerPort": 8080, "name": "http"}],
            "resources": {"requests": {"cpu": "0.5", "memory": "64Mi"}, "limits": {"cpu": "1500m"}},
            "livenessProbe": {"httpGet": {"path": "/", "port": "http"}, "initialDelaySeconds": 3},
            "readinessProbe": {"tcpSocket": {"port": 8080}},
            "volumeMounts": [{"name": "conf", "mountPath": "/etc/web", "subPath": ""}],
            "securityContext": {"privileged": False},
        }
    ],
    "volumes": [
        {"name": "conf", "configMap": {"name": "web", "defaultMode": 0}},
        {"name": "tmp", "emptyDir": {"sizeLimit": "1Gi"}},
        {"name": "all", "projected": {"sources": [{"secret": {"name": "s"}}]}},
    ],
}
SENT = [
    ("v1/configmaps", {"data": {"a": ""}, "binaryData": {"b": "AAE="}, "immutable": False}),
    ("v1/secrets", {"type": "Opaque", "data": {"a": "", "b": "/w=="}, "stringData": {"c": "d"}}),
    ("v1/serviceaccounts", {"automountServiceAccountToken": False}),
    ("v1/pods", {"spec": POD_SPEC}),
    ("v1/services", {"spec": {"ports": [{"name": "a", "port": 80, "targetPort": "http"}, {"name": "b", "port": 81}]}}),
    (
        "v1/persistentvolumeclaims",
        {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "",
                "resources": {"requests": {"storage": "1.5Gi"}},
            }
        },
    ),
    ("v1/resourcequotas", {"spec": {"hard": {"pods": "0", "cpu": "1.50"}}}),
    ("v1/limitranges", {"spec": {"limits": [{"type": "Container", "default": {"cpu": "100m"}}]}}),
    (
        "v1/events",
        {
            "involvedObject": {"namespace": "default"},
            "reason": "x",
            "count": 3,
            "firstTimestamp": "2024-01-01T00:00:00Z",
            "eventTime": "2024-01-01T00:00:00.123456Z",
            "type": "Normal",
            "action": "a",
            "reportingComponent": "example.org/c",
            "reportingInstance": "i",
        },
    ),
    (
        "apps/v1/deployments",
        {
            "spec": {
                "replicas": 0,
                "revisionHistoryLimit": 0,
                "paused": True,
                "selector": {"matchLabels": {"a": "b"}},
                "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD_SPEC},
            }
        },
    ),
    (
        "apps/v1/statefulsets",
        {
            "spec": {
                "serviceName": "s",
                "selector": {"matchLabels": {"a": "b"}},
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD_SPEC},
                "volumeClaimTemplates": [
                    {
                        "metadata": {"name": "d"},
                        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
                    }
                ],
            }
        },
    ),
    ("apps/v1/controllerrevisions", {"revision": 3, "data": {"spec": {"a": [1, 1.5, None]}}}),
    (
        "batch/v1/jobs",
        {
            "spec": {
                "backoffLimit": 0,
                "manualSelector": True,
                "selector": {"matchLabels": {"a": "b"}},
                "suspend": False,
                "template": {
                    "metadata": {"labels": {"a": "b"}},
                    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
                },
            }
        },
    ),
    (
        "autoscaling/v2/horizontalpodautoscalers",
        {
            "spec": {
                "scaleTargetRef": {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"},
                "maxReplicas": 3,
                "metrics": [
                    {
                        "type": "Resource",
                        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
                    }
                ],
            }
        },
    ),
    ("policy/v1/poddisruptionbudgets", {"spec": {"minAvailable": 0, "selector": {}}}),
    ("rbac.authorization.k8s.io/v1/roles", {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}),
    (
        "rbac.authorization.k8s.io/v1/clusterroles",
        {"rules": [{"nonResourceURLs": ["/healthz"], "verbs": ["get"]}]},
    ),
    (
        "networking.k8s.io/v1/ingresses",
        {
            "spec": {
                "rules": [
                    {
                        "host": "a.example.org",
                        "http": {
                            "paths": [
                                {
                                    "path": "/",
                                    "pathType": "Prefix",
                                    "backend": {"service": {"name": "s", "port": {"number": 80}}},
                                }
                            ]
                        },
                    }
                ]
            }
        },
    ),
    (
        "networking.k8s.io/v1/networkpolicies",
        {
            "spec": {
                "podSelector": {},
                "ingress": [{"ports": [{"port": "http"}, {"port": 80}]}],
                "policyTypes": ["Ingress"],
            }
        },
    ),
    (
        "coordination.k8s.io/v1/leases",
        {
            "spec": {
                "holderIdentity": "",
                "leaseDurationSeconds": 15,
                "leaseTransitions": 0,
                "renewTime": "2024-01-01T00:00:00.000001Z",
            }
        },
    ),
    ("scheduling.k8s.io/v1/priorityclasses", {"value": 0, "globalDefault": False, "description": "d"}),
    ("storage.k8s.io/v1/storageclasses", {"provisioner": "example.org/p", "allowVolumeExpansion": False}),
    (
        "apiregistration.k8s.io/v1/apiservices",
        {
            "spec": {
                "group": "protobuf.example",
                "version": "v1",
                "groupPriorityMinimum": 1,
                "versionPriority": 1,
                "service": {"namespace": "default", "name": "s"},
                "insecureSkipTLSVerify": True,
            }
        },
    ),
    (
        "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        {
            "webhooks": [
                {
                    "name": "w.example.org",
                    "admissionReviewVersions": ["v1"],
                    "sideEffects": "None",
                    "clientConfig": {"url": "https://example.org/w"},
                    "rules": [{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["nodes"]}],
                }
            ]
        },
    ),
    (
        "authorization.k8s.io/v1/subjectaccessreviews",
        {
            "spec": {
                "user": "u",
                "extra": {"a": ["b"]},
                "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"},
            }
        },
    ),
    (
        "authorization.k8s.io/v1/selfsubjectaccessreviews",
        {"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}},
    ),
    ("authentication.k8s.io/v1/selfsubjectreviews", {}),
]
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.proto.example.org"},
    "spec": {
        "group": "proto.example.org",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget", "singular": "widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "description": "A widget: <é>",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {
                                    "size": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 0},
                                    "ratio": {"type": "number", "minimum": 0.5, "multipleOf": 0.25},
                                    "mode": {"type": "string", "enum": ["a", "1", "null", ""], "default": "a"},
                                    "x-odd": {"type": "string", "pattern": "^a{1,3}$", "maxLength": 300},
                                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                                    "port": {"x-kubernetes-int-or-string": True},
                                    "map": {"type": "object", "additionalProperties": {"type": "string"}},
                                    "list": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["k"],
                                        "items": {
                                            "type": "object",
                                            "required": ["k"],
                                            "properties": {"k": {"type": "string"}},
                                        },
                                    },
                                    "some": {"type": "object", "default": {"a": [1, 1.5, None, "\x7f"]}, "nullable": True,
                                             "x-kubernetes-preserve-unknown-fields": True},
                                },
                                "x-kubernetes-validations": [{"rule": "self.size >= 0", "message": "too small"}],
                            }
                        },
                    }
                },
            }
        ],
    },
}  # fmt: skip
NAMES = {"apiregistration.k8s.io/v1/apiservices": "v1.protobuf.example"}
BY_PATH = {f"{each.kind.api_version}/{each.plural}": each for each in builtin_resources()}


def without_ids(obj):
    """What two creations of the same object have in common."""
    metadata = {
        key: value
        for key, value in obj.get("metadata", {}).items()
        if key not in {"uid", "creationTimestamp", "managedFields", "resourceVersion"}
    }
    managed = [each.get("fieldsV1") for each in obj.get("metadata", {}).get("managedFields", ())]
    kept = obj | {"metadata": metadata, "managed": managed}
    if obj.get("kind") == "APIService":
        kept.pop("status")  # holds the time of the last transition
    if obj.get("kind") == "Service":
        kept["spec"] = {key: value for key, value in obj["spec"].items() if not key.startswith("clusterIP")}
    return encode(kept)


@pytest.mark.parametrize(("collection", "content"), SENT, ids=[name for name, _ in SENT])
def test_the_server_makes_the_same_of_both_forms(wire, collection, content):
    resource = BY_PATH[collection]
    named = {} if collection.endswith("reviews") else {"name": NAMES.get(collection, "sent")}
    obj = {"apiVersion": resource.kind.api_version, "kind": resource.kind.kind, "metadata": named} | content
    place = f"{resource.name.root}/{'namespaces/default/' if resource.namespaced else ''}{resource.plural}?dryRun=All"
    sent = body_of(obj)
    status, as_protobuf = wire.send("POST", place, sent, PROTOBUF)
    assert status == 201, as_protobuf
    assert status_and_object(wire, place, encode(obj)) == (201, without_ids(as_protobuf))
    assert status_and_object(wire, place, encode(decoded(sent))) == (201, without_ids(as_protobuf))


def status_and_object(wire, place, content):
    status, answer = wire.send("POST", place, content)
    return status, without_ids(answer)


def test_a_crd_is_read_as_the_server_reads_it(wire):
    place = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All"
    crd = encode_without_numbers(CRD)
    sent = body_of(crd)
    status, as_protobuf = wire.send("POST", place, sent, PROTOBUF)
    assert status == 201, as_protobuf
    again = decoded(sent)
    status, as_json = wire.send("POST", place, encode(again))
    assert (status, as_json["spec"]) == (201, as_protobuf["spec"])


def encode_without_numbers(value):
    """Clients in tests write no doubles: the bounds of a schema are left out."""
    if isinstance(value, dict):
        bounds = {"minimum", "maximum", "multipleOf"}
        return {key: encode_without_numbers(child) for key, child in value.items() if key not in bounds}
    return [encode_without_numbers(child) for child in value] if isinstance(value, list) else value


NAMED = chunk(1, chunk(1, "x1"))
MALFORMED = [
    b"", b"k8s\0", b"{}", b'{"a":1}' + b"x" * 40, body("v1", "ConfigMap", NAMED)[:-7], body("v1", "ConfigMap")[:12],
    b"k8s\0" + number(1, 3), body("v1", "Foo"), body("v2", "ConfigMap"), body("v1", "ConfigMap", NAMED[:-2]),
    body("v1", "ConfigMap", number(1, 3)), body("v1", "ConfigMap", chunk(1, number(5, 3))),
    body("v1", "ConfigMap", b"\x02\0"), body("v1", "ConfigMap", b"\x0c"), body("v1", "ConfigMap", b"\x9e\x06"),
    body("v1", "ConfigMap", NAMED + b"\x9b\x06\x20\x04"), body("v1", "ConfigMap", b"\xff" * 11),
    body("v1", "ConfigMap", b"\x0a" + b"\xff" * 9 + b"\x01"), body("v1", "ConfigMap", b"\x0a" + b"\xff" * 8 + b"\x7f"),
    body("v1", "ConfigMap", b"\x0a" + b"\xff" * 5 + b"\x01"), body("v1", "ConfigMap", chunk(1, chunk(8, b"\x02\0"))),
    body("v1", "ConfigMap", chunk(2, b"\x1c")), body("v1", "ConfigMap", chunk(2, b"\x0a\x05a")),
]  # fmt: skip


@pytest.mark.parametrize("sent", MALFORMED, ids=range(len(MALFORMED)))
def test_what_the_server_refuses_is_refused_in_its_words(wire, sent):
    status, answer = wire.send("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", sent, PROTOBUF)
    with pytest.raises(BadDocument) as refusal:
        decoded(sent, GroupVersionKind("", "v1", "ConfigMap"))
    said = answer["message"].partition(" in scheme ")[0]
    assert (status, str(refusal.value)) == (400, said)


@pytest.mark.parametrize("sent", [body("v1", "DeleteOptions", b"\x0c"), body("v1", "ConfigMap"), b"{}"])
def test_bad_delete_options_are_refused_in_its_words(wire, sent):
    status, answer = wire.send("DELETE", "/api/v1/namespaces/default/configmaps/none", sent, PROTOBUF)
    with pytest.raises(BadDocument) as refusal:
        decoded(sent, GroupVersionKind("meta.k8s.io", "v1", "DeleteOptions"))
    assert (status, str(refusal.value)) == (400, answer["message"].partition(" in scheme ")[0])


def test_text_that_is_none_comes_out_as_the_server_writes_it(wire):
    sent = body("v1", "ConfigMap", NAMED + chunk(2, chunk(1, "k") + chunk(2, b"a\xff\xfe\xe2\x82y\xed\xa0\x80")))
    status, answer = wire.send("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", sent, PROTOBUF)
    assert (status, decoded(sent)["data"]) == (201, answer["data"])


def test_the_openapi_document_is_the_servers_but_for_the_spelling_of_yaml(real_cluster, wire):
    assert real_cluster.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD).fine
    for _ in range(50):
        _, document = wire.send("GET", "/openapi/v2")
        _, real = wire.send("GET", "/openapi/v2", accept=OPENAPI_V2)
        ours = read(openapi_v2(document), "Document")
        # What others define meanwhile is published on its own time, and in each form by itself.
        if "org.example.proto.v1.Widget" in document["definitions"] and ours == read(real, "Document"):
            return
    assert ours == read(real, "Document")
    pytest.fail("the CRD was not published")


class Plain(yaml.SafeLoader):
    """YAML as the server's library reads it, to which `on` and `no` are words."""

    yaml_implicit_resolvers: ClassVar = {
        first: [each for each in found if each[0] != "tag:yaml.org,2002:bool"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


Plain.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def read(raw, message):
    """A message of the document as its fields in their order, with values instead of YAML."""
    if message == "Any":
        size, start = varint(raw, 1)
        assert raw[:1] == b"\x12"
        assert start + size == len(raw)
        return yaml.load(raw[start:], Plain)  # noqa: S506 - a safe loader, but for what it takes for a truth value
    fields = {field.number: field for field in OPENAPI.fields(message)}
    found, pos = [], 0
    while pos < len(raw):
        tag, pos = varint(raw, pos)
        field, wire_type = fields[tag >> 3], tag & 7
        if wire_type == 2:
            size, pos = varint(raw, pos)
            found.append((field.name, read_chunk(raw[pos : pos + size], field)))
            pos += size
        elif wire_type == 1:
            found.append((field.name, raw[pos : pos + 8]))
            pos += 8
        else:
            value, pos = varint(raw, pos)
            found.append((field.name, value))
    return found


def read_chunk(raw, field):
    if field.shape != "{}":
        return raw if field.type == "string" else read(raw, field.type)
    size, start = varint(raw, 1)
    name, rest = raw[start : start + size], raw[start + size :]
    size, start = varint(rest, 1)
    assert start + size == len(rest)
    return name, read_chunk(rest[start:], field._replace(shape=""))
