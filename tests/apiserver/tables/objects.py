"""The moment at which these tests take place, and the shortest way to an object."""

from datetime import UTC, datetime, timedelta

from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

NOW = datetime(2026, 3, 1, 12, 0, 0, 500_000, UTC)


def ago(**duration: float) -> str:
    return rfc3339(NOW - timedelta(**duration))


def kind(api_version: str, name: str) -> GroupVersionKind:
    return GroupVersionKind.parse(api_version, name)


def made(name: str = "x", **fields) -> JsonObject:
    """An object of five days; what is given as `metadata` adds to its own."""
    metadata = {"name": name, "creationTimestamp": ago(days=5), **fields.pop("metadata", {})}
    return {"metadata": metadata, **fields}
