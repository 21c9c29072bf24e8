"""Ends of containers, and how long to wait before the next beginning."""

import msgspec

from plumbline.apiserver.nodes.pods.run import ContainerRun, Ended
from plumbline.apiserver.nodes.settings import Timing

replace = msgspec.structs.replace


def ended(run: ContainerRun, code: int, reason: str, at_s: float) -> ContainerRun:
    over = Ended(code, reason, run.started_s, at_s, run.id)
    return replace(run, started_s=None, up=False, ready=False, complained=False, ended=over)


def restarted(run: ContainerRun, now_s: float, timing: Timing) -> ContainerRun:
    """*run*, about to begin again: what ended is its past, and the next end will have to wait longer."""
    past = run.ended or run.last
    finished_s = past.finished_s if past is not None and past.finished_s is not None else now_s
    return replace(
        run,
        ended=None,
        last=past,
        waiting="",
        message="",
        due_s=None,
        backoff_s=next_backoff_s(run, finished_s, timing),
        restarted_s=now_s,
    )


def forgiven(run: ContainerRun, finished_s: float, timing: Timing) -> bool:
    """Whether it ran for so long since its last restart that its earlier ends do not count any more."""
    return finished_s - run.restarted_s > 2 * timing.longest_backoff_s


def next_backoff_s(run: ContainerRun, finished_s: float, timing: Timing) -> float:
    if not run.backoff_s or forgiven(run, finished_s, timing):
        return timing.backoff_s
    return min(run.backoff_s * 2, timing.longest_backoff_s)
