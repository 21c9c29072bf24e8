"""ElastiCache: replication groups of Redis and Valkey."""

import re
from typing import Final

from plumbline.providers.sandbox.calls import Call, World
from plumbline.providers.sandbox.rules.rule import Objection, Rule, between, matches, one_of

_GROUP: Final = r"[A-Za-z](?:-?[A-Za-z0-9]){0,39}"
_GROUP_TEXT: Final = (
    "The parameter {name} is not a valid identifier. Identifiers must begin with a letter; must contain only ASCII letters, "
    "digits, and hyphens; and must not end with a hyphen or contain two consecutive hyphens."
)
_SMALL: Final = r"cache\.(?:t2|t3|t4g)\.(?:micro|small|medium)"
_LARGE: Final = (
    r"cache\.(?:m4|m5|m6g|m7g|m8g|r4|r5|r6g|r7g|r8g|r6gd|c7gn)\.(?:large|xlarge|(?:2|4|8|10|12|16|24)xlarge)"
)
_VERSIONS: Final = {
    "redis": re.compile(r"[5-7](?:\.[0-9]+|\.x)?(?:\.[0-9]+)?"),
    "valkey": re.compile(r"[78](?:\.[0-9]+)?(?:\.[0-9]+)?|9\.0"),
}
_TOKEN: Final = re.compile(r"(?=.{16,128}$)[!-~]*")


def _version(call: Call, _: World) -> Objection:
    engine, version = str(call["Engine"] or "redis"), call["EngineVersion"]
    pattern = _VERSIONS.get(engine)
    if version is None or pattern is None or pattern.fullmatch(str(version)):
        return None
    return f"Cannot find version {version} for {engine}"


def _failover(call: Call, _: World) -> Objection:
    alone = (call["NumCacheClusters"] or 0) < 2 and not call["ReplicasPerNodeGroup"]  # noqa: PLR2004 - one cannot fail over
    if call["AutomaticFailoverEnabled"] and alone and not call["NumNodeGroups"]:
        return "Replication group with automatic failover enabled must have at least one replica."
    if call["MultiAZEnabled"] and not call["AutomaticFailoverEnabled"]:
        return "Must enable automatic failover to use Multi-AZ."
    return None


def _token(call: Call, _: World) -> Objection:
    token = call["AuthToken"]
    if token is not None and not call["TransitEncryptionEnabled"]:
        return "The AUTH token is only supported when encryption-in-transit is enabled"
    return None


def _token_text(call: Call, _: World) -> Objection:
    token = call["AuthToken"]
    if token is None or (_TOKEN.fullmatch(token) and not set(token) & set('@"/')):
        return None
    return "Invalid AuthToken provided. It must be 16 to 128 printable characters besides '@', '\"' and '/'."


def _available(call: Call, world: World) -> Objection:
    found = world.found("replication-group", str(call["ReplicationGroupId"])) or {}
    status = found.get("status", "available")
    return None if status == "available" else f"Replication group {call['ReplicationGroupId']} has status {status}."


_CREATE: Final = "CreateReplicationGroup"

RULES: Final = (
    Rule(_CREATE, "InvalidParameterValue", matches("ReplicationGroupId", _GROUP, _GROUP_TEXT)),
    Rule(
        _CREATE,
        "InvalidParameterValue",
        one_of("Engine", ("redis", "valkey"), "The parameter Engine is not valid: {value}"),
    ),
    Rule(_CREATE, "InvalidParameterCombination", _version),
    Rule(
        "CreateReplicationGroup ModifyReplicationGroup",
        "InvalidParameterValue",
        matches("CacheNodeType", f"{_SMALL}|{_LARGE}", "The parameter CacheNodeType is not valid: {value}"),
    ),
    Rule(_CREATE, "InvalidParameterValue", between("NumCacheClusters", 1, 6)),
    Rule(_CREATE, "InvalidParameterValue", between("ReplicasPerNodeGroup", 0, 5)),
    Rule(_CREATE, "InvalidParameterValue", between("NumNodeGroups", 1, 500)),
    Rule(_CREATE, "InvalidParameterCombination", _failover),
    Rule(_CREATE, "InvalidParameterCombination", _token),
    Rule(_CREATE, "InvalidParameterValue", _token_text),
    Rule(
        "CreateReplicationGroup ModifyReplicationGroup",
        "InvalidParameterValue",
        between("SnapshotRetentionLimit", 0, 35),
    ),
    Rule("ModifyReplicationGroup DeleteReplicationGroup", "InvalidReplicationGroupState", _available),
)
