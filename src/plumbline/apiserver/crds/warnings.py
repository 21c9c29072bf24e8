"""What the server remarks about CRDs and custom resources without refusing them."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.cel.textformats import supported_format
from plumbline.apiserver.crds.definitions.lifted import lifted
from plumbline.apiserver.crds.definitions.reading import mapping, subschemas, text, texts
from plumbline.apiserver.validation.names import qualified_name
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

_STANDARD: Final = frozenset(("orphan", "foregroundDeletion", "kubernetes"))


def definition_warnings(crd: JsonObject, old: JsonObject | None = None) -> list[str]:
    """About formats that mean nothing; those that were there before are not told again."""
    before = set(_unknown_formats(old)) if old is not None else set()
    return [f"unrecognized format {quoted(name)}" for name in _unknown_formats(crd) if name not in before]


def _unknown_formats(crd: JsonObject) -> Iterator[str]:
    for schema in lifted(crd).schemas:
        yield from _unknown_in(schema)


def _unknown_in(schema: JsonObject) -> Iterator[str]:
    name, kind = text(schema, "format"), text(schema, "type")
    if name and not supported_format((kind,) if kind else (), name):
        yield name
    for each in subschemas(schema):
        yield from _unknown_in(each)


def finalizer_warnings(obj: JsonObject, old: JsonObject | None = None) -> list[str]:
    """About finalizers that were added now and whose names may clash with those of others."""
    before = texts(mapping((old or {}).get("metadata")).get("finalizers"))
    added = set(texts(mapping(obj.get("metadata")).get("finalizers"))) - set(before)
    return [said for name in sorted(added) for said in _finalizer_remarks(name)]


def _finalizer_remarks(name: str) -> Iterator[str]:
    place = f"metadata.finalizers: {quoted(name)}"
    for fault in qualified_name(name):
        yield f"{place}: {fault}"
    if "/" not in name and name not in _STANDARD:
        path = " including a path (/)" if "." in name else ""
        yield f"{place}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
