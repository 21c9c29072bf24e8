"""The bootstrap objects ready to be stored: encoded once per process, open only where each cluster differs."""

from functools import cache
from typing import Final, NamedTuple

from plumbline.apiserver.rbac.bootstrap.objects import API_VERSION, bootstrap_objects
from plumbline.base.json import JsonObject, encode

# No name, label or rule in the tables looks like these.
_UID: Final = "\x01uid"
_VERSION: Final = "\x01version"
_TIME: Final = "\x01time"


class Seed(NamedTuple):
    kind: str
    namespace: str
    name: str
    pieces: tuple[bytes, bytes, tuple[bytes, ...]]
    """Up to the uid, up to the resource version, and what lies between the times."""

    def encoded(self, uid: str, resource_version: str, created: str) -> bytes:
        """The stored object, with the field managers that the API server and its controllers would have left."""
        head, middle, rest = self.pieces
        return b"".join(
            (head, uid.encode(), middle, resource_version.encode(), created.encode().join(rest)),
        )


@cache
def seeds() -> tuple[Seed, ...]:
    """One for each of `bootstrap_objects`, in the same order."""
    return tuple(map(_seed, bootstrap_objects()))


def _seed(obj: JsonObject) -> Seed:
    metadata = obj["metadata"]
    place = {field: metadata[field] for field in ("name", "namespace") if field in metadata}
    given = {"uid": _UID, "resourceVersion": _VERSION, "creationTimestamp": _TIME}
    stored = obj | {"metadata": place | given | metadata | {"managedFields": _managers(obj)}}
    head, rest = encode(stored).split(_escaped(_UID), 1)
    middle, rest = rest.split(_escaped(_VERSION), 1)
    return Seed(
        obj["kind"], metadata.get("namespace", ""), metadata["name"], (head, middle, tuple(rest.split(_escaped(_TIME))))
    )


def _escaped(mark: str) -> bytes:
    return encode(mark)[1:-1]


def _managers(obj: JsonObject) -> list[JsonObject]:
    metadata = obj["metadata"]
    own: JsonObject = {
        "f:metadata": {f"f:{field}": _map_fields(metadata[field]) for field in ("annotations", "labels")},
    }
    if "aggregationRule" in obj:
        own = {"f:aggregationRule": {".": {}, "f:clusterRoleSelectors": {}}} | own
        return [
            _manager("clusterrole-aggregation-controller", "Apply", {"f:rules": {}}),
            _manager("kube-apiserver", "Update", own),
        ]
    own |= {f"f:{field}": {} for field in ("roleRef", "rules", "subjects") if field in obj}
    return [_manager("kube-apiserver", "Update", own)]


def _map_fields(entries: JsonObject) -> JsonObject:
    return {".": {}} | {f"f:{name}": {} for name in sorted(entries)}


def _manager(name: str, operation: str, fields: JsonObject) -> JsonObject:
    return {
        "manager": name,
        "operation": operation,
        "apiVersion": API_VERSION,
        "time": _TIME,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
