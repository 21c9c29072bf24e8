"""Where things go: nodes, runtimes, and classes of storage and ingresses."""

from collections.abc import Mapping

from tests.apiserver.admission.gates.samples import SETTLED
from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import CORE, PVC, claim, container, made, made_pod, patched

RUNTIMES = "/apis/node.k8s.io/v1/runtimeclasses"

SCRIPTS: Mapping[str, Script] = {
    "tolerations": [
        made_pod("none"),
        made_pod("all", tolerations=[{"operator": "Exists"}]),
        made_pod(
            "one", tolerations=[{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]
        ),
        made_pod(
            "other", tolerations=[{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}]
        ),
    ],
    "runtimes": [
        made(
            RUNTIMES,
            {
                "metadata": {"name": "{ns}"},
                "handler": "h",
                "overhead": {"podFixed": {"cpu": "100m"}},
                "scheduling": {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "k", "operator": "Exists"}]},
            },
        ),
        *SETTLED,
        made_pod("fine", runtimeClassName="{ns}"),
        made_pod(
            "selecting",
            runtimeClassName="{ns}",
            nodeSelector={"c": "d"},
            tolerations=[{"key": "k", "operator": "Exists"}, {"key": "l", "operator": "Exists"}],
        ),
        made_pod("contradicting", runtimeClassName="{ns}", nodeSelector={"a": "x"}),
        made_pod("same", runtimeClassName="{ns}", overhead={"cpu": "0.1"}),
        made_pod(
            "tolerating",
            runtimeClassName="{ns}",
            tolerations=[
                {"key": "k", "operator": "Equal", "value": "v", "effect": "NoExecute", "tolerationSeconds": 3},
                {"operator": "Exists", "effect": "NoSchedule"},
                {"key": "m", "operator": "Equal", "value": "v"},
                {"key": "m", "value": "v", "effect": "NoExecute"},
                {"key": "m", "operator": "Equal", "value": "w", "effect": "NoExecute", "tolerationSeconds": 9},
                {"key": "m", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
            ],
        ),
        made_pod("other", runtimeClassName="{ns}", overhead={"cpu": "2"}),
        made_pod("missing", runtimeClassName="none-such"),
        made_pod("own", overhead={"cpu": "2"}),
        Step("DELETE", f"{RUNTIMES}/{{ns}}"),
    ],
    "nodes": [
        made(
            "/api/v1/nodes",
            {
                "metadata": {
                    "name": "{ns}",
                    "labels": {"topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r", "x": "y"},
                }
            },
        ),
        *SETTLED,
        made_pod("placed", nodeName="{ns}", metadata={"labels": {"topology.kubernetes.io/zone": "mine"}}),
        made_pod("lost", nodeName="none-such"),
        Step("DELETE", "/api/v1/nodes/{ns}"),
        made(
            "/api/v1/nodes",
            {
                "metadata": {"name": "{ns}"},
                "spec": {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]},
            },
        ),
        Step("DELETE", "/api/v1/nodes/{ns}"),
    ],
    "resizing where there is room": [
        made(
            "/api/v1/nodes",
            {
                "metadata": {"name": "{ns}", "labels": {"kubernetes.io/os": "linux"}},
                "status": {"allocatable": {"cpu": "2", "memory": "2Gi"}},
            },
        ),
        *SETTLED,
        made_pod("p", [container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})], nodeName="{ns}"),
        patched(
            f"{CORE}/pods/p/resize",
            {
                "spec": {
                    "containers": [
                        container(
                            resources={
                                "limits": {"cpu": "3", "memory": "1Gi"},
                                "requests": {"cpu": "3", "memory": "1Gi"},
                            }
                        )
                    ]
                }
            },
        ),
        patched(
            f"{CORE}/pods/p/resize",
            {
                "spec": {
                    "containers": [
                        container(
                            resources={
                                "limits": {"cpu": "2", "memory": "1Gi"},
                                "requests": {"cpu": "2", "memory": "1Gi"},
                            }
                        )
                    ]
                }
            },
        ),
        Step("DELETE", "/api/v1/nodes/{ns}"),
        *SETTLED,
        patched(
            f"{CORE}/pods/p/resize",
            {
                "spec": {
                    "containers": [
                        container(
                            resources={
                                "limits": {"cpu": "1", "memory": "1Gi"},
                                "requests": {"cpu": "1", "memory": "1Gi"},
                            }
                        )
                    ]
                }
            },
        ),
    ],
    "classes of storage": [
        made(
            "/apis/storage.k8s.io/v1/storageclasses",
            {
                "metadata": {"name": "{ns}", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
                "provisioner": "p",
                "allowVolumeExpansion": True,
            },
        ),
        *SETTLED,
        made(PVC, claim("unnamed")),
        made(PVC, claim("none", storageClassName="")),
        patched(f"{PVC}/unnamed/status", {"status": {"phase": "Bound"}}),
        patched(f"{PVC}/unnamed", {"spec": {"resources": {"requests": {"storage": "5Gi"}}}}),
        Step("DELETE", "/apis/storage.k8s.io/v1/storageclasses/{ns}"),
    ],
    "classes of ingresses": [
        made(
            "/apis/networking.k8s.io/v1/ingressclasses",
            {
                "metadata": {"name": "{ns}", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
                "spec": {"controller": "x.io/y"},
            },
        ),
        *SETTLED,
        made(
            "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
            {"metadata": {"name": "i"}, "spec": {"defaultBackend": {"service": {"name": "x", "port": {"number": 1}}}}},
        ),
        made(
            "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
            {
                "metadata": {"name": "j", "annotations": {"kubernetes.io/ingress.class": "x"}},
                "spec": {"defaultBackend": {"service": {"name": "x", "port": {"number": 1}}}},
            },
        ),
        Step("DELETE", "/apis/networking.k8s.io/v1/ingressclasses/{ns}"),
    ],
}
