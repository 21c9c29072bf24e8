"""OpenShift, its operators' lifecycle, and Open Cluster Management's policies."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, conditions, items, objects, printed, text
from plumbline.kube.health.rules import (
    Rule,
    Stale,
    by_condition,
    by_field,
    degraded,
    healthy,
    lacking,
    on,
    progressing,
    unknown,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE

_UNREPORTED = progressing("Waiting for the status to be reported")


def _deployment_config(obj: JsonObject) -> Health:
    waiting = Health(Status.PROGRESSING, "replication controller is waiting for pods to run")
    replicas = at(obj, "status", "replicas")
    if at(obj, "status", "conditions") is None or replicas is None:
        return waiting
    true = [each for each in conditions(obj) if each.get("status") == "True"]
    available = any(each.get("type") == "Available" for each in true)
    rolled_out = any(
        each.get("type") == "Progressing" and each.get("reason") == "NewReplicationControllerAvailable" for each in true
    )
    if replicas == 0 or (available and rolled_out):
        return Health(Status.HEALTHY, "replication controller successfully rolled out")
    return waiting if available or rolled_out else Health(Status.DEGRADED, "Deployment config is degraded")


def _route(obj: JsonObject) -> Health:
    waiting = Health(Status.PROGRESSING, "Route is still getting admitted")
    if at(obj, "status", "ingress") is None:
        return waiting
    routers = list(objects(obj, "status", "ingress"))
    said = [
        each.get("status")
        for router in routers
        for each in objects(router, "conditions")
        if each.get("type") == "Admitted"
    ]
    if said.count("True") == len(routers):
        return Health(Status.HEALTHY, "Route is healthy")
    return Health(Status.DEGRADED, "Route is degraded") if "False" in said else waiting


def _subscription(obj: JsonObject) -> Health | None:
    """An operator's subscription, with every condition in the message.

    An upgrade that waits for a person's approval, as the spec asks, is not something to wait for.
    """
    if at(obj, "status", "conditions") is None:
        return None
    approval = _awaits_approval(obj)
    found = [
        (place, each)
        for place, each in enumerate(conditions(obj), 1)
        if not (approval and each.get("type") == "InstallPlanPending")
    ]
    lines = [f"{place}: {text(each, 'type')} | {printed(each.get('status'))}\n" for place, each in found]
    verdicts = {_install_plan(each) for _, each in found}
    state = at(obj, "status", "state")
    unsettled = state in ("", "UpgradeAvailable") or (state == "UpgradePending" and not approval)
    if state is None:
        lines.append(".status.state not yet known\n")
    elif state == "UpgradePending" and approval:
        lines.append(".status.state is 'UpgradePending' (manual InstallPlan approval pending; treated as healthy)\n")
    else:
        lines.append(f".status.state is '{printed(state)}'\n")
    if state == "UpgradeFailed":
        verdicts.add(Status.DEGRADED)
    elif state is None or unsettled:
        verdicts.add(Status.PROGRESSING)
    worst = next((each for each in (Status.DEGRADED, Status.PROGRESSING) if each in verdicts), Status.HEALTHY)
    return Health(worst, "".join(lines))


def _awaits_approval(obj: JsonObject) -> bool:
    if at(obj, "spec", "installPlanApproval") != "Manual" or at(obj, "status", "installedCSV") is None:
        return False
    return any(
        (each.get("type"), each.get("status"), each.get("reason")) == ("InstallPlanPending", "True", "RequiresApproval")
        for each in conditions(obj)
    )


def _install_plan(condition: JsonObject) -> Status:
    kind, true = text(condition, "type"), condition.get("status") == "True"
    if kind == "InstallPlanPending" and true:
        return Status.PROGRESSING
    if kind == "InstallPlanMissing" and condition.get("reason") != "ReferencedInstallPlanNotFound":
        return Status.DEGRADED
    failed = true and kind in {"CatalogSourcesUnhealthy", "InstallPlanFailed", "ResolutionFailed"}
    return Status.DEGRADED if failed else Status.HEALTHY


def _configuration(obj: JsonObject) -> Health:
    details = at(obj, "status", "compliancyDetails")
    if details is None:
        return Health(Status.PROGRESSING, "Waiting for compliance")
    said = [
        f"{text(each, 'type')} - {text(each, 'message')}"
        for detail in objects(obj, "status", "compliancyDetails")
        for each in objects(detail, "conditions")
        if each.get("type") is not None and each.get("message") is not None
    ]
    return Health(_compliance(obj), "; ".join(said))


def _compliance(obj: JsonObject) -> Status:
    return Status.HEALTHY if at(obj, "status", "compliant") == "Compliant" else Status.DEGRADED


def _policy(obj: JsonObject) -> Health | None:
    """A root policy counts clusters, its replica on a cluster counts templates."""
    unplaced = at(obj, "status", "status") is None and items(obj, "status", "placement")
    if at(obj, "status", "compliant") is None:
        return Health(Status.HEALTHY, "No clusters match this policy") if unplaced else None
    if at(obj, "status", "status") is not None:
        noun = "clusters"
        failing = [text(each, "clustername") for each in _noncompliant(obj, "status")]
    elif at(obj, "status", "details") is not None:
        noun = "templates"
        failing = [text(each, "templateMeta", "name") for each in _noncompliant(obj, "details")]
    else:
        return Health(_compliance(obj))
    said = f"NonCompliant {noun}: {', '.join(filter(None, failing))}" if failing else f"All {noun} are compliant"
    return Health(_compliance(obj), said)


def _noncompliant(obj: JsonObject, where: str) -> list[JsonObject]:
    return [each for each in objects(obj, "status", where) if each.get("compliant") != "Compliant"]


RULES: Mapping[str, Rule] = {
    "apps.openshift.io/DeploymentConfig": (_deployment_config,),
    "route.openshift.io/Route": (_route,),
    "operator.openshift.io/IngressController": (
        by_condition(
            on("Degraded", "True", degraded(MESSAGE)),
            on("DeploymentReplicasAllAvailable", "False", progressing(MESSAGE)),
            on("Progressing", "True", progressing("{reason}")),
            on("Available", "True", healthy("IngressController is available")),
        ),
        progressing("Status of IngressController is not known yet"),
    ),
    "operators.coreos.com/Subscription": (
        _subscription,
        progressing("An install plan for a subscription is pending installation"),
    ),
    "ocs.openshift.io/StorageCluster": (
        by_condition(on("Degraded", "True", degraded(MESSAGE))),
        by_condition(on("Progressing", "True", progressing(MESSAGE))),
        by_condition(on("Available", "True", healthy(MESSAGE))),
        unknown("StorageCluster is in an unknown state."),
    ),
    "policy.open-cluster-management.io/CertificatePolicy": (
        by_field(
            "status.compliant",
            {"Compliant": healthy("All certificates found comply with the policy")},
            otherwise=degraded("At least once certificate does not comply with the policy"),
            absent=_UNREPORTED,
        ),
    ),
    "policy.open-cluster-management.io/ConfigurationPolicy": (
        lacking("status.compliant", _UNREPORTED),
        Stale("Waiting for the status to be updated", path=("status", "lastEvaluatedGeneration"), required=True),
        _configuration,
    ),
    "policy.open-cluster-management.io/OperatorPolicy": (
        lacking("status.conditions", _UNREPORTED),
        Stale("Waiting for the status to be updated"),
        by_condition(on("Compliant", "True", healthy(MESSAGE)), on("Compliant", "", degraded(MESSAGE))),
        progressing("Waiting for the compliance condition"),
    ),
    "policy.open-cluster-management.io/Policy": (
        by_field("spec.disabled", {"true": healthy("Policy is disabled")}),
        _policy,
        _UNREPORTED,
    ),
}
