"""Health of any object with conditions, for kinds that nobody wrote a rule for.

It follows what controllers have in common. An object whose observedGeneration lags is Progressing, as in kstatus.
Stalled and Reconciling are said on purpose and come first, as in Flux; Synced False means that the spec cannot be
carried out, as in Crossplane; Degraded True is how OpenShift says it. Then Ready, else Available, decides, and
Progressing fills in. Ready False alone is Progressing and not Degraded, because most controllers start there; it is
Degraded when its reason or its severity calls it a failure.

Conditions of other types say nothing that holds for all kinds: an object with only those has no health. Claims and composites
of Crossplane, whose kinds anybody can define, are told by fields that they all have; they are not well before they are Ready.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, conditions, mapping, text
from plumbline.kube.health.status import Health, Status

Known: TypeAlias = Mapping[str, JsonObject]

_ARRIVALS: Final = ("Ready", "Available")
_KNOWN: Final = frozenset({*_ARRIVALS, "Synced", "Progressing", "Stalled", "Reconciling", "Degraded"})
_COMPOSED: Final = frozenset(
    {"compositeDeletePolicy", "compositionUpdatePolicy", "compositionSelector", "compositionRef"}
)
_FAILURE: Final = re.compile(
    r"^(?:Failed|Invalid|Error)|(?:Failed|Failure|Error|Errored|Invalid|Exceeded|Denied|Refused)$"
)


def by_conditions(obj: JsonObject) -> Health | None:
    """What the conditions say together, or None where none of them is known."""
    known = {kind: each for each in conditions(obj) if (kind := text(each, "type")) in _KNOWN}
    composed = _composed(obj)
    if not known:
        return _health(Status.PROGRESSING, "Waiting to be composed") if composed else None
    if _stale(obj, known):
        return _health(Status.PROGRESSING, "Waiting for the latest spec to be observed")
    if composed and "Ready" not in known:
        return _declared(known) or _health(Status.PROGRESSING, "Waiting to become ready")
    return _declared(known) or _arrival(known) or _activity(known)


def _composed(obj: JsonObject) -> bool:
    """The API server fills some of these in, whatever people write."""
    spec = mapping(obj, "spec")
    return not _COMPOSED.isdisjoint(spec) or isinstance(spec.get("crossplane"), dict)


def _health(status: Status, message: str) -> Health:
    return Health(status, message, "generic")


def _stale(obj: JsonObject, known: Known) -> bool:
    """Whether the controller, as far as it says, has not seen the present spec."""
    generation = at(obj, "metadata", "generation")
    if generation is None:
        return False
    deciding = next((known[kind] for kind in _ARRIVALS if kind in known), {})
    observed = (at(obj, "status", "observedGeneration"), deciding.get("observedGeneration"))
    return any(each is not None and each != generation for each in observed)


def _declared(known: Known) -> Health | None:
    """What a controller says on purpose, whatever else it says."""
    for kind, status in (
        ("Stalled", Status.DEGRADED),
        ("Degraded", Status.DEGRADED),
        ("Reconciling", Status.PROGRESSING),
    ):
        if _is(known, kind, "True"):
            return _health(status, _said(known[kind]))
    if not _is(known, "Synced", "False"):
        return None
    paused = known["Synced"].get("reason") == "ReconcilePaused"
    return _health(Status.SUSPENDED if paused else Status.DEGRADED, _said(known["Synced"]))


def _arrival(known: Known) -> Health | None:
    """Whether it has got where the spec wants it: what Ready says, else Available."""
    found = next((known[kind] for kind in _ARRIVALS if kind in known), None)
    if found is None:
        return None
    if found.get("status") == "True":
        moving = "Ready" not in known and _is(known, "Progressing", "True") and not _settled(known["Progressing"])
        return (
            _health(Status.PROGRESSING, _said(known["Progressing"]))
            if moving
            else _health(Status.HEALTHY, _said(found))
        )
    failed = found.get("status") == "False" and _failed(found)
    return _health(Status.DEGRADED if failed else Status.PROGRESSING, _said(found))


def _activity(known: Known) -> Health | None:
    """Objects with neither: they are at work, or in step with their spec, or say nothing."""
    moving = known.get("Progressing")
    if moving is not None:
        if moving.get("status") == "False":
            return _health(Status.DEGRADED if _failed(moving) else Status.HEALTHY, _said(moving))
        return _health(Status.PROGRESSING, _said(moving))
    return _health(Status.HEALTHY, _said(known["Synced"])) if _is(known, "Synced", "True") else None


def _is(known: Known, kind: str, status: str) -> bool:
    return kind in known and known[kind].get("status") == status


def _failed(condition: JsonObject) -> bool:
    return condition.get("severity") == "Error" or bool(_FAILURE.search(text(condition, "reason")))


def _settled(condition: JsonObject) -> bool:
    """Deployments and their like stay Progressing True after the rollout, with a reason that says it is over."""
    return text(condition, "reason").endswith(("Available", "Complete", "Completed", "Succeeded"))


def _said(condition: JsonObject) -> str:
    return text(condition, "message") or text(condition, "reason")
