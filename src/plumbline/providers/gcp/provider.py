"""The provider as the rest knows it: its kinds, and what connects them."""

from collections.abc import Mapping
from functools import partial
from typing import Final

import msgspec

from plumbline.kube.names import GroupKind
from plumbline.managed.external import Config, External, Managed
from plumbline.managed.kinds import ManagedKind, ProviderKind, Reference, with_namespaced_twin
from plumbline.providers.gcp.accounts import Connections
from plumbline.providers.gcp.external import GcpExternal
from plumbline.providers.gcp.operations import Operations
from plumbline.providers.gcp.schemas import config_schema, schema
from plumbline.providers.gcp.services import compute, pubsub, redis, sql, storage
from plumbline.providers.gcp.tables import Table

GROUP: Final = "gcp.upbound.io"

PROVIDER: Final = ProviderKind(
    name="gcp",
    group=GROUP,
    version="v1beta1",
    schema=config_schema,
    packages=("provider-gcp", "provider-family-gcp"),
)

_INSTANCE: Final = GroupKind(f"sql.{GROUP}", "DatabaseInstance")
_NETWORK: Final = GroupKind(f"compute.{GROUP}", "Network")
_ID: Final = "status.atProvider.id"


class GcpConnector:
    def __init__(self, table: Table, connections: Connections, operations: Operations) -> None:
        self._table = table
        self._connections = connections
        self._operations = operations

    async def connect(self, managed: Managed, config: Config) -> External:  # noqa: ARG002 - the seam has it
        return GcpExternal(self._table, await self._connections.of(config), self._operations)


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    service: str
    kind: str
    plural: str
    table: Table
    versions: tuple[str, ...]
    twin: tuple[str, ...] = ("v1beta1",)
    holds: str = ""
    references: tuple[Reference, ...] = ()
    keys: tuple[str, ...] = ()


_ROWS: Final = (
    _Row(
        service="sql",
        kind="DatabaseInstance",
        plural="databaseinstances",
        table=sql.INSTANCE,
        versions=("v1beta2", "v1beta1"),
        holds="databases",
        references=(Reference("settings.ipConfiguration.privateNetwork", _NETWORK, extract=_ID),),
        keys=(
            "connectionName",
            "privateIP",
            "publicIP",
            "password",
            "serverCACertificateCert",
            "serverCACertificateCommonName",
            "serverCACertificateCreateTime",
            "serverCACertificateExpirationTime",
            "serverCACertificateSha1Fingerprint",
            "attribute.root_password",
        ),
    ),
    _Row(
        service="sql",
        kind="Database",
        plural="databases",
        table=sql.DATABASE,
        versions=("v1beta1",),
        holds="a database",
        references=(Reference("instance", _INSTANCE),),
    ),
    _Row(
        service="sql",
        kind="User",
        plural="users",
        table=sql.USER,
        versions=("v1beta2", "v1beta1"),
        references=(Reference("instance", _INSTANCE),),
        keys=("password", "attribute.password"),
    ),
    _Row(
        service="storage",
        kind="Bucket",
        plural="buckets",
        table=storage.BUCKET,
        versions=("v1beta2", "v1beta3", "v1beta1"),
        twin=("v1beta1", "v1beta2"),
        holds="objects",
    ),
    _Row(service="compute", kind="Network", plural="networks", table=compute.NETWORK, versions=("v1beta1",)),
    _Row(
        service="compute",
        kind="Subnetwork",
        plural="subnetworks",
        table=compute.SUBNETWORK,
        versions=("v1beta2", "v1beta1"),
        references=(Reference("network", _NETWORK),),
    ),
    _Row(
        service="redis",
        kind="Instance",
        plural="instances",
        table=redis.INSTANCE,
        versions=("v1beta2", "v1beta1"),
        holds="a Redis database",
        references=(Reference("authorizedNetwork", _NETWORK, extract=_ID),),
        keys=("host", "port", "server_ca_certs_0_cert", "attribute.auth_string"),
    ),
    _Row(
        service="pubsub",
        kind="Topic",
        plural="topics",
        table=pubsub.TOPIC,
        versions=("v1beta2", "v1beta1"),
        keys=("id", "topic", "project"),
    ),
)


def kinds(connections: Connections) -> tuple[ManagedKind, ...]:
    """Every kind of the provider in both lineages, sharing connections and what they know of running operations."""
    operations = Operations()
    made: list[ManagedKind] = []
    for row in _ROWS:
        legacy, twin = with_namespaced_twin(_kind(row, connections, operations))
        made += [legacy, msgspec.structs.replace(twin, versions=row.twin)]
    return tuple(made)


def _kind(row: _Row, connections: Connections, operations: Operations) -> ManagedKind:
    return ManagedKind(
        provider=PROVIDER,
        group=f"{row.service}.{GROUP}",
        kind=row.kind,
        plural=row.plural,
        versions=row.versions,
        schemas=partial(schema, row.table),
        connector=GcpConnector(row.table, connections, operations),
        holds=row.holds,
        references=row.references,
        connection_keys=row.keys,
    )


TABLES: Final[Mapping[str, Table]] = {f"{row.service}/{row.kind}": row.table for row in _ROWS}
