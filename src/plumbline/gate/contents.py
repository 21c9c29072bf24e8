"""What is lost with an object besides the object itself: what no Git repository can make again."""

from typing import Final

from plumbline.kube.names import GroupKind, Ref

_STATEFUL: Final[dict[GroupKind, str]] = {
    GroupKind("", "Namespace"): "everything in the namespace",
    GroupKind("", "PersistentVolume"): "a volume",
    GroupKind("", "PersistentVolumeClaim"): "a volume",
    GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"): "every object of the kind",
    GroupKind("apps", "StatefulSet"): "the workload of volumes",
    GroupKind("argoproj.io", "Application"): "everything the application delivers",
    GroupKind("argoproj.io", "ApplicationSet"): "every application it makes",
    GroupKind("snapshot.storage.k8s.io", "VolumeSnapshot"): "a copy of a volume",
    GroupKind("snapshot.storage.k8s.io", "VolumeSnapshotContent"): "a copy of a volume",
    GroupKind("acid.zalan.do", "postgresql"): "a database",
    GroupKind("ceph.rook.io", "CephBlockPool"): "storage",
    GroupKind("ceph.rook.io", "CephCluster"): "storage",
    GroupKind("ceph.rook.io", "CephFilesystem"): "storage",
    GroupKind("ceph.rook.io", "CephObjectStore"): "storage",
    GroupKind("cassandra.datastax.com", "CassandraDatacenter"): "a database",
    GroupKind("clickhouse.altinity.com", "ClickHouseInstallation"): "a database",
    GroupKind("crdb.cockroachlabs.com", "CrdbCluster"): "a database",
    GroupKind("elasticsearch.k8s.elastic.co", "Elasticsearch"): "a search index",
    GroupKind("infra.contrib.fluxcd.io", "Terraform"): "everything that its module has made",
    GroupKind("k8s.mariadb.com", "MariaDB"): "a database",
    GroupKind("kafka.strimzi.io", "Kafka"): "a message log",
    GroupKind("kafka.strimzi.io", "KafkaTopic"): "a message log",
    GroupKind("longhorn.io", "Volume"): "a volume",
    GroupKind("minio.min.io", "Tenant"): "a bucket store",
    GroupKind("mongodb.com", "MongoDB"): "a database",
    GroupKind("mongodbcommunity.mongodb.com", "MongoDBCommunity"): "a database",
    GroupKind("mysql.oracle.com", "InnoDBCluster"): "a database",
    GroupKind("opensearch.opster.io", "OpenSearchCluster"): "a search index",
    GroupKind("pgv2.percona.com", "PerconaPGCluster"): "a database",
    GroupKind("postgres-operator.crunchydata.com", "PostgresCluster"): "a database",
    GroupKind("postgresql.cnpg.io", "Cluster"): "a database",
    GroupKind("postgresql.cnpg.io", "Database"): "a database",
    GroupKind("psmdb.percona.com", "PerconaServerMongoDB"): "a database",
    GroupKind("pxc.percona.com", "PerconaXtraDBCluster"): "a database",
    GroupKind("rabbitmq.com", "RabbitmqCluster"): "a message queue",
    GroupKind("redis.redis.opstreelabs.in", "RedisCluster"): "a database",
    GroupKind("scylla.scylladb.com", "ScyllaCluster"): "a database",
    GroupKind("vault.banzaicloud.com", "Vault"): "a secret store",
}
_CLOUD_SERVICES: Final = {
    "backup": "backups",
    "bigtable": "a database",
    "cloudsql": "a database",
    "dbformysql": "a database",
    "dbforpostgresql": "a database",
    "docdb": "a database",
    "documentdb": "a database",
    "dynamodb": "a table",
    "efs": "a file system",
    "elasticache": "a cache",
    "fsx": "a file system",
    "kms": "keys",
    "memorydb": "a database",
    "neptune": "a database",
    "opensearch": "a search index",
    "rds": "a database",
    "redis": "a cache",
    "redshift": "a database",
    "s3": "a bucket",
    "spanner": "a database",
    "sql": "a database",
    "storage": "a bucket",
}
"""First labels of API groups of cloud providers' kinds, as in `rds.aws.upbound.io` or `sql.cnrm.cloud.google.com`."""
_CLOUDS: Final = (
    ".upbound.io",
    ".crossplane.io",
    ".cnrm.cloud.google.com",
    ".services.k8s.aws",
    ".azure.com",
    ".plumbline.dev",
)
_KIND_WORDS: Final = ("database", "postgres", "mysql", "mongo", "redis", "bucket", "volume")
"""In names of kinds that nobody here knows: a platform's own claims are called what they are."""


CONTAINERS: Final = frozenset({
    GroupKind("", "Namespace"), GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"),
    GroupKind("argoproj.io", "Application"), GroupKind("argoproj.io", "ApplicationSet"),
    GroupKind("apiextensions.crossplane.io", "CompositeResourceDefinition"),
    GroupKind("infra.contrib.fluxcd.io", "Terraform"),
})  # fmt: skip
"""With one of these go others, which nobody has named."""


def held(ref: Ref) -> str:
    """What is lost with an object besides the object itself; empty where it can be made again from Git."""
    known = _STATEFUL.get(GroupKind(ref.group, ref.kind))
    if known is not None:
        return known
    if ref.group.endswith(_CLOUDS):
        service = ref.group.partition(".")[0]
        if service in _CLOUD_SERVICES:
            return _CLOUD_SERVICES[service]
    if "." in ref.group and not ref.group.endswith(".k8s.io"):
        lower = ref.kind.lower()
        return next((f"a {word}" for word in _KIND_WORDS if word in lower), "")
    return ""
