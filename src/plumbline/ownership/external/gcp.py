"""What names things in Google Cloud. The account is the project."""

from typing import Final

from plumbline.ownership.external.shape import Rule, Scope


def _chosen(type_: str, scope: Scope, kind: str, names: tuple[str, ...] = ("name",), place: str = "region") -> Rule:
    service, _, plain = kind.partition(" ")
    return Rule(type_, scope, names, f"{plain}.{service}.gcp.upbound.io", external_name=True, joint="/", place=place)


RULES: Final = (
    _chosen("google_sql_database_instance", Scope.ACCOUNT, "sql DatabaseInstance"),
    _chosen("google_sql_database", Scope.ACCOUNT, "sql Database", ("instance", "name")),
    _chosen("google_sql_user", Scope.ACCOUNT, "sql User", ("instance", "name")),
    _chosen("google_storage_bucket", Scope.GLOBAL, "storage Bucket"),
    _chosen("google_compute_network", Scope.ACCOUNT, "compute Network"),
    _chosen("google_compute_subnetwork", Scope.REGION, "compute Subnetwork"),
    _chosen("google_container_cluster", Scope.REGION, "container Cluster", place="location"),
    _chosen("google_container_node_pool", Scope.REGION, "container NodePool", ("cluster", "name"), "location"),
    _chosen("google_redis_instance", Scope.REGION, "redis Instance"),
    _chosen("google_pubsub_topic", Scope.ACCOUNT, "pubsub Topic"),
    _chosen("google_service_account", Scope.ACCOUNT, "cloudplatform ServiceAccount", ("account_id",)),
)

PATHS: Final = {
    "instances": {"": "google_sql_database_instance", "locations": "google_redis_instance"},
    "networks": {"": "google_compute_network"},
    "subnetworks": {"": "google_compute_subnetwork"},
    "clusters": {"": "google_container_cluster"},
    "topics": {"": "google_pubsub_topic"},
    "databases": {"": "google_sql_database"},
}
"""Collections in resource paths; `instances` below a location are Redis, without one Cloud SQL."""
