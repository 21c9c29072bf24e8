"""SQL as values: what is fixed is written here, what comes from outside is a name, a value, or a word on a list.

Nothing here makes text of it: the driver's own composition does, at the moment of sending.
"""

from typing import Final, LiteralString, NamedTuple, TypeAlias, Union

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext

PRIVILEGES: Final = frozenset({
    "SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN", "USAGE", "CREATE",
    "CONNECT", "TEMPORARY", "TEMP", "EXECUTE", "ALL", "ALL PRIVILEGES",
})  # fmt: skip


_NAME_BYTES: Final = 63
"""What is longer the server cuts short without a word: two names would be one, and neither is found as it was said."""


class Name(NamedTuple):
    """An identifier, perhaps with its schema before it."""

    parts: tuple[str, ...]


class Value(NamedTuple):
    """A literal."""

    value: str | int | bool | Plaintext


class Word(NamedTuple):
    """A keyword of the language. Made by `word` and `privilege`, which know them all."""

    text: str


class Listed(NamedTuple):
    """Parts with commas between them."""

    items: tuple["Part", ...]


class Statement(NamedTuple):
    """*text* with a `{}` for each part. It may be a part itself."""

    text: LiteralString
    parts: tuple["Part", ...] = ()


Part: TypeAlias = Union[Name, Value, Word, Listed, Statement]  # noqa: UP007 - it names itself


def name(*parts: str) -> Name:
    for part in parts:
        if not part or "\0" in part:
            raise InvalidInput(f"{part!r} cannot be a name", why="PostgreSQL has no empty names, and none with a NUL")
        if len(part.encode()) > _NAME_BYTES:
            hint = "Choose a shorter one, with the annotation crossplane.io/external-name where the object is to keep its own."
            why = f"it is longer than the {_NAME_BYTES} bytes that PostgreSQL keeps of a name"
            raise InvalidInput(f"{part!r} cannot be a name", why=why, hint=hint)
    return Name(parts)


def names(items: tuple[str, ...]) -> Listed:
    return Listed(tuple(name(item) for item in items))


def word(text: str, known: frozenset[str], what: str) -> Word:
    if text not in known:
        raise InvalidInput(f"{text!r} is no {what}", why=f"it must be one of {', '.join(sorted(known))}")
    return Word(text)


def privilege(text: str) -> Word:
    return word(text, PRIVILEGES, "privilege")


def privileges(items: tuple[str, ...]) -> Listed:
    return Listed(tuple(map(privilege, items)))
