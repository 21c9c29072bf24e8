"""Changing the spec of an Application that is there."""

from collections.abc import Callable

from plumbline.base.errors import Conflict, InvalidInput
from plumbline.base.json import JsonObject, encode
from plumbline.cli.applications.drawing import sources_of
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import AS_PERSON, UNCHECKED, Applications
from plumbline.cli.applications.validating import refuse_invalid

_ATTEMPTS = 5


def position_of(app: JsonObject, position: int, name: str) -> int:
    """Which source is meant, counting from one; zero where there is but one."""
    several = (app.get("spec") or {}).get("sources") or []
    if name:
        found = next((n for n, source in enumerate(sources_of(app), 1) if source.get("name") == name), None)
        if found is None and several:
            raise InvalidInput(f"there is no source called {name!r}")
        return found or 0
    if not several:
        return 0
    if not 1 <= position <= len(several):
        raise InvalidInput(
            "it is not clear which source is meant",
            why=f"the application has {len(several)}",
            hint=f"Name one with --source-position, from 1 to {len(several)}.",
        )
    return position


async def changed(
    apps: Applications, name: AppName, edit: Callable[[JsonObject], JsonObject], *, validate: bool
) -> bool:
    """Have the spec be what *edit* makes of the application; whether that was anything new."""
    for _ in range(_ATTEMPTS):
        app = await apps.get(name)
        wanted = {**app, "spec": edit(app)}
        if wanted["spec"] == app["spec"]:
            return False
        await refuse_invalid(apps, wanted, rules=validate)
        try:
            await apps.client.update(name.target, encode(wanted), AS_PERSON if validate else UNCHECKED)
        except Conflict:
            continue
        return True
    raise Conflict(f"{name} is not changed", why="somebody else keeps writing it")


def with_source(app: JsonObject, position: int, edit: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """The spec, with one source edited."""
    spec: JsonObject = app["spec"]
    several = spec.get("sources") or []
    if several:
        at = position - 1
        return {**spec, "sources": [*several[:at], edit(several[at]), *several[position:]]}
    return {**spec, "source": edit(spec.get("source") or {})}
