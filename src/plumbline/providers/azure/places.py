"""Ids of resources. Where one was found once is where it stays, whatever forProvider says now.

Subscription, resource group and server are part of an id: who changes one of them would otherwise get a second resource, and
leave the first one running where nobody looks. What is not an id of the right type is never asked for: ids come from
manifests and statuses, and they are paths.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.managed.external import Difference, Managed
from plumbline.providers.azure.tables import Table

_HINT: Final = "Set it in spec.forProvider, or refer to the resource that it is part of."
_SEGMENT: Final = r"(?!\.{1,2}(?:/|$))[^/?#%\\\x00-\x20]+"
_placeholder: Final = re.compile(r"\{(\w+)\}")


def ids(table: Table, managed: Managed, subscription: str) -> tuple[str, ...]:
    """Where to look, in order: where it was, then where it should be. Raises SchemaViolation where a part is missing."""
    recorded = recorded_id(table, managed)
    parts = _parts(table, managed, subscription)
    missing = [name for name in (*table.parents, "name") if not parts[name]]
    if missing and recorded:
        return (recorded,)
    if missing:
        name = table.named_by if missing[0] == "name" else missing[0]
        raise SchemaViolation(f"{managed.ref} has no {name}", why="it is part of its id", hint=_HINT)
    should = table.identity.format_map(parts)
    if parsed(table, should) is None:
        raise SchemaViolation(f"{managed.ref} cannot be used", why=f"{should!r} is no id of a {table.type}", hint=_HINT)
    return (should,) if not recorded or alike(recorded, should) else (recorded, should)


def recorded_id(table: Table, managed: Managed) -> str:
    """Where it was found before, if that is known and an id of this type."""
    at = (managed.object.get("status") or {}).get("atProvider")
    candidates = (managed.external_name if table.named_by else "", at.get("id") if isinstance(at, dict) else "")
    for candidate in candidates:
        if isinstance(candidate, str) and parsed(table, candidate) is not None:
            return candidate
    return ""


def moved(table: Table, managed: Managed, found: str) -> Iterator[Difference]:
    """Parts of the id that are wanted otherwise than they are."""
    place = parsed(table, found) or {}
    for name in (*table.parents, *([table.named_by] if table.named_by else [])):
        is_there = place["name" if name == table.named_by else name]
        wanted = managed.wanted.get(name)
        if wanted is not None and not alike(str(wanted), is_there):
            yield Difference(name, wanted, is_there, replaces=True)


def shown(table: Table, found: str) -> JsonObject:
    """The parts of its id as atProvider has them."""
    place = parsed(table, found) or {}
    own = {table.named_by: place["name"]} if table.named_by else {}
    return {"id": found, **{name: place[name] for name in table.parents}, **own}


def name_of(found: str) -> str:
    return found.rpartition("/")[2]


def group_of(found: str) -> str:
    """The id of the resource group that it is in, or is."""
    return "/".join(found.split("/")[:5])


def alike(one: str, other: str) -> bool:
    """Azure answers with ids in other letters than those that it was asked with."""
    return one.casefold() == other.casefold()


def parsed(table: Table, found: str) -> dict[str, str] | None:
    """The parts of an id, None for what is none of this type."""
    match = _pattern(table).fullmatch(found)
    return match.groupdict() if match else None


@cache
def _pattern(table: Table) -> re.Pattern[str]:
    return re.compile(_grammar(table, table.identity, named=True), re.IGNORECASE)


def _grammar(table: Table, template: str, *, named: bool) -> str:
    def part(match: re.Match[str]) -> str:
        name = match[1]
        inner = _grammar(table, table.within[name], named=False) if name in table.within else _SEGMENT
        return f"(?P<{name}>{inner})" if named else f"(?:{inner})"

    return _placeholder.sub(part, template.replace(".", r"\."))


def _parts(table: Table, managed: Managed, subscription: str) -> dict[str, str]:
    wanted = managed.at_creation
    name = wanted.get(table.named_by) if table.named_by else managed.external_name or managed.ref.name
    parents = {parent: str(wanted.get(parent) or "") for parent in table.parents}
    return {"subscription": subscription, "name": str(name or ""), **parents}
