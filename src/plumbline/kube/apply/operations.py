"""Server-side apply, and the tracking of every other write, as the API server does them."""

from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, SchemaViolation
from plumbline.base.json import JsonObject, decode, encode_sorted
from plumbline.kube.apply.conflicts import conflict_error
from plumbline.kube.apply.fieldset import (
    FieldSet,
    difference,
    intersection,
    reconciled,
    union,
    with_declared_parents,
    without,
)
from plumbline.kube.apply.managers import (
    Managed,
    Manager,
    Ownership,
    Writer,
    capped,
    decode_managed,
    encode_managed,
)
from plumbline.kube.apply.merge import merge
from plumbline.kube.apply.validate import check_declared
from plumbline.kube.apply.walk import Comparison, compare, fields_of, members_of, remove, same
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema.shape import Shape
from plumbline.kube.schema.typed import blank, typed_form

_NOBODY: Final = Ownership({}, "")

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"

UNTRACKED: Final[FieldSet] = {
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {
        ".": {},
        **{
            f"f:{name}": {}
            for name in (
                "name", "namespace", "creationTimestamp", "selfLink", "uid",
                "clusterName", "generation", "managedFields", "resourceVersion",
            )
        },
    },
}  # fmt: skip


def track_update(live: JsonObject | None, new: JsonObject, writer: Writer, shape: Shape) -> JsonObject:
    """*new* with the managedFields that the server records for a create (*live* is None) or any write but apply.

    What its schema cannot tell apart (items of a list without their keys) is written all the same, and has none.
    """
    try:
        return _tracked_update(live, new, writer, shape)
    except SchemaViolation:
        return typed_form(_without_managers(new), shape)


def _tracked_update(live: JsonObject | None, new: JsonObject, writer: Writer, shape: Shape) -> JsonObject:
    managed = _requested_managers(live, new, writer)
    bare = typed_form(_without_managers(new), shape)
    if live is not None and not managed:
        return bare
    before = typed_form(_without_managers(live), shape) if live is not None else _nothing(new, shape)
    tracked = capped(_tracked(before, bare, _under(shape, managed), writer, shape))
    if live is not None and same(before, bare) and _timeless(encode_managed(tracked)) == _timeless(_entries(live)):
        return live  # nothing but times would change, which is no reason to write
    return _with_managers(bare, tracked)


def apply(
    live: JsonObject | None, config: JsonObject, writer: Writer, shape: Shape, *, force: bool = False
) -> JsonObject:
    """The object that results from applying *config*, or FieldConflict where others own what it would change."""
    _check_config(config, writer, shape)
    before = typed_form(_without_managers(live), shape) if live is not None else _nothing(config, shape)
    managed = _under(shape, decode_managed(_entries(live)))
    if live is not None and not managed:
        managed = _tracked(_nothing(config, shape), before, {}, writer._replace(manager="before-first-apply"), shape)
    effect = _effect(before, config, managed, writer, shape)
    if effect.conflicts and not force:
        _check_conflicts(effect.conflicts, before, writer, shape)
    result = _settled(before, effect, writer, shape)
    return _with_last_applied(result, config) if writer.manager == "kubectl" else result


class _Effect(NamedTuple):
    """What applying would do, before anybody asks whether it may."""

    merged: JsonObject
    claimed: FieldSet
    holders: Managed
    changes: Comparison
    conflicts: dict[Manager, FieldSet]


def _effect(before: JsonObject, config: JsonObject, managed: Managed, writer: Writer, shape: Shape) -> _Effect:
    me = writer.applying()
    resets = shape.resets.get(writer.subresource, {})
    last = managed.get(me)
    claimed = without(fields_of(config, shape), resets)
    holders: Managed = {**managed, me: Ownership(claimed, writer.api_version, last.time if last else "")}
    merged = merge(before, config, shape)
    if last is not None and last.fields and last.fields != difference(claimed, UNTRACKED):
        merged = _pruned(merged, holders, last, shape)
    changes = compare(before, merged, shape).less(resets)
    return _Effect(merged, claimed, holders, changes, _conflicts(holders, changes, me))


def _check_conflicts(conflicts: dict[Manager, FieldSet], before: JsonObject, writer: Writer, shape: Shape) -> None:
    """Raise FieldConflict, but for what kubectl owned when it applied on the client's side: that it may take over."""
    if writer.manager == "kubectl":
        allowed = _last_applied_fields(before, writer, shape)
        conflicts = {manager: difference(fields, allowed) for manager, fields in conflicts.items()}
        conflicts = {manager: fields for manager, fields in conflicts.items() if fields}
    if conflicts:
        raise conflict_error(conflicts)


def _settled(before: JsonObject, effect: _Effect, writer: Writer, shape: Shape) -> JsonObject:
    me = writer.applying()
    holders = _yielding(effect.holders, effect.changes, me)
    last_time = holders.pop(me, _NOBODY).time
    own = difference(effect.claimed, UNTRACKED)
    unchanged = same(before, effect.merged)
    if own:
        holders[me] = Ownership(own, writer.api_version, last_time if unchanged else writer.at)
    return _with_managers(before if unchanged else typed_form(effect.merged, shape), holders)


def _pruned(merged: JsonObject, holders: Managed, last: Ownership, shape: Shape) -> JsonObject:
    """*merged* less what the applier gave up and nobody else holds."""
    given = with_declared_parents(last.fields, shape)
    held: FieldSet = {}
    for ownership in holders.values():
        held = union(held, ownership.fields)
    held = with_declared_parents(held, shape)
    if not difference(given, held):
        return merged
    present = members_of(merged, shape)
    left = members_of(remove(merged, given, shape) or {}, shape)
    kept = remove(merged, difference(present, union(left, held)), shape) or {}
    # Only what the applier owned before may go: fields that nobody owns stay.
    gone = difference(present, members_of(kept, shape))
    return remove(merged, intersection(gone, given), shape) or {}


def _tracked(before: JsonObject, after: JsonObject, managed: Managed, writer: Writer, shape: Shape) -> Managed:
    """*managed* after a write that is not an apply: the writer owns what it changed, nobody owns what is gone."""
    resets = shape.resets.get(writer.subresource, {})
    changes = compare(before, after, shape).less(resets)
    holders = _yielding(managed, changes, None)
    taken = difference(without(union(changes.modified, changes.added), resets), UNTRACKED)
    if taken:
        me = writer.updating()
        previous = holders.get(me)
        fields = union(taken, previous.fields) if previous else taken
        holders[me] = Ownership(fields, writer.api_version, writer.at)
    return holders


def _conflicts(holders: Managed, changes: Comparison, me: Manager) -> dict[Manager, FieldSet]:
    changed = union(changes.modified, changes.added)
    found = {
        manager: intersection(ownership.fields, changed) for manager, ownership in holders.items() if manager != me
    }
    return {manager: fields for manager, fields in found.items() if fields}


def _yielding(holders: Managed, changes: Comparison, me: Manager | None) -> Managed:
    """Everybody but the writer gives up what was changed and what is gone; who owns nothing is forgotten."""
    changed = union(changes.modified, changes.added)
    yielded: Managed = {}
    for manager, ownership in holders.items():
        if manager == me:
            yielded[manager] = ownership
            continue
        lost = intersection(ownership.fields, changed)
        fields = difference(difference(ownership.fields, lost), changes.removed)
        if fields:
            yielded[manager] = ownership if fields is ownership.fields else ownership._replace(fields=fields)
    return yielded


def _last_applied_fields(before: JsonObject, writer: Writer, shape: Shape) -> FieldSet:
    """What the last-applied annotation still says truly about *before*."""
    annotation = (before.get("metadata", {}).get("annotations") or {}).get(LAST_APPLIED)
    applied: JsonObject = decode(annotation) if annotation else {}
    if applied.get("apiVersion") != writer.api_version:
        return {}
    allowed = fields_of(applied, shape)
    for differing in compare(applied, before, shape):
        allowed = difference(allowed, differing)
    return allowed


def _with_last_applied(obj: JsonObject, config: JsonObject) -> JsonObject:
    metadata = obj["metadata"]
    annotations = metadata.get("annotations") or {}
    if not annotations.get(LAST_APPLIED):
        return obj
    kept = dict(config.get("metadata") or {})
    own = {name: value for name, value in (kept.pop("annotations", None) or {}).items() if name != LAST_APPLIED}
    applied = {**config, "metadata": {**kept, "annotations": own} if own else kept}
    text = encode_sorted(applied).decode() + "\n"
    return {**obj, "metadata": {**metadata, "annotations": {**annotations, LAST_APPLIED: text}}}


def _requested_managers(live: JsonObject | None, new: JsonObject, writer: Writer) -> Managed:
    """A write may set managedFields itself, or reset them with an empty entry, but not through a subresource."""
    requested = new.get("metadata", {}).get("managedFields")
    if requested is None or writer.subresource:
        return _recorded(live)
    if requested in ([], [{}]):
        return {}
    return _readable(requested) or _recorded(live)


def _recorded(live: JsonObject | None) -> Managed:
    return _readable(_entries(live))


def _entries(live: JsonObject | None) -> list[JsonObject]:
    return (live or {}).get("metadata", {}).get("managedFields") or []


def _timeless(entries: list[JsonObject]) -> list[JsonObject]:
    """Entries in their order, which follows their times, without the times themselves."""
    return [{name: value for name, value in entry.items() if name != "time"} for entry in entries]


def _under(shape: Shape, managed: Managed) -> Managed:
    """*managed* as the present schema sees it."""
    return {manager: owned._replace(fields=reconciled(owned.fields, shape)) for manager, owned in managed.items()}


def _readable(entries: object) -> Managed:
    try:
        return decode_managed(entries if isinstance(entries, list | tuple) else ())
    except InvalidInput:
        return {}


def _check_config(config: JsonObject, writer: Writer, shape: Shape) -> None:
    if config.get("apiVersion") != writer.api_version:
        raise InvalidInput(f"invalid object type: {GroupVersionKind.of(config)}")
    if config.get("metadata", {}).get("managedFields") is not None:
        raise InvalidInput("metadata.managedFields must be nil")
    check_declared(config, shape)


def _nothing(like: JsonObject, shape: Shape) -> JsonObject:
    embedded = blank(shape) if shape.embedded else {}
    return {**embedded, "apiVersion": like["apiVersion"], "kind": like["kind"]}


def _without_managers(obj: JsonObject) -> JsonObject:
    metadata = obj.get("metadata") or {}
    if "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "managedFields"}}


def _with_managers(obj: JsonObject, managed: Managed) -> JsonObject:
    if not managed:
        return obj
    return {**obj, "metadata": {**(obj.get("metadata") or {}), "managedFields": encode_managed(managed)}}
