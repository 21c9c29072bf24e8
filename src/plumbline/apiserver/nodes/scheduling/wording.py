"""What the scheduler says when a pod fits nowhere."""

from collections import Counter
from collections.abc import Mapping, Sequence

from plumbline.apiserver.nodes.scheduling.filters import Refusal

_HELPLESS = "Preemption is not helpful for scheduling"
_NO_VICTIMS = "No preemption victims found for incoming pod"


def misfit(refusals: Mapping[str, Refusal], *, preempts: bool) -> str:
    """By node. Preemption is described and never carried out: pods of low priority are not evicted here."""
    whole = f"0/{len(refusals)} nodes are available: {_counted([each.reasons for each in refusals.values()])}."
    if not preempts:
        return f"{whole} no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."
    after = [[_NO_VICTIMS if each.preemptable else _HELPLESS] for each in refusals.values()]
    preemption = f"preemption: 0/{len(refusals)} nodes are available: {_counted(after)}."
    return f"{whole} no new claims to deallocate, {preemption}"


def obstructed(nodes: int, obstacle: str) -> str:
    """Of a pod that no node is even asked for. The last words are what upstream makes of not having asked."""
    return f"0/{nodes} nodes are available: {obstacle}. not found"


def _counted(reasons: Sequence[Sequence[str]]) -> str:
    counts = Counter(reason for each in reasons for reason in each)
    return ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
