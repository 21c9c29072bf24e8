"""What flags say about the rest of a spec: destination, project, policy, hydration. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.cli.applications.editing.fields import Edit, at, put, sets
from plumbline.cli.applications.editing.sources import EDITS

_MANUAL: Final = frozenset({"none", "manual"})
_AUTOMATED: Final = frozenset({"auto", "automated", "automatic"})
_AUTOMATION: Final = {"auto_prune": "prune", "self_heal": "selfHeal", "allow_empty": "allowEmpty"}


def edited(spec: JsonObject, given: Mapping[str, Any], position: int = 0) -> JsonObject:
    """*spec* with what the flags in *given* say. *position* counts from one where there are several sources."""
    said = {name: value for name, value in given.items() if value is not None and value != ()}
    changed = _with_source(spec, said, position) if not any(name in _HYDRATION for name in said) else spec
    for name, edit in _SPEC.items():
        if name in said:
            changed = edit(changed, said[name])
    return _with_automation(_with_retry(changed, said), said)


def _with_source(spec: JsonObject, said: Mapping[str, Any], position: int) -> JsonObject:
    flags = [name for name in EDITS if name in said]
    if not flags:
        return spec
    several = spec.get("sources")
    if isinstance(several, list) and several:
        if not 1 <= position <= len(several):
            raise InvalidInput(
                "it is not clear which source is meant",
                why=f"the application has {len(several)}",
                hint=f"Name one with --source-position, from 1 to {len(several)}.",
            )
        source = _edited_source(several[position - 1], flags, said)
        return {**spec, "sources": [*several[: position - 1], source, *several[position:]]}
    return {**spec, "source": _edited_source(spec.get("source") or {}, flags, said)}


def _edited_source(source: JsonObject, flags: list[str], said: Mapping[str, Any]) -> JsonObject:
    for name in flags:
        source = EDITS[name](source, said[name])
    return source


def _sync_policy(spec: JsonObject, policy: str) -> JsonObject:
    if policy in _MANUAL:
        return put(spec, None, "syncPolicy", "automated")
    if policy in _AUTOMATED:
        return {**spec, "syncPolicy": {**(spec.get("syncPolicy") or {}), "automated": {}}}
    raise InvalidInput(f"there is no sync policy {policy!r}", hint="Choose manual or automated.")


def _sync_options(spec: JsonObject, options: tuple[str, ...]) -> JsonObject:
    kept: list[str] = list(at(spec, "syncPolicy", "syncOptions") or [])
    for option in options:
        bare = option.removeprefix("!")
        if bare != option:
            kept = [each for each in kept if each != bare]
        elif option not in kept:
            kept.append(option)
    return _put_policy(spec, "syncOptions", kept)


def _put_policy(spec: JsonObject, part: str, value: Json) -> JsonObject:
    """Not `put`: `automated: {}` is empty and says a lot."""
    policy = {name: each for name, each in (spec.get("syncPolicy") or {}).items() if name != part}
    if value:
        policy[part] = value
    rest = {name: each for name, each in spec.items() if name != "syncPolicy"}
    return {**rest, "syncPolicy": policy} if policy else rest


def _with_retry(spec: JsonObject, said: Mapping[str, Any]) -> JsonObject:
    limit = said.get("sync_retry_limit")
    if limit is not None:
        if limit < 0:
            raise InvalidInput(f"{limit} cannot be a limit of retries")
        retry: JsonObject = {
            "limit": limit,
            "backoff": {
                "duration": said.get("sync_retry_backoff_duration", "5s"),
                "maxDuration": said.get("sync_retry_backoff_max_duration", "3m0s"),
                "factor": said.get("sync_retry_backoff_factor", 2),
            },
        }
        spec = _put_policy(spec, "retry", retry if limit else None)
    refresh = said.get("sync_retry_refresh")
    if refresh is None or (limit == 0):
        return spec
    return _put_policy(spec, "retry", put(at(spec, "syncPolicy", "retry") or {}, refresh, "refresh"))


def _with_automation(spec: JsonObject, said: Mapping[str, Any]) -> JsonObject:
    changes = {field: said[flag] for flag, field in _AUTOMATION.items() if flag in said}
    if not changes:
        return spec
    policy = spec.get("syncPolicy") or {}
    before = policy.get("automated")
    automated = before if isinstance(before, dict) else {"enabled": False}
    return {**spec, "syncPolicy": {**policy, "automated": {**automated, **changes}}}


_HYDRATION: Final[dict[str, Edit]] = {
    "dry_source_path": sets("sourceHydrator", "drySource", "path"),
    "dry_source_repo": sets("sourceHydrator", "drySource", "repoURL"),
    "dry_source_revision": sets("sourceHydrator", "drySource", "targetRevision"),
    "hydrate_to_branch": sets("sourceHydrator", "hydrateTo", "targetBranch"),
    "sync_source_branch": sets("sourceHydrator", "syncSource", "targetBranch"),
    "sync_source_path": sets("sourceHydrator", "syncSource", "path"),
}
_SPEC: Final[dict[str, Edit]] = {
    **_HYDRATION,
    "dest_name": sets("destination", "name"),
    "dest_namespace": sets("destination", "namespace"),
    "dest_server": sets("destination", "server"),
    "project": sets("project"),
    "revision_history_limit": lambda spec, limit: {**spec, "revisionHistoryLimit": limit},
    "sync_policy": _sync_policy,
    "sync_option": _sync_options,
}
FLAGS: Final = frozenset({*EDITS, *_SPEC, *_AUTOMATION, "sync_retry_limit", "sync_retry_refresh"})
