"""Which resources CRDs add to the API."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.apiserver.crds.definition import Definition
from plumbline.apiserver.models.custom import Convert, CustomModel
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Entry
from plumbline.base.json import Json, JsonObject

DEFINITIONS: Final = Collection("apiextensions.k8s.io", "customresourcedefinitions")


class _Offered(NamedTuple):
    """What a definition depends on: if nothing of it changed, neither did what is served."""

    generation: Json
    names: Json
    conditions: tuple[tuple[str, str], ...]


class CustomResources:
    """Offers the resources of CRDs to the registry, anew when a CRD changed in what matters to them."""

    def __init__(self, registry: Registry, convert: Convert) -> None:
        self._registry = registry
        self._convert = convert
        self._offered: dict[str, _Offered] = {}

    def load(self, entries: Iterable[Entry]) -> None:
        """Those that were established before this process began."""
        for entry in entries:
            if entry.key.collection == DEFINITIONS:
                self.offer(entry.object(), entry.revision)

    def offer(self, crd: JsonObject, revision: int) -> None:
        name = str(crd["metadata"]["name"])
        wanted = _offered(crd)
        if self._offered.get(name) == wanted:
            return
        self._offered[name] = wanted
        definition = Definition(crd)
        models = [CustomModel(each, definition, revision, self._convert) for each in definition.resources]
        self._registry.offer(name, models)

    def withdraw(self, name: str) -> None:
        self._offered.pop(name, None)
        self._registry.offer(name, ())


def _offered(crd: JsonObject) -> _Offered:
    metadata, status = crd.get("metadata") or {}, crd.get("status") or {}
    conditions = {str(each.get("type")): str(each.get("status")) for each in status.get("conditions") or ()}
    kept = tuple((type_, conditions.get(type_, "")) for type_ in ("Established", "Terminating"))
    return _Offered(metadata.get("generation"), status.get("acceptedNames"), kept)
