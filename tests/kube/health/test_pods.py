"""Pods, whose phase means different things under different restart policies."""

import pytest

from plumbline.kube.health import Status, assess


def pod(phase, policy="Always", **status):
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"restartPolicy": policy}, "status": {"phase": phase, **status}}


def waiting(reason, message="it waits"):
    return {
        "containerStatuses": [
            {"name": "a"},
            {"name": "b", "state": {"waiting": {"reason": reason, "message": message}}},
        ]
    }


def ended(**terminated):
    return [{"name": "a", "state": {"terminated": terminated}}]


CRASHED_BEFORE = [{"name": "a", "lastState": {"terminated": {"exitCode": 1}}}]
READY = {"conditions": [{"type": "ContainersReady", "status": "False"}, {"type": "Ready", "status": "True"}]}

VOUCHED = {"argocd.argoproj.io/ignore-restart-policy": "true"}


def annotated(obj, **annotations):
    return {**obj, "metadata": {"annotations": annotations}}


CASES = [
    (pod("Pending", message="no node"), "Progressing", "no node", "not scheduled"),
    (pod("Pending", **waiting("ContainerCreating")), "Progressing", "", "a wait that ends by itself"),
    (pod("Pending", **waiting("ErrImagePull")), "Degraded", "it waits", "begins with Err"),
    (pod("Pending", **waiting("CreateContainerConfigError")), "Degraded", "it waits", "ends with Error"),
    (pod("Running", **waiting("CrashLoopBackOff")), "Degraded", "it waits", "ends with BackOff"),
    (pod("Pending", "Never", **waiting("ImagePullBackOff")), "Progressing", "", "it may be a hook that runs later"),
    (
        annotated(pod("Pending", "Never", **waiting("ImagePullBackOff")), **VOUCHED),
        "Degraded",
        "it waits",
        "its restart policy does not count",
    ),
    (
        annotated(
            pod("Pending", "Never", **waiting("ImagePullBackOff")), **VOUCHED, **{"argocd.argoproj.io/hook": "Sync"}
        ),
        "Progressing",
        "",
        "a hook is one whatever it says",
    ),
    (pod("Succeeded", "Never", message="done"), "Healthy", "done", "ran to its end"),
    (pod("Failed", message="evicted"), "Degraded", "evicted", "the pod's own message comes first"),
    (pod("Failed", containerStatuses=ended(message="boom", exitCode=1)), "Degraded", "boom", "the container's own"),
    (
        pod("Failed", containerStatuses=ended(reason="OOMKilled", exitCode=137)),
        "Degraded",
        "OOMKilled",
        "out of memory",
    ),
    (
        pod("Failed", initContainerStatuses=ended(exitCode=0), containerStatuses=ended(exitCode=3)),
        "Degraded",
        'container "a" failed with exit code 3',
        "the first that failed",
    ),
    (pod("Failed"), "Degraded", "", "nobody knows why"),
    (pod("Running", **READY), "Healthy", "", "ready"),
    (pod("Running", containerStatuses=CRASHED_BEFORE), "Degraded", "", "not ready, and it has crashed before"),
    (pod("Running", containerStatuses=[{"name": "a"}]), "Progressing", "", "not ready yet"),
    (pod("Running", "OnFailure", **READY), "Progressing", "", "it is to end, and has not"),
    (pod("Running", "Never", **READY), "Progressing", "", "it is to end, and has not"),
    (pod("Running", "Sometimes"), "Unknown", "", "a policy nobody knows"),
    (pod("Unknown", message="node lost"), "Unknown", "node lost", "node lost"),
]


@pytest.mark.parametrize(("obj", "status", "message", "why"), CASES)
def test_a_pod_is_judged_by_phase_policy_and_containers(obj, status, message, why):
    health = assess(obj)
    assert (health.status, health.message) == (status, message), why


def test_all_stuck_containers_are_quoted():
    stuck = [{"state": {"waiting": {"reason": "ErrImagePull", "message": text}}} for text in ("one", "two")]
    assert assess(pod("Pending", containerStatuses=stuck)).message == "one, two"


def test_a_garbled_message_is_unknown():
    assert assess(pod("Pending", message=["no"])).status is Status.UNKNOWN
