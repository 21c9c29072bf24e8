"""Cluster Secrets, exactly as Argo CD writes them. Pure."""

import base64
import ipaddress
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject, encode
from plumbline.delivery.settings.clusters import IN_CLUSTER, IN_CLUSTER_SERVER, TYPE_LABEL

_MANAGED_BY: Final = {"managed-by": "argocd.argoproj.io"}
_OFFSET, _PRIME = 0x811C9DC5, 0x01000193

TOLD: Final = {"tlsClientConfig": {"insecure": False}}
"""What is told of the way to a cluster: nothing."""


class Described(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    server: str
    config: JsonObject
    """Who to come as, in Argo CD's words. Half of it is secret."""
    namespaces: Sequence[str] = ()
    cluster_resources: bool = False
    project: str = ""
    shard: int | None = None
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return f"Described({self.name}, {self.server})"


def secret_of(cluster: Described, namespace: str) -> JsonObject:
    server = cluster.server.rstrip("/")
    values = {
        "server": server,
        "name": cluster.name or server,
        "config": encode(cluster.config).decode(),
        "namespaces": ",".join(cluster.namespaces),
        "shard": "" if cluster.shard is None else str(cluster.shard),
        "clusterResources": "true" if cluster.cluster_resources else "",
        "project": cluster.project,
    }
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": {
            "name": secret_name(server),
            "namespace": namespace,
            "labels": {**cluster.labels, TYPE_LABEL: "cluster"},
            "annotations": {**cluster.annotations, **_MANAGED_BY},
        },
        "data": {key: coded(value) for key, value in values.items() if value},
    }


def secret_of_this(namespace: str) -> JsonObject:
    """Of the cluster at hand, which needs none to be delivered to: with one, something can be said about it."""
    return secret_of(Described(name=IN_CLUSTER, server=IN_CLUSTER_SERVER, config=TOLD), namespace)


def secret_name(server: str) -> str:
    """Raises InvalidInput where *server* is no address."""
    parts = urlsplit(server)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InvalidInput(f"{server!r} is not the address of a cluster", hint="Such as: https://203.0.113.7:6443.")
    host = parts.hostname
    if ":" in host:
        host = str(ipaddress.ip_address(host)).replace(":", "-")
    return f"cluster-{host.lower()}-{_fnv32a(server.encode())}"


def coded(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def labelled(texts: Sequence[str]) -> dict[str, str]:
    """KEY=VALUE, each. Raises InvalidInput."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InvalidInput(f"{text!r} is neither label nor annotation", why="it should be KEY=VALUE")
        found[key] = value
    return found


def without_empty(value: dict[str, Json]) -> JsonObject:
    return {key: each for key, each in value.items() if each not in (None, "", [], {}, (), False)}


def _fnv32a(content: bytes) -> int:
    found = _OFFSET
    for byte in content:
        found = ((found ^ byte) * _PRIME) & 0xFFFFFFFF
    return found
