"""Which actions an object has now, and what one makes of it: what the settings say in Lua, and what its kind has anyway."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, Protocol

from plumbline.base.errors import EvaluationFailed, InvalidInput, NotFound
from plumbline.base.glob import glob_matches
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.actions.builtin import Asked, built_in
from plumbline.delivery.actions.values import Impact, Offer
from plumbline.delivery.settings.customizations import Actions
from plumbline.kube.names import GroupKind, GroupVersionKind

_PARTS: Final = ("apiVersion", "kind", "metadata")
_OPERATIONS: Final[dict[str, Literal["patch", "create"]]] = {"patch": "patch", "create": "create"}
_MOST: Final = 100
_LONGEST: Final = 128

Settings = Mapping[str, Actions]
"""What the settings say, by kind, written `group/Kind` or `Kind`; both may be patterns."""


class Lua(Protocol):
    async def lua(
        self, script: str, variables: JsonObject, *, open_libs: bool = False, deadline_s: float = 1.0
    ) -> Json: ...


def said_about(kind: GroupKind, settings: Settings) -> Actions | None:
    exact = settings.get(f"{kind.group}/{kind.kind}" if kind.group else kind.kind)
    if exact is not None:
        return exact
    for pattern, actions in settings.items():
        group, slash, name = pattern.partition("/")
        if glob_matches(group if slash else "", kind.group) and glob_matches(name if slash else pattern, kind.kind):
            return actions
    return None


async def offered(lua: Lua, obj: JsonObject, settings: Settings) -> list[Offer]:
    """What *obj* offers now, by name. What the settings say replaces what its kind has, unless they ask for both."""
    said = said_about(GroupVersionKind.of(obj).group_kind, settings)
    found: dict[str, Offer] = {}
    if said is None or said.merge_builtin_actions:
        found = {name: offer for name, (offer, _) in built_in(obj).items()}
    if said is not None and said.discovery_lua:
        found |= {each.name: each for each in _offers(await lua.lua(said.discovery_lua, {"obj": obj}))}
    return [found[name] for name in sorted(found)]


async def outcome(lua: Lua, asked: Asked, settings: Settings, action: str) -> list[Impact]:
    """What *action* makes of the object. NotFound where it has no such action, InvalidInput where it has it not now."""
    kind = GroupVersionKind.of(asked.obj).group_kind
    said = said_about(kind, settings)
    script = next((each.lua for each in said.definitions if each.name == action), "") if said is not None else ""
    if script:
        variables = {"obj": asked.obj, "actionParams": dict(asked.parameters)}
        return [_readable(each, asked.obj) for each in _impacts(await lua.lua(script, variables))]
    own = built_in(asked.obj).get(action) if said is None or said.merge_builtin_actions else None
    if own is None:
        raise NotFound(
            f"{kind.kind} has no action {action[:_LONGEST]!r}", hint="List its actions to see which there are."
        )
    offer, change = own
    if offer.disabled:
        raise InvalidInput(f"{action} was not run", why="the object is in that state already")
    return [change(asked)]


def _offers(answer: Json) -> Iterator[Offer]:
    listed = answer if isinstance(answer, dict) else {}
    for name, said in sorted(listed.items())[:_MOST]:
        about = said if isinstance(said, dict) else {}
        parameters = about.get("params")
        named = (
            [each.get("name") for each in parameters if isinstance(each, dict)] if isinstance(parameters, list) else []
        )
        yield Offer(
            name[:_LONGEST],
            bool(about.get("disabled")),
            tuple(str(each)[:_LONGEST] for each in named),
            str(about.get("iconClass") or "")[:_LONGEST],
            str(about.get("displayName") or "")[:_LONGEST],
        )


def _impacts(result: Json) -> Iterator[Impact]:
    """One object, or a list of operations on several, as upstream takes both."""
    listed: Sequence[Json] = result if isinstance(result, list) else [{"operation": "patch", "resource": result}]
    if len(listed) > _MOST:
        raise EvaluationFailed("the action gave nothing that can be applied", why=f"it names more than {_MOST} objects")
    for each in listed:
        obj = each.get("resource") if isinstance(each, dict) else None
        if not isinstance(obj, dict) or not all(obj.get(part) for part in _PARTS):
            raise EvaluationFailed("the action gave nothing that can be applied")
        operation = _OPERATIONS.get(str(each.get("operation") or "patch"))
        if operation is None:
            raise InvalidInput(f"the action asks for {each['operation']!r}", why="only patch and create are known")
        yield Impact(operation, obj)


def _readable(impact: Impact, before: JsonObject) -> Impact:
    """A change of what was there *before*. Lua cannot tell an empty object from an empty list, so it is what it was."""
    return impact._replace(obj=_shaped(impact.obj, before)) if impact.operation == "patch" else impact


def _shaped(after: Json, before: Json) -> Json:
    if isinstance(after, dict) and isinstance(before, dict):
        return {name: _shaped(value, before.get(name)) for name, value in after.items()}
    if isinstance(after, list) and isinstance(before, list):
        return [*map(_shaped, after, before), *after[len(before) :]]
    return {} if after == [] and isinstance(before, dict) else after
