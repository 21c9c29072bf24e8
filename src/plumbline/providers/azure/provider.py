"""The provider as the rest knows it: its kinds, and what connects them."""

from collections.abc import Mapping
from functools import partial
from typing import Final, Literal

import msgspec

from plumbline.kube.names import GroupKind
from plumbline.managed.external import Config, External, Managed
from plumbline.managed.kinds import Generated, ManagedKind, ProviderKind, Reference, with_namespaced_twin
from plumbline.providers.azure.accounts import Connections
from plumbline.providers.azure.external import AzureExternal
from plumbline.providers.azure.operations import Operations
from plumbline.providers.azure.schemas import config_schema, schema
from plumbline.providers.azure.services import postgresql, resources
from plumbline.providers.azure.tables import Table

GROUP: Final = "azure.upbound.io"

PROVIDER: Final = ProviderKind(
    name="azure",
    group=GROUP,
    version="v1beta1",
    schema=config_schema,
    packages=("provider-azure-", "provider-family-azure"),
)

_RESOURCE_GROUP: Final = GroupKind(GROUP, "ResourceGroup")
_SERVER: Final = GroupKind(f"dbforpostgresql.{GROUP}", "FlexibleServer")
_ID: Final = "status.atProvider.id"
_OF_SERVER: Final = (Reference("serverId", _SERVER, extract=_ID),)


class AzureConnector:
    def __init__(self, table: Table, connections: Connections, operations: Operations) -> None:
        self._table = table
        self._connections = connections
        self._operations = operations

    async def connect(self, managed: Managed, config: Config) -> External:  # noqa: ARG002 - the seam has it
        return AzureExternal(self._table, await self._connections.of(config), self._operations)


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    service: str = ""
    kind: str
    plural: str
    table: Table
    versions: tuple[str, ...] = ("v1beta1",)
    external_name: Literal["chosen", "assigned"] = "chosen"
    holds: str = ""
    references: tuple[Reference, ...] = ()
    generates: tuple[Generated, ...] = ()
    keys: tuple[str, ...] = ()


_ROWS: Final = (
    _Row(kind="ResourceGroup", plural="resourcegroups", table=resources.GROUP),
    _Row(
        service="dbforpostgresql",
        kind="FlexibleServer",
        plural="flexibleservers",
        table=postgresql.SERVER,
        versions=("v1beta2", "v1beta1"),
        holds="databases",
        references=(
            Reference("resourceGroupName", _RESOURCE_GROUP),
            Reference("sourceServerId", _SERVER, extract=_ID),
            Reference("delegatedSubnetId", GroupKind(f"network.{GROUP}", "Subnet"), extract=_ID),
            Reference("privateDnsZoneId", GroupKind(f"network.{GROUP}", "PrivateDNSZone"), extract=_ID),
        ),
        generates=(Generated("autoGeneratePassword", "administratorPasswordSecretRef"),),
        keys=("endpoint", "port", "username", "password", "attribute.administrator_password"),
    ),
    _Row(
        service="dbforpostgresql",
        kind="FlexibleServerDatabase",
        plural="flexibleserverdatabases",
        table=postgresql.DATABASE,
        holds="a database",
        references=_OF_SERVER,
    ),
    _Row(
        service="dbforpostgresql",
        kind="FlexibleServerFirewallRule",
        plural="flexibleserverfirewallrules",
        table=postgresql.FIREWALL_RULE,
        references=_OF_SERVER,
    ),
    _Row(
        service="dbforpostgresql",
        kind="FlexibleServerConfiguration",
        plural="flexibleserverconfigurations",
        table=postgresql.CONFIGURATION,
        external_name="assigned",
        references=_OF_SERVER,
    ),
)


def kinds(connections: Connections) -> tuple[ManagedKind, ...]:
    """Every kind of the provider in both lineages, sharing connections and what they know of running operations."""
    operations = Operations()
    made: list[ManagedKind] = []
    for row in _ROWS:
        legacy, twin = with_namespaced_twin(_kind(row, connections, operations))
        made += [legacy, msgspec.structs.replace(twin, versions=("v1beta1",))]
    return tuple(made)


def _kind(row: _Row, connections: Connections, operations: Operations) -> ManagedKind:
    return ManagedKind(
        provider=PROVIDER,
        group=f"{row.service}.{GROUP}" if row.service else GROUP,
        kind=row.kind,
        plural=row.plural,
        versions=row.versions,
        schemas=partial(schema, row.table),
        connector=AzureConnector(row.table, connections, operations),
        external_name=row.external_name,
        holds=row.holds,
        references=row.references,
        generates=row.generates,
        connection_keys=row.keys,
    )


TABLES: Final[Mapping[str, Table]] = {f"{row.service}/{row.kind}".lstrip("/"): row.table for row in _ROWS}
