"""One Terraform object for people: what it says of itself, and nothing that may be a secret. Pure."""

from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.composition.parts import below
from plumbline.journal import Entry
from plumbline.terraform.objects.states import Output, value_of
from plumbline.terraform.state import State

_PLAIN: Final = (
    "approvePlan", "destroy", "destroyResourcesOnDeletion", "disableDriftDetection", "enableInventory", "force",
    "interval", "path", "planOnly", "refreshBeforeApply", "retryInterval", "serviceAccountName", "sourceRef",
    "storeReadablePlan", "suspend", "workspace",
)  # fmt: skip
"""Fields of the spec that are shown as they are. Variables, backends and webhooks may hold secrets."""
_STATUS: Final = (
    "lastAppliedRevision", "lastAttemptedRevision", "lastPlannedRevision", "lastPlanAt", "lastSuccessfulReconcileAt",
    "lastDriftDetectedAt", "lastAppliedByDriftDetectionAt", "availableOutputs", "plan", "lock",
    "reconciliationFailures",
)  # fmt: skip
_MOST: Final = 5000


def spec(obj: JsonObject) -> JsonObject:
    said = below(obj, "spec")
    shown: JsonObject = {name: said[name] for name in _PLAIN if name in said}
    outputs = below(said, "writeOutputsToSecret").get("name")
    return {
        **shown,
        "variables": [_variable(each) for each in _list(said.get("vars"))],
        "variablesFrom": [_named(each) for each in _list(said.get("varsFrom"))],
        "dependsOn": [_named(each) for each in _list(said.get("dependsOn"))],
        "outputsSecret": str(outputs or ""),
    }


def status(obj: JsonObject) -> JsonObject:
    said = below(obj, "status")
    return {name: said[name] for name in _STATUS if name in said}


def conditions(obj: JsonObject) -> list[JsonObject]:
    return [
        {
            "type": each.get("type"),
            "status": each.get("status"),
            "reason": each.get("reason") or "",
            "message": each.get("message") or "",
            "since": each.get("lastTransitionTime") or "",
        }
        for each in _list(below(obj, "status").get("conditions"))
    ]


def entry(each: Entry) -> JsonObject:
    return {
        "id": each.id,
        "at": each.at.isoformat(),
        "kind": each.kind,
        "verb": each.verb,
        "by": str(each.actor),
        "summary": each.summary,
        "cause": str(each.cause or ""),
    }


def inventory(state: State) -> JsonObject:
    """What exists, by address. Ids are left out: those of some resources are secrets."""
    shown = [
        {"address": each.address, "type": each.type, "tainted": each.tainted, "deposed": each.deposed}
        for each in state.instances[:_MOST]
    ]
    return {
        "place": str(state.place),
        "serial": state.serial,
        "lineage": state.lineage,
        "tool": state.document.tool_version,
        "encrypted": state.document.encrypted,
        "resources": shown,
        "more": max(0, len(state.instances) - _MOST),
    }


def outputs(found: dict[str, Output]) -> list[JsonObject]:
    return [_output(name, each) for name, each in list(found.items())[:_MOST]]


def _output(name: str, each: Output) -> JsonObject:
    said: JsonObject = {"name": name, "sensitive": each.sensitive}
    return said if each.sensitive else {**said, "value": value_of(each)}


def _variable(each: JsonObject) -> JsonObject:
    return {"name": str(each.get("name") or ""), "from": "reference" if each.get("valueFrom") else "here"}


def _named(each: JsonObject) -> JsonObject:
    return {key: str(each[key]) for key in ("kind", "namespace", "name") if each.get(key)}


def _list(value: Json) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
