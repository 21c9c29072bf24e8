"""Relational databases."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind
from plumbline.managed.external import Difference
from plumbline.managed.kinds import Generated, Reference
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.table import Call, Equality, Key, Master, Read, States, Table, Tags, Update

_GROUP: Final = "rds.aws.upbound.io"
_SECURITY_GROUPS: Final = Reference("vpcSecurityGroupIds", GroupKind("ec2.aws.upbound.io", "SecurityGroup"), many=True)
_SUBNET_GROUP: Final = Reference("dbSubnetGroupName", GroupKind(_GROUP, "SubnetGroup"))
_KEY: Final = Reference("kmsKeyId", GroupKind("kms.aws.upbound.io", "Key"), extract="status.atProvider.arn")
_ROLE: Final = Reference("monitoringRoleArn", GroupKind("iam.aws.upbound.io", "Role"), extract="status.atProvider.arn")
_WRITE: Final = Call("AddTagsToResource", {"ResourceName": "$arn", "Tags": "$tags"})
_ERASE: Final = Call("RemoveTagsFromResource", {"ResourceName": "$arn", "TagKeys": "$keys"})
_TAGS: Final = Tags(found="TagList", write=_WRITE, erase=_ERASE)
_BROKEN: Final = (
    "failed stopped stopping inaccessible-encryption-credentials incompatible-network incompatible-option-group"
    " incompatible-parameters incompatible-restore incompatible-create insufficient-capacity restore-error storage-full"
    " inaccessible-encryption-credentials-recoverable migration-failed cloning-failed"
)
_CHANGING: Final = (
    "modifying upgrading maintenance rebooting renaming backing-up resetting-master-credentials configuring-log-exports"
    " configuring-enhanced-monitoring configuring-iam-database-auth converting-to-vpc moving-to-vpc storage-config-upgrade"
)
_ADDRESS: Final = "Endpoint.Address"
_ENDPOINT: Final = "Endpoint.Address && join(':', [Endpoint.Address, to_string(Endpoint.Port)])"
_NAMES: Final = {
    "instanceClass": "DBInstanceClass",
    "username": "MasterUsername",
    "parameterGroupName": "DBParameterGroupName",
    "backupWindow": "PreferredBackupWindow",
    "maintenanceWindow": "PreferredMaintenanceWindow",
    "performanceInsightsEnabled": "EnablePerformanceInsights",
    "iamDatabaseAuthenticationEnabled": "EnableIAMDatabaseAuthentication",
    "enabledCloudwatchLogsExports": "EnableCloudwatchLogsExports",
    "caCertIdentifier": "CACertificateIdentifier",
    "customerOwnedIpEnabled": "EnableCustomerOwnedIp",
}
_KEYS: Final[dict[str, Equality]] = {
    "kmsKeyId": "id",
    "performanceInsightsKmsKeyId": "id",
    "masterUserSecretKmsKeyId": "id",
}
_FOUND: Final = {
    "vpcSecurityGroupIds": "VpcSecurityGroups[].VpcSecurityGroupId",
    "performanceInsightsEnabled": "PerformanceInsightsEnabled",
    "iamDatabaseAuthenticationEnabled": "IAMDatabaseAuthenticationEnabled",
    "enabledCloudwatchLogsExports": "EnabledCloudwatchLogsExports",
    "manageMasterUserPassword": "MasterUserSecret != `null`",
    "masterUserSecretKmsKeyId": "MasterUserSecret.KmsKeyId",
}


def _with_pending(found: JsonObject, _: Scene) -> JsonObject:
    """What was asked for and waits for the maintenance window counts as done: asking again changes nothing."""
    return {
        **found,
        **{name: value for name, value in (found.get("PendingModifiedValues") or {}).items() if value is not None},
    }


def _log_exports(differences: Mapping[str, Difference], _: JsonObject) -> JsonObject:
    changed = differences.get("enabledCloudwatchLogsExports")
    if changed is None:
        return {}
    wanted, found = set(changed.wanted or ()), set(changed.found or ())
    turned = {"EnableLogTypes": sorted(wanted - found), "DisableLogTypes": sorted(found - wanted)}
    return {"CloudwatchLogsExportConfiguration": {name: logs for name, logs in turned.items() if logs}}


def _final_snapshot(scene: Scene) -> JsonObject:
    """Unless somebody says otherwise the content is kept: under a name that is this incarnation's, so that it is never taken."""
    wanted = scene.wanted
    if wanted.get("skipFinalSnapshot") or wanted.get("replicateSourceDb"):
        return {"SkipFinalSnapshot": True}
    said = wanted.get("finalSnapshotIdentifier")
    return {
        "SkipFinalSnapshot": False,
        "FinalDBSnapshotIdentifier": said or f"{scene.name}-final-{scene.managed.uid[:8]}",
    }


INSTANCE: Final = Table(
    service="rds", kind="Instance", plural="instances", versions=("v1beta3", "v1beta2", "v1beta1"), loose=True,
    external_name="assigned", key=Key("identifier", limit=63), called="DBInstanceIdentifier",
    foreign=("db-[A-Z0-9]{20,}", Read(
        "DescribeDBInstances", {"Filters": [{"Name": "dbi-resource-id", "Values": ["$name"]}]}, at="DBInstances[0].DBInstanceIdentifier"
    )),
    create=Call("CreateDBInstance", {"DBInstanceIdentifier": "$name"}), created_at="DBInstance",
    variants={
        "replicateSourceDb": Call("CreateDBInstanceReadReplica", {"DBInstanceIdentifier": "$name"}),
        "snapshotIdentifier": Call("RestoreDBInstanceFromDBSnapshot", {"DBInstanceIdentifier": "$name"}),
        "restoreToPointInTime": Call("RestoreDBInstanceToPointInTime", {
            "TargetDBInstanceIdentifier": "$name",
            "SourceDBInstanceIdentifier": "$.restoreToPointInTime.sourceDbInstanceIdentifier",
            "SourceDbiResourceId": "$.restoreToPointInTime.sourceDbiResourceId",
            "RestoreTime": "$.restoreToPointInTime.restoreTime",
            "UseLatestRestorableTime": "$.restoreToPointInTime.useLatestRestorableTime",
        }),
    },
    reads=(Read("DescribeDBInstances", {"DBInstanceIdentifier": "$name"}, at="DBInstances[0]"),),
    seen=_with_pending,
    updates=(Update(
        "ModifyDBInstance", build=_log_exports, built="enabledCloudwatchLogsExports", names={"port": "DBPortNumber"},
        params={"DBInstanceIdentifier": "$name", "ApplyImmediately": "$.applyImmediately", "AllowMajorVersionUpgrade": "$.allowMajorVersionUpgrade"},
    ),),
    delete=Call("DeleteDBInstance", {"DBInstanceIdentifier": "$name", "DeleteAutomatedBackups": "$.deleteAutomatedBackups"}),
    deletion=_final_snapshot,
    settable="instanceClass engineVersion allocatedStorage maxAllocatedStorage storageType iops storageThroughput multiAz"
    " publiclyAccessible port dbSubnetGroupName vpcSecurityGroupIds parameterGroupName optionGroupName backupRetentionPeriod"
    " backupWindow maintenanceWindow deletionProtection autoMinorVersionUpgrade copyTagsToSnapshot performanceInsightsEnabled"
    " performanceInsightsKmsKeyId performanceInsightsRetentionPeriod monitoringInterval monitoringRoleArn caCertIdentifier"
    " enabledCloudwatchLogsExports iamDatabaseAuthenticationEnabled licenseModel networkType dedicatedLogVolume"
    " databaseInsightsMode engineLifecycleSupport customerOwnedIpEnabled domain domainIamRoleName domainFqdn domainOu domainAuthSecretArn domainDnsIps manageMasterUserPassword"
    " masterUserSecretKmsKeyId",
    fixed="engine username dbName storageEncrypted kmsKeyId availabilityZone characterSetName ncharCharacterSetName timezone"
    " customIamInstanceProfile backupTarget replicateSourceDb snapshotIdentifier",
    unread="replicateSourceDb snapshotIdentifier domain domainIamRoleName domainFqdn domainOu domainAuthSecretArn domainDnsIps",
    local="applyImmediately allowMajorVersionUpgrade skipFinalSnapshot finalSnapshotIdentifier deleteAutomatedBackups restoreToPointInTime",
    switches="applyImmediately allowMajorVersionUpgrade skipFinalSnapshot deleteAutomatedBackups", maps="restoreToPointInTime",
    required="instanceClass",
    names=_NAMES | {"replicateSourceDb": "SourceDBInstanceIdentifier", "snapshotIdentifier": "DBSnapshotIdentifier"},
    found=_FOUND | {
        "dbSubnetGroupName": "DBSubnetGroup.DBSubnetGroupName",
        "parameterGroupName": "DBParameterGroups[0].DBParameterGroupName",
        "optionGroupName": "OptionGroupMemberships[0].OptionGroupName",
        "port": "Port || Endpoint.Port || DbInstancePort",
        "customerOwnedIpEnabled": "CustomerOwnedIpEnabled",
    },
    same=_KEYS | {"engineVersion": "version", "dbSubnetGroupName": "lower", "parameterGroupName": "lower", "backupWindow": "lower",
          "maintenanceWindow": "lower"},
    grows={"allocatedStorage": "maxAllocatedStorage"},
    tags=_TAGS, arn="DBInstanceArn",
    states=States("DBInstanceStatus", creating="creating", deleting="deleting", unavailable=_BROKEN, changing=_CHANGING),
    extra={
        "address": _ADDRESS, "endpoint": _ENDPOINT, "hostedZoneId": "Endpoint.HostedZoneId",
        "engineVersionActual": "EngineVersion", "resourceId": "DbiResourceId", "status": "DBInstanceStatus",
        "masterUserSecret": "[MasterUserSecret][?@]", "replicas": "ReadReplicaDBInstanceIdentifiers", "listenerEndpoint": "[ListenerEndpoint][?@]",
        "identifier": "DBInstanceIdentifier",
    },
    connection={"endpoint": _ENDPOINT, "address": _ADDRESS, "host": _ADDRESS,
                "port": "Endpoint.Port", "username": "MasterUsername"},
    master=Master(inherited="replicateSourceDb snapshotIdentifier restoreToPointInTime"),
    generates=(Generated("autoGeneratePassword", "passwordSecretRef"),),
    references=(_SECURITY_GROUPS, _SUBNET_GROUP, _KEY, _ROLE, Reference("replicateSourceDb", GroupKind(_GROUP, "Instance"))),
    holds="a database", size="AllocatedStorage && join(' ', [to_string(AllocatedStorage), 'GB'])",
    protected={"DeletionProtection": "deletionProtection is on"},
)  # fmt: skip

CLUSTER: Final = Table(
    service="rds", kind="Cluster", plural="clusters", versions=("v1beta2", "v1beta1"), loose=True,
    create=Call("CreateDBCluster", {"DBClusterIdentifier": "$name"}), created_at="DBCluster",
    variants={"snapshotIdentifier": Call("RestoreDBClusterFromSnapshot", {"DBClusterIdentifier": "$name"})},
    reads=(Read("DescribeDBClusters", {"DBClusterIdentifier": "$name"}, at="DBClusters[0]"),),
    seen=_with_pending,
    updates=(Update(
        "ModifyDBCluster", build=_log_exports, built="enabledCloudwatchLogsExports",
        params={"DBClusterIdentifier": "$name", "ApplyImmediately": "$.applyImmediately", "AllowMajorVersionUpgrade": "$.allowMajorVersionUpgrade"},
    ),),
    delete=Call("DeleteDBCluster", {"DBClusterIdentifier": "$name", "DeleteAutomatedBackups": "$.deleteAutomatedBackups"}),
    deletion=_final_snapshot,
    settable="engineVersion port vpcSecurityGroupIds backupRetentionPeriod preferredBackupWindow preferredMaintenanceWindow"
    " deletionProtection copyTagsToSnapshot dbClusterParameterGroupName iamDatabaseAuthenticationEnabled scalingConfiguration"
    " serverlessv2ScalingConfiguration enableHttpEndpoint enabledCloudwatchLogsExports backtrackWindow allocatedStorage iops"
    " storageType dbClusterInstanceClass networkType engineLifecycleSupport manageMasterUserPassword masterUserSecretKmsKeyId"
    " performanceInsightsEnabled performanceInsightsKmsKeyId performanceInsightsRetentionPeriod monitoringInterval monitoringRoleArn",
    fixed="engine engineMode databaseName masterUsername dbSubnetGroupName availabilityZones storageEncrypted kmsKeyId"
    " globalClusterIdentifier replicationSourceIdentifier snapshotIdentifier",
    unread="globalClusterIdentifier snapshotIdentifier availabilityZones",
    local="applyImmediately allowMajorVersionUpgrade skipFinalSnapshot finalSnapshotIdentifier deleteAutomatedBackups",
    switches="applyImmediately allowMajorVersionUpgrade skipFinalSnapshot deleteAutomatedBackups",
    required="engine",
    names=_NAMES | {"serverlessv2ScalingConfiguration": "ServerlessV2ScalingConfiguration"},
    found=_FOUND | {
        "dbSubnetGroupName": "DBSubnetGroup", "dbClusterParameterGroupName": "DBClusterParameterGroup",
        "scalingConfiguration": "ScalingConfigurationInfo", "enableHttpEndpoint": "HttpEndpointEnabled",
    },
    same=_KEYS | {"engineVersion": "version", "dbSubnetGroupName": "lower", "dbClusterParameterGroupName": "lower",
          "preferredBackupWindow": "lower", "preferredMaintenanceWindow": "lower"},
    tags=_TAGS, arn="DBClusterArn",
    states=States("Status", creating="creating", deleting="deleting", unavailable=_BROKEN, changing=_CHANGING),
    extra={
        "clusterResourceId": "DbClusterResourceId", "endpoint": "Endpoint", "readerEndpoint": "ReaderEndpoint", "hostedZoneId": "HostedZoneId",
        "iamRoles": "AssociatedRoles[].RoleArn", "clusterMembers": "DBClusterMembers[].DBInstanceIdentifier",
        "masterUserSecret": "[MasterUserSecret][?@]", "engineVersionActual": "EngineVersion",
    },
    connection={"endpoint": "Endpoint", "reader_endpoint": "ReaderEndpoint", "master_username": "MasterUsername", "port": "Port"},
    master=Master(user="masterUsername", reference="masterPasswordSecretRef", keys=("attribute.master_password",),
                  inherited="snapshotIdentifier globalClusterIdentifier replicationSourceIdentifier"),
    generates=(Generated("autoGeneratePassword", "masterPasswordSecretRef"),),
    references=(_SECURITY_GROUPS, _SUBNET_GROUP, _KEY, _ROLE),
    holds="a database", size="AllocatedStorage && join(' ', [to_string(AllocatedStorage), 'GB'])",
    protected={"DeletionProtection": "deletionProtection is on"},
)  # fmt: skip

CLUSTER_INSTANCE: Final = Table(
    service="rds", kind="ClusterInstance", plural="clusterinstances",
    create=Call("CreateDBInstance", {"DBInstanceIdentifier": "$name"}), created_at="DBInstance",
    reads=(Read("DescribeDBInstances", {"DBInstanceIdentifier": "$name"}, at="DBInstances[0]"),),
    seen=_with_pending,
    updates=(Update("ModifyDBInstance", {"DBInstanceIdentifier": "$name", "ApplyImmediately": "$.applyImmediately"}),),
    delete=Call("DeleteDBInstance", {"DBInstanceIdentifier": "$name", "SkipFinalSnapshot": True}),
    settable="instanceClass publiclyAccessible promotionTier autoMinorVersionUpgrade copyTagsToSnapshot preferredMaintenanceWindow"
    " dbParameterGroupName monitoringInterval monitoringRoleArn performanceInsightsEnabled performanceInsightsKmsKeyId"
    " performanceInsightsRetentionPeriod caCertIdentifier",
    fixed="engine clusterIdentifier availabilityZone dbSubnetGroupName engineVersion",
    unread="engineVersion",
    local="applyImmediately", switches="applyImmediately", required="engine instanceClass",
    names=_NAMES | {"clusterIdentifier": "DBClusterIdentifier"},
    found=_FOUND | {
        "dbSubnetGroupName": "DBSubnetGroup.DBSubnetGroupName", "dbParameterGroupName": "DBParameterGroups[0].DBParameterGroupName",
    },
    same={"dbSubnetGroupName": "lower", "dbParameterGroupName": "lower", "preferredMaintenanceWindow": "lower"},
    tags=_TAGS, arn="DBInstanceArn",
    states=States("DBInstanceStatus", creating="creating", deleting="deleting", unavailable=_BROKEN, changing=_CHANGING),
    extra={"endpoint": _ADDRESS, "port": "Endpoint.Port", "dbiResourceId": "DbiResourceId", "engineVersionActual": "EngineVersion"},
    connection={"endpoint": _ADDRESS, "port": "Endpoint.Port"},
    references=(Reference("clusterIdentifier", GroupKind(_GROUP, "Cluster")), _SUBNET_GROUP, _ROLE),
)  # fmt: skip

SUBNET_GROUP: Final = Table(
    service="rds", kind="SubnetGroup", plural="subnetgroups",
    create=Call("CreateDBSubnetGroup", {"DBSubnetGroupName": "$name", "DBSubnetGroupDescription": "Managed by Plumbline"}),
    created_at="DBSubnetGroup",
    reads=(Read("DescribeDBSubnetGroups", {"DBSubnetGroupName": "$name"}, at="DBSubnetGroups[0]"),),
    updates=(Update("ModifyDBSubnetGroup", {"DBSubnetGroupName": "$name"}, form="whole"),),
    delete=Call("DeleteDBSubnetGroup", {"DBSubnetGroupName": "$name"}),
    settable="subnetIds description", required="subnetIds",
    names={"description": "DBSubnetGroupDescription"}, found={"subnetIds": "Subnets[].SubnetIdentifier"},
    arn="DBSubnetGroupArn", extra={"vpcId": "VpcId", "supportedNetworkTypes": "SupportedNetworkTypes"},
    tags=Tags(write=_WRITE, erase=_ERASE, found="TagList",
              read=Read("ListTagsForResource", {"ResourceName": "$arn"}, at="TagList", into="TagList")),
    references=(Reference("subnetIds", GroupKind("ec2.aws.upbound.io", "Subnet"), many=True),),
)  # fmt: skip

TABLES: Final = (INSTANCE, CLUSTER, CLUSTER_INSTANCE, SUBNET_GROUP)
