"""`metadata.managedFields` as values: who owns which fields, since when."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.kube.apply.fieldset import FieldSet, union

APPLY: Final = "Apply"
UPDATE: Final = "Update"
_MOST_UPDATERS: Final = 10
_BUCKET: Final = "ancient-changes"


class Manager(NamedTuple):
    """The identity of an entry. Appliers have one entry whatever version they apply in, so theirs is left out."""

    name: str
    operation: str
    api_version: str
    subresource: str

    def __str__(self) -> str:
        """As the API server prints it in conflicts."""
        text = f'"{self.name}"'
        if self.subresource:
            text += f' with subresource "{self.subresource}"'
        return f"{text} using {self.api_version}" if self.operation == UPDATE else text


class Ownership(NamedTuple):
    fields: FieldSet
    api_version: str
    time: str = ""


class Writer(NamedTuple):
    """Who writes, in which version, when, and through which subresource."""

    manager: str
    api_version: str
    at: str
    subresource: str = ""

    def applying(self) -> Manager:
        return Manager(self.manager or "unknown", APPLY, "", self.subresource)

    def updating(self) -> Manager:
        return Manager(self.manager or "unknown", UPDATE, self.api_version, self.subresource)


Managed = dict[Manager, Ownership]


def decode_managed(entries: Iterable[JsonObject]) -> Managed:
    managed: Managed = {}
    for entry in entries:
        operation, version = entry.get("operation"), entry.get("apiVersion") or ""
        if operation not in {APPLY, UPDATE}:
            raise InvalidInput("A managedFields entry cannot be read", why="operation must be `Apply` or `Update`")
        if not version:
            raise InvalidInput("A managedFields entry cannot be read", why="apiVersion must not be empty")
        if entry.get("fieldsType") != "FieldsV1":
            raise InvalidInput("A managedFields entry cannot be read", why="fieldsType must be FieldsV1")
        identity_version = "" if operation == APPLY else version
        manager = Manager(entry.get("manager") or "", operation, identity_version, entry.get("subresource") or "")
        managed[manager] = Ownership(entry.get("fieldsV1") or {}, version, entry.get("time") or "")
    return managed


def encode_managed(managed: Mapping[Manager, Ownership]) -> list[JsonObject]:
    return [
        _entry(manager, ownership)
        for manager, ownership in sorted(
            managed.items(), key=lambda each: (each[0].operation, each[1].time, each[0].name, each[1].api_version, each[0].subresource)
        )
    ]  # fmt: skip


def _entry(manager: Manager, ownership: Ownership) -> JsonObject:
    entry: JsonObject = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": ownership.api_version,
        "time": ownership.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": ownership.fields,
        "subresource": manager.subresource,
    }
    return {key: value for key, value in entry.items() if value != ""}


def capped(managed: Managed) -> Managed:
    """*managed* with the oldest updaters folded into one entry per version, once there are more than ten."""
    updaters = sorted(
        (manager for manager in managed if manager.operation == UPDATE),
        key=lambda manager: (managed[manager].time, manager),
    )
    surplus = len(updaters) - _MOST_UPDATERS
    if surplus <= 0:
        return managed
    folded = dict(managed)
    first_of: dict[str, Manager] = {}
    for manager in updaters:
        version = managed[manager].api_version
        first = first_of.setdefault(version, manager)
        if surplus <= 0 or first is manager:
            continue
        bucket = Manager(_BUCKET, UPDATE, version, "")
        if bucket not in folded:
            folded[bucket] = folded.pop(first)
        ownership = folded.pop(manager)
        if manager != bucket:
            folded[bucket] = ownership._replace(fields=union(ownership.fields, folded[bucket].fields))
        surplus -= 1
    return folded
