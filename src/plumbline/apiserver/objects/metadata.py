"""The part of an object that the server writes."""

from collections.abc import Mapping
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.scope import Scope
from plumbline.base.clock import Clock, rfc3339
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject

GENERATED_BASE: Final = 58
"""How much of generateName is kept, so that the whole stays a DNS label."""
_SYSTEM_FIELDS: Final = ("creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")

_REPEATED_OWNERS: Final = (
    ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and may "
    "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {uids}"
)
_ADMITTED: Final = " after mutating admission happens"


def metadata_of(obj: Mapping[str, Json]) -> JsonObject:
    metadata = obj.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def with_metadata(obj: JsonObject, **changes: Json) -> JsonObject:
    """*obj* with *changes*; None takes a field away."""
    metadata = {**metadata_of(obj), **changes}
    return {**obj, "metadata": {name: value for name, value in metadata.items() if value is not None}}


def without_system_fields(obj: JsonObject) -> JsonObject:
    metadata = metadata_of(obj)
    if not any(metadata.get(name) for name in _SYSTEM_FIELDS):
        return obj
    return with_metadata(obj, **dict.fromkeys(_SYSTEM_FIELDS))


def in_namespace(obj: JsonObject, scope: Scope) -> JsonObject:
    """*obj* in the request's namespace; refuses one that says another."""
    expected = scope.namespace if scope.resource.namespaced else ""
    given = str(metadata_of(obj).get("namespace") or "")
    if given == expected:
        return obj
    if given and expected:
        message = "the namespace of the provided object does not match the namespace sent on the request"
        raise statuses.bad_request(message)
    return with_metadata(obj, namespace=expected or None)


def with_identity(obj: JsonObject, clock: Clock, ids: Ids) -> JsonObject:
    """*obj* with what makes it one object among all: a uid, a time of birth, and a name if one is to be made."""
    metadata = metadata_of(obj)
    name, base = metadata.get("name"), metadata.get("generateName")
    made = f"{str(base)[:GENERATED_BASE]}{ids.suffix()}" if base and not name else name
    return with_metadata(obj, uid=ids.uid(), creationTimestamp=rfc3339(clock.now()), name=made or None)


def unique_owners(obj: JsonObject, warnings: list[str], *, admitted: bool = False) -> JsonObject:
    """*obj* with each owner once, and a warning where one was there twice; *admitted* if others may have written it."""
    owners = metadata_of(obj).get("ownerReferences")
    if not isinstance(owners, list) or len(owners) < 2:  # noqa: PLR2004 - one owner is always unique
        return obj
    kept: list[Json] = []
    repeated: list[str] = []
    for owner in owners:
        if owner in kept:
            repeated.append(str(owner.get("uid")))
        else:
            kept.append(owner)
    if not repeated:
        return obj
    warnings.append(_REPEATED_OWNERS.format(when=_ADMITTED if admitted else "", uids=", ".join(repeated)))
    return with_metadata(obj, ownerReferences=kept)
