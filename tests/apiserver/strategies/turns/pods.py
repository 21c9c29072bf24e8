"""Pods: what is written into new ones, and what each subresource changes."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import (
    APPARMOR,
    APPS,
    CORE,
    changed,
    container,
    made,
    made_pod,
    patched,
    pod,
    workload,
)

SCRIPTS: Mapping[str, Script] = {
    "classes of service": [
        made_pod("burstable", [container(resources={"requests": {"cpu": "1"}})]),
        made_pod("guaranteed", [container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})]),
        made_pod("best-effort", [container(resources={"requests": {"cpu": "0"}})]),
        made_pod("half", [container(resources={"limits": {"cpu": "1", "memory": "1Gi"}}), container("d")]),
        made_pod("whole", resources={"limits": {"cpu": "1", "memory": "1Gi"}}),
        made_pod("said", [container(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "1000m"}})]),
    ],
    "a status that is sent is not kept": [
        Step("POST", f"{CORE}/pods", {**pod(), "status": {"phase": "Running", "qosClass": "Guaranteed"}})
    ],
    "gated": [
        made_pod(schedulingGates=[{"name": "x.io/y"}]),
        patched(f"{CORE}/pods/p", {"spec": {"schedulingGates": None}}),
    ],
    "annotations of AppArmor": [
        made_pod("a", metadata={"annotations": {f"{APPARMOR}/c": "runtime/default"}}),
        made_pod("b", metadata={"annotations": {f"{APPARMOR}/c": "localhost/x"}}),
        made_pod("d", metadata={"annotations": {f"{APPARMOR}/c": "unconfined", f"{APPARMOR}/other": "unconfined"}}),
        made_pod(
            "e",
            securityContext={"appArmorProfile": {"type": "RuntimeDefault"}},
            metadata={"annotations": {f"{APPARMOR}/c": "runtime/default"}},
        ),
        made_pod("f", metadata={"annotations": {f"{APPARMOR}/c": "localhost/ "}}),
        made_pod("g", metadata={"annotations": {f"{APPARMOR}/c": "bogus"}}),
    ],
    "selectors by the values of keys": [
        made_pod(
            metadata={"labels": {"k": "v"}},
            topologySpreadConstraints=[
                {
                    "maxSkew": 1,
                    "topologyKey": "t",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {},
                    "matchLabelKeys": ["k", "none"],
                }
            ],
            affinity={
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {"topologyKey": "t", "labelSelector": {"matchLabels": {"a": "b"}}, "matchLabelKeys": ["k"]}
                    ],
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "weight": 1,
                            "podAffinityTerm": {
                                "topologyKey": "t",
                                "labelSelector": {"matchLabels": {"a": "b"}},
                                "mismatchLabelKeys": ["k"],
                            },
                        }
                    ],
                }
            },
        ),
    ],
    "switched off": [
        made_pod("signal", [container(lifecycle={"stopSignal": "SIGTERM"})], os={"name": "linux"}),
        made_pod(
            "bundle",
            volumes=[{"name": "v", "projected": {"sources": [{"clusterTrustBundle": {"name": "x", "path": "p"}}]}}],
        ),
        made_pod("group", schedulingGroup={"podGroupName": "x"}),
        made(
            f"{APPS}/statefulsets", workload(updateStrategy={"rollingUpdate": {"maxUnavailable": 2}}, serviceName="s")
        ),
        made(
            "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
            {
                "metadata": {"name": "l"},
                "spec": {"holderIdentity": "h", "strategy": "OldestEmulationVersion", "preferredHolder": "x"},
            },
        ),
    ],
    "generations": [
        made_pod(),
        patched(f"{CORE}/pods/p", {"metadata": {"labels": {"x": "y"}}}),
        patched(f"{CORE}/pods/p", {"spec": {"containers": [container(image="j")]}}),
        patched(f"{CORE}/pods/p", {"spec": {"nodeName": "elsewhere"}}),
    ],
    "status": [
        made_pod(),
        changed(
            f"{CORE}/pods/p/status",
            lambda obj: {
                **obj,
                "spec": {},
                "metadata": {
                    **obj["metadata"],
                    "ownerReferences": [{"apiVersion": "v1", "kind": "X", "name": "n", "uid": "u"}],
                    "labels": {"l": "m"},
                },
                "status": {
                    "phase": "Running",
                    "observedGeneration": 3,
                    "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 3}],
                },
            },
        ),
        changed(
            f"{CORE}/pods/p/status",
            lambda obj: {
                **obj,
                "status": {
                    "phase": "Running",
                    "conditions": [{"type": "Ready", "status": "False"}, {"type": "Other", "status": "False"}],
                },
            },
        ),
        patched(f"{CORE}/pods/p/status", {"status": {"podIP": "010.0.0.1"}}),
        patched(f"{CORE}/pods/p/status", {"status": {"podIP": "fd00:0::1", "podIPs": [{"ip": "fd00:0::1"}]}}),
    ],
    "status that is switched off": [
        made_pod(),
        patched(
            f"{CORE}/pods/p/status",
            {
                "status": {
                    "containerStatuses": [
                        {
                            "name": "c",
                            "image": "i",
                            "imageID": "",
                            "ready": True,
                            "restartCount": 0,
                            "volumeMounts": [
                                {"name": "v", "mountPath": "/m", "volumeStatus": {"image": {"imageRef": "r"}}}
                            ],
                        },
                        {"name": "d", "image": "i", "imageID": "", "ready": True, "restartCount": 0},
                    ],
                    "nodeAllocatableResourceClaimStatuses": [{"resourceClaimName": "r"}],
                }
            },
        ),
    ],
    "ephemeral containers": [
        made_pod(),
        changed(
            f"{CORE}/pods/p/ephemeralcontainers",
            lambda obj: {
                **obj,
                "metadata": {**obj["metadata"], "labels": {"not": "kept"}},
                "spec": {**obj["spec"], "hostname": "not-kept", "ephemeralContainers": [container("e")]},
            },
        ),
        patched(f"{CORE}/pods/p/ephemeralcontainers", {"spec": {"ephemeralContainers": [container("e", image="j")]}}),
    ],
    "resizing": [
        made_pod("p", [container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})]),
        patched(
            f"{CORE}/pods/p/resize",
            {
                "metadata": {"labels": {"not": "kept"}},
                "spec": {
                    "containers": [
                        container(
                            resources={
                                "limits": {"cpu": "2", "memory": "1Gi"},
                                "requests": {"cpu": "2", "memory": "1Gi"},
                            }
                        )
                    ]
                },
            },
        ),
        patched(f"{CORE}/pods/p/resize", {"spec": {"containers": [container("other")]}}),
        patched(f"{CORE}/pods/p/resize", {"spec": {"containers": [container(), container("d")]}}),
        patched(f"{CORE}/pods/p/resize", {}),
    ],
    "deleted with grace": [
        made_pod("placed", nodeName="n"),
        Step("DELETE", f"{CORE}/pods/placed"),
        Step("DELETE", f"{CORE}/pods/placed", {"gracePeriodSeconds": 10}),
        Step("DELETE", f"{CORE}/pods/placed", {"gracePeriodSeconds": 60}),
        made_pod("placed"),
        Step("DELETE", f"{CORE}/pods/placed", {"gracePeriodSeconds": 0}),
        Step("GET", f"{CORE}/pods/placed"),
        made_pod("slow", nodeName="n", terminationGracePeriodSeconds=77),
        Step("DELETE", f"{CORE}/pods/slow"),
        made_pod("free"),
        Step("DELETE", f"{CORE}/pods/free", {"gracePeriodSeconds": 20}),
        made_pod("finished", nodeName="n"),
        patched(f"{CORE}/pods/finished/status", {"status": {"phase": "Succeeded"}}),
        Step("DELETE", f"{CORE}/pods/finished"),
        made_pod("negative", nodeName="n"),
        Step("DELETE", f"{CORE}/pods/negative", {"gracePeriodSeconds": -1}),
    ],
}
