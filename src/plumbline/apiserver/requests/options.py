"""Options that come as query parameters, read and refused as the API server does."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required, too_long
from plumbline.apiserver.objects.deletion import DeleteOptions
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind

MANAGER_LENGTH: Final = 128
_META: Final = "meta.k8s.io"
_PROPAGATIONS: Final = ("Foreground", "Background", "Orphan")
_VALIDATIONS: Final = ("", "Ignore", "Strict", "Warn")
_NUMBERS: Final = 1 << 63
_DIGITS: Final = 32
_number: Final = re.compile("[-+]?[0-9]+").fullmatch


class WriteOptions(msgspec.Struct, frozen=True):
    manager: str
    """From `fieldManager`, else from the user agent."""
    dry_run: bool
    strictness: str
    force: bool | None
    given: JsonObject
    """As admission sees them."""


class ListOptions(msgspec.Struct, frozen=True):
    labels: str = ""
    fields: str = ""
    watch: bool = False
    bookmarks: bool = False
    version: str = ""
    version_match: str = ""
    timeout_s: int | None = None
    limit: int = 0
    token: str = ""
    initial_events: bool | None = None


def write_options(call: Call, kind: str, *, apply: bool = False) -> WriteOptions:
    """CreateOptions, UpdateOptions or PatchOptions, as *kind* says."""
    manager, strictness = call.parameter("fieldManager"), call.parameter("fieldValidation")
    dry_run, force = call.parameters.get("dryRun", []), _boolean(call, "force") if kind == "PatchOptions" else None
    _refuse(kind, [*_patch_errors(kind, manager, force, apply=apply), *_write_errors(manager, dry_run, strictness)])
    given: JsonObject = {"kind": kind, "apiVersion": f"{_META}/v1"}
    if dry_run:
        given["dryRun"] = dry_run
    if manager:
        given["fieldManager"] = manager
    if strictness:
        given["fieldValidation"] = strictness
    return WriteOptions(manager or agent_name(call), bool(dry_run), strictness or "Warn", force, given)


def agent_name(call: Call) -> str:
    """Who writes, where the request does not say: the user agent up to its version."""
    name = call.user_agent.split("/", 1)[0]
    return "".join(char for char in name if char.isprintable())[:MANAGER_LENGTH]


def delete_options(given: JsonObject) -> tuple[DeleteOptions, bool]:
    """From a decoded body or from parameters; the second value says whether it is a dry run."""
    policy, orphan = given.get("propagationPolicy"), given.get("orphanDependents")
    errors: list[FieldError] = []
    if policy is not None and orphan is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(invalid("propagationPolicy", policy, why))
    if policy is not None and policy not in _PROPAGATIONS:
        errors.append(not_supported("propagationPolicy", policy, (*_PROPAGATIONS, "nil")))
    dry_run = given.get("dryRun") or []
    errors.extend(_dry_run_errors(dry_run))
    _refuse("DeleteOptions", errors)
    preconditions = given.get("preconditions") or {}
    wanted = DeleteOptions(
        grace_period_seconds=given.get("gracePeriodSeconds"),
        orphan_dependents=orphan,
        propagation_policy=policy or "",
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
    )
    return wanted, bool(dry_run)


def delete_parameters(call: Call) -> JsonObject:
    """DeleteOptions from the query, in the form they have as a body."""
    given: JsonObject = {}
    if "gracePeriodSeconds" in call.parameters:
        given["gracePeriodSeconds"] = _integer(call, "gracePeriodSeconds")
    if "orphanDependents" in call.parameters:
        given["orphanDependents"] = _boolean(call, "orphanDependents")
    if "propagationPolicy" in call.parameters:
        given["propagationPolicy"] = call.parameter("propagationPolicy")
    if "dryRun" in call.parameters:
        given["dryRun"] = call.parameters["dryRun"]
    return given


def list_options(call: Call, *, watch: bool = False) -> ListOptions:
    if not call.query:
        return ListOptions(watch=watch)
    options = ListOptions(
        labels=call.parameter("labelSelector"),
        fields=call.parameter("fieldSelector"),
        watch=watch or bool(_boolean(call, "watch")),
        bookmarks=bool(_boolean(call, "allowWatchBookmarks")),
        version=call.parameter("resourceVersion"),
        version_match=call.parameter("resourceVersionMatch"),
        timeout_s=_integer(call, "timeoutSeconds"),
        limit=_integer(call, "limit") or 0,
        token=call.parameter("continue"),
        initial_events=_boolean(call, "sendInitialEvents"),
    )
    _refuse("ListOptions", list(_watch_errors(options) if options.watch else _list_errors(options)))
    return options


def _list_errors(options: ListOptions) -> Iterator[FieldError]:
    match, field = options.version_match, "resourceVersionMatch"
    if match:
        if not options.version:
            yield forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided")
        if options.token:
            yield forbidden(field, "resourceVersionMatch is forbidden when continue is provided")
        if match not in ("Exact", "NotOlderThan"):
            yield not_supported(field, match, ("Exact", "NotOlderThan", ""))
        if match == "Exact" and options.version == "0":
            yield forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    if options.initial_events is not None:
        yield forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")


def _watch_errors(options: ListOptions) -> Iterator[FieldError]:
    match, field = options.version_match, "resourceVersionMatch"
    if options.initial_events is not None and match != "NotOlderThan":
        yield forbidden(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
    if match:
        if options.initial_events is None:
            yield forbidden(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
        if match != "NotOlderThan":
            yield not_supported(field, match, ("NotOlderThan",))
    if options.token:
        yield forbidden(field, "resourceVersionMatch is forbidden when continue is provided")


def _patch_errors(kind: str, manager: str, force: bool | None, *, apply: bool) -> Iterator[FieldError]:  # noqa: FBT001 - an option that may be absent
    if kind != "PatchOptions":
        return
    if apply and not manager:
        yield required("fieldManager", "is required for apply patch")
    if not apply and force is not None:
        yield forbidden("force", "may not be specified for non-apply patch")


def _write_errors(manager: str, dry_run: Sequence[str], strictness: str) -> Iterator[FieldError]:
    if len(manager.encode()) > MANAGER_LENGTH:
        yield too_long("fieldManager", MANAGER_LENGTH)
    at = 0
    for char in manager:
        if not char.isprintable():
            yield invalid("fieldManager", manager, f"invalid character U+{ord(char):04X} (at position {at})")
        at += len(char.encode())
    yield from _dry_run_errors(dry_run)
    if strictness not in _VALIDATIONS:
        yield not_supported("fieldValidation", strictness, _VALIDATIONS)


def _dry_run_errors(dry_run: Json) -> Iterator[FieldError]:
    if any(each != "All" for each in dry_run):
        yield not_supported("dryRun", dry_run, ("All",))


def _refuse(kind: str, errors: Sequence[FieldError]) -> None:
    if errors:
        raise statuses.invalid(GroupKind(_META, kind), "", errors)


def _boolean(call: Call, name: str) -> bool | None:
    """As query parameters are read: anything but false and 0 is true, the parameter alone too."""
    values = call.parameters.get(name)
    return None if not values else values[0].lower() not in ("false", "0")


def _integer(call: Call, name: str) -> int | None:
    values = call.parameters.get(name)
    if not values:
        return None
    text = values[0]
    if not _number(text):
        raise statuses.bad_request(f"strconv.ParseInt: parsing {quoted(text)}: invalid syntax")
    # More digits than any number has that is taken; converting them would cost more than looking at them.
    if len(text) > _DIGITS or not -_NUMBERS <= int(text) < _NUMBERS:
        raise statuses.bad_request(f"strconv.ParseInt: parsing {quoted(text)}: value out of range")
    return int(text)
