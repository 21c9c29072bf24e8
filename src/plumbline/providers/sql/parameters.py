"""Settings that a role's sessions begin with."""

from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.managed.external import Difference
from plumbline.providers.sql.statements import Listed, Statement, Value, name

_LISTS: Final = frozenset({
    "local_preload_libraries", "search_path", "session_preload_libraries", "shared_preload_libraries", "temp_tablespaces",
    "unix_socket_directories",
})  # fmt: skip
"""Those whose items PostgreSQL quotes one by one; of all others the value is one text, commas and all."""


def parameters(wanted: JsonObject) -> dict[str, str]:
    asked = wanted.get("configurationParameters") or []
    if not isinstance(asked, list) or not all(isinstance(each, dict) and each.get("name") for each in asked):
        raise InvalidInput(
            "forProvider.configurationParameters cannot be used", why="it is not a list of name and value"
        )
    return {str(each["name"]): str(each.get("value", "")) for each in asked}


def read(stored: Iterable[str]) -> dict[str, str]:
    return dict(each.split("=", 1) for each in stored)


def differing(wanted: JsonObject, found: Mapping[str, str]) -> tuple[Difference, ...]:
    """Where any are asked for, they are all that there may be; where none are, nobody looks."""
    if wanted.get("configurationParameters") is None:
        return ()
    asked = parameters(wanted)
    if _comparable(asked) == _comparable(found):
        return ()
    return (Difference("configurationParameters", asked, dict(found)),)


def reset(role: str) -> Statement:
    return Statement("ALTER ROLE {} RESET ALL", (name(role),))


def setting(role: str, asked: Mapping[str, str]) -> list[Statement]:
    statements = []
    for key, value in asked.items():
        items = _items(value) if key.lower() in _LISTS else (value,)
        values = Listed(tuple(map(Value, items)))
        statements.append(Statement("ALTER ROLE {} SET {} TO {}", (name(role), name(key), values)))
    return statements


def _comparable(settings: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    lowered = {key.lower(): value for key, value in settings.items()}
    return {key: _items(value) if key in _LISTS else (value,) for key, value in lowered.items()}


def _items(value: str) -> tuple[str, ...]:
    return tuple(item.strip().strip("'\"").strip() for item in value.split(","))
