"""Specs in somebody's editor, as YAML, as often as it takes until they can be used."""

from collections.abc import Callable
from typing import Final

import click

from plumbline.base.documents import dump_yaml, load_document
from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject

_MOST: Final = 10
_MARK: Final = "# "


def edited_spec(before: JsonObject, what: str, write: Callable[[JsonObject], None]) -> bool:
    """Have somebody edit *before* and *write* what they made; whether they did. What is refused is shown again, with why."""
    text, note = dump_yaml(before), f"The spec of the {what}. Leave it as it is, or empty, to change nothing."
    for _ in range(_MOST):
        after = click.edit(f"{_commented(note)}{text}", extension=".yaml")
        if after is None or not _bare(after).strip() or _bare(after) == text:
            return False
        text = _bare(after)
        try:
            value = _spec(text)
            if value == before:
                return False
            write(value)
        except InvalidInput as refused:
            note = f"It cannot be used: {refused}. {refused.hint}".rstrip()
            continue
        return True
    raise InvalidInput(f"the {what} is not changed", why=note)


def _spec(text: str) -> JsonObject:
    value = load_document(text, source="what you wrote").value
    if not isinstance(value, dict):
        raise InvalidInput("what you wrote is no spec", why="it is not an object")
    return value


def _commented(note: str) -> str:
    return "".join(f"{_MARK}{line}\n" for line in note.splitlines())


def _bare(text: str) -> str:
    """Without the comment on top, which is ours."""
    lines = text.splitlines(keepends=True)
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    return "".join(lines)
