"""Caches."""

from collections.abc import Mapping
from typing import Final

from plumbline.kube.names import GroupKind
from plumbline.managed.external import Difference
from plumbline.managed.kinds import Generated, Reference
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.table import Call, Read, States, Table, Tags, Update

_GROUP: Final = {"ReplicationGroupId": "$name"}
_OF_MEMBERS: Final = "engineVersion securityGroupIds parameterGroupName subnetGroupName maintenanceWindow"
_TAGS: Final = Tags(
    read=Read("ListTagsForResource", {"ResourceName": "$arn"}, at="TagList", into="Tags"),
    write=Call("AddTagsToResource", {"ResourceName": "$arn", "Tags": "$tags"}),
    erase=Call("RemoveTagsFromResource", {"ResourceName": "$arn", "TagKeys": "$keys"}),
)


async def _change_replicas(scene: Scene, differences: Mapping[str, Difference]) -> None:
    changed = differences["numCacheClusters"]
    more = int(changed.wanted) > int(changed.found or 0)
    params = {"ReplicationGroupId": scene.name, "NewReplicaCount": int(changed.wanted) - 1, "ApplyImmediately": True}
    await scene.call("IncreaseReplicaCount" if more else "DecreaseReplicaCount", params)


REPLICATION_GROUP: Final = Table(
    service="elasticache", kind="ReplicationGroup", plural="replicationgroups", versions=("v1beta2", "v1beta1"), loose=True,
    create=Call("CreateReplicationGroup", _GROUP), created_at="ReplicationGroup",
    reads=(Read("DescribeReplicationGroups", _GROUP, at="ReplicationGroups[0]"),
           # What only its members tell is asked of the first one, where somebody wants it.
           Read("DescribeCacheClusters", {"CacheClusterId": "$found.MemberClusters"}, at="CacheClusters[0]", into="Member", when=_OF_MEMBERS)),
    updates=(Update("ModifyReplicationGroup", _GROUP | {"ApplyImmediately": "$.applyImmediately"}),),
    change=_change_replicas, changed="numCacheClusters",
    delete=Call("DeleteReplicationGroup", _GROUP | {"FinalSnapshotIdentifier": "$.finalSnapshotIdentifier"}),
    settable="description engineVersion nodeType numCacheClusters automaticFailoverEnabled multiAzEnabled securityGroupIds parameterGroupName"
    " snapshotRetentionLimit snapshotWindow maintenanceWindow autoMinorVersionUpgrade notificationTopicArn transitEncryptionMode",
    fixed="engine numNodeGroups replicasPerNodeGroup atRestEncryptionEnabled transitEncryptionEnabled kmsKeyId subnetGroupName port"
    " networkType ipDiscovery dataTieringEnabled snapshotName preferredCacheClusterAzs",
    unread="engine autoMinorVersionUpgrade notificationTopicArn replicasPerNodeGroup snapshotName preferredCacheClusterAzs"
    " port dataTieringEnabled numNodeGroups",
    local="applyImmediately finalSnapshotIdentifier", switches="applyImmediately", required="description",
    names={"description": "ReplicationGroupDescription", "nodeType": "CacheNodeType", "subnetGroupName": "CacheSubnetGroupName",
           "parameterGroupName": "CacheParameterGroupName", "maintenanceWindow": "PreferredMaintenanceWindow",
           "preferredCacheClusterAzs": "PreferredCacheClusterAZs"},
    found={"description": "Description", "numCacheClusters": "length(MemberClusters || `[]`)",
           "automaticFailoverEnabled": "AutomaticFailover == 'enabled' || AutomaticFailover == 'enabling'", "multiAzEnabled": "MultiAZ == 'enabled'",
           "engineVersion": "Member.EngineVersion", "securityGroupIds": "Member.SecurityGroups[].SecurityGroupId",
           "parameterGroupName": "Member.CacheParameterGroup.CacheParameterGroupName", "subnetGroupName": "Member.CacheSubnetGroupName",
           "maintenanceWindow": "Member.PreferredMaintenanceWindow"},
    same={"kmsKeyId": "id", "engineVersion": "version", "maintenanceWindow": "lower", "snapshotWindow": "lower"},
    tags=_TAGS, states=States("Status", creating="creating", deleting="deleting", unavailable="create-failed", changing="modifying snapshotting"), arn="ARN",
    extra={"configurationEndpointAddress": "ConfigurationEndpoint.Address", "primaryEndpointAddress": "NodeGroups[0].PrimaryEndpoint.Address",
           "readerEndpointAddress": "NodeGroups[0].ReaderEndpoint.Address", "memberClusters": "MemberClusters", "clusterEnabled": "ClusterEnabled"},
    connection={"configuration_endpoint_address": "ConfigurationEndpoint.Address", "reader_endpoint_address": "NodeGroups[0].ReaderEndpoint.Address",
                "primary_endpoint_address": "NodeGroups[0].PrimaryEndpoint.Address",
                "port": "ConfigurationEndpoint.Port || NodeGroups[0].PrimaryEndpoint.Port"},
    secrets={"authTokenSecretRef": "AuthToken"}, generates=(Generated("autoGenerateAuthToken", "authTokenSecretRef"),),
    references=(Reference("subnetGroupName", GroupKind("elasticache.aws.upbound.io", "SubnetGroup")),
                Reference("securityGroupIds", GroupKind("ec2.aws.upbound.io", "SecurityGroup"), many=True),
                Reference("kmsKeyId", GroupKind("kms.aws.upbound.io", "Key"), extract="status.atProvider.arn")),
    holds="a cache",
)  # fmt: skip

SUBNET_GROUP: Final = Table(
    service="elasticache", kind="SubnetGroup", plural="subnetgroups",
    create=Call("CreateCacheSubnetGroup", {"CacheSubnetGroupName": "$name", "CacheSubnetGroupDescription": "Managed by Plumbline"}),
    created_at="CacheSubnetGroup", reads=(Read("DescribeCacheSubnetGroups", {"CacheSubnetGroupName": "$name"}, at="CacheSubnetGroups[0]"),),
    updates=(Update("ModifyCacheSubnetGroup", {"CacheSubnetGroupName": "$name"}),),
    delete=Call("DeleteCacheSubnetGroup", {"CacheSubnetGroupName": "$name"}),
    settable="subnetIds description", required="subnetIds", names={"description": "CacheSubnetGroupDescription"},
    found={"subnetIds": "Subnets[].SubnetIdentifier"}, tags=_TAGS, arn="ARN", extra={"vpcId": "VpcId"},
    references=(Reference("subnetIds", GroupKind("ec2.aws.upbound.io", "Subnet"), many=True),),
)  # fmt: skip

TABLES: Final = (REPLICATION_GROUP, SUBNET_GROUP)
