"""How a simulated container behaves: by its pod's annotations, a scenario, its image, its command, or by default.

Annotations are `sim.plumbline.dev/<key>` for all main containers, or `sim.plumbline.dev/<key>.<container>` for one of
any role. The keys:

    behavior     crash | exit-<code> | oom | never-ready | pull-error
    ready-after  5s     readiness that long after the start, whatever the probes say
    run-for      3s     how long it runs before it ends as `behavior` or its command says, or with success
    stop-after   2s     of the pod: how long stopping takes, within the grace period
    log          text   lines that it writes when it starts
    log-every    10s    how often it writes them again
"""

import math
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

import msgspec

from plumbline.apiserver.nodes.moments import duration_s
from plumbline.apiserver.nodes.pods.commands import Course, Said, foretold
from plumbline.apiserver.nodes.pods.view import Container, PodView, Role
from plumbline.apiserver.nodes.settings import ANNOTATIONS, Timing
from plumbline.base.json import JsonObject

_EXIT: Final = re.compile(r"exit-([0-9]{1,3})")
_LARGEST_CODE: Final = 255
_KILLED: Final = 137
_DURATIONS: Final = ("ready-after", "run-for", "stop-after", "log-every")
_DEFAULT_PERIOD_S: Final = 10


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """What to say to containers whose pod, name and image match; patterns are as in a shell."""

    says: Mapping[str, str]
    """The same keys and values as annotations have, without their prefix."""
    pod: str = "*"
    namespace: str = "*"
    container: str = "*"
    image: str = "*"

    def matches(self, pod: PodView, container: Container) -> bool:
        return (
            fnmatchcase(pod.name, self.pod)
            and fnmatchcase(pod.namespace, self.namespace)
            and fnmatchcase(container.name, self.container)
            and fnmatchcase(container.image, self.image)
        )


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """For those who run the control plane in their process: rules where annotations say nothing."""

    rules: Sequence[Rule] = ()
    unpullable: Sequence[str] = ("*:does-not-exist", "invalid.*")
    """Images that no registry has."""


class Exit(NamedTuple):
    code: int
    reason: str
    after_s: float


class Behavior(msgspec.Struct, frozen=True):
    exit: Exit | None
    """None where it runs until it is stopped."""
    up_after_s: float
    ready_after_s: float | None
    """None where it never gets ready."""
    pulls: bool
    log: Sequence[str]
    log_every_s: float | None
    says: Sequence[Said] = ()
    """What its command writes, and how long after the start."""


def behavior_of(pod: PodView, container: Container, scenario: Scenario, timing: Timing) -> Behavior:
    told = _Told(pod, container, scenario)
    kind = told("behavior")
    up_s = _probe_delay_s(container.spec.get("startupProbe"))
    ready_s = told.duration_s("ready-after")
    if ready_s is None:
        ready_s = max(up_s, _probe_delay_s(container.spec.get("readinessProbe")))
    lines = told("log")
    course = None if _ends(kind) else foretold(container.spec)
    run_for_s = told.duration_s("run-for")
    return Behavior(
        exit=_foretold_exit(course, run_for_s) if course else _exit(pod, container, kind, run_for_s, timing),
        up_after_s=up_s,
        ready_after_s=None if kind == "never-ready" else ready_s,
        pulls=kind != "pull-error" and not any(fnmatchcase(container.image, each) for each in scenario.unpullable),
        log=lines.splitlines(),
        log_every_s=told.duration_s("log-every"),
        says=course.says if course else (),
    )


def stop_after_s(pod: PodView, timing: Timing) -> float:
    """How long its containers take to stop when asked to."""
    told_s = duration_s(str(pod.annotations.get(f"{ANNOTATIONS}stop-after") or ""))
    return min(float(pod.grace_s), timing.stop_s if told_s is None else told_s)


def misunderstood(pod: PodView) -> Sequence[str]:
    """What is wrong with the pod's annotations, one sentence each; they count as if they were not there."""
    faults = []
    for key in sorted(pod.annotations):
        if not key.startswith(ANNOTATIONS):
            continue
        word, value = key.removeprefix(ANNOTATIONS).split(".")[0], str(pod.annotations[key])
        if word in _DURATIONS and duration_s(value) is None:
            faults.append(f"Annotation {key} is no duration such as 5s or 1m30s: {value[:80]}")
        elif word == "behavior" and not _known(value):
            kinds = "crash, exit-<code>, oom, never-ready or pull-error"
            faults.append(f"Annotation {key} is none of {kinds}: {value[:80]}")
    return faults


def _known(kind: str) -> bool:
    return kind in {"never-ready", "pull-error"} or _ends(kind)


def _ends(kind: str) -> bool:
    """Whether it says how a container ends, whatever its command would."""
    return kind in {"crash", "oom"} or _exit_code(kind) is not None


def _exit_code(kind: str) -> int | None:
    code = _EXIT.fullmatch(kind)
    return int(code[1]) if code and int(code[1]) <= _LARGEST_CODE else None


class _Told:
    def __init__(self, pod: PodView, container: Container, scenario: Scenario) -> None:
        self._annotations = pod.annotations
        self._container = container
        self._rules = [rule for rule in scenario.rules if rule.matches(pod, container)]

    def __call__(self, key: str) -> str:
        own = self._annotations.get(f"{ANNOTATIONS}{key}.{self._container.name}")
        if own is None and self._container.role is Role.MAIN:
            own = self._annotations.get(f"{ANNOTATIONS}{key}")
        if own is not None:
            return str(own)
        return next((rule.says[key] for rule in self._rules if key in rule.says), "")

    def duration_s(self, key: str) -> float | None:
        return duration_s(self(key))


def _foretold_exit(course: Course, run_for_s: float | None) -> Exit | None:
    after_s = course.lasts_s if run_for_s is None else run_for_s
    return None if math.isinf(after_s) else Exit(course.code, "Error" if course.code else "Completed", after_s)


def _exit(pod: PodView, container: Container, kind: str, run_for_s: float | None, timing: Timing) -> Exit | None:
    lasting = container.role is not Role.INIT and pod.restarts(container, 0)
    worker = container.role is Role.MAIN and not lasting
    after_s = run_for_s if run_for_s is not None else timing.work_s if worker else 0.0
    if kind == "oom":
        return Exit(_KILLED, "OOMKilled", after_s)
    code = 1 if kind == "crash" else _exit_code(kind)
    if code is None:
        if run_for_s is None and (lasting or container.role is Role.EPHEMERAL):
            return None
        code = 0
    return Exit(code, "Error" if code else "Completed", after_s)


def _probe_delay_s(probe: JsonObject | None) -> float:
    """When a probe that succeeds at once has succeeded often enough, after the start."""
    if not probe:
        return 0.0
    more = int(probe.get("successThreshold") or 1) - 1
    return float(probe.get("initialDelaySeconds") or 0) + more * float(probe.get("periodSeconds") or _DEFAULT_PERIOD_S)
