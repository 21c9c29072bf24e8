"""Bodies that are wrong in every way that decoding looks at: text, kinds, fields, types."""

from collections.abc import Iterable
from typing import Any

from tests.apiserver.scripts.samples import (
    CM,
    DEPLOY,
    DRY,
    POD,
    SECRET,
    cm,
    deploy,
    made,
    pod,
)
from tests.apiserver.scripts.steps import Script, Step

YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
STRICT = {**DRY, "fieldValidation": "Strict"}
WARN = {**DRY, "fieldValidation": "Warn"}
IGNORE = {**DRY, "fieldValidation": "Ignore"}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SERVICE = "/api/v1/namespaces/{ns}/services"
ROLE = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles"
HPA = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
INGRESS = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses"

TEXTS = (
    b"[]", b'"x"', b"7", b"true", b"null", b"{", b'{"a":', b'{"a"', b"{a}", b'{"a":1,}', b"[1,]", b'{"a":01}', b'{"a":1.}', b'{"a":-}', b'{"a":1e}',
    b'{"a":tru}', b'{"a":nul', b'{"a":"\n"}', b'{"a":"\\x"}', b'{"a":"\\u12"}', b'{"a":"x', b"{}{}", b"{} x", b"{}]", b"\xef\xbb\xbf{}", b"\xff\xfe{", b" \t\r\n", b"'", b"\x00",
    b"[" * 10_001, b'{"a":' * 10_001, b'{"a":1 "b":2}', b'{"a" 1}', b'{"a":NaN}', b'{"a":Infinity}', b'{"a":.5}', b'{"a":+1}', b'{"a":0x10}', b"// comment\n{}",
)  # fmt: skip
"""No object, and mostly no JSON."""

KINDS: tuple[dict[str, Any], ...] = (
    {"kind": 7}, {"apiVersion": []}, {"Kind": "Secret"}, {"KIND": "Pod", "kind": "ConfigMap"}, {"apiVersion": "a/b/c"}, {"apiVersion": "apps/"}, {"apiVersion": "/v1"},
    {"apiVersion": "v1", "kind": "Secret", "data": 7}, {"apiVersion": "v1", "kind": "Secret", "bogus": 1}, {"apiVersion": "v1", "kind": "Nothing"}, {"apiVersion": "v9", "kind": "ConfigMap"},
    {"apiVersion": "apps/v1", "kind": "ConfigMap"}, {"apiVersion": "v1", "kind": "ConfigMapList"}, {"apiVersion": "v1", "kind": "List"}, {"apiVersion": "v1", "kind": "Status"},
    {"apiVersion": "apps/v1", "kind": "Deployment"}, {"apiVersion": "apps/v1beta1", "kind": "Deployment"}, {"apiVersion": "v1", "kind": "DeleteOptions"}, {"apiVersion": "meta.k8s.io/v1", "kind": "DeleteOptions"},
    {"apiVersion": "__internal", "kind": "ConfigMap"}, {"apiVersion": "__internal", "kind": "X"}, {"kind": ""}, {"kind": None, "apiVersion": None}, {"apiVersion": "", "kind": "ConfigMap"},
)  # fmt: skip


def create(path: str, bodies: Iterable[Any], query: dict[str, str] = DRY, type: str = "application/json") -> list[Step]:  # noqa: A002 - as steps say it
    return [Step("POST", path, body, query, type=type) for body in bodies]


def container(**fields: Any) -> dict[str, Any]:
    return pod(containers=[{"name": "c", "image": "nginx", **fields}])


def volume(**source: Any) -> dict[str, Any]:
    return pod(volumes=[{"name": "v", **source}])


def spec(**fields: Any) -> dict[str, Any]:
    return {**deploy(), "spec": {**deploy()["spec"], **fields}}


def schema(**fields: Any) -> dict[str, Any]:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", **fields}},
    }
    names = {"kind": "Thing", "plural": "things"}
    return {
        "metadata": {"name": "things.example.org"},
        "spec": {"group": "example.org", "names": names, "scope": "Namespaced", "versions": [version]},
    }


TYPED: dict[str, tuple[str, Iterable[Any]]] = {
    "types of metadata": (CM, [
        {"metadata": {"name": "a", **wrong}} for wrong in (
            {"labels": 7}, {"labels": {"a": 1}}, {"labels": {"a": None}}, {"labels": []}, {"annotations": "x"}, {"annotations": {"a": {}}}, {"finalizers": "x"}, {"finalizers": [1]},
            {"generation": "1"}, {"generation": 1.5}, {"generation": 2**63}, {"generation": 1e3}, {"uid": 7}, {"resourceVersion": 7}, {"deletionGracePeriodSeconds": True},
            {"creationTimestamp": 7}, {"creationTimestamp": "x"}, {"creationTimestamp": "2024-13-01T00:00:00Z"}, {"creationTimestamp": "2024-02-30T00:00:00Z"},
            {"creationTimestamp": "2024-01-01"}, {"creationTimestamp": "2024-01-01T25:00:00Z"}, {"creationTimestamp": "2024-01-01T00:00:00"}, {"creationTimestamp": "2024-01-01T00:00:00+99:00"},
            {"creationTimestamp": "2024-01-01T00:00:00Zx"}, {"creationTimestamp": "é"}, {"creationTimestamp": {}}, {"creationTimestamp": ""}, {"creationTimestamp": None},
            {"ownerReferences": {}}, {"ownerReferences": [7]}, {"ownerReferences": [{"controller": "yes"}]}, {"ownerReferences": [{"uid": []}]}, {"ownerReferences": [None]},
            {"managedFields": 7}, {"managedFields": [{"time": 7}]}, {"managedFields": [{"operation": 7}]},
        )
    ]),
    "types of pods": (POD, [
        container(image=7), container(imagePullPolicy=7), container(command="x"), container(args=[1]), container(ports=[{"containerPort": "80"}]), container(ports=[{"containerPort": 80.5}]),
        container(ports=[{"protocol": 6}]), container(env=[{"name": "a", "value": 1}]), container(env={"a": "b"}), container(env=[{"name": "a", "valueFrom": {"fieldRef": 7}}]),
        container(resources={"limits": {"cpu": "x"}}), container(resources={"limits": {"cpu": {}}}), container(resources={"limits": {"cpu": True}}), container(resources={"limits": {"cpu": "1 "}}),
        container(resources={"limits": 7}), container(resources={"requests": {"cpu": "1K"}}), container(resources={"requests": {"cpu": "--1"}}), container(resources={"requests": {"cpu": ""}}),
        container(livenessProbe={"httpGet": {"port": 1.5}}), container(livenessProbe={"httpGet": {"port": {}}}), container(livenessProbe={"httpGet": {"port": True}}), container(livenessProbe={"httpGet": {"port": 2**31}}),
        container(livenessProbe={"tcpSocket": []}), container(livenessProbe={"periodSeconds": "5"}), container(securityContext={"privileged": "no"}), container(securityContext={"capabilities": {"add": "x"}}),
        volume(emptyDir={"sizeLimit": []}), volume(emptyDir=7), volume(secret={"items": {}}), volume(configMap={"name": 7}), volume(configMap={"defaultMode": "0644"}), volume(hostPath={"type": 7}), volume(projected={"sources": [{"secret": {"name": 1}}]}),
        pod(nodeSelector=["a"]), pod(nodeSelector={"a": 1}), pod(tolerations=[{"tolerationSeconds": "x"}]), pod(restartPolicy=7), pod(hostNetwork="x"), pod(overhead={"cpu": []}), pod(containers={}), pod(containers="x"),
        pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"operator": 7}]}]}}}),
        pod(dnsConfig={"options": [{"name": 7}]}), pod(topologySpreadConstraints=[{"maxSkew": 2**40}]), pod(ephemeralContainers=[{"name": 7}]), {**pod(), "status": {"startTime": "x"}},
    ]),
    "types elsewhere": (DEPLOY, [
        spec(replicas="two"), spec(replicas=1e3), spec(replicas=-(2**31) - 1), spec(replicas=[]), spec(paused=1), spec(selector=7), spec(selector={"matchLabels": {"a": 1}}), spec(selector={"matchExpressions": {}}),
        spec(strategy={"type": 7}), spec(strategy={"rollingUpdate": {"maxSurge": 1.5}}), spec(strategy={"rollingUpdate": {"maxSurge": False}}), spec(template=[]), spec(template={"metadata": 7}), spec(revisionHistoryLimit="x"),
        {**deploy(), "status": {"conditions": [{"lastUpdateTime": 7}]}}, {**deploy(), "status": {"replicas": "x"}}, {**deploy(), "spec": None}, {**deploy(), "metadata": None},
    ]),
    "types of secrets": (SECRET, [
        {"metadata": {"name": "a"}, **wrong} for wrong in (
            {"data": {"a": 7}}, {"data": {"a": "%"}}, {"data": {"a": "YQ"}}, {"data": {"a": "YQ="}}, {"data": {"a": "YQ==="}}, {"data": {"a": "YQ==x"}}, {"data": {"a": "Y Q=="}}, {"data": {"a": "YWJj\nYWJj"}},
            {"data": {"a": "="}}, {"data": {"a": "Y==="}}, {"data": {"a": "YQ=x"}}, {"data": {"a": "é"}}, {"data": {"a": [1, 2]}}, {"data": {"a": [256]}}, {"data": {"a": ["x"]}}, {"data": {"a": {}}}, {"data": {"a": None}},
            {"stringData": {"a": 1}}, {"stringData": []}, {"type": 7}, {"immutable": "x"},
        )
    ]),
    "types of definitions": (DEFINITIONS, [
        schema(type=7), schema(properties=[]), schema(properties={"a": 7}), schema(properties={"a": {"type": "array", "items": 7}}), schema(properties={"a": {"items": {"type": 7}}}), schema(properties={"a": {"items": [{"type": 7}]}}),
        schema(additionalProperties=7), schema(additionalProperties={"type": 7}), schema(additionalProperties="x"), schema(properties={"a": {"maximum": "x"}}), schema(properties={"a": {"maxLength": 1.5}}), schema(required="x"),
        schema(properties={"a": {"x-kubernetes-validations": [{"rule": 7}]}}), schema(properties={"a": {"bogus": 1, "items": {"bogus": 2}}}), schema(properties={"a": {"enum": 7}}), schema(dependencies={"a": 7}),
    ]),
    "types of other kinds": (SERVICE, [
        {"metadata": {"name": "s"}, "spec": wrong} for wrong in ({"ports": [{"port": "x"}]}, {"ports": [{"targetPort": []}]}, {"selector": {"a": 1}}, {"clusterIPs": "x"}, {"type": 7}, {"sessionAffinityConfig": {"clientIP": 7}})
    ]),
}  # fmt: skip

FIELDS = (
    {**cm(), "bogus": 1, "Data": {"x": "y"}, "data ": {}}, cm(metadata={"name": "a", "bogus": 1, "Labels": {}, "labels": {"x": "y"}}), {**cm(), 'quo"ted': {"deep": {"er": 1}}, "é": 1, "\u0001": 2},
    {**cm(), **{f"x{n}": n for n in range(60)}}, {**cm(), **{f"{'y' * 300}{n}": n for n in range(20)}}, {**cm(), "z" * 5000: 1},
)  # fmt: skip
MANY = {**cm(), **{f"x{n}": n for n in range(120)}}
REPEATED = (
    b'{"metadata":{"name":"a","name":"b","labels":{"x":"1","x":"2"}},"metadata":{"labels":{"y":"3"}}}',
    b'{"metadata":{"name":"a"},"data":{"a":"1","a":"2","a":"3"},"bogus":1,"bogus":2,"data":{"b":"4"}}',
    b'{"metadata":{"name":"a"},"data":{"a":"1"},"data":null}',
    b'{"kind":"ConfigMap","kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"immutable":true,"immutable":null}',
    b'{"metadata" : {"name":"a"},"data"\n:\t{"a" :"1"}}',
    b'{"metadata":{"name":"a"},"data":{"k":"\\"a\\":1","l":"{\\"x\\":{\\"y\\":[]}}"}}',
    b'{"metadata":{"name":"a"},"data":{"a\\\\":"x","\\u0061":"y","a":"z"}}',
    b'{"metadata":{"name":"a"},"data"  :{"a":"x","b":"1","b":"2"}}',
    b'{"metadata":{"name":"a"},"data":{"a":"x : y","b":"\\" :","c":"d"}}',
)
REPEATED_PODS = (
    b'{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"x","name":"d"}],"containers":[{"image":"y"}],"bogus":[],"hostNetwork":false}}',
    b'{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"x","bogus":1,"env":[{"name":"a","bogus":2},{"name":"b","Value":"x"}]}]}}',
)
TEXT_VALUES = (
    b'{"metadata":{"name":"a"},"data":{"a":"\xff\xc3\x28"}}',
    b'{"metadata":{"name":"a"},"data":{"a":"\\ud800","b":"\\udc00\\ud800","c":"\\ud83d\\ude00","d":"\xed\xa0\x80"}}',
    b'{"metadata":{"name":"a"},"data":{"\xff":"x"}}',
    b'{"metadata":{"name":"a"},"data":{"a":"\\u0000\\u007f\\/"}}',
    b'{"metadata":{"name":"a"},"bogus":1e999,"data":{"a":"b"}}',
    b'{"metadata":{"name":"a","generation":-0},"immutable":false}',
    b'{"metadata":{"name":"a"},"bogus":' + b"[" * 5000 + b"]" * 5000 + b"}",
)

YAMLS = (
    b"", b"# nothing\n", b"---\n", b"null\n", b"x\n", b"- a\n", b"7\n", b"a: [\n", b"a: {b\n", b"a: b: c\n", b"\ta: b\n", b"a: @x\n", b"a: `x\n", b"a: %x\n", b"a: 'x\n", b'a: "\\x"\n', b'a: "\\q"\n', b"a: *x\n", b"a: &x [*x]\n",
    b"metadata:\n  name: a\n b: c\n", b"metadata:\n  name: a\n   b: c\n", b"metadata: {name: a}\ndata: {a: 1}\n", b"metadata: {name: a}\ndata: {a: yes}\n", b"metadata: {name: a}\ndata: {a: ~}\n", b"metadata: {name: a}\ndata: {1: x, 1.5: y, true: z}\n",
    b"metadata: {name: a}\ndata:\n  a: b\n  a: c\n", b"metadata: {name: a}\ndata:\n  a: b\ndata:\n  c: d\nbogus: 1\nbogus: 2\n", b"metadata: {name: a}\nbogus: 1\nAlso: 2\n", b"metadata: {name: a}\n---\nmetadata: {name: b}\n",
    b"metadata: {name: a}\ndata: &x {a: b}\nbinaryData: *x\n", b"metadata: {name: a}\ndata: {<<: {a: b}, c: d}\n", b"a: <<\n", b"kind: Secret\nmetadata: {name: a}\n", b"kind: 7\n", b"apiVersion: a/b/c\n",
    b'{"metadata":{"name":"a"},"data":{"a":"1","a":"2"}}', b"metadata:\n- a\n", b"a: |\n b\n\tc\n", b"metadata: {name: a}\ndata: {a: !!str 1}\n", b"metadata: {name: a}\ndata: {a: 2024-01-01}\n",
)  # fmt: skip

MEDIA = (
    "application/json; charset=utf-8", "application/json;charset", "APPLICATION/JSON", "text/plain", "application/yaml;x=y", "application/json;", "application/json;;", "application/*", "application/x-yaml", "json",
    "application/json; a=b; a=c", "application/json; a=b; A=b", 'application/json; a="b;c"', "application/json, application/yaml", " application/json ", "application/merge-patch+json", "application/cbor",
)  # fmt: skip

OPTIONS = (
    b"[]", b"{", b"null", b"7", {"kind": "Pod", "apiVersion": "v1"}, {"kind": "X"}, {"kind": 7}, {"apiVersion": "v2"}, {"apiVersion": "apps/v1", "kind": "DeleteOptions"}, {"apiVersion": "nope/v1", "kind": "DeleteOptions"},
    {"apiVersion": "a/b/c"}, {"apiVersion": "apps/"}, {"apiVersion": "batch/v1", "kind": "CreateOptions"}, {"gracePeriodSeconds": "x"}, {"gracePeriodSeconds": 1.5}, {"propagationPolicy": 7}, {"orphanDependents": "x"},
    {"preconditions": 7}, {"preconditions": {"uid": 7}}, {"dryRun": "All"}, {"dryRun": [1]}, {"bogus": 1, "dryRun": ["All"]},
)  # fmt: skip

SCRIPTS: dict[str, Script] = {
    "texts that are created": create(CM, TEXTS),
    "texts that update": [made(), *(Step("PUT", f"{CM}/a", text, DRY) for text in TEXTS)],
    "texts that ask for deletion": [made(), *(Step("DELETE", f"{CM}/a", text, compared=text != b"null") for text in OPTIONS)],
    "texts as yaml": create(CM, YAMLS, type=YAML),
    "texts as strict yaml": create(CM, YAMLS, STRICT, type=YAML),
    "kinds": create(CM, [{"metadata": {"name": "a"}, **kind} for kind in KINDS]),
    "kinds in updates": [made(), *(Step("PUT", f"{CM}/a", {"metadata": {"name": "a"}, **kind}, STRICT) for kind in KINDS)],
    "kinds of other servers": [
        *create(DEFINITIONS, [pod(), {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition"}, {"kind": "X"}]),
        *create("/apis/apiregistration.k8s.io/v1/apiservices", [pod(), {"kind": "X"}, {"kind": "Status", "apiVersion": "v1"}]),
        *create(HPA, [{"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler"}, {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "bogus": 1}]),
        *create("/apis/events.k8s.io/v1/namespaces/{ns}/events", [{"apiVersion": "v1", "kind": "Event"}]),
        *create(INGRESS, [{"apiVersion": "extensions/v1beta1", "kind": "Ingress"}]),
        *create(LEASE, [{"spec": {"renewTime": time}, "metadata": {"name": "a"}} for time in ("x", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.1Z", 7)]),
        *create(ROLE, [{"metadata": {"name": "a"}, "rules": 7}, {"metadata": {"name": "a"}, "rules": [{"verbs": "x"}]}, {"metadata": {"name": "a"}, "rules": [7]}]),
    ],
    **{name: create(path, bodies) for name, (path, bodies) in TYPED.items()},
    "types in an update": [made(), *(Step("PUT", f"{CM}/a", cm(**wrong), IGNORE) for wrong in ({"data": 7}, {"data": {"a": 1}}, {"binaryData": {"a": 1}}, {"immutable": 1}))],
    "unknown fields": [*create(CM, FIELDS, WARN), *create(CM, [*FIELDS, MANY], STRICT), *create(CM, FIELDS, IGNORE)],
    "repeated fields": [*create(CM, REPEATED, WARN), *create(CM, REPEATED, STRICT), *create(CM, REPEATED, IGNORE)],
    "repeated fields of pods": [*create(POD, REPEATED_PODS, WARN), *create(POD, REPEATED_PODS, STRICT)],
    "odd text in strings": create(CM, TEXT_VALUES),
    "media types of bodies": [Step("POST", CM, {"metadata": {"name": "a"}}, DRY, type=media) for media in MEDIA],
    "protobuf that is none": [*create(CM, [b"x", b"k8s\x00", b"k8s\x00\xff", b"{}", b"k8s\x00\x0a\x00"], type=PROTOBUF)],
}  # fmt: skip
