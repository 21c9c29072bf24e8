"""Which live object belongs to which desired one, and which are left over."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from plumbline.delivery.compare.marks import deletion_hook, hook, nowhere
from plumbline.delivery.compare.preparing import Scope, Subject, managed_namespace
from plumbline.delivery.values import Desired, Observed
from plumbline.kube.names import GroupVersionKind, Ref

Live: TypeAlias = Mapping[Ref, tuple[GroupVersionKind, Observed]]
"""Objects that an application has, or that Git names, by what they are."""


class Pair(NamedTuple):
    """One object as it should be and as it is; one of the two may be absent."""

    ref: Ref
    gvk: GroupVersionKind
    target: Desired | None
    observed: Observed | None


class Paired(NamedTuple):
    pairs: tuple[Pair, ...]
    """Desired objects in their order, then what is live and not desired, in the order of their names."""
    hooks: tuple[Desired, ...]
    """What is applied only in its phase of a sync."""
    deletion_hooks: tuple[Desired, ...]
    """What runs when the application is deleted."""


def paired(
    desired: Sequence[Desired], live: Live, scope: Scope, permitted: Callable[[Ref], bool], subject: Subject
) -> Paired:
    """*desired* beside *live*. What the project does not permit is invisible: neither counted nor ever pruned."""
    visible = {ref: each for ref, each in live.items() if permitted(ref)}
    targets = [each for each in desired if not hook(each.annotations)]
    _drop_aliases(visible, targets)
    pairs = [_pair(each, visible, scope, subject.destination) for each in targets]
    pairs.extend(_left_over(visible, targets, subject))
    return Paired(
        tuple(pairs),
        tuple(each for each in desired if hook(each.annotations) and not nowhere(each.annotations)),
        tuple(each for each in desired if deletion_hook(each.annotations)),
    )


def _pair(target: Desired, visible: dict[Ref, tuple[GroupVersionKind, Observed]], scope: Scope, home: str) -> Pair:
    ref = target.ref
    namespaced = scope(target.gvk)
    places = []
    if namespaced is not False:
        places.append(ref._replace(namespace=ref.namespace or home))
    if not namespaced:
        places.append(ref._replace(namespace=""))
    for place in places:
        found = visible.pop(place, None)
        if found is not None:
            return Pair(place, found[0], target, found[1])
    return Pair(ref, target.gvk, target, None)


def _left_over(
    visible: Mapping[Ref, tuple[GroupVersionKind, Observed]], targets: Iterable[Desired], subject: Subject
) -> list[Pair]:
    pairs = [
        Pair(ref, gvk, None, observed) for ref, (gvk, observed) in sorted(visible.items(), key=lambda each: each[0])
    ]
    home = Ref("", "Namespace", "", subject.destination)
    if home in visible and not any(each.ref == home for each in targets):
        wanted = managed_namespace(subject)
        pairs = [pair._replace(target=wanted) if pair.ref == home else pair for pair in pairs]
    return pairs


def _drop_aliases(visible: dict[Ref, tuple[GroupVersionKind, Observed]], targets: Iterable[Desired]) -> None:
    """One object may be served under several groups. The one that Git names is kept, and at least one."""
    by_uid: dict[str, list[Ref]] = {}
    for ref, (_, observed) in visible.items():
        if observed.live.meta.uid:
            by_uid.setdefault(observed.live.meta.uid, []).append(ref)
    aliased = [refs for refs in by_uid.values() if len(refs) > 1]
    if not aliased:
        return
    named = {each.ref for each in targets}
    for refs in aliased:
        spare = [ref for ref in sorted(refs) if ref not in named]
        for ref in spare[: len(refs) - 1]:
            del visible[ref]
