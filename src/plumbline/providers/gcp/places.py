"""Where a resource is. Where it was found once is where it stays, whatever forProvider says now.

Project, region or instance are part of a resource's address: who changes one of them would otherwise get a second resource,
and leave the first one running where nobody looks.
"""

from collections.abc import Iterator
from typing import Final

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference, Managed
from plumbline.providers.gcp.tables import Place, Table

_HINT: Final = "Set it in spec.forProvider, or refer to the resource that it is part of."


def places(table: Table, managed: Managed, project: str, billing: str = "") -> tuple[dict[str, str], ...]:
    """Where to look, in order: where it was, then where it should be. Raises SchemaViolation where a part is missing."""
    recorded = recorded_place(managed)
    wanted = managed.at_creation
    should = {name: _text(wanted.get(name)) for name in ("project", *table.parents)}
    should["project"] = should["project"] or project
    for name, value in should.items():
        if not value and name not in table.optional_parents and not recorded.get(name):
            raise SchemaViolation(f"{managed.ref} has no {name}", why="it is part of its address", hint=_HINT)
    fixed = {"name": managed.external_name or managed.ref.name, "billing": billing}
    is_there = {name: _text(recorded.get(name)) or value for name, value in should.items()}
    return tuple({**place, **fixed} for place in (is_there, should) if place is is_there or is_there != should)


def recorded_place(managed: Managed) -> JsonObject:
    at = (managed.object.get("status") or {}).get("atProvider")
    return at if isinstance(at, dict) else {}


def moved(table: Table, managed: Managed, place: Place, project: str) -> Iterator[Difference]:
    """Parts of the address that are wanted otherwise than they are."""
    for name in ("project", *table.parents):
        wanted = managed.wanted.get(name)
        if wanted is None and name == "project" and not recorded_place(managed):
            wanted = project
        if wanted is not None and _text(wanted) != place[name]:
            yield Difference(name, wanted, place[name], replaces=True)


def shown(table: Table, place: Place) -> JsonObject:
    """The address as forProvider and atProvider have it."""
    said: JsonObject = {name: place[name] for name in ("project", *table.parents) if place[name]}
    return {
        name: value == "true" if table.parent_types.get(name) == "boolean" else value for name, value in said.items()
    }


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else ""
    return "" if value is None else str(value)
