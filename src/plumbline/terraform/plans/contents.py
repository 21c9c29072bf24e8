"""What is lost with a resource besides the resource itself, told from its type; a table of data."""

from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

_HELD: Final = (
    ("a database", (
        "aws_db_cluster*", "aws_db_instance", "aws_docdb_cluster*", "aws_lightsail_database", "aws_memorydb_cluster",
        "aws_neptune_cluster*", "aws_rds_cluster*", "aws_rds_global_cluster", "aws_redshift_cluster",
        "aws_redshiftserverless_namespace", "aws_timestreamwrite_database", "azurerm_cosmosdb_*", "azurerm_mariadb_*",
        "azurerm_mssql_database", "azurerm_mssql_managed_*", "azurerm_mssql_server", "azurerm_mysql_flexible_*",
        "azurerm_mysql_server", "azurerm_mysql_database", "azurerm_postgresql_*", "azurerm_sql_*",
        "digitalocean_database_*", "google_alloydb_*", "google_bigtable_*", "google_firestore_database",
        "google_spanner_*", "google_sql_database*", "hcloud_database*", "mongodbatlas_*cluster", "mysql_database",
        "postgresql_database", "postgresql_schema", "snowflake_database", "snowflake_schema",
    )),
    ("a table", ("aws_dynamodb_table*", "aws_dynamodb_global_table", "aws_keyspaces_table", "aws_timestreamwrite_table",
                 "google_bigquery_table", "snowflake_table")),
    ("a data set", ("google_bigquery_dataset", "google_healthcare_*", "aws_glue_catalog_*")),
    ("a bucket", ("aws_s3_bucket", "aws_s3_directory_bucket", "aws_s3tables_*", "azurerm_storage_account",
                  "azurerm_storage_container", "azurerm_storage_data_lake_*", "cloudflare_r2_bucket",
                  "digitalocean_spaces_bucket", "google_storage_bucket", "hcloud_storage_*", "minio_s3_bucket")),
    ("an object", ("aws_s3_object", "aws_s3_bucket_object", "azurerm_storage_blob", "google_storage_bucket_object")),
    ("a file system", ("aws_efs_file_system", "aws_fsx_*", "azurerm_netapp_*", "azurerm_storage_share*",
                       "google_filestore_instance")),
    ("a volume", ("aws_ebs_volume", "azurerm_managed_disk", "digitalocean_volume", "google_compute_disk",
                  "google_compute_region_disk", "hcloud_volume", "kubernetes_persistent_volume*",
                  "openstack_blockstorage_volume*", "vsphere_virtual_disk")),
    ("a copy of a volume", ("aws_ebs_snapshot*", "aws_ami", "azurerm_snapshot", "google_compute_snapshot")),
    ("backups", ("aws_backup_vault", "aws_db_snapshot", "aws_db_cluster_snapshot", "azurerm_backup_*",
                 "azurerm_recovery_services_vault", "google_backup_dr_*")),
    ("keys", ("aws_kms_key", "aws_kms_external_key", "aws_kms_replica_key", "aws_cloudhsm_v2_*", "azurerm_key_vault*",
              "google_kms_*", "vault_transit_secret_backend_key", "yandex_kms_*")),
    ("a secret that exists nowhere else", (
        "random_bytes", "random_password", "tls_private_key", "aws_iam_access_key", "aws_key_pair",
        "aws_secretsmanager_secret*", "aws_ssm_parameter", "azuread_*password", "google_secret_manager_secret*",
        "google_service_account_key", "vault_generic_secret", "vault_kv_secret*", "vault_mount",
    )),
    ("a cache", ("aws_elasticache_*cluster", "aws_elasticache_replication_group", "aws_elasticache_serverless_cache",
                 "azurerm_redis_*", "google_memcache_instance", "google_redis_*")),
    ("a search index", ("aws_cloudsearch_domain", "aws_elasticsearch_domain", "aws_opensearch_domain",
                        "aws_opensearchserverless_collection", "azurerm_search_service", "elasticstack_*_index*")),
    ("a message log", ("aws_kinesis_stream", "aws_msk_cluster", "aws_msk_serverless_cluster", "azurerm_eventhub*",
                       "confluent_kafka_*", "google_pubsub_*", "kafka_topic")),
    ("a message queue", ("aws_mq_broker", "aws_sqs_queue", "azurerm_servicebus_*", "rabbitmq_queue")),
    ("logs", ("aws_cloudwatch_log_group", "azurerm_log_analytics_workspace", "google_logging_project_bucket_config")),
    ("images", ("aws_ecr_repository", "azurerm_container_registry", "google_artifact_registry_repository",
                "google_container_registry")),
    ("a repository", ("github_repository", "gitlab_project", "gitea_repository")),
    ("users", ("aws_cognito_user_pool", "aws_cognito_identity_pool", "keycloak_realm")),
    ("everything in the namespace", ("kubernetes_namespace*",)),
    ("every object of the kind", ("kubernetes_custom_resource_definition*",)),
    ("everything in the group", ("azurerm_resource_group", "google_project", "aws_organizations_account")),
    ("everything the release runs", ("helm_release",)),
    ("what is on the machine", ("aws_instance", "google_compute_instance", "azurerm_*virtual_machine", "hcloud_server",
                                "digitalocean_droplet", "openstack_compute_instance*", "vsphere_virtual_machine")),
)  # fmt: skip
"""First match counts."""
_REACH: Final = (
    ("a cluster and what runs in it", ("aws_eks_cluster", "aws_ecs_cluster", "azurerm_kubernetes_cluster",
                                       "digitalocean_kubernetes_cluster", "google_container_cluster")),
    ("a network", ("aws_vpc", "aws_subnet", "aws_route_table", "aws_internet_gateway", "aws_nat_gateway",
                   "aws_ec2_transit_gateway*", "aws_vpn_*", "aws_dx_*", "azurerm_virtual_network*", "azurerm_subnet",
                   "google_compute_network*", "google_compute_subnetwork", "google_compute_router*", "hcloud_network*")),
    ("a zone of names", ("aws_route53_zone", "azurerm_dns_zone", "azurerm_private_dns_zone", "cloudflare_zone",
                         "digitalocean_domain", "google_dns_managed_zone")),
    ("names", ("aws_route53_record", "azurerm_dns_*_record", "cloudflare_record", "google_dns_record_set")),
    ("who may do what", ("aws_iam_*", "aws_ssoadmin_*", "azuread_*", "azurerm_role_*", "azurerm_user_assigned_identity",
                         "google_*_iam_*", "google_service_account", "kubernetes_*role*", "kubernetes_service_account*")),
    ("who reaches what", ("aws_security_group*", "aws_network_acl*", "aws_vpc_security_group_*", "azurerm_firewall*",
                          "azurerm_network_security_*", "google_compute_firewall*")),
    ("a way in", ("aws_lb", "aws_alb", "aws_elb", "aws_eip", "aws_cloudfront_distribution", "aws_api_gateway_*",
                  "aws_apigatewayv2_*", "azurerm_lb", "azurerm_public_ip", "azurerm_application_gateway",
                  "google_compute_address", "google_compute_global_address", "google_compute_*forwarding_rule")),
    ("a certificate", ("aws_acm_certificate", "google_compute_managed_ssl_certificate", "acme_certificate")),
)  # fmt: skip
"""What others need who are not in the plan."""
_GUARDS: Final = (
    "aws_backup_plan", "aws_backup_selection", "aws_backup_vault_lock_configuration", "aws_cloudtrail",
    "aws_s3_bucket_object_lock_configuration", "aws_s3_bucket_public_access_block", "aws_s3_bucket_versioning",
    "azurerm_management_lock", "google_resource_manager_lien", "google_compute_resource_policy",
)  # fmt: skip
"""Resources that exist to keep others from harm."""
_MINOR: Final = (
    "local_file", "local_sensitive_file", "null_resource", "random_id", "random_integer", "random_pet",
    "random_shuffle", "random_string", "random_uuid", "terraform_data", "time_*",
)  # fmt: skip


@lru_cache(maxsize=4096)
def held(type_: str) -> str:
    """What is lost with a resource of this type besides it; empty where it can be made again."""
    return _first(_HELD, type_)


@lru_cache(maxsize=4096)
def reached(type_: str) -> str:
    """What others have of it that are not in the plan."""
    return _first(_REACH, type_)


def is_minor(type_: str) -> bool:
    """Whether there is nothing behind it in the world."""
    return any(fnmatchcase(type_, pattern) for pattern in _MINOR)


def is_guard(type_: str) -> bool:
    return type_ in _GUARDS


def _first(table: tuple[tuple[str, tuple[str, ...]], ...], type_: str) -> str:
    return next((phrase for phrase, patterns in table if any(fnmatchcase(type_, each) for each in patterns)), "")
