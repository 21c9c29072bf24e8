"""What names things in Azure. The account is the subscription; no name minds the case of its letters."""

from typing import Final

from plumbline.ownership.external.shape import Rule, Scope

_IN_GROUP: Final = ("resource_group_name", "name")


def _chosen(type_: str, scope: Scope, kind: str, names: tuple[str, ...] = ("name",)) -> Rule:
    service, _, plain = kind.rpartition(" ")
    group = f"{service}.azure.upbound.io" if service else "azure.upbound.io"
    return Rule(type_, scope, names, f"{plain}.{group}", external_name=True, fold=True, joint="/", place="location")


RULES: Final = (
    _chosen("azurerm_resource_group", Scope.ACCOUNT, "ResourceGroup"),
    # Servers and storage accounts have names in DNS, of which there is one in the world.
    _chosen("azurerm_postgresql_flexible_server", Scope.GLOBAL, "dbforpostgresql FlexibleServer"),
    _chosen("azurerm_storage_account", Scope.GLOBAL, "storage Account"),
    _chosen("azurerm_mssql_server", Scope.GLOBAL, "sql MSSQLServer"),
    _chosen("azurerm_kubernetes_cluster", Scope.ACCOUNT, "containerservice KubernetesCluster", _IN_GROUP),
    _chosen("azurerm_virtual_network", Scope.ACCOUNT, "network VirtualNetwork", _IN_GROUP),
    _chosen("azurerm_key_vault", Scope.GLOBAL, "keyvault Vault"),
)

TYPES: Final = {
    "microsoft.dbforpostgresql/flexibleservers": "azurerm_postgresql_flexible_server",
    "microsoft.storage/storageaccounts": "azurerm_storage_account",
    "microsoft.sql/servers": "azurerm_mssql_server",
    "microsoft.containerservice/managedclusters": "azurerm_kubernetes_cluster",
    "microsoft.network/virtualnetworks": "azurerm_virtual_network",
    "microsoft.keyvault/vaults": "azurerm_key_vault",
}
"""What ARM calls them, in lower case."""
