"""ConfigMaps of the installation that people change by verbs and the API: read, edited as a whole, and written back."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol, TypeVar

from plumbline.base.errors import AlreadyExists, Conflict
from plumbline.base.json import Json, JsonObject

_ATTEMPTS: Final = 5

T = TypeVar("T")


class ConfigMaps(Protocol):
    """The way to them: straight to the cluster, or through the gate for somebody who asked."""

    async def read(self, name: str) -> JsonObject | None:
        """None where there is none."""

    async def create(self, body: JsonObject, why: str) -> None:
        """Raises AlreadyExists."""

    async def update(self, body: JsonObject, why: str) -> None:
        """Of the very version that was read. Raises Conflict."""


class Stale(Exception):
    """What was read is no longer what is there."""


def texts(config_map: JsonObject | None) -> dict[str, str]:
    content: Json = (config_map or {}).get("data")
    if not isinstance(content, dict):
        return {}
    return {key: value for key, value in content.items() if isinstance(value, str)}


async def put(maps: ConfigMaps, name: str, before: JsonObject | None, entries: Mapping[str, str], why: str) -> None:
    """Write *entries* in place of what was read. Raises Stale where somebody else has written meanwhile."""
    try:
        if before is None:
            labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd"}
            made: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}}
            await maps.create({**made, "data": dict(entries)}, why)
        else:
            await maps.update({**before, "data": dict(entries)}, why)
    except (Conflict, AlreadyExists) as raced:
        raise Stale from raced


async def settled(name: str, edit: Callable[[], Awaitable[T]]) -> T:
    """*edit*, anew for as long as somebody else was faster. Raises Conflict after some times."""
    for _ in range(_ATTEMPTS):
        try:
            return await edit()
        except Stale:
            continue
    raise Conflict(f"{name} is not changed", why="somebody else keeps writing it")
