"""Scenes in which webhooks are asked: which ones are configured, and what is then requested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.apiserver.scripts.steps import Past, Step
from tests.apiserver.webhooks.behaviours import BEHAVIOURS

from plumbline.base.json import Json, JsonObject

CM = "/api/v1/namespaces/{ns}/configmaps"
PODS = "/api/v1/namespaces/{ns}/pods"
DEPLOY = "/apis/apps/v1/namespaces/{ns}/deployments"
HPA1 = "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers"
HPA2 = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
M, V = "Mutating", "Validating"


@dataclass(frozen=True)
class Asks:
    """A webhook of the scene. It is for ConfigMaps of the scene's namespace unless it says otherwise."""

    sort: str
    path: str
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    hooks: Sequence[Asks]
    script: Sequence[Step]
    counted: bool = True
    """False where how often a webhook is asked depends on which connections happen to be open."""
    reviewed: bool = True
    """False where the question is the same as in other scenes, and only the answer matters."""


def rule(
    *resources: str, operations: Sequence[str] = ("*",), groups: str = "*", versions: str = "*", scope: str = "*"
) -> Json:
    return {
        "operations": list(operations),
        "apiGroups": [groups],
        "apiVersions": [versions],
        "resources": list(resources),
        "scope": scope,
    }


def cm(name: str = "a", **extra: Json) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v"}, **extra}


def made(name: str = "a", **extra: Json) -> Step:
    return Step("POST", CM, cm(name, **extra))


def pod(name: str = "p", **spec: Json) -> Step:
    container = {"name": "c", "image": "nginx"}
    return Step(
        "POST", PODS, {"metadata": {"name": name, "labels": {"app": "x"}}, "spec": {"containers": [container], **spec}}
    )


def deploy(name: str = "d") -> Step:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "replicas": 1, "template": template}
    return Step("POST", DEPLOY, {"metadata": {"name": name}, "spec": spec})


def hpa(path: str, name: str, **spec: Json) -> Step:
    target = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
    return Step(
        "POST", path, {"metadata": {"name": name}, "spec": {"maxReplicas": 3, "scaleTargetRef": target, **spec}}
    )


def of_everything(*sorts: str) -> list[Asks]:
    return [Asks(sort, f"/allow/{sort}", {"rules": [rule("*/*", scope="Namespaced")]}) for sort in sorts]


def version(past: Past) -> str:
    return str(past[-1].json["metadata"]["resourceVersion"])


_PATCHES = tuple(name for name in BEHAVIOURS if name.startswith("patch-"))
_OBJECTS = ("patch-pod", "patch-scale", "patch-target", "patch-min")
_ALONE = ("label",)

SCENES: dict[str, Scene] = {
    **{
        f"mutating {name}": Scene([Asks(M, f"/{name}/x")], [made()], reviewed=False)
        for name in BEHAVIOURS
        if name not in (*_OBJECTS, *_ALONE)
    },
    **{
        f"validating {name}": Scene([Asks(V, f"/{name}/x")], [made()], reviewed=False)
        for name in ("deny-message", "deny-teapot", "deny-patched", "text-500", "no-response", "warn", "other-uid", "older")
    },
    **{f"validating {name}": Scene([Asks(V, f"/{name}/x")], [made()], reviewed=False) for name in ("patch-data", "patch-missing")},
    **{
        f"ignored {sort} {name}": Scene(
            [Asks(sort, f"/{name}/x", {"failurePolicy": "Ignore"})], [made()], reviewed=False
        )
        for sort in (M, V)
        for name in ("text-500", "no-response", "deny-message", "other-uid", "patch-test", "patch-merge")
    },
    "an unknown path": Scene([Asks(M, "/nowhere/x")], [made()]),
    "a connection that closes": Scene([Asks(M, "/close/x")], [made()], counted=False),
    "no answer in time": Scene([Asks(M, "/hang/x", {"timeoutSeconds": 1})], [made()]),
    "no answer in time, ignored": Scene(
        [Asks(V, "/hang/x", {"timeoutSeconds": 1, "failurePolicy": "Ignore"})], [made()]
    ),
    "nobody there": Scene([Asks(M, "/x", {"clientConfig": {"url": "https://127.0.0.1:1/x"}})], [made()]),
    "no port in the url": Scene([Asks(M, "/x", {"clientConfig": {"url": "https://127.0.0.1/x?"[:-1]}})], [made()]),
    "an authority that nobody knows": Scene([Asks(M, "/allow/x", {"clientConfig": {"caBundle": None}})], [made()]),
    "a path with detours": Scene([Asks(M, "/allow//x/../y%20z/")], [made()]),
    "a service that is not there": Scene(
        [Asks(M, "", {"clientConfig": {"url": None, "service": {"namespace": "default", "name": "none"}}})], [made()]
    ),
    "a service that is not there, with path and port": Scene(
        [Asks(V, "", {"clientConfig": {"url": None, "service": {"namespace": "d", "name": "n", "path": "/a/b", "port": 99}}})],
        [made()],
    ),
    "every verb": Scene(
        [*of_everything(M, V)],
        [
            made(),
            Step("PUT", f"{CM}/a", cm(data={"k": "z"}), {"fieldManager": "put"}),
            Step("PUT", f"{CM}/a", lambda past: cm(metadata={"name": "a", "resourceVersion": version(past)})),
            Step("PATCH", f"{CM}/a", {"data": {"n": "m"}}, type=MERGE),
            Step("PATCH", f"{CM}/a", cm(data={"q": "z"}), {"fieldManager": "ap"}, type=APPLY),
            Step("PATCH", f"{CM}/b", cm("b"), {"fieldManager": "ap", "force": "true"}, type=APPLY),
            Step("PATCH", f"{CM}/a", {"data": {"n": "m"}}, type=MERGE),
            Step("DELETE", f"{CM}/a", {"propagationPolicy": "Background", "gracePeriodSeconds": 0}),
            Step("DELETE", f"{CM}/b"),
            Step("DELETE", f"{CM}/none"),
            Step("GET", CM),
        ],
    ),
    "options": Scene(
        [*of_everything(M, V)],
        [
            Step("POST", CM, cm(), {"fieldManager": "me", "fieldValidation": "Strict"}),
            Step("POST", CM, cm("b"), {"dryRun": "All"}),
            Step("PUT", f"{CM}/a", cm(data={}), {"dryRun": "All", "fieldValidation": "Ignore"}),
            Step("DELETE", f"{CM}/a", {"dryRun": ["All"], "preconditions": {"resourceVersion": "1"}}),
            Step("DELETE", f"{CM}/a", None, {"dryRun": "All", "propagationPolicy": "Orphan"}),
        ],
    ),
    "a generated name": Scene([*of_everything(M, V)], [Step("POST", CM, {"metadata": {"generateName": "g-"}})]),
    "an object with nothing": Scene([*of_everything(M, V)], [Step("POST", CM, {"metadata": {"name": "bare"}})]),
    "a pod": Scene([*of_everything(M, V)], [pod()]),
    "a pod's toleration": Scene([Asks(M, "/patch-pod/x", {"rules": [rule("pods")]})], [pod()]),
    "a deployment": Scene([*of_everything(M, V)], [deploy()]),
    "status": Scene(
        [*of_everything(M, V)],
        [pod(), Step("PATCH", f"{PODS}/p/status", {"status": {"phase": "Running"}}, type=MERGE)],
    ),
    "binding": Scene(
        [*of_everything(M, V)],
        [
            pod(),
            pod("p2"),
            Step("POST", f"{PODS}/p/binding", {"target": {"name": "n1"}, "metadata": {"name": "p", "labels": {"l": "m"}}}),
            Step("POST", "/api/v1/namespaces/{ns}/bindings", {"target": {"name": "n2"}, "metadata": {"name": "p2"}}),
        ],
    ),
    "a binding elsewhere": Scene(
        [Asks(M, "/patch-target/x", {"rules": [rule("pods/binding")]})],
        [
            pod(),
            Step("POST", f"{PODS}/p/binding", {"target": {"name": "n1"}, "metadata": {"name": "p"}}),
            Step("GET", f"{PODS}/p"),
        ],
    ),
    "eviction": Scene(
        [*of_everything(M, V)],
        [
            pod(),
            Step("POST", f"{PODS}/p/eviction", {"metadata": {"name": "p"}, "deleteOptions": {"gracePeriodSeconds": 0}}),
        ],
    ),
    "an eviction that is refused": Scene(
        [Asks(V, "/deny-message/x", {"rules": [rule("pods/eviction")]})],
        [pod(), Step("POST", f"{PODS}/p/eviction", {"metadata": {"name": "p"}}), Step("GET", f"{PODS}/p")],
    ),
    "connecting": Scene(
        [*of_everything(M, V)],
        [
            pod(),
            Step("GET", f"{PODS}/p/exec", query="command=ls&command=-l&container=c&stdout=true"),
            Step("POST", f"{PODS}/p/exec", query="command=ls&stdin=0&tty=false&stderr=1"),
            Step("POST", f"{PODS}/p/attach", query="stdin=true&tty"),
            Step("POST", f"{PODS}/p/portforward", query="ports=80&ports=90"),
            Step("GET", f"{PODS}/p/proxy/a/b/", query="x=y"),
            Step("GET", "/api/v1/namespaces/{ns}/services/none:80/proxy/a//b"),
        ],
    ),
    "connecting is refused": Scene(
        [Asks(V, "/deny-message/x", {"rules": [rule("pods/exec", "pods/attach", operations=["CONNECT"])]})],
        [pod(), Step("GET", f"{PODS}/p/exec", query="command=ls"), Step("POST", f"{PODS}/p/portforward")],
    ),
    "namespaces": Scene(
        [
            Asks(sort, f"/allow/{sort}", {"rules": [rule("namespaces")], "namespaceSelector": {"matchLabels": {"scene": "{ns}"}}})
            for sort in (M, V)
        ],
        [
            Step("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}-in", "labels": {"scene": "{ns}"}}}),
            Step("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}-out"}}),
            Step("PATCH", "/api/v1/namespaces/{ns}-out", {"metadata": {"labels": {"scene": "{ns}"}}}, type=MERGE),
            Step("PATCH", "/api/v1/namespaces/{ns}-in", {"metadata": {"labels": {"scene": "no"}}}, type=MERGE),
            Step("DELETE", "/api/v1/namespaces/{ns}-out", compared=False),
        ],
    ),
    "of the cluster": Scene(
        [
            Asks(
                sort,
                f"/allow/{sort}/{scope}",
                {"rules": [rule("*", scope=scope)], "objectSelector": {"matchLabels": {"scene": "{ns}"}}, "namespaceSelector": {"matchLabels": {"no": "where"}}},
            )
            for sort in (M, V)
            for scope in ("Cluster", "Namespaced")
        ],
        [
            Step("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "{ns}", "labels": {"scene": "{ns}"}}, "value": 1}),
            made(metadata={"name": "a", "labels": {"scene": "{ns}"}}),
        ],
    ),
    "configurations of webhooks": Scene(
        [Asks(V, "/deny-message/x", {"rules": [rule("*")], "objectSelector": {"matchLabels": {"scene": "{ns}"}}, "namespaceSelector": {}})],
        [
            Step(
                "POST",
                "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
                {"metadata": {"name": "{ns}-free", "labels": {"scene": "{ns}"}}, "webhooks": []},
            ),
            Step("DELETE", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/{ns}-free"),
            made(metadata={"name": "a", "labels": {"scene": "{ns}"}}),
        ],
    ),
    "rules by operation": Scene(
        [
            Asks(V, "/allow/create", {"rules": [rule("configmaps", operations=["CREATE"])]}),
            Asks(V, "/allow/update", {"rules": [rule("configmaps", operations=["UPDATE", "DELETE"])]}),
            Asks(V, "/allow/other", {"rules": [rule("secrets"), rule("configmaps/status")]}),
            Asks(V, "/allow/sub", {"rules": [rule("configmaps/*", groups="")]}),
            Asks(V, "/allow/all", {"rules": [rule("*", versions="v1")]}),
            Asks(V, "/allow/below", {"rules": [rule("*/status")]}),
            Asks(V, "/allow/group", {"rules": [rule("configmaps", groups="apps")]}),
        ],
        [made(), Step("PUT", f"{CM}/a", cm(data={})), Step("DELETE", f"{CM}/a")],
    ),
    "selected objects": Scene(
        [
            Asks(V, "/allow/in", {"objectSelector": {"matchLabels": {"a": "b"}}}),
            Asks(V, "/allow/not", {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}}),
        ],
        [
            made(),
            made("b", metadata={"name": "b", "labels": {"a": "b"}}),
            Step("PATCH", f"{CM}/a", {"metadata": {"labels": {"a": "b"}}}, type=MERGE),
            Step("PATCH", f"{CM}/b", {"metadata": {"labels": {"a": "c"}}}, type=MERGE),
            Step("DELETE", f"{CM}/b"),
        ],
    ),
    "changes are seen by the next": Scene(
        [
            Asks(M, "/label/first"),
            Asks(M, "/label/second", {"objectSelector": {"matchLabels": {"first": "1"}}}),
            Asks(V, "/allow/last"),
        ],
        [made()],
    ),
    "asked again": Scene(
        [
            Asks(M, "/label/eager", {"reinvocationPolicy": "IfNeeded"}),
            Asks(M, "/label/once"),
            Asks(M, "/label/late", {"reinvocationPolicy": "IfNeeded"}),
        ],
        [made()],
    ),
    "asked again for nothing": Scene(
        [Asks(M, "/patch-same/a", {"reinvocationPolicy": "IfNeeded"}), Asks(M, "/patch-same/b")], [made()]
    ),
    "asked again only if asked before": Scene(
        [
            Asks(M, "/label/a", {"reinvocationPolicy": "IfNeeded", "objectSelector": {"matchLabels": {"b": "1"}}}),
            Asks(M, "/label/b"),
        ],
        [made()],
    ),
    "in the order of names": Scene([Asks(M, "/label/one"), Asks(M, "/label/two"), Asks(M, "/label/three")], [made()]),
    "several refuse, one after another": Scene([Asks(M, "/deny-teapot/a"), Asks(M, "/deny-message/b")], [made()]),
    "side effects": Scene(
        [Asks(M, "/allow/m", {"sideEffects": "NoneOnDryRun"}), Asks(V, "/allow/v")],
        [Step("POST", CM, cm(), {"dryRun": "All"}), made()],
    ),
    "the older review": Scene(
        [
            Asks(M, "/older/m", {"admissionReviewVersions": ["v1beta1"]}),
            Asks(V, "/older/v", {"admissionReviewVersions": ["v0", "v1beta1", "v1"]}),
        ],
        [made()],
    ),
    "the older review is not checked": Scene(
        [
            Asks(M, "/no-kind/m", {"admissionReviewVersions": ["v1beta1"]}),
            Asks(M, "/patch-untyped/m", {"admissionReviewVersions": ["v1beta1"]}),
            Asks(V, "/patch-missing/v", {"admissionReviewVersions": ["v1beta1"]}),
        ],
        [made()],
    ),
    "equivalent versions": Scene(
        [
            Asks(M, "/allow/one", {"rules": [rule("horizontalpodautoscalers", versions="v1")]}),
            Asks(M, "/allow/two", {"rules": [rule("horizontalpodautoscalers", versions="v2")]}),
            Asks(V, "/allow/exact", {"rules": [rule("horizontalpodautoscalers", versions="v1")], "matchPolicy": "Exact"}),
            Asks(V, "/allow/every", {"rules": [rule("horizontalpodautoscalers")]}),
        ],
        [hpa(HPA1, "a", targetCPUUtilizationPercentage=50), hpa(HPA2, "b"), Step("DELETE", f"{HPA2}/a")],
    ),
    "a change in another version": Scene(
        [Asks(M, "/patch-min/x", {"rules": [rule("horizontalpodautoscalers", versions="v1")]})],
        [hpa(HPA2, "a"), Step("GET", f"{HPA1}/a")],
    ),
    "conditions": Scene(
        [
            Asks(V, "/allow/yes", {"matchConditions": [{"name": "a", "expression": "object.metadata.name == 'a'"}]}),
            Asks(V, "/allow/no", {"matchConditions": [{"name": "a", "expression": "request.operation == 'UPDATE'"}]}),
            Asks(V, "/allow/two", {"matchConditions": [{"name": "a", "expression": "true"}, {"name": "b", "expression": "request.namespace.startsWith('x')"}]}),
            Asks(V, "/allow/who", {"matchConditions": [{"name": "a", "expression": "'system:masters' in request.userInfo.groups"}]}),
            Asks(V, "/allow/old", {"matchConditions": [{"name": "a", "expression": "oldObject == null && request.dryRun == false"}]}),
            Asks(V, "/allow/kind", {"matchConditions": [{"name": "a", "expression": "request.resource.resource == 'configmaps' && !has(request.subResource)"}]}),
        ],
        [made(), Step("PUT", f"{CM}/a", cm(data={}))],
    ),
    "a condition on what is not said": Scene(
        [Asks(V, "/allow/x", {"matchConditions": [{"name": "a", "expression": "request.subResource == ''"}]})], [made()]
    ),
    "a condition that fails": Scene(
        [Asks(V, "/allow/x", {"matchConditions": [{"name": "a", "expression": "object.spec.x == 1"}]})], [made()]
    ),
    "a condition that fails, ignored": Scene(
        [
            Asks(
                V, "/deny-message/x", {"matchConditions": [{"name": "a", "expression": "object.spec.x == 1"}], "failurePolicy": "Ignore"}
            )
        ],
        [made()],
    ),
    "a condition that fails beside one that is false": Scene(
        [
            Asks(
                M,
                "/deny-message/x",
                {"matchConditions": [{"name": "a", "expression": "object.spec.x == 1"}, {"name": "b", "expression": "false"}]},
            )
        ],
        [made()],
    ),
    "a scale": Scene(
        [*of_everything(M, V)],
        [
            deploy(),
            Step("PATCH", f"{DEPLOY}/d/scale", {"spec": {"replicas": 2}}, type=MERGE),
            Step("GET", f"{DEPLOY}/d/scale"),
        ],
    ),
    "another scale": Scene(
        [Asks(M, "/patch-scale/x", {"rules": [rule("*/scale")]})],
        [deploy(), Step("PATCH", f"{DEPLOY}/d/scale", {"spec": {"replicas": 2}}, type=MERGE), Step("GET", f"{DEPLOY}/d/scale")],
    ),
    "events of either group": Scene(
        [Asks(V, "/allow/x", {"rules": [rule("events", groups="events.k8s.io")]})],
        [
            Step(
                "POST",
                "/api/v1/namespaces/{ns}/events",
                {
                    "metadata": {"name": "e"},
                    "involvedObject": {"namespace": "{ns}", "kind": "Pod", "name": "p"},
                    "reason": "R",
                    "message": "m",
                    "type": "Normal",
                    "reportingComponent": "c",
                    "reportingInstance": "i",
                },
            ),
        ],
    ),
    "a bundle that is none": Scene([Asks(M, "/allow/x", {"clientConfig": {"caBundle": "bm90IFBFTQ=="}})], [made()]),
    "a refused deletion": Scene(
        [Asks(V, "/deny-message/x", {"rules": [rule("configmaps", operations=["DELETE"])]})],
        [made(), Step("DELETE", f"{CM}/a"), Step("GET", f"{CM}/a")],
    ),
    "a deletion that is patched": Scene(
        [Asks(M, "/patch-data/x", {"rules": [rule("configmaps", operations=["DELETE"])]})],
        [made(), Step("DELETE", f"{CM}/a")],
    ),
    "a change on update": Scene(
        [Asks(M, "/patch-data/x", {"rules": [rule("configmaps", operations=["UPDATE"])]})],
        [
            made(),
            Step("PUT", f"{CM}/a", cm(data={"k": "z"}), {"fieldManager": "put"}),
            Step("PATCH", f"{CM}/a", cm(data={"k": "q"}), {"fieldManager": "ap", "force": "true"}, type=APPLY),
            Step("PATCH", f"{CM}/a", {"data": {"k": "z"}}, type=MERGE),
        ],
    ),
    "invalid before it is asked": Scene([*of_everything(M, V)], [made(metadata={"name": "A_b"})]),
    "a namespace that is not there": Scene(
        [*of_everything(M, V)], [Step("POST", "/api/v1/namespaces/{ns}-none/configmaps", cm())]
    ),
}  # fmt: skip
