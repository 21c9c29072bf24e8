"""What is written about an Application after a look at it: the smallest patch, and none where nothing changed. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject, encode
from plumbline.delivery.fitting import MESSAGE, ROOM_BYTES, SHORTENED, fitted, still_shortened
from plumbline.kernel.reconciler import Event
from plumbline.kinds.application import OperationState, ResourceStatus, RevisionHistory
from plumbline.kinds.values import written
from plumbline.kube.health import Status
from plumbline.kube.patch.merge_patch import create_merge_patch

REFRESH: Final = "argocd.argoproj.io/refresh"
HYDRATE: Final = "argocd.argoproj.io/hydrate"
_SKIP: Final = "argocd.argoproj.io/skip-reconcile"
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_UNKNOWN: Final = "Unknown"
_LONGEST_MESSAGE: Final = 8192


def skipped(annotations: Mapping[str, str]) -> bool:
    """Whether somebody wants the Application left alone, whatever would have to be done about it."""
    return annotations.get(_SKIP) in _TRUE


class Condition(NamedTuple):
    """Something that is wrong, or may be; the ending of the type says which."""

    type: str
    message: str

    @property
    def is_error(self) -> bool:
        return self.type.endswith("Error")


class Summary(NamedTuple):
    images: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    has_applications: bool = False


class Picture(NamedTuple):
    """How the application is, as far as it could be found out: what is None stays as it was."""

    sync: str | None = None
    revisions: tuple[str, ...] | None = None
    health: Status | None = None
    health_message: str = ""
    resources: Sequence[ResourceStatus] | None = None
    source_types: tuple[str, ...] | None = None
    summary: Summary | None = None
    operation: OperationState | None = None
    history: tuple[RevisionHistory, ...] | None = None
    conditions: tuple[Condition, ...] = ()


class Asked(NamedTuple):
    """What people have asked for on the object, and is dealt with now."""

    operation: bool = False
    refresh: bool = False


def change(
    obj: JsonObject,
    picture: Picture,
    asked: Asked,
    control_namespace: str,
    now: str,
    *,
    room_bytes: int = ROOM_BYTES,
) -> JsonObject:
    """The merge patch for the Application; empty where all is as it was written before."""
    before = _dict(obj.get("status"))
    after = {**before, **_fields(obj.get("spec") or {}, before, picture, now)}
    smaller = fitted(after, room_bytes - len(encode({**obj, "status": None})))
    conditions = picture.conditions
    if smaller is not None or still_shortened(before, after):
        after = after if smaller is None else smaller
        conditions = (*conditions, Condition(SHORTENED, MESSAGE))
    after["conditions"] = _conditions(before.get("conditions"), conditions, now)
    after["controllerNamespace"] = control_namespace
    after = {name: value for name, value in after.items() if value not in (None, [], {})}
    status = create_merge_patch(before, after)
    if status or asked.refresh:
        status["reconciledAt"] = now
    patch: JsonObject = {"status": status} if status else {}
    if asked.operation:
        patch["operation"] = None
    if asked.refresh:
        patch["metadata"] = {"annotations": {REFRESH: None}}
    return patch


def transitions(obj: JsonObject, patch: JsonObject) -> tuple[Event, ...]:
    """What people are told who follow its events, in upstream's words: that it is synced, or fares, otherwise than before."""
    before, after = _dict(obj.get("status")), _dict(patch.get("status"))
    told = []
    for each in ("sync", "health"):
        was, now = (_dict(status.get(each)).get("status") or "" for status in (before, after))
        if now and now != was:
            told.append(Event("ResourceUpdated", f"Updated {each} status: {was} -> {now}"))
    return tuple(told)


def _dict(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _fields(spec: JsonObject, before: JsonObject, picture: Picture, now: str) -> JsonObject:
    fields: JsonObject = {}
    if picture.sync is not None:
        fields["sync"] = _sync(spec, before.get("sync"), picture)
    if picture.health is None and picture.sync == _UNKNOWN and not before.get("health"):
        picture = picture._replace(health=Status.HEALTHY)  # as upstream: nothing of it is known to fare ill
    if picture.health is not None:
        fields["health"] = _health(before.get("health"), picture, now)
    if picture.resources is not None:
        fields["resources"] = [written(each) for each in picture.resources]
        fields["resourceHealthSource"] = None
    if picture.source_types is not None:
        several = bool(spec.get("sources"))
        fields["sourceType"] = None if several else next(filter(None, picture.source_types), None)
        fields["sourceTypes"] = list(picture.source_types) if several else None
    if picture.summary is not None:
        fields["summary"] = _summary(picture.summary)
    if picture.operation is not None:
        fields["operationState"] = written(picture.operation)
    if picture.history is not None:
        fields["history"] = [written(each) for each in picture.history]
    return fields


def _sync(spec: JsonObject, before: Json, picture: Picture) -> JsonObject:
    """What was compared is said in the very words of the spec: others compare the two."""
    compared = {name: spec[name] for name in ("destination", "ignoreDifferences") if spec.get(name)}
    hydrator = spec.get("sourceHydrator")
    source = "sources" if spec.get("sources") and not hydrator else "source"
    if hydrator:
        compared["source"] = _synced_from(hydrator)
    elif spec.get(source):
        compared[source] = spec[source]
    sync: JsonObject = {"status": picture.sync, "comparedTo": {"destination": {}, **compared}}
    revisions = picture.revisions
    if revisions is None:
        was = _dict(before)
        return {**sync, **{name: was[name] for name in ("revision", "revisions") if name in was}}
    if source == "sources":
        return {**sync, "revisions": list(revisions)}
    return {**sync, "revision": revisions[0]} if revisions and revisions[0] else sync


def _synced_from(hydrator: JsonObject) -> JsonObject:
    """Where rendered manifests are, which no spec says in the words of a source."""
    synced = hydrator.get("syncSource") or {}
    url = synced.get("repoURL") or (hydrator.get("drySource") or {}).get("repoURL") or ""
    said = {"path": synced.get("path"), "targetRevision": synced.get("targetBranch")}
    return {"repoURL": url, **{name: value for name, value in said.items() if value}}


def _health(before: Json, picture: Picture, now: str) -> JsonObject:
    was = _dict(before)
    since = was.get("lastTransitionTime") if was.get("status") == picture.health else None
    health: JsonObject = {"status": str(picture.health), "lastTransitionTime": since or now}
    return {**health, "message": picture.health_message} if picture.health_message else health


def _summary(summary: Summary) -> JsonObject:
    listed = {"images": list(summary.images), "externalURLs": list(summary.urls)}
    fields: JsonObject = {name: value for name, value in listed.items() if value}
    return {**fields, "isAppOfApps": True} if summary.has_applications else fields


def _conditions(before: Json, found: Iterable[Condition], now: str) -> list[Json]:
    """Each with the time since when it has said so, in an order of its own."""
    known = [each for each in before if isinstance(each, dict)] if isinstance(before, list) else []
    since = {(each.get("type"), each.get("message")): each.get("lastTransitionTime") for each in known}
    told = sorted({(each.type, each.message[:_LONGEST_MESSAGE]) for each in found})
    return [
        {"type": type_, "message": message, "lastTransitionTime": since.get((type_, message)) or now}
        for type_, message in told
    ]
