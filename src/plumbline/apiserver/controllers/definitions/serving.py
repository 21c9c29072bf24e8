"""Which resources CRDs add to the API."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeAlias

from plumbline.apiserver.crds.definition import Definition
from plumbline.apiserver.models.custom import Convert, CustomModel
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Entry
from plumbline.base.json import Json, JsonObject

DEFINITIONS: Final = Collection("apiextensions.k8s.io", "customresourcedefinitions")


EndWatches: TypeAlias = Callable[[Collection], None]
"""Of a collection: whoever watches it comes again."""


class _Offered(NamedTuple):
    """What a definition depends on: if nothing of it changed, neither did what is served."""

    uid: Json
    generation: Json
    names: Json
    conditions: tuple[tuple[str, str], ...]

    def defines_as(self, other: "_Offered") -> bool:
        """Whether objects look the same under both, whatever may be done to them."""
        return self[:3] == other[:3]


class _Serving(NamedTuple):
    offered: _Offered
    collections: frozenset[Collection]


def _no_watches(_: Collection) -> None:
    """Nobody watches."""


class CustomResources:
    """Offers the resources of CRDs to the registry, anew when a CRD changed in what matters to them.

    A watch shows objects as they were defined when it began. So it ends when they are defined otherwise, or no more.
    """

    def __init__(self, registry: Registry, convert: Convert, end_watches: EndWatches = _no_watches) -> None:
        self._registry = registry
        self._convert = convert
        self._end_watches = end_watches
        self._serving: dict[str, _Serving] = {}

    def load(self, entries: Iterable[Entry]) -> None:
        """Those that were established before this process began."""
        for entry in entries:
            if entry.key.collection == DEFINITIONS:
                self.offer(entry.object(), entry.revision)

    def offer(self, crd: JsonObject, revision: int) -> None:
        name = str(crd["metadata"]["name"])
        wanted, before = _offered(crd), self._serving.get(name)
        if before is not None and before.offered == wanted:
            return
        definition = Definition(crd)
        # What is built in is nobody's to define: the real server accepts such a CRD, and serves what it served before.
        resources = [each for each in definition.resources if not self._registry.is_built_in(each)]
        models = [CustomModel(each, definition, revision, self._convert) for each in resources]
        self._serving[name] = _Serving(wanted, frozenset(each.resource.collection for each in models))
        self._registry.offer(name, models)
        if before is not None and not before.offered.defines_as(wanted):
            self._end(before)

    def serves(self, name: str) -> bool:
        """Whether the CRD of that name adds anything to the API."""
        serving = self._serving.get(name)
        return serving is not None and bool(serving.collections)

    def withdraw(self, name: str) -> None:
        before = self._serving.pop(name, None)
        self._registry.offer(name, ())
        if before is not None:
            self._end(before)

    def _end(self, before: _Serving) -> None:
        for collection in before.collections:
            self._end_watches(collection)


def _offered(crd: JsonObject) -> _Offered:
    metadata, status = crd.get("metadata") or {}, crd.get("status") or {}
    conditions = {str(each.get("type")): str(each.get("status")) for each in status.get("conditions") or ()}
    kept = tuple((type_, conditions.get(type_, "")) for type_ in ("Established", "Terminating"))
    return _Offered(metadata.get("uid"), metadata.get("generation"), status.get("acceptedNames"), kept)
