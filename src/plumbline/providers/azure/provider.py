"""The provider as the rest knows it: its kinds, and what connects them."""

from collections.abc import Mapping
from typing import Final

from plumbline.kube.names import GroupKind
from plumbline.managed.external import Config, External
from plumbline.managed.kinds import Generated, ManagedKind, ProviderKind, Reference
from plumbline.providers.azure.accounts import Connections
from plumbline.providers.azure.external import AzureExternal
from plumbline.providers.azure.operations import Operations
from plumbline.providers.azure.schemas import config_schema, schema
from plumbline.providers.azure.services import postgresql, resources
from plumbline.providers.azure.tables import Table
from plumbline.providers.rest.kinds import Row, kinds_of

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


_ROWS: Final[tuple[Row[Table], ...]] = (
    Row(kind="ResourceGroup", plural="resourcegroups", table=resources.GROUP),
    Row(
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
    Row(
        service="dbforpostgresql",
        kind="FlexibleServerDatabase",
        plural="flexibleserverdatabases",
        table=postgresql.DATABASE,
        holds="a database",
        references=_OF_SERVER,
    ),
    Row(
        service="dbforpostgresql",
        kind="FlexibleServerFirewallRule",
        plural="flexibleserverfirewallrules",
        table=postgresql.FIREWALL_RULE,
        references=_OF_SERVER,
    ),
    Row(
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

    async def external(table: Table, config: Config) -> External:
        return AzureExternal(table, await connections.of(config), operations)

    return kinds_of(PROVIDER, _ROWS, schema, external)


TABLES: Final[Mapping[str, Table]] = {row.name: row.table for row in _ROWS}
