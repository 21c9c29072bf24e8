"""Which things have states, what they are called, and where moto keeps them."""

from typing import Final

import msgspec


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    service: str
    store: tuple[str, ...]
    """Attributes from the backend to the things by name; `{Parameter}` stands for that parameter of the call."""
    key: str
    """The parameter that names the thing."""
    shown: str
    """How an answer spells the state, around `{}`."""
    attribute: str = "status"
    """Of moto's object. Empty where moto keeps no state: answers are rewritten instead."""
    index: str = ""
    """A second store beside the backends of all accounts, which has the same names."""
    ready: str = "available"
    create: tuple[str, ...] = ()
    modify: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    describe: tuple[str, ...] = ()
    """Those that read one thing by its name."""
    creating: str = "creating"
    modifying: str = "modifying"
    deleting: str = "deleting"

    @property
    def operations(self) -> tuple[str, ...]:
        return (*self.create, *self.modify, *self.delete)


KINDS: Final = (
    Kind(
        name="db-instance",
        service="rds",
        store=("databases",),
        key="DBInstanceIdentifier",
        shown="<DBInstanceStatus>{}</DBInstanceStatus>",
        create=("CreateDBInstance", "CreateDBInstanceReadReplica", "RestoreDBInstanceFromDBSnapshot"),
        modify=("ModifyDBInstance",),
        delete=("DeleteDBInstance",),
        describe=("DescribeDBInstances",),
    ),
    Kind(
        name="db-cluster",
        service="rds",
        store=("clusters",),
        key="DBClusterIdentifier",
        shown="<Status>{}</Status>",
        create=("CreateDBCluster",),
        modify=("ModifyDBCluster",),
        delete=("DeleteDBCluster",),
        describe=("DescribeDBClusters",),
    ),
    Kind(
        name="replication-group",
        service="elasticache",
        store=("replication_groups",),
        key="ReplicationGroupId",
        shown="<Status>{}</Status>",
        create=("CreateReplicationGroup",),
        modify=("ModifyReplicationGroup",),
        delete=("DeleteReplicationGroup",),
        describe=("DescribeReplicationGroups",),
    ),
    Kind(
        name="eks-cluster",
        service="eks",
        store=("clusters",),
        key="name",
        shown='"status": "{}"',
        ready="ACTIVE",
        create=("CreateCluster",),
        modify=("UpdateClusterVersion", "UpdateClusterConfig"),
        delete=("DeleteCluster",),
        describe=("DescribeCluster",),
        creating="CREATING",
        modifying="UPDATING",
        deleting="DELETING",
    ),
    Kind(
        name="eks-nodegroup",
        service="eks",
        store=("clusters", "{clusterName}", "nodegroups"),
        key="nodegroupName",
        shown='"status": "{}"',
        ready="ACTIVE",
        create=("CreateNodegroup",),
        modify=("UpdateNodegroupConfig", "UpdateNodegroupVersion"),
        delete=("DeleteNodegroup",),
        describe=("DescribeNodegroup",),
        creating="CREATING",
        modifying="UPDATING",
        deleting="DELETING",
    ),
    Kind(
        name="dynamodb-table",
        service="dynamodb",
        store=("tables",),
        key="TableName",
        shown='"TableStatus": "{}"',
        attribute="",
        ready="ACTIVE",
        create=("CreateTable",),
        modify=("UpdateTable",),
        delete=("DeleteTable",),
        describe=("DescribeTable",),
        creating="CREATING",
        modifying="UPDATING",
        deleting="DELETING",
    ),
    Kind(
        name="bucket",
        service="s3",
        store=("buckets",),
        index="bucket_accounts",
        key="Bucket",
        shown="",
        attribute="",
        create=("CreateBucket",),
        delete=("DeleteBucket",),
        describe=("HeadBucket",),
    ),
    Kind(
        name="queue",
        service="sqs",
        store=("queues",),
        key="QueueName",
        shown="",
        attribute="",
        create=("CreateQueue",),
        delete=("DeleteQueue",),
        describe=("GetQueueUrl",),
    ),
    Kind(
        name="role",
        service="iam",
        store=("roles",),
        key="RoleName",
        shown="",
        attribute="",
        create=("CreateRole",),
        delete=("DeleteRole",),
        describe=("GetRole",),
    ),
)

BY_OPERATION: Final = {
    (kind.service, operation): kind for kind in KINDS for operation in (*kind.operations, *kind.describe)
}
BY_SERVICE: Final = {
    service: tuple(kind for kind in KINDS if kind.service == service) for service in {k.service for k in KINDS}
}
