"""JSONPath templates as kubectl prints them: text, paths, and ranges over what a path leads to. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from plumbline.apiserver.tables.jsonpath import BadPath, Path, parse, results
from plumbline.apiserver.tables.jsonpath.nodes import Word
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, encode


class _Range(NamedTuple):
    over: Path
    body: "tuple[_Part, ...]"


_Part = Path | _Range


def filled(template: str, value: Json) -> str:
    """*template* with what its paths lead to in *value*; nothing where they lead nowhere. Raises InvalidInput."""
    text = template if "{" in template else f"{{{template if template.startswith('.') else f'.{template}'}}}"
    try:
        blocks = iter(parse(text))
    except BadPath as bad:
        raise InvalidInput("the template cannot be read", why=str(bad), hint="Such as: {.metadata.name}.") from None
    parts = tuple(_parts(blocks, within=False))
    return "".join(_texts(parts, value))


def _parts(blocks: Iterator[Path], *, within: bool) -> Iterator[_Part]:
    for block in blocks:
        word = block[0].text if block and isinstance(block[0], Word) else ""
        if word == "range":
            yield _Range(block[1:], tuple(_parts(blocks, within=True)))
        elif word == "end":
            if within:
                return
            raise InvalidInput("the template cannot be read", why="it has an end without a range")
        elif word:
            raise InvalidInput("the template cannot be read", why=f"{word!r} is neither range nor end")
        else:
            yield block
    if within:
        raise InvalidInput("the template cannot be read", why="it has a range without an end")


def _texts(parts: tuple[_Part, ...], value: Json) -> Iterator[str]:
    for part in parts:
        if isinstance(part, _Range):
            for each in results(part.over, value):
                yield from _texts(part.body, each)
        else:
            yield " ".join(map(_text, results(part, value)))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else encode(value).decode()
