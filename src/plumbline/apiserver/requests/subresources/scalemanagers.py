"""Who manages how many: the same records, seen from an object and from its scale."""

from collections.abc import Iterable, Sequence
from typing import Final

from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject
from plumbline.kube.apply import FieldSet, Manager, Ownership, decode_managed
from plumbline.kube.apply.fieldset import difference
from plumbline.kube.apply.managers import encode_managed
from plumbline.kube.names import GroupVersionKind

_IN_SCALE: Final = ("spec", "replicas")


class ScaleManagers:
    """Of one object as it was before a write through its scale.

    Whoever writes through the scale takes the number over from those who wrote it elsewhere; the real server forgets
    when they did.
    """

    def __init__(self, parent: JsonObject, path: Sequence[str], scale_version: str) -> None:
        self._kind = GroupVersionKind.of(parent)
        self._managed = decode_managed(metadata_of(parent).get("managedFields") or ())
        self._path = path
        self._scale_version = scale_version

    def of_scale(self) -> list[JsonObject]:
        """Those who manage the number, as the scale's own."""
        found = {
            _under(manager, self._scale_version): Ownership(_fields(_IN_SCALE), self._scale_version, ownership.time)
            for manager, ownership in self._managed.items()
            if self._is_known(ownership) and _has(ownership.fields, self._path)
        }
        return encode_managed(found)

    def of_parent(self, of_scale: Iterable[JsonObject]) -> list[JsonObject]:
        """The object's records after a write that left *of_scale* on the scale."""
        scale = decode_managed(of_scale)
        managed: dict[Manager, Ownership] = {}
        for manager, ownership in self._managed.items():
            if not self._is_known(ownership):
                continue
            if not _has(ownership.fields, self._path) or scale.pop(manager, None) is not None:
                managed[manager] = ownership
            elif left := difference(ownership.fields, _fields(self._path)):
                managed[manager] = ownership._replace(fields=left)
        for manager, ownership in scale.items():
            if _has(ownership.fields, _IN_SCALE):
                before = self._managed.get(manager)
                time = before.time if before else ""
                managed[manager] = Ownership(_fields(self._path), self._kind.api_version, time)
        return encode_managed(managed)

    def _is_known(self, ownership: Ownership) -> bool:
        group, _, _ = ownership.api_version.rpartition("/")
        return group == self._kind.group


def _under(manager: Manager, api_version: str) -> Manager:
    """Appliers are the same in every version."""
    return manager._replace(api_version=api_version) if manager.api_version else manager


def _fields(path: Sequence[str]) -> FieldSet:
    fields: FieldSet = {}
    for name in reversed(path):
        fields = {f"f:{name}": fields}
    return fields


def _has(fields: FieldSet, path: Sequence[str]) -> bool:
    node: FieldSet | None = fields
    for name in path:
        node = node.get(f"f:{name}") if node else None
    return node is not None and (not node or "." in node)
