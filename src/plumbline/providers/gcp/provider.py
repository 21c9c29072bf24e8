"""The provider as the rest knows it: its kinds, and what connects them."""

from collections.abc import Mapping
from typing import Final

from plumbline.kube.names import GroupKind
from plumbline.managed.external import Config, External
from plumbline.managed.kinds import ManagedKind, ProviderKind, Reference
from plumbline.providers.gcp.accounts import Connections
from plumbline.providers.gcp.external import GcpExternal
from plumbline.providers.gcp.operations import Operations
from plumbline.providers.gcp.schemas import config_schema, schema
from plumbline.providers.gcp.services import compute, pubsub, redis, sql, storage
from plumbline.providers.gcp.tables import Table
from plumbline.providers.rest.kinds import Row, kinds_of

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


_ROWS: Final[tuple[Row[Table], ...]] = (
    Row(
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
    Row(
        service="sql",
        kind="Database",
        plural="databases",
        table=sql.DATABASE,
        versions=("v1beta1",),
        holds="a database",
        references=(Reference("instance", _INSTANCE),),
    ),
    Row(
        service="sql",
        kind="User",
        plural="users",
        table=sql.USER,
        versions=("v1beta2", "v1beta1"),
        references=(Reference("instance", _INSTANCE),),
        keys=("password", "attribute.password"),
    ),
    Row(
        service="storage",
        kind="Bucket",
        plural="buckets",
        table=storage.BUCKET,
        versions=("v1beta2", "v1beta3", "v1beta1"),
        twin=("v1beta1", "v1beta2"),
        holds="objects",
    ),
    Row(service="compute", kind="Network", plural="networks", table=compute.NETWORK, versions=("v1beta1",)),
    Row(
        service="compute",
        kind="Subnetwork",
        plural="subnetworks",
        table=compute.SUBNETWORK,
        versions=("v1beta2", "v1beta1"),
        references=(Reference("network", _NETWORK),),
    ),
    Row(
        service="redis",
        kind="Instance",
        plural="instances",
        table=redis.INSTANCE,
        versions=("v1beta2", "v1beta1"),
        holds="a Redis database",
        references=(Reference("authorizedNetwork", _NETWORK, extract=_ID),),
        keys=("host", "port", "server_ca_certs_0_cert", "attribute.auth_string"),
    ),
    Row(
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

    async def external(table: Table, config: Config) -> External:
        return GcpExternal(table, await connections.of(config), operations)

    return kinds_of(PROVIDER, _ROWS, schema, external)


TABLES: Final[Mapping[str, Table]] = {row.name: row.table for row in _ROWS}
