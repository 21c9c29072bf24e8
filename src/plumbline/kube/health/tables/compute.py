"""Virtual machines, batch engines, and what else runs or is run."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, condition, conditions, mapping, number, text
from plumbline.kube.health.rules import (
    Rule,
    by_condition,
    by_field,
    degraded,
    healthy,
    missing,
    note,
    on,
    progressing,
    suspended,
    unknown,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE

_PHASE: Final = "{.status.phase}"


def _virtual_machine(obj: JsonObject) -> Health:
    """A machine that is meant to be off is Healthy once it is; any other that is off is Suspended."""
    exists = bool(at(obj, "status", "created"))
    meant_off = at(obj, "spec", "running") is False or at(obj, "spec", "runStrategy") == "Halted"
    if meant_off and not exists:
        return Health(Status.HEALTHY, "Stopped as declared")
    status, said = Status.PROGRESSING, "No status available"
    for each in conditions(obj):
        if each.get("type") == "Paused" and each.get("status") == "True":
            return Health(Status.SUSPENDED, "Paused")
        if each.get("type") == "Ready":
            if each.get("status") == "True":
                status, said = Status.HEALTHY, "Running"
            elif exists:
                said = "Starting"
            else:
                status, said = Status.SUSPENDED, "Stopped"
    return Health(status, text(obj, "status", "printableStatus") or said)


def _flink(obj: JsonObject) -> Health:
    reconciled = at(obj, "status", "reconciliationStatus")
    deployment = text(obj, "status", "jobManagerDeploymentStatus")
    if reconciled is not None:
        if at(reconciled, "success") or at(reconciled, "state") == "DEPLOYED":
            return Health(Status.HEALTHY)
        if deployment in {"DEPLOYED_NOT_READY", "DEPLOYING"}:
            return Health(Status.PROGRESSING, "Waiting for deploying")
        if deployment == "ERROR":
            return Health(Status.DEGRADED, text(reconciled, "error"))
    # A job that is suspended from the start is never deployed, and the operator never reports on it.
    if at(obj, "spec", "job", "state") == "suspended" and at(reconciled, "lastReconciledSpec") is None:
        return Health(Status.HEALTHY, "Job is suspended")
    return Health(Status.PROGRESSING, "Waiting for Flink operator")


_UNBOUNDED: Final = float("inf")


def _spark_running(obj: JsonObject) -> Health | None:
    if at(obj, "status", "applicationState", "state") != "RUNNING" or at(obj, "status", "executorState") is None:
        return None
    running = sum(state == "RUNNING" for state in mapping(obj, "status", "executorState").values())
    wanted, limits = at(obj, "spec", "executor", "instances"), _executors(obj)
    if wanted == running:
        well = True
    elif limits:
        well = limits[0] <= running <= limits[1]
    else:
        well = wanted is None and at(obj, "spec", "dynamicAllocation") is None and running > 0
    return Health(Status.HEALTHY, "SparkApplication is Running") if well else None


def _executors(obj: JsonObject) -> tuple[float, float] | None:
    """The fewest and the most executors, where Spark itself decides how many there are."""
    dynamic = mapping(obj, "spec", "dynamicAllocation")
    if dynamic.get("enabled"):
        return number(dynamic, "minExecutors"), number(dynamic, "maxExecutors", default=_UNBOUNDED)
    settings = mapping(obj, "spec", "sparkConf")
    for prefix in ("spark.streaming.dynamicAllocation.", "spark.dynamicAllocation."):
        if text(settings, f"{prefix}enabled") == "true":
            fewest, most = text(settings, f"{prefix}minExecutors"), text(settings, f"{prefix}maxExecutors")
            return (
                float(fewest) if fewest.isdecimal() else 0,
                float(most) if most.isdecimal() else _UNBOUNDED,
            )
    return None


def _keycloak(obj: JsonObject) -> Health:
    """The condition that has stood longest decides; one without a time comes last."""
    if at(obj, "status", "conditions") is None:
        return Health(Status.PROGRESSING, "Waiting for Keycloak status conditions to exist")
    for each in sorted(conditions(obj), key=lambda found: text(found, "lastTransitionTime") or "~"):
        if each.get("status") != "True":
            continue
        if each.get("type") == "Ready":
            return Health(Status.HEALTHY)
        if each.get("type") == "HasErrors":
            return Health(Status.DEGRADED, f"Has Errors: {text(each, 'message')}")
    return Health(Status.PROGRESSING)


def _advertised(obj: JsonObject) -> Health:
    """A DNS-SD service: adopted by a provider, advertised by it, then seen by others."""
    adopted, advertised, seen = (condition(obj, kind) for kind in ("Adopted", "Advertised", "Discoverable"))
    if adopted.get("status") == "False":
        return Health(Status.DEGRADED, text(adopted, "message"))
    if text(advertised, "reason") in {"AdvertiseError", "UnadvertiseError"}:
        return Health(Status.DEGRADED, text(advertised, "message"))
    said = text(seen, "message")
    if seen.get("reason") == "DiscoveryError":
        return Health(Status.UNKNOWN, said)
    return Health(Status.HEALTHY if seen.get("status") == "True" else Status.PROGRESSING, said)


_SPARK_STATES: Final = {
    "": progressing("SparkApplication was added, enqueuing it for submission"),
    "SUBMITTED": progressing("SparkApplication was submitted successfully"),
    "COMPLETED": healthy("SparkApplication was Completed"),
    "FAILED|SUBMISSION_FAILED|FAILING": degraded("{.status.applicationState.errorMessage}"),
    "PENDING_RERUN": progressing("SparkApplication is Pending Rerun"),
    "INVALIDATING": missing("SparkApplication is in InvalidatingState"),
    "SUCCEEDING": progressing("The driver has completed; its executors are being cleaned up"),
    "UNKNOWN": progressing("The state of the driver or of an executor is unknown"),
}

RULES: Mapping[str, Rule] = {
    "kubevirt.io/VirtualMachine": (_virtual_machine,),
    "kubevirt.io/VirtualMachineInstance": (
        by_field(
            "status.phase",
            {
                "Failed": degraded(_PHASE),
                "Pending|Scheduling|Scheduled": progressing(_PHASE),
                "Succeeded": suspended(_PHASE),
                "Unknown": unknown(_PHASE),
            },
        ),
        by_condition(
            on("Paused", "True", suspended(MESSAGE)),
            note("Ready", "True", healthy("Running")),
            note("Ready", "", degraded(MESSAGE)),
        ),
        progressing("{.status.phase|No status available}"),
    ),
    "cdi.kubevirt.io/DataVolume": (
        by_field("status.phase", {"Succeeded": healthy(_PHASE), "Paused": suspended(_PHASE)}),
        by_condition(on("Running", "False", degraded(MESSAGE), reason="Error")),
        by_field("status.phase", {"Failed|Unknown": degraded(_PHASE)}),
        progressing("{.status.phase|No status available}"),
    ),
    "flink.apache.org/FlinkDeployment": (_flink,),
    "sparkoperator.k8s.io/SparkApplication": (
        _spark_running,
        by_field("status.applicationState.state", _SPARK_STATES),
        progressing("Waiting for Executor pods"),
    ),
    "k8s.keycloak.org/Keycloak": (_keycloak,),
    "kyverno.io/Policy": (
        by_condition(on("Ready", "True", healthy("Policy is ready"), reason="Succeeded", message="Ready")),
        progressing("Waiting for Policy to be ready"),
    ),
    "proclaim.dogmatiq.io/DNSSDServiceInstance": (_advertised,),
    "nmstate.io/NodeNetworkConfigurationPolicy": (
        by_condition(
            *(
                on(kind, "True", verdict(said), message=shape)
                for kind, verdict in (
                    ("Available", healthy),
                    ("Degraded", degraded),
                    ("Progressing", progressing),
                    ("Ignored", suspended),
                )
                for said, shape in (("{reason}: {message}", "!"), ("{reason}", ""))
            )
        ),
        progressing("Waiting for policy to be applied"),
    ),
}
