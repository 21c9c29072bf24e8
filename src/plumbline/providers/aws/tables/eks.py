"""Clusters of Kubernetes and their nodes."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind
from plumbline.managed.external import Difference
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.table import Call, Codec, Read, States, Table, Tags, Update

_ROLE: Final = GroupKind("iam.aws.upbound.io", "Role")
_SUBNET: Final = GroupKind("ec2.aws.upbound.io", "Subnet")
_TAGS: Final = Tags(
    member="tags", found="tags", form="map", write=Call("TagResource", {"resourceArn": "$arn", "tags": "$tags"}),
    erase=Call("UntagResource", {"resourceArn": "$arn", "tagKeys": "$keys"}),
)  # fmt: skip
_LOGS: Final = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def _logging(wanted: Json, _: JsonObject) -> JsonObject:
    off = [log for log in _LOGS if log not in wanted]
    turned = [{"types": list(wanted), "enabled": True}] if wanted else []
    return {"logging": {"clusterLogging": [*turned, *([{"types": off, "enabled": False}] if off else [])]}}


def _logged(found: JsonObject) -> Json:
    groups = (found.get("logging") or {}).get("clusterLogging") or []
    return [log for group in groups if group.get("enabled") for log in group.get("types", ())]


CLUSTER: Final = Table(
    service="eks", kind="Cluster", plural="clusters", versions=("v1beta2", "v1beta1"), loose=True,
    create=Call("CreateCluster", {"name": "$name", "clientRequestToken": "$token"}), created_at="cluster", exists="ResourceInUseException",
    reads=(Read("DescribeCluster", {"name": "$name"}, at="cluster"),),
    # One kind of change at a time: the next one follows when this one has ended.
    updates=(Update("UpdateClusterVersion", {"name": "$name"}, fields="version"),
             Update("UpdateClusterConfig", {"name": "$name"}, fields="vpcConfig"),
             Update("UpdateClusterConfig", {"name": "$name"}, fields="enabledClusterLogTypes"),
             Update("UpdateClusterConfig", {"name": "$name"}, fields="accessConfig"),
             Update("UpdateClusterConfig", {"name": "$name"}, fields="upgradePolicy")),
    delete=Call("DeleteCluster", {"name": "$name"}),
    settable="version vpcConfig enabledClusterLogTypes accessConfig upgradePolicy",
    fixed="roleArn encryptionConfig kubernetesNetworkConfig computeConfig storageConfig bootstrapSelfManagedAddons outpostConfig",
    unread="computeConfig storageConfig bootstrapSelfManagedAddons outpostConfig",
    names={"vpcConfig": "resourcesVpcConfig"}, same={"version": "version"}, required="vpcConfig",
    codecs={"enabledClusterLogTypes": Codec({"type": "array", "items": {"type": "string"}}, _logging, _logged)},
    tags=_TAGS, arn="arn",
    states=States("status", creating="CREATING PENDING", deleting="DELETING", unavailable="FAILED", changing="UPDATING"),
    extra={"endpoint": "endpoint", "platformVersion": "platformVersion", "status": "status", "certificateAuthority": "[certificateAuthority][?@]",
           "identity": "[identity][?@]", "clusterId": "id"},
    references=(Reference("roleArn", _ROLE, extract="status.atProvider.arn"), Reference("vpcConfig.subnetIds", _SUBNET, many=True),
                Reference("vpcConfig.securityGroupIds", GroupKind("ec2.aws.upbound.io", "SecurityGroup"), many=True)),
    holds="a cluster", wait_s=15.0,
)  # fmt: skip

_NODES: Final = {"clusterName": "$.clusterName", "nodegroupName": "$name"}


def _labels(differences: Mapping[str, Difference], _: JsonObject) -> JsonObject:
    changed = differences.get("labels")
    if changed is None:
        return {}
    gone = [label for label in changed.found or {} if label not in (changed.wanted or {})]
    return {"labels": {"addOrUpdateLabels": changed.wanted or {}, **({"removeLabels": gone} if gone else {})}}


NODE_GROUP: Final = Table(
    service="eks", kind="NodeGroup", plural="nodegroups", versions=("v1beta2", "v1beta1"), loose=True,
    create=Call("CreateNodegroup", _NODES | {"clientRequestToken": "$token"}), created_at="nodegroup", exists="ResourceInUseException",
    reads=(Read("DescribeNodegroup", _NODES, at="nodegroup"),),
    updates=(Update("UpdateNodegroupVersion", _NODES, fields="version releaseVersion"),
             Update("UpdateNodegroupConfig", _NODES, fields="scalingConfig updateConfig labels", build=_labels, built="labels")),
    delete=Call("DeleteNodegroup", _NODES),
    settable="scalingConfig updateConfig labels version releaseVersion",
    fixed="subnetIds instanceTypes amiType capacityType diskSize nodeRoleArn taint launchTemplate remoteAccess", unread="launchTemplate remoteAccess",
    names={"nodeRoleArn": "nodeRole", "subnetIds": "subnets", "taint": "taints"}, local="clusterName", required="scalingConfig",
    same={"version": "version", "releaseVersion": "version"}, tags=_TAGS, arn="nodegroupArn",
    states=States("status", creating="CREATING", deleting="DELETING", unavailable="CREATE_FAILED DELETE_FAILED DEGRADED",
                  changing="UPDATING", why="health.issues[0].message"),
    extra={"status": "status", "resources": "[resources][?@]"},
    references=(Reference("clusterName", GroupKind("eks.aws.upbound.io", "Cluster")), Reference("nodeRoleArn", _ROLE, extract="status.atProvider.arn"),
                Reference("subnetIds", _SUBNET, many=True)),
    wait_s=15.0,
)  # fmt: skip

TABLES: Final = (CLUSTER, NODE_GROUP)
