"""A pod, or the template of one, as the checks look at it; and how they describe what they find."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import Json, JsonObject


class Subject:
    def __init__(self, pod: JsonObject) -> None:
        self.spec: JsonObject = mapping(pod.get("spec"))
        self.annotations: JsonObject = mapping(mapping(pod.get("metadata")).get("annotations"))
        self.context: JsonObject = mapping(self.spec.get("securityContext"))
        self.containers = [
            container
            for field in ("initContainers", "containers", "ephemeralContainers")
            for container in mappings(self.spec.get(field))
        ]

    @property
    def windows(self) -> bool:
        return mapping(self.spec.get("os")).get("name") == "windows"

    @property
    def confined_users(self) -> bool:
        """Users of the pod are nobody on its node, root included."""
        return self.spec.get("hostUsers") is False

    def where(self, fits: Callable[[JsonObject], bool]) -> list[str]:
        """The names of containers whose security context *fits*."""
        return [text(each.get("name")) for each in self.containers if fits(mapping(each.get("securityContext")))]


class Violation(NamedTuple):
    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


def quoted_list(items: Iterable[str]) -> str:
    return ", ".join(f'"{item}"' for item in items)


def counted(word: str, items: Sequence[Json] | set[str], plural: str = "") -> str:
    return word if len(items) == 1 else plural or f"{word}s"


def containers(names: Sequence[str]) -> str:
    return f"{counted('container', names)} {quoted_list(names)}"


def setters(names: Sequence[str], *, pod: bool) -> str:
    """Who sets something: the pod as a whole, some containers, or both."""
    found = ["pod"] if pod else []
    return " and ".join([*found, containers(names)] if names else found)
