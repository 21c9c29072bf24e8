"""How far a Terraform object is, from what its status says. Pure."""

from typing import Any, Final, Literal, NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.terraform.objects.store import condition

Phase: TypeAlias = Literal["busy", "waiting", "ready", "failed"]
_PLANNED: Final = frozenset({"TerraformPlannedWithChanges", "DriftDetected"})


class Standing(NamedTuple):
    phase: Phase
    reason: str
    message: str
    pending: str
    """The id of the plan that was made and not applied."""


def standing(obj: JsonObject) -> Standing:
    ready = condition(obj, "Ready")
    status, reason, message = (str(ready.get(part) or "") for part in ("status", "reason", "message"))
    pending = str(plan_of(obj).get("pending") or "")
    return Standing(_phase(obj, status, reason, pending), reason, message, pending)


def _phase(obj: JsonObject, status: str, reason: str, pending: str) -> Phase:
    if condition(obj, "Reconciling").get("status") == "True" or reason == "Progressing":
        return "busy"
    if pending and reason in _PLANNED:
        return "waiting"
    if status == "True":
        return "ready"
    return "failed" if status == "False" else "busy"


def handled(obj: JsonObject, asked: str) -> bool:
    """Whether somebody has looked since *asked* was written."""
    return bool((obj.get("status") or {}).get("lastHandledReconcileAt") == asked)


def plan_of(obj: JsonObject) -> dict[str, Any]:
    plan = (obj.get("status") or {}).get("plan")
    return plan if isinstance(plan, dict) else {}


def check_active(obj: JsonObject) -> None:
    """Raise InvalidInput for an object that nobody will look at."""
    name = obj["metadata"]["name"]
    if (obj.get("spec") or {}).get("suspend"):
        raise InvalidInput(f"{name} is suspended", hint=f"Wake it with: plumb tf resume {name}.")
    if obj["metadata"].get("deletionTimestamp"):
        raise InvalidInput(f"{name} is being deleted")
