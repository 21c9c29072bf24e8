"""Tokens of project roles: issued once, recorded in the project, and worth nothing once the record is gone."""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import msgspec

from plumbline.base.errors import Conflict, Forbidden, InvalidInput, NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject, decode
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.web.api.answers import Captured, answered, asked
from plumbline.web.api.desk import Desk
from plumbline.web.api.parameters import text
from plumbline.web.api.projects.shapes import checked, with_tokens
from plumbline.web.api.rights import PROJECTS, Asker
from plumbline.web.api.telling import CREATED, DELETED, Deed
from plumbline.web.api.writing import Errand
from plumbline.web.requests import Request, Response

_ATTEMPTS: Final = 5
_MOST_S: Final = 10 * 365 * 86400

Issue: TypeAlias = Callable[[str, int, str], tuple[str, int, int]]
"""From a subject, a life in seconds (none if zero) and an id to the token, when it was issued, and when it ends."""


class _How(NamedTuple):
    """What a change of the tokens of a role is called."""

    why: str
    deed: Deed


_ISSUED: Final = _How("Issue a token for", Deed(CREATED, "created token"))
_REVOKED: Final = _How("Revoke a token of", Deed(DELETED, "deleted token"))


class Asked(msgspec.Struct, rename="camel"):
    description: str = ""
    expires_in: int = 0
    id: str = ""


class Tokens:
    def __init__(self, desk: Desk, issue: Issue, ids: Ids) -> None:
        self._desk = desk
        self._issue = issue
        self._ids = ids

    async def create(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        wanted = await asked(request, Asked)
        if not 0 <= wanted.expires_in <= _MOST_S:
            raise InvalidInput("the token is not made", why=f"it would last {wanted.expires_in} s")
        name, role = captured["name"], captured["role"]
        subject, number = f"proj:{name}:{role}", wanted.id or self._ids.uid()
        token, issued_s, ends_s = self._issue(subject, wanted.expires_in, number)
        record = {"iat": issued_s, **({"exp": ends_s} if ends_s else {}), "id": number}

        def added(tokens: list[JsonObject]) -> list[JsonObject]:
            if any(each.get("id") == number for each in tokens):
                raise InvalidInput(f"Token id '{number}' has been used", hint="Choose another, or none.")
            return [*tokens, record]

        await self._changed(asker, captured, added, _ISSUED)
        return answered({"token": token})

    async def delete(self, request: Request, captured: Captured) -> Response:
        """By its id, or by when it was issued, as tokens from before there were ids are known."""
        asker = await self._desk.rights.asker(request)
        number, issued = text(request, "id"), captured["iat"]

        def removed(tokens: list[JsonObject]) -> list[JsonObject] | None:
            kept = [each for each in tokens if not _meant(each, number, issued)]
            return kept if len(kept) < len(tokens) else None

        try:
            await self._changed(asker, captured, removed, _REVOKED)
        except NotFound:
            if not self._desk.rights.may(asker, PROJECTS, "update", captured["name"]):
                raise
        return answered({})

    async def _changed(
        self, asker: Asker, captured: Captured, change: Callable[[list[JsonObject]], list[JsonObject] | None], how: _How
    ) -> None:
        name, role = captured["name"], captured["role"]
        target = Target(APP_PROJECT.resource, self._desk.namespace, name)
        ref = Ref(APP_PROJECT.group_kind.group, APP_PROJECT.kind, self._desk.namespace, name)
        errand = Errand(
            asker=asker,
            ref=ref,
            why=f"{how.why} {role} in {name}",
            project=name,
            details={"role": role},
            deed=how.deed,
        )
        for _ in range(_ATTEMPTS):
            project = await self._allowed(asker, target, role)
            tokens = change(_tokens(project, role))
            if tokens is None:
                return
            try:
                await self._desk.pen.update(target, _replaced(project, role, tokens), errand)
            except Conflict:
                continue
            return
        raise Conflict(f"the project {name} is not changed", why="somebody else keeps writing it")

    async def _allowed(self, asker: Asker, target: Target, role: str) -> JsonObject:
        """The project, for those who may change it and for members of the role."""
        permitted = self._desk.rights.may(asker, PROJECTS, "update", target.name)
        try:
            project = with_tokens(decode(await self._desk.client.get(target)))
        except NotFound:
            project = {}
        found = next(
            (each for each in (project.get("spec") or {}).get("roles") or () if each.get("name") == role), None
        )
        member = found is not None and not frozenset(found.get("groups") or ()).isdisjoint(asker.groups)
        if not permitted and not member:
            raise Forbidden(f"permission denied: {PROJECTS}, update, {target.name}, sub: {asker.name}")
        if found is None:
            raise NotFound(f"project '{target.name}' does not have role '{role}'")
        checked(project)
        return project


def _meant(token: JsonObject, number: str, issued: str) -> bool:
    return token.get("id") == number if number else str(token.get("iat")) == issued


def _tokens(project: JsonObject, role: str) -> list[JsonObject]:
    by_role = (project.get("status") or {}).get("jwtTokensByRole") or {}
    return list((by_role.get(role) or {}).get("items") or ())


def _replaced(project: JsonObject, role: str, tokens: list[JsonObject]) -> JsonObject:
    """In the status and in the spec, which upstream keeps alike. A list without tokens is in neither."""
    status = project.get("status") or {}
    by_role = {**(status.get("jwtTokensByRole") or {}), role: {"items": tokens} if tokens else {}}
    roles = [_with(each, tokens) if each.get("name") == role else each for each in project["spec"].get("roles") or ()]
    return {**project, "spec": {**project["spec"], "roles": roles}, "status": {**status, "jwtTokensByRole": by_role}}


def _with(role: JsonObject, tokens: list[JsonObject]) -> JsonObject:
    others = {name: value for name, value in role.items() if name != "jwtTokens"}
    return {**others, "jwtTokens": tokens} if tokens else others
