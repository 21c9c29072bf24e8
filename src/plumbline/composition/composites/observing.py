"""What a composite is made of, as it is now: from copies that are kept by watches, one for each kind that is composed."""

from collections.abc import Callable
from typing import Final

from plumbline.base.errors import InvalidInput, NotFound, Transient
from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.composites.planning import Observation, Templates
from plumbline.composition.connections import Connections
from plumbline.kernel.cache import Cache, Cached, Relevance
from plumbline.kernel.collections import Collections
from plumbline.kernel.informer import Informer
from plumbline.kernel.kinds import Kinds
from plumbline.kube.names import GroupVersionKind

_COMPOSED: Final = marks.COMPOSITE
"""Whatever carries the label is composed by somebody; nothing else is kept."""


class Composed:
    """Follows the kinds that are composed, and tells who is concerned by a change."""

    def __init__(self, collections: Collections, kinds: Kinds, connections: Connections) -> None:
        self._collections = collections
        self._kinds = kinds
        self._connections = connections
        self._known: dict[GroupVersionKind, Informer] = {}
        self.changed: Callable[[GroupVersionKind, Cached | None, Cached | None], None] = lambda *_: None
        """Told of every change of something that is composed. It must not wait."""

    async def informer(self, gvk: GroupVersionKind) -> Informer | None:
        """The copy of what is composed of a kind, once it is complete; None where nobody serves the kind.

        Raises Transient where the kind cannot be read now.
        """
        resource = await self._kinds.resource(gvk)
        if resource is None:
            return None
        cache = Cache(Relevance(status=False))
        informer, begun = await self._collections.follow(resource.gvr, labels=_COMPOSED, cache=cache)
        self._known[gvk] = informer
        if begun:
            informer.subscribe(lambda before, after: self.changed(gvk, before, after))
        if not await informer.readable():
            self._kinds.forget()  # told to be served and then not: one of the two is over soon
            raise Transient(f"{gvk.kind} in {gvk.api_version} is not served just now")
        return informer

    def known(self, gvk: GroupVersionKind) -> Informer | None:
        """The copy of a kind that somebody composes by now."""
        return self._known.get(gvk)

    async def observe(
        self, composite: JsonObject, references: list[JsonObject], templates: Templates | None = None
    ) -> dict[str, Observation]:
        """Composed resources by the name that the composition gave them, as far as they are there and ours.

        What does not say its own name is bound to *templates* in the order of the references.
        """
        kinds = [await self._kind(ref) for ref in references]
        present = [await self._referenced(composite, gvk, ref) for gvk, ref in zip(kinds, references, strict=True)]
        found: dict[str, Observation] = {}
        for entry, gvk, called in zip(present, kinds, _called(present, templates), strict=True):
            if entry is None or (templates is not None and not called):
                continue
            if not called:
                name = entry.meta.name
                raise InvalidInput(
                    f'encountered composed resource without required "{marks.RESOURCE_NAME}" annotation',
                    why=f"{gvk.kind} {name} does not say which part of the composition it is",
                    hint=f"Put the annotation back, or remove {name} from the composite's resourceRefs.",
                )
            obj = entry.object()
            found[called] = Observation(gvk, entry, obj, await self._connections.of(obj))
        return found

    async def _kind(self, ref: JsonObject) -> GroupVersionKind:
        """The kind of a reference, in a version that is served: the one that it was written in may be no longer."""
        said = GroupVersionKind.parse(str(ref.get("apiVersion") or ""), str(ref.get("kind") or ""))
        if await self._kinds.resource(said) is not None:
            return said
        served = (await self._kinds.catalog()).by_kind(said.group_kind)
        return said if served is None else served.gvk

    async def _referenced(self, composite: JsonObject, gvk: GroupVersionKind, ref: JsonObject) -> Cached | None:
        """What a reference means, unless somebody else controls it."""
        metadata, name = composite["metadata"], str(ref.get("name") or "")
        if not name:
            return None
        entry = await self.find(gvk, str(metadata.get("namespace") or ref.get("namespace") or ""), name)
        return None if entry is None or _is_foreign(entry, str(metadata["uid"])) else entry

    async def find(self, gvk: GroupVersionKind, namespace: str, name: str) -> Cached | None:
        """The object of that name, whoever made it; None where there is none, or can be none."""
        informer, resource = await self.informer(gvk), await self._kinds.resource(gvk)
        if informer is None or resource is None:
            # An API server that starts lists less than it has. What is gone with its kind has left the copy before.
            copy = self._known.get(gvk)
            return copy.cache.get((namespace, name)) if copy is not None else None
        if resource.namespaced and not namespace:
            return None
        known = informer.cache.get((namespace, name))
        if known is not None:
            return known
        try:
            return await informer.fetched((namespace, name))  # made just now, or without its label
        except NotFound:
            return None


def _called(present: list[Cached | None], templates: Templates | None) -> list[str]:
    """A name for each place. As soon as one does not say its own, only the order of templates tells what is what."""
    said = [entry.meta.annotations.get(marks.RESOURCE_NAME, "") if entry is not None else "" for entry in present]
    silent = any(entry is not None and not name for entry, name in zip(present, said, strict=True))
    if templates is None or not (silent or templates.anonymous):
        return said
    return [*templates.names, *[""] * len(said)][: len(said)]


def _is_foreign(entry: Cached, uid: str) -> bool:
    return any(owner.controller and owner.uid != uid for owner in entry.meta.owner_references)
