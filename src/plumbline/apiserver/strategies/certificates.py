"""Requests for certificates: who asks is written by the server, and each subresource changes one part of the answer."""

from typing import Final

from plumbline.apiserver.strategies.parts import only_status, with_field, zero_status
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.shapes import mapping, mappings
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

_KIND: Final = GroupVersionKind("certificates.k8s.io", "v1", "CertificateSigningRequest")
_ASKER: Final = ("username", "uid", "groups", "extra")
_DECISIONS: Final = ("Approved", "Denied")


def _prepare_create(request: JsonObject, writing: Writing) -> JsonObject:
    identity = writing.identity
    asker = {
        "username": identity.name,
        "uid": identity.uid,
        "groups": list(identity.groups),
        "extra": {key: list(values) for key, values in identity.extra.items()},
    }
    spec = {field: value for field, value in mapping(request.get("spec")).items() if field not in _ASKER}
    known = {field: value for field, value in asker.items() if value}
    return {**request, "spec": {**spec, **known}, "status": zero_status(_KIND)}


def _prepare_update(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    return {**old, "metadata": new["metadata"]}


def _prepare_status(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    """A signer neither approves nor denies: such conditions stay as they were."""
    request = only_status()(new, old, writing)
    status, before = mapping(request.get("status")), mapping(old.get("status"))
    conditions, known = mappings(status.get("conditions")), mappings(before.get("conditions"))
    for kind in _DECISIONS:
        decided = [each for each in known if each.get("type") == kind]
        if len(decided) == sum(each.get("type") == kind for each in conditions):
            kept = iter(decided)
            conditions = [next(kept) if each.get("type") == kind else each for each in conditions]
    return {**request, "status": _with_conditions(status, conditions, known, writing.now)}


def _prepare_approval(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    before = mapping(old.get("status"))
    conditions = mappings(mapping(new.get("status")).get("conditions"))
    status = _with_conditions(before, conditions, mappings(before.get("conditions")), writing.now)
    return {**old, "metadata": new["metadata"], "status": status}


def _with_conditions(status: JsonObject, conditions: list[JsonObject], known: list[JsonObject], now: str) -> JsonObject:
    dated = [_dated(each, known, now) for each in conditions]
    return with_field(status, "conditions", dated or None)


def _dated(condition: JsonObject, known: list[JsonObject], now: str) -> JsonObject:
    condition = {**condition, "lastUpdateTime": condition.get("lastUpdateTime") or now}
    if condition.get("lastTransitionTime"):
        return condition
    since = (
        each.get("lastTransitionTime")
        for each in known
        if (each.get("type"), each.get("status")) == (condition.get("type"), condition.get("status"))
    )
    return {**condition, "lastTransitionTime": next(filter(None, since), now)}


REQUEST: Final = Strategy(
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_subresource={"status": _prepare_status, "approval": _prepare_approval},
)
