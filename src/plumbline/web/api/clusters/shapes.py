"""What may be told of a cluster, as a list of fields, and what may be said of one. Pure."""

from collections.abc import Collection
from typing import Any, Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.delivery.joining.edits import Edit
from plumbline.delivery.joining.secrets import TOLD, Described
from plumbline.delivery.settings.clusters import Cluster

_FIELDS: Final = {
    "name": "name",
    "namespaces": "namespaces",
    "labels": "labels",
    "annotations": "annotations",
    "project": "project",
    "shard": "shard",
    "clusterResources": "cluster_resources",
    "config": "config",
}


class Said(msgspec.Struct, frozen=True, rename="camel"):
    """A cluster in Argo CD's words."""

    name: str = ""
    server: str = ""
    config: dict[str, Any] | None = None
    namespaces: list[str] | None = None
    cluster_resources: bool = False
    project: str = ""
    shard: int | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None

    def __repr__(self) -> str:
        return f"Said({self.name}, {self.server})"

    @property
    def described(self) -> Described:
        return Described(
            name=self.name,
            server=self.server.rstrip("/"),
            config=self.config or {},
            namespaces=self.namespaces or (),
            cluster_resources=self.cluster_resources,
            project=self.project,
            shard=self.shard,
            labels=self.labels or {},
            annotations=self.annotations or {},
        )

    def edit(self, fields: Collection[str]) -> Edit:
        """Of *fields* alone, or of all of them where none are named."""
        unknown = sorted(set(fields) - set(_FIELDS))
        if unknown:
            raise InvalidInput(f"a cluster has no field {unknown[0]}", why=f"it has {', '.join(_FIELDS)}")
        values: dict[str, Any] = {
            "name": self.name,
            "namespaces": self.namespaces or (),
            "labels": self.labels or {},
            "annotations": self.annotations or {},
            "project": self.project,
            "shard": self.shard,
            "cluster_resources": self.cluster_resources,
            "config": self.config or {},
        }
        # Whoever sends back what they were told means the rest: of the way there nothing was told.
        whole = [each for each in _FIELDS if each != "config" or self.config not in (None, {}, TOLD)]
        wanted = {_FIELDS[each] for each in fields or whole}
        return Edit(**{name: value for name, value in values.items() if name in wanted})


def linked(cluster: Cluster) -> JsonObject:
    """What templates of links, and everybody else, may see of it."""
    said: JsonObject = {
        "namespaces": list(cluster.namespaces),
        "shard": cluster.shard,
        "project": cluster.project,
        "labels": dict(cluster.labels),
        "annotations": dict(cluster.annotations),
    }
    return {"server": cluster.server, "name": cluster.name, **{key: value for key, value in said.items() if value}}
