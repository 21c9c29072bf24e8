"""How every object of an application stands: what Git and health say, with what the last sync said about it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from plumbline.base.json import JsonObject
from plumbline.cli.applications.picking import Picked, includes

Key = tuple[str, str, str, str]


class State(NamedTuple):
    group: str
    kind: str
    namespace: str
    name: str
    status: str = ""
    health: str = ""
    hook: str = ""
    message: str = ""
    phase: str = ""
    """Of the sync that it was last part of: PreSync, Sync, PostSync and so on."""
    wave: int | None = None

    @property
    def key(self) -> Key:
        return self[0], self[1], self[2], self[3]

    def merged(self, newer: "State") -> "State":
        """With everything that *newer* says. What it does not say stays."""
        said = {part: value for part, value in newer._asdict().items() if value not in ("", None)}
        return self._replace(**said)

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that people see."""
        return (*self.key, self.status, self.health, self.hook, self.message)


def states(app: JsonObject, rules: Sequence[Picked] = ()) -> list[State]:
    """Those of the last sync in its order, then all others by name."""
    status = app.get("status") or {}
    known = {_key(each): each for each in status.get("resources") or []}
    result = (status.get("operationState") or {}).get("syncResult") or {}
    found: list[State] = []
    rest = dict(known)
    for each in result.get("resources") or []:
        found.append(_synced(each, known.get(_key(each))))
        rest.pop(_key(each), None)
    found += [_resting(rest[key]) for key in sorted(rest)]
    return [each for each in found if not rules or includes(rules, each._asdict())]


def by_key(found: Iterable[State]) -> dict[Key, State]:
    """One for each object: hooks of several phases may share a name."""
    merged: dict[Key, State] = {}
    for each in found:
        merged[each.key] = merged[each.key].merged(each) if each.key in merged else each
    return merged


def _synced(result: JsonObject, resource: JsonObject | None) -> State:
    hook = str(result.get("hookType") or "")
    status, health = str(result.get("hookPhase") or ""), str(result.get("status") or "")
    if resource is not None and not hook:
        status, health = str(resource.get("status") or ""), _health(resource)
    return State(
        *_key(result),
        status=status,
        health=health,
        hook=hook,
        message=str(result.get("message") or ""),
        phase=str(result.get("syncPhase") or ""),
        wave=int((resource or {}).get("syncWave") or 0) if not hook else None,
    )


def _resting(resource: JsonObject) -> State:
    return State(*_key(resource), status=str(resource.get("status") or ""), health=_health(resource))


def _health(resource: JsonObject) -> str:
    return str((resource.get("health") or {}).get("status") or "")


def _key(resource: Mapping[str, object]) -> Key:
    group, kind, namespace, name = (str(resource.get(part) or "") for part in ("group", "kind", "namespace", "name"))
    return group, kind, namespace, name
