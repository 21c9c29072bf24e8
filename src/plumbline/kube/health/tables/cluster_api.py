"""Cluster API: clusters, machines and what runs on them from the start."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, conditions, holds, number, text
from plumbline.kube.health.rules import (
    Rule,
    by_condition,
    by_field,
    degraded,
    healthy,
    lacking,
    on,
    progressing,
    suspended,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE


def _machine(obj: JsonObject) -> Health:
    phase = text(obj, "status", "phase")
    if phase == "Running":
        return Health(Status.HEALTHY, "Machine is running")
    unready = (each for each in conditions(obj) if each.get("type") == "Ready" and each.get("status") == "False")
    found = next(unready, None)
    said = "Condition is unknown" if found is None else text(found, "message")
    return Health(Status.DEGRADED if phase == "Failed" else Status.PROGRESSING, said)


def _health_check(obj: JsonObject) -> Health | None:
    well = at(obj, "status", "currentHealthy")
    if well is None:
        return None
    return Health(Status.HEALTHY if well == number(obj, "status", "expectedMachines") else Status.DEGRADED)


_POOL_PHASES = {
    "Running": Status.HEALTHY,
    "Scaling": Status.HEALTHY,
    "Failed": Status.DEGRADED,
    "Unknown": Status.DEGRADED,
}


def _machine_pool(obj: JsonObject) -> Health:
    phase = text(obj, "status", "phase")
    said = f"MachinePool is {phase}" if phase else ""
    unmet = [_unmet(each) for each in conditions(obj) if each.get("status") == "False" and "type" in each]
    if unmet:
        said += f": {', '.join(unmet)}"
    return Health(_POOL_PHASES.get(phase, Status.PROGRESSING), said)


def _unmet(condition: JsonObject) -> str:
    reason = text(condition, "reason")
    return f"Not {text(condition, 'type')} ({reason})" if reason else f"Not {text(condition, 'type')}"


def _control_plane(obj: JsonObject) -> Health | None:
    if holds(obj, "Ready"):
        return Health(Status.HEALTHY, "Control plane is ready")
    errors = [each for each in conditions(obj) if each.get("status") == "False" and each.get("severity") == "Error"]
    if errors:
        return Health(Status.DEGRADED, "".join(f"{text(each, 'message')} " for each in errors))
    return None


RULES: Mapping[str, Rule] = {
    "addons.cluster.x-k8s.io/ClusterResourceSet": (
        by_condition(
            on("ResourcesApplied", "True", healthy("cluster resource set is applied")),
            on("ResourcesApplied", "False", degraded(MESSAGE)),
        ),
        progressing("Initializing cluster resource set"),
    ),
    # Ready is False with severity Info all the while that a cluster is made; only more than that is trouble.
    "cluster.x-k8s.io/Cluster": (
        by_field("spec.paused", {"true": suspended("Cluster is paused")}),
        by_condition(on("Ready", "False", degraded(MESSAGE), severity="!Info")),
        by_field("status.phase", {"Provisioned": healthy("Cluster is running"), "Failed": degraded()}),
        progressing("Waiting for clusters"),
    ),
    "cluster.x-k8s.io/Machine": (_machine,),
    "cluster.x-k8s.io/MachineDeployment": (
        by_field("spec.paused", {"true": suspended("MachineDeployment is paused")}),
        by_field(
            "status.phase",
            {
                "Running": healthy("Machines are running under this deployment"),
                "ScalingUp": progressing("Cluster is spawning machines"),
                "ScalingDown": progressing("Cluster is stopping machines"),
                "Failed": degraded("MachineDeployment is failed"),
            },
        ),
        progressing("Waiting for machines"),
    ),
    "cluster.x-k8s.io/MachineHealthCheck": (_health_check, progressing()),
    "cluster.x-k8s.io/MachinePool": (_machine_pool,),
    "controlplane.cluster.x-k8s.io/AWSManagedControlPlane": (
        lacking("status.conditions", progressing("Provisioning...")),
        _control_plane,
        by_field("status.ready", {"false": progressing("Control plane is not ready (.status.ready is false)")}),
        progressing("Control plane is not ready"),
    ),
}
