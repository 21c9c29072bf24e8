"""What a path consists of."""

from typing import NamedTuple, TypeAlias, Union

from plumbline.base.json import Json


class Field(NamedTuple):
    name: str


class Literal(NamedTuple):
    """A text, number or boolean; it stands for itself, once for each value it is applied to."""

    value: Json


class Text(NamedTuple):
    """A text within quotes or between blocks: one result, whatever it is applied to."""

    value: str


class Slice(NamedTuple):
    """`[start:end:step]`. Of a single index, `end` is derived: the one after it."""

    start: int | None
    end: int | None
    step: int | None
    derived: bool


class Filter(NamedTuple):
    left: "Path"
    operator: str
    """Empty where it is enough that the left side leads somewhere."""
    right: "Path"


class Wildcard(NamedTuple):
    pass


class Descent(NamedTuple):
    """`..`: the value and all that it holds."""


class Choice(NamedTuple):
    """`[a,b]`: what any of the paths leads to."""

    paths: tuple["Path", ...]


class Word(NamedTuple):
    """`range`, `end`, or what is no word of the language; none gives a result in a column."""

    text: str


Node: TypeAlias = Union[Field, Literal, Text, Slice, Filter, Wildcard, Descent, Choice, Word]  # noqa: UP007 - names a class before it
Path: TypeAlias = tuple[Node, ...]
