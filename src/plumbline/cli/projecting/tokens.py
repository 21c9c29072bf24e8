"""Tokens of project roles: a server makes them, or whoever may read the key that it signs with."""

import base64
from typing import NamedTuple

from plumbline.access.accounts import opened as revealed
from plumbline.access.realm import SECRETS, SIGNING_KEY
from plumbline.access.tokens import ISSUER, Claims, signed
from plumbline.base.clock import SystemClock
from plumbline.base.errors import AlreadyExists, GarbledReply, NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject, decode
from plumbline.cli.connecting import Where
from plumbline.cli.projecting.roles import named, tokens
from plumbline.cli.projecting.store import rewritten
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

_SECRETS = GroupVersionResource("", "v1", "secrets")
Role = tuple[str, str]
"""A project, and a role of it."""


class Made(NamedTuple):
    token: str
    id: str
    issued_s: int
    ends_s: int


async def created(where: Where, role: Role, token_id: str, life_s: int) -> Made:
    login = where.login()
    if login is None:
        return await _created_here(where, role, token_id, life_s)
    from plumbline.cli.server.api import opened  # noqa: PLC0415 - only who has logged in waits for it

    project, name = role
    async with opened(login, where.asked) as api:
        body: JsonObject = {"project": project, "role": name, "expiresIn": life_s, "id": token_id}
        said = await api.ask("POST", ("projects", project, "roles", name, "token"), body)
    return _told(str(said.get("token") or ""))


def _told(token: str) -> Made:
    """What a token says about itself."""
    try:
        part = token.split(".")[1]
        claims = decode(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)), type=Claims)
    except (IndexError, ValueError):
        raise GarbledReply("the server answers something else than a token") from None
    return Made(token, claims.jti, claims.iat, claims.exp)


async def _created_here(where: Where, role: Role, token_id: str, life_s: int) -> Made:
    project, name = role
    async with where.connected() as client:
        secret = decode(await client.get(Target(_SECRETS, where.namespace, SECRETS)))
    key = revealed(secret.get("data")).get(SIGNING_KEY)
    if not key:
        raise NotFound(f"{SECRETS} has no {SIGNING_KEY}", hint="It is made when the server starts first.")
    now_s = int(SystemClock().now().timestamp())
    number, ends_s = token_id or Ids().uid(), now_s + life_s if life_s else 0
    record: JsonObject = {"iat": now_s, **({"exp": ends_s} if ends_s else {}), "id": number}

    def added(found: JsonObject) -> JsonObject:
        known = tokens(found, named(found.get("spec") or {}, name))
        if any(each.get("id") == number for each in known):
            raise AlreadyExists(f"the role has a token {number!r} already", hint="Choose another id.")
        return _replaced(found, name, [*known, record])

    await rewritten(where, project, added)
    token = signed(Claims(ISSUER, f"proj:{project}:{name}", now_s, now_s, ends_s, number), key)
    return Made(token, number, now_s, ends_s)


async def deleted(where: Where, role: Role, issued_s: int) -> None:
    project, name = role
    login = where.login()
    if login is not None:
        from plumbline.cli.server.api import opened  # noqa: PLC0415 - only who has logged in waits for it

        async with opened(login, where.asked) as api:
            await api.ask("DELETE", ("projects", project, "roles", name, "token", str(issued_s)))
        return

    def removed(found: JsonObject) -> JsonObject:
        known = tokens(found, named(found.get("spec") or {}, name))
        kept = [each for each in known if each.get("iat") != issued_s]
        if len(kept) == len(known):
            raise NotFound(f"the role {name} has no token that was made at {issued_s}")
        return _replaced(found, name, kept)

    await rewritten(where, project, removed)


def _replaced(project: JsonObject, role: str, records: list[JsonObject]) -> JsonObject:
    """With exactly those tokens of a role, in both places where they may be written."""
    spec, status = project["spec"], project.get("status") or {}
    roles = [{**each, "jwtTokens": records} if each.get("name") == role else each for each in spec.get("roles") or ()]
    by_role = {**(status.get("jwtTokensByRole") or {}), role: {"items": records}}
    return {**project, "spec": {**spec, "roles": roles}, "status": {**status, "jwtTokensByRole": by_role}}
