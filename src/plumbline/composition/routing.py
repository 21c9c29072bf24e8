"""Who has to look again when something changes."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.definitions.values import Defined
from plumbline.composition.served import BY_UID
from plumbline.kernel.cache import Cached, Key, Owner
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.queue import Priority
from plumbline.kube.names import GroupKind, GroupVersion, GroupVersionKind

SOON_S: Final = 0.2
"""What is made of several things changes with each of them: looked at once for all that comes within this time."""
DEEPEST: Final = 32
"""Composites of composites. Nobody nests that deep on purpose."""


class Served(NamedTuple):
    """A type of composites that is looked after, with its claims."""

    defined: Defined
    composites: Informer
    controller: Controller
    claims: Informer | None = None
    claim_controller: Controller | None = None


class Routes:
    """Types by their kind, and what their composites have been shown."""

    def __init__(self) -> None:
        self._served: dict[GroupKind, Served] = {}
        self._shown: dict[tuple[str, str], set[tuple[GroupKind, Key]]] = {}
        self.composed: Callable[[Owner, str], Cached | None] = lambda *_: None
        """The composed resource that an owner reference means, in a namespace; None where it is none."""

    def add(self, served: Served) -> None:
        self._served[served.defined.composite.gvk.group_kind] = served
        served.composites.subscribe(lambda before, after: self._composite_changed(served, before, after))

    def drop(self, kind: GroupKind) -> Served | None:
        return self._served.pop(kind, None)

    def get(self, kind: GroupKind) -> Served | None:
        return self._served.get(kind)

    def all(self) -> tuple[Served, ...]:
        return tuple(self._served.values())

    def ancestors(self, composite: JsonObject) -> list[JsonObject]:
        """The composites that a composite is part of, the nearest first."""
        found: list[JsonObject] = []
        owners = [each for each in composite["metadata"].get("ownerReferences") or [] if each.get("controller")]
        owner = _read(owners[0]) if owners else None
        while owner is not None and len(found) < DEEPEST:
            entry = self._composite(owner)
            if entry is None:
                break
            found.append(entry.object())
            owner = _controller(entry)
        return found

    def composed_changed(self, before: Cached | None, after: Cached | None) -> None:
        """Something that is composed came, changed or went: its composite looks."""
        for owner in {each for each in (_controller(before), _controller(after)) if each is not None}:
            self._wake(owner)

    def secret_changed(self, before: Cached | None, after: Cached | None) -> None:
        """Connection details changed: whoever hands them on looks."""
        present = after or before
        owner = _controller(present)
        if present is None or owner is None:
            return
        composite = self._composite(owner)
        if composite is not None:
            served = self._served[_group_kind(owner)]
            self._wake_claim(served, composite)
            return
        composed = self.composed(owner, present.meta.namespace)
        above = _controller(composed)
        if above is not None:
            self._wake(above)

    def composition_changed(self, before: Cached | None, after: Cached | None) -> None:
        """A Composition or a revision of one: every composite of the type that it is for looks."""
        present = after or before
        if present is None:
            return
        type_ = (present.object().get("spec") or {}).get("compositeTypeRef") or {}
        gvk = GroupVersionKind.parse(str(type_.get("apiVersion") or ""), str(type_.get("kind") or ""))
        served = self._served.get(gvk.group_kind)
        if served is not None:
            for entry in served.composites.cache:
                served.controller.wake(entry.meta.key, Priority.POLL)

    def requires(self, composite: JsonObject, kinds: frozenset[tuple[str, str]]) -> None:
        """The functions of *composite* were shown objects of *kinds*."""
        metadata = composite["metadata"]
        who = GroupVersionKind.of(composite).group_kind, (metadata.get("namespace", ""), metadata["name"])
        for kind in kinds:
            self._shown.setdefault(kind, set()).add(who)

    def shown_changed(self, gvk: GroupVersionKind) -> None:
        """Something that functions were shown is another now: who saw it looks."""
        for kind, key in self._shown.pop((gvk.api_version, gvk.kind), set()):
            served = self._served.get(kind)
            if served is not None:
                served.controller.wake(key, Priority.DRIFT)

    def _composite_changed(self, served: Served, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is not None:
            self._wake_claim(served, present)

    def _wake_claim(self, served: Served, composite: Cached) -> None:
        labels = composite.meta.labels
        key = labels.get(marks.CLAIM_NAMESPACE, ""), labels.get(marks.CLAIM_NAME, "")
        if served.claim_controller is not None and all(key):
            served.claim_controller.queue.add_after(key, SOON_S, Priority.DRIFT)

    def _wake(self, owner: Owner) -> None:
        entry = self._composite(owner)
        if entry is not None:
            queue = self._served[_group_kind(owner)].controller.queue
            queue.add_after(entry.meta.key, SOON_S, Priority.DRIFT)

    def _composite(self, owner: Owner) -> Cached | None:
        served = self._served.get(_group_kind(owner))
        found = served.composites.cache.indexed(BY_UID, owner.uid) if served is not None else []
        return found[0] if found else None


def _group_kind(owner: Owner) -> GroupKind:
    return GroupKind(GroupVersion.parse(owner.api_version).group, owner.kind)


def _controllers(entry: Cached | None) -> Iterator[Owner]:
    if entry is not None:
        yield from (each for each in entry.meta.owner_references if each.controller)


def _controller(entry: Cached | None) -> Owner | None:
    return next(_controllers(entry), None)


def _read(reference: JsonObject) -> Owner:
    return Owner(
        kind=str(reference.get("kind") or ""),
        name=str(reference.get("name") or ""),
        uid=str(reference.get("uid") or ""),
        api_version=str(reference.get("apiVersion") or ""),
        controller=True,
    )
