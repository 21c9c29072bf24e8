"""Controllers that keep cloud resources: Google's, Amazon's, SAP's, Pulumi's and smaller ones."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, conditions, items, number, objects, printed, text
from plumbline.kube.health.rules import (
    Rule,
    Stale,
    by_condition,
    by_field,
    degraded,
    having,
    healthy,
    on,
    progressing,
    suspended,
    unknown,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE, by_ready


def _config_connector(obj: JsonObject) -> Health | None:
    """The two kinds that set Config Connector up have no conditions but a verdict of their own."""
    kind, verdict = text(obj, "kind"), at(obj, "status", "healthy")
    if kind not in {"ConfigConnector", "ConfigConnectorContext"} or verdict is None:
        return None
    if verdict is True:
        return Health(Status.HEALTHY, f"{kind} is healthy")
    return Health(Status.DEGRADED, f"{kind} is not healthy")


def _iam_role(obj: JsonObject) -> Health | None:
    status = at(obj, "status")
    name, arn, role_id = (text(status, field) or "<none>" for field in ("roleName", "roleARN", "roleID"))
    state, role = text(status, "state"), f"'{name}' with ARN '{arn}' and ID '{role_id}'."
    if state == "Ready":
        return Health(Status.HEALTHY, f"Role '{name}' exists with ARN '{arn}' and ID '{role_id}'.")
    if state not in {"Error", "RolesMaxLimitReached", "PolicyNotAllowed", "RoleNameNotAvailable"}:
        return None
    retries = number(status, "retryCount")
    retry = f"(retry {printed(retries)}) " if retries > 0 else ""
    error = text(status, "errorDescription")
    why = f" Reconciliation error was: {error}" if error else ""
    return Health(Status.DEGRADED, f"Failed to reconcile the Iamrole {retry}for role {role}{why}")


def _sap(obj: JsonObject) -> Health | None:
    if not isinstance(at(obj, "status", "conditions"), list):
        return None
    generation = at(obj, "metadata", "generation")
    for condition in conditions(obj):
        observed = condition.get("observedGeneration")
        if observed is not None and generation is not None and observed != generation:
            return Health(Status.PROGRESSING, "Waiting for spec update to be observed")
        if (text(condition, "type"), text(condition, "status")) in {("Succeeded", "False"), ("Failed", "True")}:
            return Health(Status.DEGRADED, text(condition, "message"))
    return Health(Status.HEALTHY, "Ready to use")


_SAP: Rule = (
    having("metadata.deletionTimestamp", progressing("Resource is being deleted")),
    _sap,
    progressing("Waiting for status"),
)


def _spread(obj: JsonObject) -> Health:
    """Karmada: one object on many clusters, well when it is on all of them and well on each."""
    clusters, found = items(obj, "spec", "clusters"), list(objects(obj, "status", "aggregatedStatus"))
    if not clusters or len(clusters) != len(found):
        return Health(Status.PROGRESSING, "Current resource status is insufficient")
    for each in found:
        health, applied = each.get("health"), each.get("applied") is True
        if health == "Unhealthy" or (health == "Unknown" and not applied):
            return Health(Status.DEGRADED, "Current resource status is unhealthy")
    return Health(Status.HEALTHY)


_JOB: Final = "{.status.ansibleJobResult.status} job - {.status.ansibleJobResult.url}"
_SHOOT = ("metadata", "labels", "shoot.gardener.cloud/status")

RULES: Mapping[str, Rule] = {
    "*.cnrm.cloud.google.com/*": (
        Stale("Update in progress"),
        _config_connector,
        by_condition(
            on("", "True", healthy(MESSAGE), reason="UpToDate"),
            on("", "", degraded(MESSAGE), reason="UpdateFailed|DependencyNotFound"),
            on("", "", suspended(MESSAGE), reason="DependencyNotReady"),
        ),
        progressing("Update in progress"),
    ),
    "*.services.k8s.aws/*": (
        by_condition(
            on("ACK.Terminal", "True", degraded(MESSAGE)),
            on("Ready", "False", progressing(MESSAGE)),
            on("Ready", "True", healthy()),
        ),
        progressing("Waiting for resource to be ready"),
    ),
    "pulumi.com/Stack": (
        Stale("Waiting for the operator to observe the latest spec change", required=True),
        by_condition(
            on("Stalled", "True", degraded(MESSAGE)),
            on("Reconciling", "True", progressing(MESSAGE)),
            on("Ready", "True", healthy(MESSAGE)),
        ),
        progressing("Waiting for the stack to be reconciled"),
    ),
    "iammanager.keikoproj.io/Iamrole": (_iam_role, progressing("Waiting for Iamrole to be reconciled")),
    "services.cloud.sap.com/ServiceBinding": _SAP,
    "services.cloud.sap.com/ServiceInstance": _SAP,
    "work.karmada.io/ClusterResourceBinding": (_spread,),
    "work.karmada.io/ResourceBinding": (_spread,),
    "core.gardener.cloud/Shoot": (
        by_field(
            _SHOOT,
            {
                "healthy": healthy("Component state: Healthy"),
                "progressing": progressing("Component state: Update in progress"),
                "unhealthy": degraded("Component state: Unhealthy"),
                "unknown": unknown("Component state: Unknown"),
            },
        ),
        progressing("Update in progress"),
    ),
    "karpenter.k8s.aws/EC2NodeClass": by_ready("Waiting for EC2NodeClass to be ready", well="EC2NodeClass is ready"),
    "karpenter.sh/NodePool": by_ready("Waiting for NodePool to be ready"),
    "karpenter.sh/NodeClaim": (
        Stale("Waiting for NodeClaim spec to be reconciled"),
        by_condition(on("Disrupting", "True", suspended(MESSAGE))),
        by_condition(on("Ready", "True", healthy(MESSAGE)), on("Ready", "False", degraded(MESSAGE))),
        by_condition(on("Initialized", "True", progressing("Node initialized, waiting for Ready"))),
        by_condition(on("Registered", "True", progressing("Node registered, waiting for initialization"))),
        by_condition(on("Launched", "True", progressing("Node launched, waiting for registration"))),
        progressing("Waiting for NodeClaim to be launched"),
    ),
    "tower.ansible.com/AnsibleJob": (
        by_field(
            "status.ansibleJobResult.status",
            {
                "successful": healthy(_JOB),
                "failed|error|canceled": degraded(_JOB),
                "new|pending|waiting|running": progressing(_JOB),
            },
        ),
        progressing("Waiting for AnsibleJob"),
    ),
}
