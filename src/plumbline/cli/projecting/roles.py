"""Roles of a project, their policies, groups and tokens. Pure: specs go in and come out."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject
from plumbline.cli.projecting.values import Edit
from plumbline.cli.terminal import argo_table, plain

_LABEL = 15
_FAR = 4
"""Spaces that `argocd` prints between the columns of a list of tokens, and of nothing else."""


def named(spec: JsonObject, name: str) -> JsonObject:
    found = next((each for each in spec.get("roles") or () if each.get("name") == name), None)
    if found is None:
        raise NotFound(
            f"there is no role {name} in the project", hint="See which there are with: plumb proj role list."
        )
    role: JsonObject = found
    return role


def policy(project: str, role: str, rule: tuple[str, str, str, str]) -> str:
    """*rule* is the resource, the action, the object within the project, and allow or deny."""
    resource, action, name, effect = rule
    return f"p, proj:{project}:{role}, {resource}, {action}, {project}/{name}, {effect}"


def changed(name: str, edit: Callable[[JsonObject], JsonObject | None]) -> Edit:
    """One role, edited; nothing where *edit* gives none."""

    def whole(spec: JsonObject) -> JsonObject | None:
        after = edit(named(spec, name))
        if after is None:
            return None
        return {**spec, "roles": [after if each.get("name") == name else each for each in spec["roles"]]}

    return whole


def made(name: str, description: str) -> Edit:
    def edit(spec: JsonObject) -> JsonObject | None:
        roles = spec.get("roles") or []
        if any(each.get("name") == name for each in roles):
            return None
        role = {"name": name} | ({"description": description} if description else {})
        return {**spec, "roles": [*roles, role]}

    return edit


def dropped(name: str) -> Edit:
    def edit(spec: JsonObject) -> JsonObject | None:
        roles = spec.get("roles") or []
        kept = [each for each in roles if each.get("name") != name]
        return {**spec, "roles": kept} if len(kept) < len(roles) else None

    return edit


def with_line(field: str, line: str) -> Callable[[JsonObject], JsonObject | None]:
    """A policy or a group more."""

    def edit(role: JsonObject) -> JsonObject | None:
        lines = role.get(field) or []
        return None if line in lines else {**role, field: [*lines, line]}

    return edit


def without_line(field: str, line: str) -> Callable[[JsonObject], JsonObject | None]:
    def edit(role: JsonObject) -> JsonObject | None:
        lines = role.get(field) or []
        return {**role, field: [each for each in lines if each != line]} if line in lines else None

    return edit


def roles(found: Iterable[JsonObject]) -> str:
    rows = [(str(each.get("name") or ""), str(each.get("description") or "")) for each in found]
    return argo_table(("ROLE-NAME", "DESCRIPTION"), rows)


def role(project: JsonObject, found: JsonObject) -> list[str]:
    name = str(project["metadata"]["name"])
    lines = [
        f"{'Role Name:':<{_LABEL}}{plain(str(found.get('name')))}",
        f"{'Description:':<{_LABEL}}{plain(str(found.get('description') or ''))}".rstrip(),
        "Policies:",
        f"p, proj:{name}:{found.get('name')}, projects, get, {name}, allow",
        *(plain(str(each)) for each in found.get("policies") or ()),
        "Groups:",
        *([f"  - {plain(str(each))}" for each in found.get("groups") or ()] or ["<none>"]),
        "JWT Tokens:",
    ]
    rows = [(str(each.get("iat")), moment(each.get("iat")), moment(each.get("exp"), "<none>")) for each in tokens(project, found)]  # fmt: skip
    return [*lines, argo_table(("ID", "ISSUED-AT", "EXPIRES-AT"), rows)]


def tokens(project: JsonObject, found: JsonObject) -> list[JsonObject]:
    """Of a role: they may be written in the status, in the spec, or both."""
    status = ((project.get("status") or {}).get("jwtTokensByRole") or {}).get(found.get("name")) or {}
    known: dict[tuple[object, object], JsonObject] = {}
    for each in (*(status.get("items") or ()), *(found.get("jwtTokens") or ())):
        known.setdefault((each.get("id"), each.get("iat")), each)
    return list(known.values())


def token_table(found: list[JsonObject], *, unix: bool) -> str:
    def said(value: object) -> str:
        return str(value or 0) if unix else moment(value, "Never")

    rows = [(str(each.get("id") or ""), said(each.get("iat")), said(each.get("exp"))) for each in found]
    return argo_table(("ID", "ISSUED AT", "EXPIRES AT"), rows, gap=_FAR)


def moment(seconds: object, never: str = "") -> str:
    number = int(str(seconds)) if str(seconds).isdigit() else 0
    return datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if number else never
