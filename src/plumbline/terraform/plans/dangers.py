"""What in a plan is not to be done unasked, and what would be lost."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from plumbline.terraform.plans.contents import held, is_guard, is_minor, reached
from plumbline.terraform.plans.values import Change, Consent, Danger, DangerKind, Severity, Summary
from plumbline.terraform.plans.wording import block_address, counted

_SEVERITIES: Final = ("high", "medium", "low")
_VERBS: Final[dict[DangerKind, str]] = {
    "destroy": "destroys",
    "replace": "replaces",
    "forget": "forgets",
    "unprotect": "takes protection off",
    "opens": "opens",
    "output-removed": "removes output",
    "share": "takes away",
    "deposed": "destroys what a failed replacement left of",
    "unknown": "does something unknown to",
}
_REASONS: Final = {
    "delete_because_count_index": "its index is beyond count",
    "delete_because_each_key": "its key is no longer in for_each",
    "delete_because_no_module": "its module is gone",
    "delete_because_no_move_target": "it was moved to where nothing is",
    "delete_because_no_resource_config": "its block is gone",
    "delete_because_wrong_repetition": "count or for_each came or went",
    "replace_because_cannot_update": "",
    "replace_because_tainted": "it is tainted",
    "replace_by_request": "somebody asked for it",
    "replace_by_triggers": "of replace_triggered_by",
}
_FEW: Final = 3
_ONE: Final = ("a ", "an ", "every", "what ")


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How much may go at once before that alone is worth a word."""

    part: float = 0.5
    count: int = 10
    least: int = 2
    """What is less than this is no share, however small the whole is."""


def dangers(
    summary: Summary,
    *,
    guarded_before: Iterable[str] = (),
    guarded_now: Iterable[str] = (),
    share: Share = Share(),  # noqa: B008 - frozen
) -> tuple[Danger, ...]:
    """All of them, the worst first. The guards are what `guarded` finds in the source that was applied last, and in this."""
    lost_guards = _lost_guards(summary, frozenset(guarded_before), frozenset(guarded_now))
    found = [each for change in summary.changes for each in _of_change(change, lost_guards)]
    found += _unguarded(summary, lost_guards)
    found += [_output(output.name) for output in summary.outputs if output.action == "delete"]
    found += _share(summary, share)
    return tuple(sorted(found, key=_worst_first))


def brief(danger: Danger) -> str:
    """`replaces terraform_data.db`."""
    if danger.kind == "share":
        return danger.sentence
    return f"{_VERBS[danger.kind]} {danger.address}"


def _worst_first(danger: Danger) -> tuple[int, str, str, str]:
    return _SEVERITIES.index(danger.severity), danger.kind, danger.address, danger.sentence


def _of_change(change: Change, lost_guards: frozenset[str]) -> Iterator[Danger]:
    if change.mode == "data":
        return
    if change.deposed and change.action == "delete":
        yield _loss(change, "deposed", "destroy", lost_guards)
    elif change.action == "delete":
        yield _loss(change, "destroy", "destroy", lost_guards)
        if is_guard(change.type):
            yield _harm(change, "unprotect", f"destroys {change.address}, which keeps others from harm")
    elif change.action == "replace" and change.order == "old-is-forgotten":
        yield _forgotten(change)
    elif change.action == "replace":
        yield _loss(change, "replace", "replace", lost_guards)
    elif change.action == "forget":
        yield _forgotten(change)
    elif change.action == "unknown":
        acts = ", ".join(change.actions) or "nothing that is known"
        yield _danger(change, "unknown", "destroy", "high", f"does something unknown to {change.address} ({acts})")
    for weak in change.weakened:
        verb = "opens" if weak.kind == "opens" else "takes protection off"
        yield _harm(change, weak.kind, f"{verb} {change.address}: {weak.path} changes, so that {weak.means}")


def _loss(change: Change, kind: DangerKind, consent: Consent, lost_guards: frozenset[str]) -> Danger:
    lost, used = held(change.type), reached(change.type)
    sentence = f"{_VERBS[kind]} {change.address}"
    reason = _reason(change)
    if reason:
        sentence += f" because {reason}"
    if lost:
        sentence += f", and {lost} {'is' if lost.startswith(_ONE) else 'are'} lost"
    elif used:
        sentence += f", and others may need it: {used}"
    if _block(change) in lost_guards:
        sentence += "; prevent_destroy kept it until now"
    return _danger(change, kind, consent, _severity(change.type), sentence)


def _reason(change: Change) -> str:
    if change.replace_paths:
        paths = ", ".join(change.replace_paths[:_FEW])
        more = len(change.replace_paths) - _FEW
        return f"{paths}{f' and {more} more' if more > 0 else ''} cannot change in place"
    return _REASONS.get(change.action_reason, change.action_reason.replace("_", " "))


def _forgotten(change: Change) -> Danger:
    sentence = f"forgets {change.address}: it stays, and nobody looks after it any more"
    severity: Severity = "low" if is_minor(change.type) else "medium"
    return _danger(change, "forget", "forget", severity, sentence, lost="")


def _harm(change: Change, kind: DangerKind, sentence: str) -> Danger:
    return _danger(change, kind, "unprotect", "high", sentence, lost="")


def _danger(
    change: Change,
    kind: DangerKind,
    consent: Consent,
    severity: Severity,
    sentence: str,
    *,
    lost: str | None = None,
) -> Danger:
    return Danger(
        kind=kind,
        consent=consent,
        severity=severity,
        address=change.address,
        type=change.type,
        lost=held(change.type) if lost is None else lost,
        sentence=sentence,
    )


def _severity(type_: str) -> Severity:
    return "high" if held(type_) else "low" if is_minor(type_) else "medium"


def _block(change: Change) -> str:
    return block_address(change.previous_address or change.address)


def _lost_guards(summary: Summary, before: frozenset[str], now: frozenset[str]) -> frozenset[str]:
    """Blocks that were guarded and are not, of which something is there to be lost; a move takes its guard along."""
    moved = {_block(change): block_address(change.address) for change in summary.changes if change.previous_address}
    present = summary.blocks | {_block(change) for change in summary.changes if change.action != "create"}
    return frozenset(each for each in before & present if moved.get(each, each) not in now)


def _unguarded(summary: Summary, lost_guards: frozenset[str]) -> Iterator[Danger]:
    gone = {_block(change) for change in summary.changes if change.action == "delete"}
    types = {_block(change): change.type for change in summary.changes}
    for block in sorted(lost_guards):
        how = "its block is gone, and prevent_destroy with it" if block in gone else "prevent_destroy is gone"
        yield Danger(
            kind="unprotect",
            consent="unprotect",
            severity="high",
            address=block,
            type=types.get(block, ""),
            sentence=f"takes protection off {block}: {how}",
        )


def _output(name: str) -> Danger:
    return Danger(
        kind="output-removed",
        consent="destroy",
        severity="low",
        address=name,
        sentence=f"removes output {name}, which others may read",
    )


def _share(summary: Summary, share: Share) -> Iterator[Danger]:
    gone = sum(
        change.mode != "data" and not change.deposed and change.action in {"delete", "replace"}
        for change in summary.changes
    )
    if gone < share.least or not (gone > share.count or gone > share.part * summary.managed):
        return
    everything = "all" if gone >= summary.managed else f"{gone:,} of"
    yield Danger(
        kind="share",
        consent="destroy",
        severity="high",
        address="",
        sentence=f"takes away {everything} {counted(max(summary.managed, gone), 'resource')} of the module",
    )
