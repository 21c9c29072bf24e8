"""Rollouts of the built-in workloads, with the messages that kubectl users know."""

import pytest

from plumbline.kube.health import Status, assess

HEALTHY, PROGRESSING, DEGRADED, SUSPENDED = Status.HEALTHY, Status.PROGRESSING, Status.DEGRADED, Status.SUSPENDED
ROLLING = "Waiting for rollout to finish: "


def workload(kind, spec, status, generation=1):
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "web", "generation": generation},
        "spec": spec,
        "status": {"observedGeneration": 1, **status},
    }


def deployed(desired=3, updated=3, replicas=3, available=3, **spec):
    status = {"updatedReplicas": updated, "replicas": replicas, "availableReplicas": available}
    return workload("Deployment", {"replicas": desired, **spec}, status)


LATE = {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}
ON_TIME = {"conditions": [{"type": "Progressing", "reason": "NewReplicaSetAvailable"}, *LATE["conditions"]]}

DEPLOYMENTS = [
    (deployed(), HEALTHY, "", "all there"),
    (deployed(paused=True), SUSPENDED, "Deployment is paused", "paused comes before all else"),
    (
        deployed(updated=1),
        PROGRESSING,
        ROLLING + "1 out of 3 new replicas have been updated...",
        "new pods are missing",
    ),
    (deployed(replicas=5), PROGRESSING, ROLLING + "2 old replicas are pending termination...", "old pods remain"),
    (deployed(available=2), PROGRESSING, ROLLING + "2 of 3 updated replicas are available...", "new pods are not up"),
    (workload("Deployment", {}, LATE), DEGRADED, 'Deployment "web" exceeded its progress deadline', "out of time"),
    (workload("Deployment", {}, ON_TIME), HEALTHY, "", "only the first condition of a type counts"),
    (workload("Deployment", {}, {}), HEALTHY, "", "without replicas in the spec nothing is awaited"),
    (
        workload("Deployment", {}, LATE, generation=2),
        PROGRESSING,
        ROLLING + "observed deployment generation less than desired generation",
        "what is reported is about an older spec",
    ),
]

FAILED = {"conditions": [{"type": "ReplicaFailure", "status": "True", "message": "quota"}]}
REPLICA_SETS = [
    (workload("ReplicaSet", {"replicas": 1}, {"availableReplicas": 1}), HEALTHY, "", "all there"),
    (workload("ReplicaSet", {"replicas": 1}, FAILED), DEGRADED, "quota", "pods cannot be made"),
    (
        workload("ReplicaSet", {"replicas": 2}, {"availableReplicas": 1}),
        PROGRESSING,
        ROLLING + "1 out of 2 new replicas are available...",
        "not all available",
    ),
    (
        workload("ReplicaSet", {}, {}, generation=2),
        PROGRESSING,
        ROLLING + "observed replica set generation less than desired generation",
        "older spec",
    ),
]


def stateful(strategy, **status):
    return workload("StatefulSet", {"replicas": 3, "updateStrategy": strategy}, {"readyReplicas": 3, **status})


PARTITIONED = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
STATEFUL_SETS = [
    (
        workload("StatefulSet", {}, {"observedGeneration": 0}, generation=0),
        PROGRESSING,
        "Waiting for statefulset spec update to be observed...",
        "nothing observed",
    ),
    (stateful({}, readyReplicas=1), PROGRESSING, "Waiting for 2 pods to be ready...", "pods are not ready"),
    (
        stateful(PARTITIONED, updatedReplicas=1),
        PROGRESSING,
        "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...",
        "one of the two pods above the partition",
    ),
    (
        stateful(PARTITIONED, updatedReplicas=2),
        HEALTHY,
        "partitioned roll out complete: 2 new pods have been updated...",
        "the pod below the partition stays old",
    ),
    (
        stateful({"type": "RollingUpdate", "rollingUpdate": {}}, updatedReplicas=2),
        HEALTHY,
        "partitioned roll out complete: 2 new pods have been updated...",
        "no partition named",
    ),
    (stateful({"type": "OnDelete"}), HEALTHY, "statefulset has 3 ready pods", "updated by hand"),
    (
        stateful({"type": "RollingUpdate"}, currentRevision="a", updateRevision="b", updatedReplicas=1),
        PROGRESSING,
        "waiting for statefulset rolling update to complete 1 pods at revision b...",
        "two revisions",
    ),
    (
        stateful({}, currentRevision="b", updateRevision="b", currentReplicas=3),
        HEALTHY,
        "statefulset rolling update complete 3 pods at revision b...",
        "one revision",
    ),
]


def daemon(updated, available, strategy="RollingUpdate", generation=1):
    status = {"desiredNumberScheduled": 3, "updatedNumberScheduled": updated, "numberAvailable": available}
    return workload("DaemonSet", {"updateStrategy": {"type": strategy}}, status, generation)


DAEMON_SETS = [
    (daemon(3, 3), HEALTHY, "", "on all nodes"),
    (daemon(1, 1, "OnDelete"), HEALTHY, "daemon set 1 out of 3 new pods have been updated", "updated by hand"),
    (
        daemon(1, 3),
        PROGRESSING,
        'Waiting for daemon set "web" rollout to finish: 1 out of 3 new pods have been updated...',
        "nodes with old pods",
    ),
    (
        daemon(3, 1),
        PROGRESSING,
        'Waiting for daemon set "web" rollout to finish: 1 of 3 updated pods are available...',
        "new pods are not up",
    ),
    (
        daemon(3, 3, generation=2),
        PROGRESSING,
        ROLLING + "observed daemon set generation less than desired generation",
        "older spec",
    ),
]


@pytest.mark.parametrize(("obj", "status", "message", "why"), DEPLOYMENTS + REPLICA_SETS + STATEFUL_SETS + DAEMON_SETS)
def test_a_workload_is_as_well_as_its_rollout(obj, status, message, why):
    health = assess(obj)
    assert (health.status, health.message, health.basis) == (status, message, "rule"), why


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"])
def test_a_version_that_no_rule_was_written_for_is_unknown(kind):
    health = assess({"apiVersion": "apps/v1beta1", "kind": kind})
    assert health.status is Status.UNKNOWN
    assert health.message == f"unsupported {kind} GVK: apps/v1beta1, Kind={kind}"


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ({"updatedReplicas": "3"}, "updatedReplicas cannot be read: expected a whole number"),
        ({"replicas": True}, "replicas cannot be read: expected a whole number"),
        ({"updatedReplicas": 10**40}, "updatedReplicas cannot be read: expected a whole number"),
        ({"conditions": {}}, "conditions cannot be read: expected a list of objects"),
        ({"conditions": ["Ready"]}, "conditions cannot be read: expected a list of objects"),
    ],
)
def test_a_workload_that_breaks_its_schema_is_unknown(status, message):
    health = assess(workload("Deployment", {}, status))
    assert (health.status, health.message) == (Status.UNKNOWN, message)


def test_a_status_that_is_no_object_is_unknown():
    health = assess({"apiVersion": "apps/v1", "kind": "Deployment", "status": "fine"})
    assert (health.status, health.message) == (Status.UNKNOWN, "status cannot be read: expected an object")


def test_numbers_with_an_empty_fraction_are_whole():
    assert assess(deployed(updated=3.0)).status is Status.HEALTHY
