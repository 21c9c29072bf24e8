"""Red Hat 3scale."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, condition, conditions, holds, number, text
from plumbline.kube.health.rules import (
    Rule,
    Verdict,
    by_condition,
    by_field,
    degraded,
    healthy,
    on,
    progressing,
    suspended,
)
from plumbline.kube.health.status import Health, Status


def _capability(kind: str, well: str = "Ready", **trouble: str) -> Rule:
    """*trouble* are conditions that say Degraded when True, with what to say of them if they do not."""
    return _with_conditions(kind, well, {name: degraded(_said(kind, said)) for name, said in trouble.items()})


def _with_conditions(kind: str, well: str, others: Mapping[str, Verdict]) -> Rule:
    return (
        by_condition(
            on(well, "True", healthy(f"3scale {kind} is {well.lower()}")),
            *(on(name, "True", verdict) for name, verdict in others.items()),
        ),
        progressing(f"Waiting for 3scale {kind} status..."),
    )


def _said(kind: str, otherwise: str) -> str:
    return f"{{message|3scale {kind} {otherwise}}}"


_INVALID = "configuration is invalid"
_ORPHAN = "references non-existing resources"
_FAILED = "synchronization failed"


def _manager(obj: JsonObject) -> Health | None:
    deployments = at(obj, "status", "deployments")
    up, starting, stopped = (at(deployments, name) is not None for name in ("ready", "starting", "stopped"))
    if (up and not starting and not stopped) or holds(obj, "Available"):
        return Health(Status.HEALTHY, "3scale APIManager is available")
    reason = text(condition(obj, "Available"), "reason")
    return Health(Status.DEGRADED, f"3scale APIManager is degraded: {reason}") if reason else None


def _application(obj: JsonObject) -> Health | None:
    """Once it has an id, Ready False means that it is being changed, not that it cannot be made."""
    made = number(obj, "status", "adminId") > 0
    for each in conditions(obj):
        if each.get("type") == "Ready" and each.get("status") == "True":
            return Health(Status.HEALTHY, "3scale Application is ready")
        if each.get("type") == "Ready" and not made:
            return Health(Status.DEGRADED, text(each, "message") or "3scale Application is not ready")
    return None


def _tenant(obj: JsonObject) -> Health | None:
    made = number(obj, "status", "tenantId") > 0 and number(obj, "status", "adminId") > 0
    if made and holds(obj, "Ready"):
        return Health(Status.HEALTHY, "3scale Tenant is ready")
    for each in conditions(obj):
        if each.get("type") == "Ready" and each.get("status") != "True":
            return Health(Status.DEGRADED, text(each, "message") or "3scale Tenant is degraded")
    return None


RULES: Mapping[str, Rule] = {
    "apps.3scale.net/APIManager": (_manager, progressing("Waiting for 3scale APIManager status...")),
    "capabilities.3scale.net/ActiveDoc": _capability("ActiveDoc", Invalid=_INVALID, Orphan=_ORPHAN, Failed=_FAILED),
    "capabilities.3scale.net/Application": (
        by_field("status.state", {"suspended": suspended("3scale Application is suspended")}),
        _application,
        progressing("Waiting for 3scale Application status..."),
    ),
    "capabilities.3scale.net/ApplicationAuth": _capability("ApplicationAuth", Failed="failed"),
    "capabilities.3scale.net/Backend": _capability("Backend", "Synced", Invalid=_INVALID, Failed=_FAILED),
    "capabilities.3scale.net/CustomPolicyDefinition": _capability(
        "CustomPolicyDefinition", Invalid=_INVALID, Failed=_FAILED
    ),
    "capabilities.3scale.net/DeveloperAccount": _with_conditions(
        "DeveloperAccount",
        "Ready",
        {
            "Invalid": degraded(_said("DeveloperAccount", _INVALID)),
            "Failed": degraded(_said("DeveloperAccount", _FAILED)),
            "Waiting": suspended(_said("DeveloperAccount", "is waiting for approval")),
        },
    ),
    "capabilities.3scale.net/DeveloperUser": (
        by_field(
            "status.developerUserState",
            {"suspended": suspended("3scale Developer user is waiting for admin approval")},
        ),
        *_capability("DeveloperUser", Invalid=_INVALID, Orphan=_ORPHAN, Failed=_FAILED),
    ),
    "capabilities.3scale.net/OpenAPI": _capability("OpenAPI", Invalid=_INVALID, Failed="reconciliation failed"),
    "capabilities.3scale.net/Product": _capability(
        "Product", "Synced", Invalid=_INVALID, Orphan=_ORPHAN, Failed=_FAILED
    ),
    "capabilities.3scale.net/ProxyConfigPromote": _with_conditions(
        "ProxyConfigPromote",
        "Ready",
        {
            "In-progress": progressing(_said("ProxyConfigPromote", "is in progress")),
            "Failed": degraded(_said("ProxyConfigPromote", "failed")),
        },
    ),
    "capabilities.3scale.net/Tenant": (_tenant, progressing("Waiting for 3scale Tenant status...")),
}
