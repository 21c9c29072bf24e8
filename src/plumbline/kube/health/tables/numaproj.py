"""Numaflow and Numaplane: streams, and their rollouts."""

from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, conditions, holds, text
from plumbline.kube.health.rules import (
    Rule,
    Stale,
    Verdict,
    by_condition,
    by_field,
    degraded,
    healthy,
    on,
    progressing,
    unknown,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE

_RESULT: Final = "numaplane.numaproj.io/progressive-result-state"


class Failure(msgspec.Struct, frozen=True):
    """A stream fails by its phase, by a progressive upgrade, or by any condition that is False."""

    said: str = ""
    """What to say of a False condition; empty means what the last of them says."""
    progressive: bool = True

    def __call__(self, obj: JsonObject) -> Health | None:
        if at(obj, "status", "phase") == "Failed":
            return Health(Status.DEGRADED, text(obj, "status", "message"))
        if self.progressive and at(obj, "metadata", "labels", _RESULT) == "failed":
            return Health(Status.DEGRADED, "Failed progressive upgrade")
        false = [text(each, "message") for each in conditions(obj) if each.get("status") == "False"]
        return Health(Status.DEGRADED, self.said or false[-1]) if false else None


def _stream(kind: str, failure: Failure, **phases: str) -> Rule:
    """*phases* are those in which the stream is well besides Running, with what to say of it."""
    well = {"Running": f"{kind} is healthy", **phases}
    waiting = f"Waiting for {kind} status"
    return (
        Stale(waiting, required=True),
        failure,
        by_field("status.phase", {phase: healthy(said) for phase, said in well.items()}),
        progressing(waiting),
    )


_UNHEALTHY: Final = Failure("Subresources are unhealthy")


class Upgrading(msgspec.Struct, frozen=True):
    """An upgrade under way, unless it is known to have failed."""

    progressive: bool = True

    def __call__(self, obj: JsonObject) -> Health | None:
        upgrading = text(obj, "status", "upgradeInProgress") or at(obj, "status", "phase") == "Pending"
        if not upgrading or (self.progressive and holds(obj, "ProgressiveUpgradeSucceeded", "False")):
            return None
        return Health(Status.PROGRESSING, "Update in progress")


_CHILDREN: Final = "ChildResourcesHealthy"
_CHILD_PROGRESSING = by_condition(on(_CHILDREN, "False", progressing("Child Progressing"), reason="Progressing"))
_PHASE_FAILED = by_field("status.phase", {"Failed": degraded("{.status.message}")})
_UPGRADE_FAILED = on("ProgressiveUpgradeSucceeded", "False", degraded("Progressive upgrade failed"))


def _rollout(failed: str, *, paused: str = "", last: Verdict) -> Rule:
    """*failed* is the reason by which the child says it failed; *paused* the condition that says it rests."""
    return (
        Stale("Not yet reconciled", required=True),
        Upgrading(),
        _CHILD_PROGRESSING,
        _PHASE_FAILED,
        by_condition(on(_CHILDREN, "False", degraded(MESSAGE), reason=failed), _UPGRADE_FAILED),
        *([by_condition(on(paused, "True", healthy(MESSAGE)))] if paused else []),
        by_condition(on(_CHILDREN, "True", healthy("Healthy"))),
        last,
    )


RULES: Mapping[str, Rule] = {
    "numaflow.numaproj.io/InterStepBufferService": _stream("InterStepBufferService", Failure()),
    "numaflow.numaproj.io/MonoVertex": _stream("MonoVertex", _UNHEALTHY, Paused="MonoVertex is paused"),
    "numaflow.numaproj.io/Pipeline": _stream(
        "Pipeline", _UNHEALTHY, Paused="Pipeline is paused", Pausing="Pipeline is paused"
    ),
    "numaflow.numaproj.io/Vertex": _stream("Vertex", Failure(progressive=False), Paused="Vertex is paused"),
    "numaplane.numaproj.io/ISBServiceRollout": _rollout("ISBSvcFailed", last=unknown("Unknown status")),
    "numaplane.numaproj.io/MonoVertexRollout": _rollout(
        "MonoVertexFailed", paused="MonoVertexPausingOrPaused", last=unknown("Unknown MonoVertex status")
    ),
    "numaplane.numaproj.io/PipelineRollout": _rollout(
        "PipelineFailed", paused="PipelinePausingOrPaused", last=unknown("Unknown Pipeline status")
    ),
    "numaplane.numaproj.io/NumaflowControllerRollout": (
        Stale("Not yet reconciled", required=True),
        Upgrading(progressive=False),
        _CHILD_PROGRESSING,
        _PHASE_FAILED,
        by_condition(on(_CHILDREN, "False", degraded(MESSAGE))),
        by_condition(on(_CHILDREN, "True", healthy("Healthy"))),
        unknown("Unknown status"),
    ),
}
