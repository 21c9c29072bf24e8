"""Fields that hold one word out of few."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, not_supported, required
from plumbline.apiserver.validation.shapes import text
from plumbline.base.json import Json

PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")


def chosen_errors(value: Json, field: str, supported: tuple[str, ...]) -> Iterator[FieldError]:
    """A complaint about a word that is missing or unknown."""
    if value in supported:
        return
    word = text(value)
    yield not_supported(field, Word(word), supported) if word else required(field)


def optional_errors(value: Json, field: str, supported: tuple[str, ...]) -> Iterator[FieldError]:
    """A complaint about a word that is there and unknown."""
    if value is not None and value not in supported:
        yield not_supported(field, Word(text(value)), supported)
