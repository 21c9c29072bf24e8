"""Tokens of project roles: a token counts for as long as its project has a record of it."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.kinds.appproject import APP_PROJECT, JwtToken, JwtTokens
from plumbline.kube.client import Client, Target

Projects: TypeAlias = Callable[[str], Awaitable[JsonObject | None]]
"""An AppProject by name; None where there is none."""


class _Role(msgspec.Struct, frozen=True):
    name: str = ""
    tokens: tuple[JwtToken, ...] = msgspec.field(name="jwtTokens", default=())


def projects_of(client: Client, namespace: str) -> Projects:
    """Asked of the API each time: few tokens are of projects, and what was removed must not work a moment longer."""

    async def project(name: str) -> JsonObject | None:
        if not name:
            return None
        try:
            return decode(await client.get(Target(APP_PROJECT.resource, namespace, name)))
        except (NotFound, InvalidInput):  # a name that leads elsewhere is one that no project has
            return None

    return project


def issued_for(project: JsonObject, role: str, issued_s: int, token_id: str) -> bool:
    """Whether there is a record: by id in the status, or by time for tokens from before there were ids."""
    if role not in {each.name for each in _roles(project)}:
        return False
    known = recorded(project, role)
    return any(token_id and each.id == token_id for each in known) or any(
        not each.id and each.issued_at == issued_s for each in known
    )


def recorded(project: JsonObject, role: str) -> tuple[JwtToken, ...]:
    """In the status, and in the spec where projects of old have them."""
    by_role = (project.get("status") or {}).get("jwtTokensByRole") or {}
    try:
        noted = msgspec.convert(by_role.get(role) or {}, JwtTokens).items
    except msgspec.ValidationError:
        noted = ()
    return (*noted, *(token for each in _roles(project) if each.name == role for token in each.tokens))


def _roles(project: JsonObject) -> tuple[_Role, ...]:
    roles = (project.get("spec") or {}).get("roles") or ()
    found = []
    for each in roles if isinstance(roles, list) else ():
        try:
            found.append(msgspec.convert(each, _Role))
        except msgspec.ValidationError:
            continue
    return tuple(found)
