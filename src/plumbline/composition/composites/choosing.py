"""Which revision of which composition makes a composite, from copies of all of them."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.composition.composites.state import Chosen, Revision
from plumbline.composition.definitions.values import Defined
from plumbline.composition.machinery import machinery
from plumbline.composition.revisions.revision import COMPOSITION_NAME
from plumbline.composition.revisions.selection import (
    Machinery,
    Unchosen,
    chosen_composition,
    chosen_revision,
    composes,
    revision_selector,
)
from plumbline.kernel.cache import Cache, Cached, Relevance
from plumbline.kernel.informer import Informer

BY_TYPE: Final = "type"
BY_COMPOSITION: Final = "composition"


def compositions_cache() -> Cache:
    return Cache(Relevance(), {BY_TYPE: _types})


def revisions_cache() -> Cache:
    return Cache(Relevance(), {BY_COMPOSITION: _compositions})


class Chooser:
    """Each object is decoded once, however many composites it makes."""

    def __init__(self, compositions: Informer, revisions: Informer) -> None:
        self._compositions = compositions
        self._revisions = revisions
        self._decoded: dict[str, tuple[Cached, JsonObject]] = {}

    def chosen(self, composite: JsonObject, defined: Defined) -> Chosen:
        said = Machinery.of(composite, defined)
        gvk = defined.composite.gvk
        candidates = map(self._object, self._compositions.cache.indexed(BY_TYPE, _type(gvk.api_version, gvk.kind)))
        found = chosen_composition(said, defined, candidates)
        if isinstance(found, Unchosen):
            raise NotFound(
                "cannot select Composition: no compatible Compositions found",
                why=found.message,
                hint="Apply a Composition for this kind, or correct compositionSelector.",
            )
        revision = self._revision(found.name, said, defined)
        metadata = revision["metadata"]
        return Chosen(
            Revision(metadata["name"], metadata["resourceVersion"], found.name, revision["spec"]),
            _fields(composite, defined, found.name, revision),
        )

    def _revision(self, name: str, said: Machinery, defined: Defined) -> JsonObject:
        entry = self._compositions.cache.get(("", name))
        if entry is None:
            raise NotFound(
                f"cannot fetch Composition: cannot get Composition: {name} is not there",
                hint="Apply it, or name another in compositionRef.",
            )
        revisions = map(self._object, self._revisions.cache.indexed(BY_COMPOSITION, name))
        revision = chosen_revision(said, defined, self._object(entry), revisions)
        if isinstance(revision, Unchosen):
            raise NotFound("cannot fetch Composition: no compatible CompositionRevisions found", why=revision.message)
        if not composes(revision, defined.composite.gvk):
            raise InvalidInput(
                "referenced composition is not compatible with this composite resource",
                why=f"{name} is for another kind",
                hint="Name another Composition in compositionRef.",
            )
        return revision

    def _object(self, entry: Cached) -> JsonObject:
        known = self._decoded.get(entry.meta.uid)
        if known is None or known[0] is not entry:
            known = self._decoded[entry.meta.uid] = (entry, entry.object())
        return known[1]


def _fields(composite: JsonObject, defined: Defined, name: str, revision: JsonObject) -> JsonObject:
    """What the composite has to say about the choice, as far as it does not yet."""
    legacy = defined.lineage == "legacy"
    live = machinery(composite, legacy=legacy)
    wanted: JsonObject = {
        "compositionRef": {"name": name},
        "compositionRevisionRef": {"name": revision["metadata"]["name"]},
    }
    selector = revision_selector(Machinery.of(composite, defined), defined)
    if selector is not None:
        wanted["compositionRevisionSelector"] = selector
    namespace = revision["spec"].get("writeConnectionSecretsToNamespace")
    if legacy and namespace and not live.get("writeConnectionSecretToRef"):
        wanted["writeConnectionSecretToRef"] = {"name": composite["metadata"]["uid"], "namespace": namespace}
    return {key: value for key, value in wanted.items() if live.get(key) != value}


def _types(entry: Cached) -> Iterable[str]:
    said = (entry.object().get("spec") or {}).get("compositeTypeRef") or {}
    return (_type(str(said.get("apiVersion")), str(said.get("kind"))),)


def _type(api_version: str, kind: str) -> str:
    return f"{api_version}, {kind}"


def _compositions(entry: Cached) -> Iterable[str]:
    name = entry.meta.labels.get(COMPOSITION_NAME)
    return (name,) if name else ()
