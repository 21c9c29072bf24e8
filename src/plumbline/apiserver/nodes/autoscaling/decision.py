"""From an autoscaler and what it scales to its next status, and to another size where one is due."""

from collections.abc import Sequence
from typing import Final

import msgspec

from plumbline.apiserver.nodes.autoscaling.metrics import TOLERANCE, Failure, Reading, Target, read_metric
from plumbline.apiserver.nodes.autoscaling.pacing import Bounds, History, paced
from plumbline.apiserver.nodes.events import Note
from plumbline.apiserver.nodes.requests import quantity
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject

_FOUND: Final = ("SucceededGetScale", "the HPA controller was able to get the target's current scale")
_DISABLED: Final = "scaling is disabled since the replica count of the target is zero"


class Decision(msgspec.Struct, frozen=True):
    status: JsonObject
    notes: Sequence[Note] = ()
    replicas: int | None = None
    """The size to give to the target; None leaves it alone."""
    unsettled: bool = False
    """Its metrics ask for another size than it has, and time may bring that."""


def failed_scale(autoscaler: JsonObject, why: str, now: str) -> Decision:
    """The target cannot be found, or has no scale."""
    judge = _Judge(autoscaler, now)
    message = f"the HPA controller was unable to get the target's current scale: {why}"
    judge.set("AbleToScale", ("FailedGetScale", message), status=False)
    old = autoscaler.get("status") or {}
    status = {"desiredReplicas": 0, "currentMetrics": None, **old, "conditions": judge.conditions}
    return Decision(status, [Note("FailedGetScale", why, warning=True)])


def decide(autoscaler: JsonObject, target: Target, history: History, now_s: float, now: str) -> Decision:
    return _Judge(autoscaler, now).judged(target, history, now_s)


class _Judge:
    def __init__(self, autoscaler: JsonObject, now: str) -> None:
        self.conditions: list[JsonObject] = list((autoscaler.get("status") or {}).get("conditions") or ())
        self._autoscaler = autoscaler
        self._spec: JsonObject = autoscaler.get("spec") or {}
        self._now = now

    def judged(self, target: Target, history: History, now_s: float) -> Decision:
        least = self._spec.get("minReplicas")
        bounds = Bounds(target.replicas, 1 if least is None else int(least), int(self._spec.get("maxReplicas") or 1))
        self.set("AbleToScale", _FOUND)
        if not bounds.current and bounds.least:
            self.set("ScalingActive", ("ScalingDisabled", _DISABLED), status=False)
            return Decision(self._status(0, 0, None))
        if bounds.current > bounds.most:
            return self._resized(bounds.current, bounds.most, "Current number of replicas above Spec.MaxReplicas", None)
        if bounds.current < bounds.least:
            why = "Current number of replicas below Spec.MinReplicas"
            return self._resized(bounds.current, bounds.least, why, None)
        return self._by_metrics(target, bounds, history, now_s)

    def set(self, type_: str, reason: tuple[str, str], *, status: bool = True) -> None:
        conditions = self.conditions
        place = next((at for at, each in enumerate(conditions) if each.get("type") == type_), len(conditions))
        written = "True" if status else "False"
        before = conditions[place] if place < len(conditions) else {}
        since = before.get("lastTransitionTime") if before.get("status") == written else None
        condition = {
            "type": type_,
            "status": written,
            "lastTransitionTime": since or self._now,
            "reason": reason[0],
            "message": reason[1],
        }
        conditions[place : place + 1] = [condition]

    def _by_metrics(self, target: Target, bounds: Bounds, history: History, now_s: float) -> Decision:
        tolerances = self._tolerance("scaleDown"), self._tolerance("scaleUp")
        read = [read_metric(each, target, tolerances) for each in self._spec.get("metrics") or ()]
        failures = [each for each in read if isinstance(each, Failure)]
        shown = [each.status if isinstance(each, Reading) else {"type": ""} for each in read]
        readings = [each for each in read if isinstance(each, Reading)]
        best = max(readings, key=lambda each: each.replicas, default=None)
        if best is None or (failures and best.replicas < bounds.current):
            return self._failed(failures, bounds.current, shown)
        described = f"the HPA was able to successfully calculate a replica count from {best.name}"
        self.set("ScalingActive", ("ValidMetricFound", described))
        pace = paced(best.replicas, bounds, self._spec.get("behavior"), history, now_s)
        self.set("AbleToScale", pace.able)
        self.set("ScalingLimited", pace.limited, status=pace.is_limited)
        if pace.desired == bounds.current:
            reachable = min(max(best.replicas, bounds.least), bounds.most)
            return Decision(self._status(bounds.current, pace.desired, shown), unsettled=reachable != pace.desired)
        why = f"{best.name} above target" if best.replicas > bounds.current else "All metrics below target"
        resized = self._resized(bounds.current, pace.desired, why, shown)
        return msgspec.structs.replace(resized, unsettled=True)

    def _resized(self, current: int, desired: int, why: str, shown: list[JsonObject] | None) -> Decision:
        message = f"the HPA controller was able to update the target scale to {desired}"
        self.set("AbleToScale", ("SucceededRescale", message))
        note = Note("SuccessfulRescale", f"New size: {desired}; reason: {why}")
        return Decision({**self._status(current, desired, shown), "lastScaleTime": self._now}, [note], desired)

    def _failed(self, failures: Sequence[Failure], current: int, shown: list[JsonObject]) -> Decision:
        old = int((self._autoscaler.get("status") or {}).get("desiredReplicas") or 0)
        if not failures:
            return Decision(self._status(current, old, shown))
        namespace = str(metadata_of(self._autoscaler).get("namespace"))
        notes = [_note(each.reason, each.error, namespace) for each in failures]
        first = failures[0]
        message = f"the HPA was unable to compute the replica count: {_placed(first.error, namespace)}"
        self.set("ScalingActive", (first.reason, message), status=False)
        counts = f"invalid metrics ({len(failures)} invalid out of {len(shown)}), first error is: "
        notes.append(_note("FailedComputeMetricsReplicas", f"{counts}{first.prefix}{first.error}", namespace))
        return Decision(self._status(current, old, shown), notes)

    def _status(self, current: int, desired: int, shown: list[JsonObject] | None) -> JsonObject:
        old = self._autoscaler.get("status") or {}
        status: JsonObject = {"desiredReplicas": desired, "currentMetrics": shown, "conditions": self.conditions}
        if current:
            status["currentReplicas"] = current
        return {**status, "lastScaleTime": old["lastScaleTime"]} if old.get("lastScaleTime") else status

    def _tolerance(self, field: str) -> float:
        told = ((self._spec.get("behavior") or {}).get(field) or {}).get("tolerance")
        return TOLERANCE if told is None else float(quantity(told).to_decimal())


def _note(reason: str, message: str, namespace: str) -> Note:
    return Note(reason, _placed(message, namespace), warning=True)


def _placed(message: str, namespace: str) -> str:
    return message.replace("{namespace}", namespace)
