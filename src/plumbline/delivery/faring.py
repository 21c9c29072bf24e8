"""How an object fares, whoever has to be asked for that."""

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject
from plumbline.delivery.actions.acting import Lua
from plumbline.kinds.application import APPLICATION
from plumbline.kube.health import Health, Overrides, Script, Status, assess, health_from_lua
from plumbline.kube.names import GroupVersionKind


async def fares(lua: Lua, obj: JsonObject, overrides: Overrides) -> Health | None:
    """None where its kind has no health. A script that fails says that nothing is known."""
    answer = assess(obj, overrides)
    if not isinstance(answer, Script):
        return application_health(obj) if _application(obj) else answer
    try:
        return health_from_lua(await lua.lua(answer.source, {"obj": obj}, open_libs=answer.open_libs))
    except PlumblineError as failed:
        return Health(Status.UNKNOWN, str(failed), "override")


def _application(obj: JsonObject) -> bool:
    return GroupVersionKind.of(obj).group_kind == APPLICATION.group_kind


def application_health(obj: JsonObject) -> Health:
    """An Application fares as what it delivers: upstream leaves it out, and whoever delivers Applications never knows."""
    status = obj.get("status")
    said = status.get("health") if isinstance(status, dict) else None
    health = said if isinstance(said, dict) else {}
    try:
        return Health(Status(str(health.get("status"))), str(health.get("message") or ""))
    except ValueError:
        return Health(Status.PROGRESSING, "Nobody has looked at it yet")
