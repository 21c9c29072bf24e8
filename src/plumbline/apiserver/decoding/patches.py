"""Patch documents, as they are decoded before anything is patched."""

from functools import cached_property
from typing import Final, TypeVar

from plumbline.apiserver.decoding.bodies import keys_in
from plumbline.apiserver.decoding.checks import any_keys
from plumbline.apiserver.decoding.depth import refuse_depth
from plumbline.apiserver.decoding.documents import decode_document
from plumbline.apiserver.decoding.faults import NotJson
from plumbline.apiserver.decoding.outcome import Decoded, Refusal, TypeFault, sort_of
from plumbline.apiserver.decoding.tree import Node, parsed
from plumbline.apiserver.decoding.types import ANY, DOCUMENT, TEXT, Mapping, Member, Sequence, Structure
from plumbline.apiserver.decoding.unmarshal import unmarshalled
from plumbline.apiserver.decoding.yamltext import read_yaml, tree_of
from plumbline.base.json import Json

T = TypeVar("T", bound="dict[str, Json] | list[Json]")


class _Operation(Structure):
    """An operation of a JSON patch, as strict decoding knows it."""

    def __init__(self) -> None:
        super().__init__("handlers.jsonPatchOp")

    @cached_property
    def members(self) -> dict[str, Member]:
        names = {"op": TEXT, "path": TEXT, "from": TEXT, "value": ANY}
        return {name: Member(type_, (name,), optional=False) for name, type_ in names.items()}


_NAMES: Final = frozenset({"op", "path", "from", "value"})
_OPERATIONS: Final = Sequence("[]handlers.jsonPatchOp", _Operation())
_LOOSE_OPERATIONS: Final = Sequence("jsonpatch.Patch", Mapping("jsonpatch.Operation", ANY))


def merge_document(body: bytes, *, strict: bool) -> Decoded:
    """A merge or strategic patch: an object, or null."""
    value = _plain(body, dict)
    return Decoded(value) if value is not None else unmarshalled(patch_tree(body), DOCUMENT, strict=strict)


def operations(body: bytes, *, strict: bool) -> Decoded:
    """The operations of a JSON patch: a list of objects, or null."""
    value = _plain(body, list)
    if value is not None and all(map(_is_plain, value)):
        return Decoded(value)
    tree = patch_tree(body)
    read = unmarshalled(tree, _OPERATIONS) if strict else Decoded(None)
    loose = unmarshalled(tree, _LOOSE_OPERATIONS, strict=False)
    return Decoded(loose.value or [], tuple(f"json patch {each}" for each in read.complaints))


def apply_document(body: bytes) -> Decoded:
    """What is applied, and which of its keys are set twice; Refusal with all its words."""
    try:
        read = read_yaml(body)
    except Refusal as bad:
        raise Refusal(f"error converting YAML to JSON: {bad}") from None
    if read.value is not None and not isinstance(read.value, dict):
        fault = TypeFault(sort_of(tree_of(read.value)), DOCUMENT)
        raise Refusal(f"error unmarshaling JSON: while decoding JSON: {fault}")
    repeats = tuple(f"error converting YAML to JSON: {each}" for each in read.complaints)
    return Decoded(read.value or {}, repeats)


def _plain(body: bytes, form: type[T]) -> T | None:
    """The object or list in *body* if nothing at all is odd about it."""
    try:
        value: Json = decode_document(body)
    except (ValueError, RecursionError, OverflowError):
        return None
    if not isinstance(value, form) or any_keys(value) != keys_in(body):
        return None
    refuse_depth(body, value)
    return value


def _is_plain(operation: Json) -> bool:
    if type(operation) is not dict or not operation.keys() <= _NAMES:
        return False
    return all(type(operation.get(name, "")) is str for name in ("op", "path", "from"))


def patch_tree(body: bytes) -> Node:
    try:
        return parsed(body)
    except NotJson as bad:
        raise Refusal(str(bad)) from None
