"""Everything about one object, for reading: what it is, how it is, what it says, and what happened to it."""

from collections.abc import Iterator, Sequence
from typing import Final

from plumbline.apiserver.tables.ages import since
from plumbline.base.clock import Clock
from plumbline.base.documents import dump_yaml
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.cli.looking.events import drawn as drawn_events
from plumbline.cli.looking.hiding import shown
from plumbline.cli.terminal import plain, table
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.health import assess

_LABEL: Final = 14
_APART: Final = frozenset({"apiVersion", "kind", "metadata", "status"})


def described(obj: JsonObject, events: Sequence[JsonObject], clock: Clock) -> str:
    now_s = clock.now().timestamp()
    lines = [*_head(obj, now_s), *_health(obj)]
    seen = shown(obj)
    said: Json = seen.get("status")
    status: JsonObject = said if isinstance(said, dict) else {}
    lines += _conditions(status, now_s)
    for name in (name for name in seen if name not in _APART):
        lines += _section(name, seen[name])
    rest = {name: value for name, value in status.items() if name != "conditions"}
    if rest:
        lines += _section("status", rest)
    lines += ["", "Events:", *_events(events, clock)]
    return "\n".join(lines)


def _head(obj: JsonObject, now_s: float) -> Iterator[str]:
    metadata = obj.get("metadata") or {}
    yield _field("Name", [str(metadata.get("name") or "")])
    if metadata.get("namespace"):
        yield _field("Namespace", [str(metadata["namespace"])])
    yield _field("Kind", [f"{obj.get('kind')}, {obj.get('apiVersion')}"])
    created = metadata.get("creationTimestamp")
    yield _field("Created", [f"{since(created, now_s)} ago ({created})"])
    if metadata.get("deletionTimestamp"):
        waits = ", ".join(metadata.get("finalizers") or ()) or "nothing"
        yield _field("Deleted", [f"{since(metadata['deletionTimestamp'], now_s)} ago; waits for {waits}"])
    for label, part in (("Labels", "labels"), ("Annotations", "annotations")):
        entries = {key: value for key, value in (shown(obj)["metadata"].get(part) or {}).items() if key != LAST_APPLIED}
        yield _field(label, [f"{key}={value}" for key, value in sorted(entries.items())])
    owners = [f"{each.get('kind')}/{each.get('name')}" for each in metadata.get("ownerReferences") or ()]
    if owners:
        yield _field("Owned by", owners)


def _health(obj: JsonObject) -> Iterator[str]:
    health = assess(obj)
    if health is not None:
        yield _field("Health", [f"{health.status}{f': {health.message}' if health.message else ''}"])


def _conditions(status: JsonObject, now_s: float) -> list[str]:
    found = [each for each in status.get("conditions") or () if isinstance(each, dict)]
    if not found:
        return []
    rows = [
        (
            str(each.get("type") or ""),
            str(each.get("status") or ""),
            str(each.get("reason") or ""),
            since(each.get("lastTransitionTime"), now_s),
            str(each.get("message") or ""),
        )
        for each in found
    ]
    return ["", "Conditions:", *_indented(table(("TYPE", "STATUS", "REASON", "SINCE", "MESSAGE"), rows))]


def _section(name: str, value: Json) -> list[str]:
    if value in ({}, [], None):
        return []
    # A round trip leaves nothing but what YAML can say.
    text = dump_yaml(decode(encode(value))).rstrip("\n")
    return ["", f"{name[:1].upper()}{name[1:]}:", *(f"  {plain(line)}" for line in text.split("\n"))]


def _events(events: Sequence[JsonObject], clock: Clock) -> list[str]:
    return _indented(drawn_events(events, clock).text()) if events else ["  <none>"]


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.split("\n")]


def _field(label: str, values: Sequence[str]) -> str:
    first, *rest = values or ["<none>"]
    lines = [f"{f'{label}:':<{_LABEL}}{plain(first)}", *(f"{'':<{_LABEL}}{plain(each)}" for each in rest)]
    return "\n".join(lines)
