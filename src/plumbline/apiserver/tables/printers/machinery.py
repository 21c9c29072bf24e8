"""The API's own kinds, and how everything is printed that has no printer of its own."""

from typing import Final

from plumbline.apiserver.tables.ages import moment_s
from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.reading import (
    UNSET,
    age,
    at,
    condition,
    name,
    number,
    optional,
    records,
    shortened,
    text,
)
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

_OTHER: Final = """
    Name
    Created At:date | @meta.v1.ObjectMeta.creationTimestamp
"""
_API_SERVICE: Final = """
    Name
    Service | The reference to the service that hosts this API endpoint.
    Available | Whether this service is available.
    Age
"""
_SCALE: Final = """
    Name | @meta.v1.ObjectMeta.name
    Desired:integer | @autoscaling.v1.ScaleSpec.replicas
    Available:integer | @autoscaling.v1.ScaleStatus.replicas
    Age
"""
_STORAGE_VERSION: Final = """
    Name
    CommonEncodingVersion | @apiserverinternal.v1alpha1.StorageVersionStatus.commonEncodingVersion
    StorageVersions | @apiserverinternal.v1alpha1.StorageVersionStatus.storageVersions
    Age
"""
_MIGRATION: Final = """
    Name | @meta.v1.ObjectMeta.name
    Resource | GroupResource to migrate
    Status | Status of the migration
"""
_NO_TIME: Final = "0001-01-01T00:00:00Z"
_MIGRATION_STATES: Final = frozenset({"Running", "Failed", "Succeeded"})
_SHOWN: Final = 3


def _other(obj: JsonObject, _now_s: float) -> list[Json]:
    created = text(obj, "metadata", "creationTimestamp")
    return [name(obj), created if moment_s(created) is not None else _NO_TIME]


def _api_service(obj: JsonObject, now_s: float) -> list[Json]:
    service = at(obj, "spec", "service")
    place = f"{text(service, 'namespace')}/{text(service, 'name')}" if isinstance(service, dict) else "Local"
    return [name(obj), place, _availability(obj), age(obj, now_s)]


def _availability(obj: JsonObject) -> str:
    available = condition(records(obj, "status", "conditions"), "Available")
    if available is None:
        return "Unknown"
    status, reason = text(available, "status"), text(available, "reason")
    return f"{status} ({reason})" if reason and status != "True" else status


def _scale(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), number(obj, "spec", "replicas"), number(obj, "status", "replicas"), age(obj, now_s)]


def _storage_version(obj: JsonObject, now_s: float) -> list[Json]:
    found = records(obj, "status", "storageVersions")
    versions = [f"{text(each, 'apiServerID')}={text(each, 'encodingVersion')}" for each in found]
    return [
        name(obj),
        optional(obj, "status", "commonEncodingVersion", absent=UNSET),
        shortened(versions, _SHOWN) or UNSET,
        age(obj, now_s),
    ]


def _migration(obj: JsonObject, _now_s: float) -> list[Json]:
    conditions = [each for each in records(obj, "status", "conditions") if each.get("status") == "True"]
    states = [text(each, "type") for each in conditions if text(each, "type") in _MIGRATION_STATES]
    group, resource = (text(obj, "spec", "resource", each) for each in ("group", "resource"))
    return [name(obj), f"{resource}.{group}" if group else resource, states[-1] if states else "Unknown"]


OTHER: Final = BuiltinPrinter(_OTHER, _other, no_rows=b"null")
PRINTERS: Final = {
    GroupKind("apiregistration.k8s.io", "APIService"): BuiltinPrinter(_API_SERVICE, _api_service, repeats_header=True),
    GroupKind("autoscaling", "Scale"): BuiltinPrinter(_SCALE, _scale),
    GroupKind("internal.apiserver.k8s.io", "StorageVersion"): BuiltinPrinter(_STORAGE_VERSION, _storage_version),
    GroupKind("storagemigration.k8s.io", "StorageVersionMigration"): BuiltinPrinter(_MIGRATION, _migration),
}
