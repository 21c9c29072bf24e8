"""Deployment, ReplicaSet, StatefulSet and DaemonSet, by how far their rollout has come."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.builtin.versions import only
from plumbline.kube.health.reading import part, parts, text, whole, word
from plumbline.kube.health.rules import Rule
from plumbline.kube.health.status import Health, Status

_WELL = Health(Status.HEALTHY)
_PAUSED = Health(Status.SUSPENDED, "Deployment is paused")


def _waiting(what: str) -> Health:
    return Health(Status.PROGRESSING, f"Waiting for rollout to finish: {what}")


_DEPLOYMENT_UNSEEN = _waiting("observed deployment generation less than desired generation")
_REPLICA_SET_UNSEEN = _waiting("observed replica set generation less than desired generation")
_DAEMON_SET_UNSEEN = _waiting("observed daemon set generation less than desired generation")
_STATEFUL_SET_UNSEEN = Health(Status.PROGRESSING, "Waiting for statefulset spec update to be observed...")


def _desired(spec: JsonObject) -> int | None:
    return None if spec.get("replicas") is None else whole(spec, "replicas")


def deployment(obj: JsonObject) -> Health:
    spec, status = part(obj, "spec"), part(obj, "status")
    if spec.get("paused") is True:
        return _PAUSED
    if whole(part(obj, "metadata"), "generation") > whole(status, "observedGeneration"):
        return _DEPLOYMENT_UNSEEN
    for condition in parts(status, "conditions"):
        if condition.get("type") == "Progressing":
            if condition.get("reason") == "ProgressDeadlineExceeded":
                name = text(obj, "metadata", "name")
                return Health(Status.DEGRADED, f'Deployment "{name}" exceeded its progress deadline')
            break
    desired, updated = _desired(spec), whole(status, "updatedReplicas")
    if desired is not None and updated < desired:
        return _waiting(f"{updated} out of {desired} new replicas have been updated...")
    replicas = whole(status, "replicas")
    if replicas > updated:
        return _waiting(f"{replicas - updated} old replicas are pending termination...")
    available = whole(status, "availableReplicas")
    if available < updated:
        return _waiting(f"{available} of {updated} updated replicas are available...")
    return _WELL


def replica_set(obj: JsonObject) -> Health:
    status = part(obj, "status")
    if whole(part(obj, "metadata"), "generation") > whole(status, "observedGeneration"):
        return _REPLICA_SET_UNSEEN
    failure = next((found for found in parts(status, "conditions") if found.get("type") == "ReplicaFailure"), {})
    if failure.get("status") == "True":
        return Health(Status.DEGRADED, word(failure, "message"))
    desired, available = _desired(part(obj, "spec")), whole(status, "availableReplicas")
    if desired is not None and available < desired:
        return _waiting(f"{available} out of {desired} new replicas are available...")
    return _WELL


def stateful_set(obj: JsonObject) -> Health:
    spec, status = part(obj, "spec"), part(obj, "status")
    observed = whole(status, "observedGeneration")
    if observed == 0 or whole(part(obj, "metadata"), "generation") > observed:
        return _STATEFUL_SET_UNSEEN
    desired, ready = _desired(spec), whole(status, "readyReplicas")
    if desired is not None and ready < desired:
        return Health(Status.PROGRESSING, f"Waiting for {desired - ready} pods to be ready...")
    strategy = part(spec, "updateStrategy")
    if strategy.get("type") == "RollingUpdate" and strategy.get("rollingUpdate") is not None:
        return _partitioned(desired, whole(status, "updatedReplicas"), part(strategy, "rollingUpdate"))
    if strategy.get("type") == "OnDelete":
        return Health(Status.HEALTHY, f"statefulset has {ready} ready pods")
    return _revised(status)


def _partitioned(desired: int | None, updated: int, rolling: JsonObject) -> Health:
    if desired is not None and rolling.get("partition") is not None:
        wanted = desired - whole(rolling, "partition")
        if updated < wanted:
            what = f"{updated} out of {wanted} new pods have been updated..."
            return Health(Status.PROGRESSING, f"Waiting for partitioned roll out to finish: {what}")
    return Health(Status.HEALTHY, f"partitioned roll out complete: {updated} new pods have been updated...")


def _revised(status: JsonObject) -> Health:
    current, wanted = word(status, "currentRevision"), word(status, "updateRevision")
    if wanted != current:
        pods = whole(status, "updatedReplicas")
        message = f"waiting for statefulset rolling update to complete {pods} pods at revision {wanted}..."
        return Health(Status.PROGRESSING, message)
    pods = whole(status, "currentReplicas")
    return Health(Status.HEALTHY, f"statefulset rolling update complete {pods} pods at revision {current}...")


def daemon_set(obj: JsonObject) -> Health:
    metadata, status = part(obj, "metadata"), part(obj, "status")
    if whole(metadata, "generation") > whole(status, "observedGeneration"):
        return _DAEMON_SET_UNSEEN
    updated, desired = whole(status, "updatedNumberScheduled"), whole(status, "desiredNumberScheduled")
    if part(part(obj, "spec"), "updateStrategy").get("type") == "OnDelete":
        return Health(Status.HEALTHY, f"daemon set {updated} out of {desired} new pods have been updated")
    available = whole(status, "numberAvailable")
    if updated < desired:
        what = f"{updated} out of {desired} new pods have been updated..."
    elif available < desired:
        what = f"{available} of {desired} updated pods are available..."
    else:
        return _WELL
    name = word(metadata, "name")
    return Health(Status.PROGRESSING, f'Waiting for daemon set "{name}" rollout to finish: {what}')


RULES: Mapping[str, Rule] = {
    "apps/Deployment": (only("apps/v1", called="Deployment", step=deployment),),
    "apps/ReplicaSet": (only("apps/v1", called="ReplicaSet", step=replica_set),),
    "apps/StatefulSet": (only("apps/v1", called="StatefulSet", step=stateful_set),),
    "apps/DaemonSet": (only("apps/v1", called="DaemonSet", step=daemon_set),),
}
