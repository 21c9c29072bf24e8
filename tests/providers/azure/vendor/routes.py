"""Where a kind of resources is, which verbs it has, and which of Microsoft's models their bodies are."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple


class Route(NamedTuple):
    name: str
    path: str
    version: str
    bodies: dict[str, str | None]
    """The model of each verb's body; None where there is none."""
    model: str
    """Of its answers."""
    answer: Callable[[Any, Any], tuple[Any, dict[str, str], int]]

    def match(self, path: str) -> re.Match[str] | None:
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path.replace(".", r"\."))
        return re.fullmatch(pattern, path, re.IGNORECASE)


def merged(target: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """As a JSON merge patch has it."""
    result = dict(target)
    for key, value in change.items():
        below = result.get(key)
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(below, value) if isinstance(value, dict) and isinstance(below, dict) else value
    return result
