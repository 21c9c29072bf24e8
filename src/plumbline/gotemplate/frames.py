"""What an execution stands on: the template as it was read, and the variables that it holds."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from plumbline.gotemplate.nodes import Listing
from plumbline.gotemplate.values import Function, Value

MissingKey = Literal["default", "zero", "error"]


class Source(NamedTuple):
    """What was parsed, and what it may call."""

    name: str
    text: str
    trees: Mapping[str, Listing]
    functions: Mapping[str, Function]
    missing_key: MissingKey = "default"


class Held:
    """A variable. It is *boxed* if its type says nothing but `interface {}`, as with elements of lists."""

    __slots__ = ("boxed", "name", "value")

    def __init__(self, name: str, value: Value, *, boxed: bool = False) -> None:
        self.name, self.value, self.boxed = name, value, boxed
