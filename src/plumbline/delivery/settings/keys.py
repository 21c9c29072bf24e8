"""One ConfigMap, key by key: what cannot be read becomes a problem, and its default counts."""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json
from plumbline.base.limits import SETTINGS
from plumbline.delivery.settings.problems import Problem
from plumbline.kinds.duration import Duration

T = TypeVar("T")

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")
_DAYS: Final = re.compile(r"([0-9]{1,6})d")
_LONGEST_S: Final = 10 * 365 * 86_400
"""No timer is meant to be longer; a typing error may be."""


class Keys:
    """Reads values by what they have to be. Problems gather in the order of reading."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self.entries = entries
        self.problems: list[Problem] = []

    def told(self, key: str, why: str) -> None:
        self.problems.append(Problem(key, why))

    def text(self, key: str, default: str = "") -> str:
        """An empty value is the same as none."""
        return self.entries.get(key, "") or default

    def flag(self, key: str, *, default: bool, otherwise: bool | None = None, any_case: bool = False) -> bool:
        """`true` or `false`. Anything else is a problem, and *otherwise* counts: what upstream makes of it."""
        value = self.entries.get(key, "").strip()
        known = value.lower() if any_case else value
        if known in {"true", "false"}:
            return known == "true"
        if not value:
            return default
        meant = default if otherwise is None else otherwise
        self.told(key, f"it is neither true nor false, and {str(meant).lower()} counts")
        return meant

    def number(self, key: str, default: int, *, least: int = 0, most: int = 2**31 - 1) -> int:
        value = self.entries.get(key, "").strip()
        if not value:
            return default
        number = int(value) if _INTEGER.fullmatch(value) else None
        if number is None or not least <= number <= most:
            self.told(key, f"it is no number from {least} to {most}, and {default} counts")
            return default
        return number

    def seconds(self, key: str, default_s: float, *, bare: bool = False) -> float:
        """A duration as Go writes it, or in days; with *bare*, a number alone is seconds."""
        value = self.entries.get(key, "").strip()
        if not value:
            return default_s
        try:
            found_s = _seconds(value, bare=bare)
        except InvalidInput as fault:
            self.told(key, f"{fault.why or fault.what}, and {default_s:g}s count")
            return default_s
        if not 0 <= found_s <= _LONGEST_S:
            self.told(key, f"it is negative or longer than ten years, and {default_s:g}s count")
            return default_s
        return found_s

    def list(self, key: str) -> tuple[str, ...]:
        """Texts between commas, without the space around them."""
        return tuple(filter(None, map(str.strip, self.entries.get(key, "").split(","))))

    def chosen(self, key: str, choices: tuple[str, ...], default: str) -> str:
        value = self.text(key, default)
        if value not in choices:
            self.told(key, f"it is none of {', '.join(choices)}, and {default or 'nothing'} counts")
            return default
        return value

    def document(self, key: str) -> Json:
        """The YAML under *key*; None where there is none, or none that can be read."""
        return self.yaml(key, self.entries.get(key, ""))

    def yaml(self, key: str, text: str) -> Json:
        if not text.strip():
            return None
        from plumbline.base.documents import load_documents  # noqa: PLC0415 - most settings hold no YAML

        try:
            documents = load_documents(text, limits=SETTINGS, source=key, repeats="report")
        except InvalidInput as fault:
            self.problems.append(Problem.of(key, fault))
            return None
        return _without_nulls(documents[0].value) if documents else None

    def items(self, key: str, type_: type[T]) -> tuple[T, ...]:
        """A list of such values; of one with faults, the others."""
        return self.each(key, self.document(key), lambda item: msgspec.convert(item, type_))

    def each(self, key: str, found: Json, read: Callable[[Json], T]) -> tuple[T, ...]:
        if found is None:
            return ()
        if not isinstance(found, list):
            self.told(key, "it is no list")
            return ()
        items: list[T] = []
        for position, item in enumerate(found):
            try:
                items.append(read(item))
            except (msgspec.ValidationError, InvalidInput) as fault:
                self.told(key, f"item {position}: {fault}")
        return tuple(items)

    def value(self, key: str, found: Json, type_: type[T]) -> T | None:
        """*found* as such a value; None where it is none."""
        try:
            return None if found is None else msgspec.convert(found, type_)
        except msgspec.ValidationError as fault:
            self.told(key, str(fault))
            return None


def _without_nulls(found: Json) -> Json:
    """What Go writes of a value that says nothing: a field with null is one that is not there."""
    if isinstance(found, dict):
        return {key: _without_nulls(each) for key, each in found.items() if each is not None}
    return [_without_nulls(each) for each in found] if isinstance(found, list) else found


def _seconds(text: str, *, bare: bool) -> float:
    if bare and _INTEGER.fullmatch(text):
        return int(text)
    if days := _DAYS.fullmatch(text):
        return int(days[1]) * 86_400
    return Duration.parse(text).seconds
