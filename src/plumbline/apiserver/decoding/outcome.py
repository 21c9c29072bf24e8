"""What came of decoding, and the two ways in which it fails."""

from typing import Final, NamedTuple

from plumbline.apiserver.decoding.tree import Node, Pairs
from plumbline.apiserver.decoding.types import Type
from plumbline.base.json import Json
from plumbline.kube.names import GroupVersionKind

_SORTS: Final = {ord('"'): "string", ord("t"): "bool", ord("f"): "bool", ord("n"): "null"}


class Decoded(NamedTuple):
    """The value as its type holds it, and what strict decoding complains about, in its order."""

    value: Json
    complaints: tuple[str, ...] = ()


class Refusal(Exception):
    """The body cannot be decoded; the text is why, in Go's words."""


class Misfit(Refusal):
    """A body that says what it is, and is refused as such."""

    def __init__(self, why: Refusal, found: GroupVersionKind) -> None:
        super().__init__(str(why))
        self.found = found


class TypeFault(Refusal):
    """A value that its type cannot hold; where it stands is added on the way out."""

    def __init__(self, value: str, type_: Type, owner: str = "", field: str = "") -> None:
        super().__init__(value)
        self.value = value
        self.type = type_
        self.owner = owner
        self.field = field

    def __str__(self) -> str:
        where = f"struct field {self.owner}.{self.field}" if self.owner or self.field else "value"
        return f"json: cannot unmarshal {self.value} into Go {where} of type {self.type.text}"


def sort_of(node: Node) -> str:
    """What Go calls it."""
    if isinstance(node, Pairs):
        return "object"
    return _SORTS.get(node[0], "number") if isinstance(node, bytes) else "array"
