"""Monitoring, dashboards, traces and service level checks."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, conditions, text
from plumbline.kube.health.rules import (
    Rule,
    Stale,
    by_condition,
    by_field,
    degraded,
    healthy,
    lacking,
    missing,
    note,
    on,
    progressing,
    suspended,
    unknown,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE

_REPLICAS: Final = re.compile(r"(\d{1,9})/(\d{1,9})")


class Grafana(msgspec.Struct, frozen=True):
    """Grafana objects: all conditions in one message, and the first that is wrong ends it."""

    negative: str = ""
    """The condition whose being True is the trouble."""

    def __call__(self, obj: JsonObject) -> Health:
        status, said = Status.PROGRESSING, list[str]()
        for each in conditions(obj):
            if each.get("status") is None:
                continue
            said.append(_because(each))
            wrong = "True" if self.negative and each.get("type") == self.negative else "False"
            if each["status"] == wrong:
                return Health(Status.DEGRADED, ", ".join(filter(None, said)))
            if each["status"] == "True":
                status = Status.HEALTHY
        return Health(status, ", ".join(filter(None, said)))


def _because(condition: JsonObject) -> str:
    reason, kind, message = (text(condition, name) for name in ("reason", "type", "message"))
    if not reason or not kind:
        return reason
    return f"{reason} for {kind} because {message}" if message else f"{reason} for {kind}"


def _complete(obj: JsonObject) -> Health | None:
    """Each stage ends with success; only the last one means that Grafana is there."""
    stages = at(obj, "status", "stage"), at(obj, "status", "stageStatus")
    return Health(Status.HEALTHY) if stages == ("complete", "success") else None


def _metric(obj: JsonObject) -> Health | None:
    if at(obj, "status", "errMsg"):
        return Health(Status.DEGRADED, "KeptnMetric is degraded")
    return None if at(obj, "status", "value") is None else Health(Status.HEALTHY, "KeptnMetric is healthy")


def _datasource(obj: JsonObject) -> Health:
    if at(obj, "status") is None or at(obj, "status", "uid") == "":
        return Health(Status.PROGRESSING)
    if at(obj, "status", "NoMatchingInstances"):
        return Health(Status.DEGRADED, "can't find matching grafana instance")
    return Health(Status.HEALTHY)


def _collector(obj: JsonObject) -> Health | None:
    """An OpenTelemetry collector reports its replicas as text: ready/wanted."""
    if at(obj, "status") is None:
        return None
    scale, mode = at(obj, "status", "scale", "statusReplicas"), at(obj, "spec", "mode")
    if scale is None:
        if mode == "sidecar":
            return Health(Status.HEALTHY, "Collector is running in sidecar mode")
        return Health(Status.PROGRESSING, "Scale status not available")
    said = text(obj, "status", "scale", "statusReplicas")
    found = _REPLICAS.search(said)
    if not found:
        return Health(Status.PROGRESSING, f"Unable to parse replica status: {said}")
    return _scaled(int(found[1]), int(found[2]), daemon=mode == "daemonset")


def _scaled(ready: int, wanted: int, *, daemon: bool) -> Health:
    if daemon and ready == wanted == 0:
        return Health(Status.HEALTHY, "DaemonSet has no eligible nodes (0/0)")
    if ready == 0:
        return Health(Status.DEGRADED, "No replicas are ready")
    if ready == wanted:
        return Health(Status.HEALTHY, "All replicas are ready")
    return Health(Status.PROGRESSING, "Replicas are starting up")


_HUMIO: Rule = (
    by_field(
        "status.state",
        {
            "Exists": healthy("Component state: Exists."),
            "NotFound": missing("Component state: NotFound."),
            "ConfigError": degraded("Component state: ConfigError."),
            "Unknown": unknown("Component state: Unknown."),
        },
    ),
    progressing("Update in progress"),
)

_CORALOGIX: Rule = (
    by_condition(
        on("RemoteSynced", "True", healthy("Resource is ready")), on("RemoteSynced", "False", degraded(MESSAGE))
    ),
    progressing("Waiting for status to be updated"),
)


def _keptn(kind: str, field: str = "status.status") -> Rule:
    return (
        by_field(field, {"Succeeded": healthy(f"{kind} is healthy"), "Failed": degraded(f"{kind} is degraded")}),
        progressing(f"{kind} is progressing"),
    )


_VICTORIA_WAITING: Final = "Waiting for the operator to reconcile"
_ERROR_SAID: Final = "DatadogMetric reported an error"

RULES: Mapping[str, Rule] = {
    "grafana.integreatly.org/Grafana": (
        lacking("status.stageStatus", progressing("Waiting for Grafana status info")),
        by_field("status.stageStatus", {"failed": degraded("Failed at stage {.status.stage}")}),
        _complete,
        progressing("{.status.stage}"),
    ),
    "grafana.integreatly.org/GrafanaDashboard": (Grafana(),),
    "grafana.integreatly.org/GrafanaDatasource": (_datasource,),
    "grafana.integreatly.org/GrafanaFolder": (Grafana("FolderUIDMismatch"),),
    "grafana-org-operator.kubitus-project.gitlab.io/*": (
        by_condition(
            on("Ready", "False", degraded(MESSAGE)),
            on("Ready", "True", healthy(MESSAGE)),
            on("Ready", "", progressing(MESSAGE)),
        ),
        progressing("Waiting ..."),
    ),
    "jaegertracing.io/Jaeger": (
        by_field(
            "status.phase",
            {"Running": healthy("Jaeger is Running"), "Failed": degraded("Jaeger Failed For Some Reason")},
        ),
        progressing("Waiting for Jaeger"),
    ),
    "kiali.io/Kiali": (
        by_condition(
            on("Successful", "True", healthy(MESSAGE)),
            on("Failure", "True", degraded(MESSAGE)),
            on("Running", "", progressing(MESSAGE), reason="Running"),
        ),
        progressing("Waiting for Kiali"),
    ),
    "monitoring.coreos.com/Prometheus": (
        by_condition(
            note("Available", "True", healthy("All instances are available")),
            note("Available", "", progressing("{message,reason}"), reason="SomePodsNotReady"),
            note("Available", "", degraded("{message,reason}")),
        ),
        progressing("Waiting for initialization"),
    ),
    "opentelemetry.io/OpenTelemetryCollector": (
        _collector,
        progressing("Waiting for OpenTelemetry Collector status"),
    ),
    "operator.victoriametrics.com/*": (
        lacking("status", progressing(_VICTORIA_WAITING)),
        Stale(_VICTORIA_WAITING),
        by_field(
            "status.updateStatus",
            {
                "operational": healthy("All components are operational"),
                "expanding": progressing("{.status.reason|Reconciliation in progress}"),
                "paused": suspended("{.status.reason|Reconciliation is paused}"),
                "failed": degraded("{.status.reason|Reconciliation failed}"),
            },
        ),
        progressing("Waiting for the operator to report status"),
    ),
    "datadoghq.com/DatadogMetric": (
        by_condition(
            on("Error", "True", degraded(f"{{reason}}: {{message|{_ERROR_SAID}}}"), reason="!"),
            on("Error", "True", degraded(f"{{message|{_ERROR_SAID}}}")),
        ),
        by_condition(on("Valid", "False", degraded("{message|DatadogMetric is not valid}"))),
        healthy("DatadogMetric is healthy"),
    ),
    "coralogix.com/Alert": _CORALOGIX,
    "coralogix.com/RecordingRuleGroupSet": _CORALOGIX,
    "core.humio.com/HumioAction": _HUMIO,
    "core.humio.com/HumioAlert": _HUMIO,
    "core.humio.com/HumioIngestToken": _HUMIO,
    "core.humio.com/HumioParser": _HUMIO,
    "core.humio.com/HumioRepository": _HUMIO,
    "core.humio.com/HumioView": _HUMIO,
    "core.humio.com/HumioCluster": (
        by_field(
            "status.state",
            {
                "Running": healthy("{.status.message|Cluster is in a healthy running state}"),
                "Restarting": progressing("{.status.message|Cluster pods are being restarted}"),
                "Upgrading": progressing("{.status.message|Cluster pods are being upgraded}"),
                "Pending": progressing("{.status.message|Cluster is waiting on resources to be provisioned}"),
                "ConfigError": degraded(
                    "{.status.message|User-provided cluster specification resulted in a configuration error}"
                ),
                "Unknown": unknown("{.status.message|Component state: Unknown.}"),
            },
        ),
        progressing("Update in progress"),
    ),
    "lifecycle.keptn.sh/KeptnAppVersion": _keptn("KeptnAppVersion"),
    "lifecycle.keptn.sh/KeptnEvaluation": _keptn("KeptnEvaluation", "status.overallStatus"),
    "lifecycle.keptn.sh/KeptnTask": _keptn("KeptnTask"),
    "lifecycle.keptn.sh/KeptnWorkloadInstance": _keptn("KeptnWorkloadInstance"),
    "lifecycle.keptn.sh/KeptnWorkloadVersion": _keptn("KeptnWorkloadVersion"),
    "metrics.keptn.sh/Analysis": (
        by_field("status.pass", {"true": healthy("Analysis is healthy")}),
        by_field("status.warning", {"true": healthy("Analysis is healthy with warnings")}),
        by_field("status.pass", {"false": degraded("Analysis is degraded")}),
        progressing("Analysis is progressing"),
    ),
    "metrics.keptn.sh/KeptnMetric": (
        _metric,
        progressing("KeptnMetric is progressing"),
    ),
}
