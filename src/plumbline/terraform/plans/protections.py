"""Attributes that keep something from harm: what turns them off, and what opens to everybody.

Told from names, since providers agree on them better than on anything else. A change to a value that only applying will
tell counts as the bad one.
"""

from collections.abc import Iterator
from typing import Final

from plumbline.base.json import Json, encode_sorted
from plumbline.terraform.plans.fields import Difference, Path
from plumbline.terraform.plans.values import Weakened

_KEEPS: Final = {
    "block_public_acls": "a bucket may become public",
    "block_public_policy": "a bucket may become public",
    "deletion_protection": "it can be deleted",
    "deletion_protection_enabled": "it can be deleted",
    "disable_api_stop": "it can be stopped",
    "disable_api_termination": "it can be deleted",
    "enable_deletion_protection": "it can be deleted",
    "ignore_public_acls": "a bucket may become public",
    "mfa_delete": "versions can be deleted without a second factor",
    "object_lock_enabled": "objects can be deleted",
    "prevent_deletion": "it can be deleted",
    "prevent_deletion_if_contains_resources": "it goes together with what is in it",
    "prevent_destroy": "it can be destroyed",
    "protect": "it can be deleted",
    "purge_protection_enabled": "what is deleted in it is gone at once",
    "restrict_public_buckets": "a bucket may become public",
    "skip_destroy": "it is destroyed and no longer left in place",
    "soft_delete_enabled": "what is deleted in it is gone at once",
    "termination_protection": "it can be deleted",
    "versioning_enabled": "old versions are no longer kept",
}  # fmt: skip
"""True keeps from harm."""
_KEEPS_WITHIN: Final = {
    ("versioning", "enabled"): "old versions are no longer kept",
    ("point_in_time_recovery", "enabled"): "it cannot be restored to a moment",
    ("backup_configuration", "enabled"): "backups are no longer made",
    ("backup_policy", "enabled"): "backups are no longer made",
    ("soft_delete_policy", "enabled"): "what is deleted in it is gone at once",
}
"""The same for names that say something only within a block."""
_HARMS: Final = {
    "bypass_policy_lockout_safety_check": "nobody may be able to use it any more",
    "delete_automated_backups": "its backups go together with it",
    "delete_on_termination": "the volume goes together with the machine",
    "force_delete": "it is deleted together with what is in it",
    "force_destroy": "it is destroyed together with what is in it",
    "skip_final_backup": "nothing is saved before it is destroyed",
    "skip_final_snapshot": "nothing is saved before it is destroyed",
}
"""True does harm."""
_NOT_ZERO: Final = {
    "automated_snapshot_retention_period": "backups are no longer kept",
    "automatic_backup_retention_days": "backups are no longer kept",
    "backup_retention": "backups are no longer kept",
    "backup_retention_days": "backups are no longer kept",
    "backup_retention_period": "backups are no longer kept",
    "recovery_window_in_days": "what is deleted is gone at once",
    "retained_backups": "backups are no longer kept",
    "snapshot_retention_limit": "backups are no longer kept",
    "soft_delete_retention_days": "what is deleted in it is gone at once",
}
_WORDS: Final = {
    "deletion_policy": ("prevent", "it can be deleted"),
    "persistent_volume_reclaim_policy": ("retain", "the volume goes together with its claim"),
    "point_in_time_recovery_status": ("enabled", "it cannot be restored to a moment"),
    "reclaim_policy": ("retain", "volumes go together with their claims"),
}
"""The word that keeps from harm."""
_OPEN_TO_BUCKETS: Final = frozenset({
    "block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets",
})  # fmt: skip

_WORLD: Final = frozenset({"0.0.0.0/0", "::/0", "*", "internet", "any"})
_EVERYBODY: Final = frozenset({"allusers", "allauthenticatedusers"})
_REACHED_FROM: Final = frozenset({
    "allowed_cidr_blocks", "api_server_authorized_ip_ranges", "authorized_ip_ranges", "cidr_blocks", "cidr_ipv4",
    "cidr_ipv6", "ipv6_cidr_blocks", "public_access_cidrs", "source_address_prefix", "source_address_prefixes",
    "source_cidr_blocks", "source_ranges", "whitelisted_ips",
})  # fmt: skip
_WITHIN_AUTHORIZED: Final = frozenset({"cidr_block", "value", "cidr"})
_PUBLIC: Final = frozenset({
    "allow_blob_public_access", "allow_nested_items_to_be_public", "public_network_access_enabled",
    "publicly_accessible",
})  # fmt: skip
_SAYS_WHAT: Final = ("access", "action", "direction", "port", "protocol", "role", "type")
_OUTWARD: Final = frozenset({"egress", "outbound", "deny"})

Opening = tuple[Path, bytes]


def weakening(found: Difference) -> tuple[str, str] | None:
    """The kind of harm that a changed attribute allows, and what it comes to; None where it allows none."""
    names = [step for step in found.path if isinstance(step, str)]
    if not names:
        return None
    name, before, after = names[-1], found.sides.before, found.sides.after
    unknown = found.sides.unknown is True
    means = _KEEPS.get(name) or (_KEEPS_WITHIN.get((names[-2], name)) if len(names) > 1 else None)
    if means and before is True and (unknown or after is not True):
        return "opens" if name in _OPEN_TO_BUCKETS else "unprotect", means
    if name in _HARMS and before is not True and (unknown or after is True):
        return "unprotect", _HARMS[name]
    if name in _NOT_ZERO and _is_positive(before) and (unknown or not _is_positive(after)):
        return "unprotect", _NOT_ZERO[name]
    wanted, means = _word(names)
    if wanted and _lower(before) == wanted and (unknown or _lower(after) != wanted):
        return "unprotect", means
    return None


def weakened(path: str, found: tuple[str, str]) -> Weakened:
    kind, means = found
    return Weakened(path, "opens" if kind == "opens" else "unprotect", means)


def openings(value: Json) -> dict[Opening, Path]:
    """Where a resource lets in everybody: by what identifies the opening, the path of it.

    Blocks in sets change places, so they are told apart by what they say and not by where they stand.
    """
    found: dict[Opening, Path] = {}
    for path, block in _blocks(value):
        names = [name for name, each in block.items() if _lets_in(path, name, each)]
        if not names or _OUTWARD.intersection(_said(path, block)):
            continue
        says = {key: each for key, each in block.items() if any(word in key for word in _SAYS_WHAT)}
        for name in names:
            plain = tuple(step for step in (*path, name) if isinstance(step, str))
            found[plain, encode_sorted([says, _world(block[name])])] = (*path, name)
    return found


def _word(names: list[str]) -> tuple[str, str]:
    if names[-1] == "status" and any("versioning" in each for each in names):
        return "enabled", "old versions are no longer kept"
    return _WORDS.get(names[-1], ("", ""))


def _blocks(value: Json) -> Iterator[tuple[Path, dict[str, Json]]]:
    waiting: list[tuple[Path, Json]] = [((), value)]
    while waiting:
        path, at = waiting.pop()
        if isinstance(at, dict):
            yield path, at
            waiting += ((((*path, key)), each) for key, each in at.items() if isinstance(each, dict | list))
        elif isinstance(at, list):
            waiting += (((*path, index), each) for index, each in enumerate(at) if isinstance(each, dict | list))


def _said(path: Path, block: dict[str, Json]) -> set[str]:
    inside = {step.lower() for step in path if isinstance(step, str)}
    return inside | {_lower(block.get(key)) for key in ("type", "direction", "access")}


def _lets_in(path: Path, name: str, value: Json) -> bool:
    if name in _PUBLIC:
        return value is True
    if name in {"member", "members", "principal"}:
        return bool(_EVERYBODY.intersection(_words(value))) or (name == "principal" and value == "*")
    if name == "acl":
        return _lower(value).startswith("public-")
    authorized = name in _WITHIN_AUTHORIZED and any("authorized" in str(step) for step in path)
    return (name in _REACHED_FROM or authorized) and bool(_WORLD.intersection(_words(value)))


def _world(value: Json) -> list[str]:
    return sorted((_WORLD | _EVERYBODY).intersection(_words(value)) or _words(value))


def _words(value: Json) -> list[str]:
    return [_lower(each) for each in (value if isinstance(value, list) else [value])]


def _lower(value: Json) -> str:
    return value.lower() if isinstance(value, str) else ""


def _is_positive(value: Json) -> bool:
    if isinstance(value, str):
        value = int(value) if value.isdecimal() and len(value) < len("1000000000") else 0
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
