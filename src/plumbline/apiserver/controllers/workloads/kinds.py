"""The kinds that workload controllers read and write."""

from typing import Final

from plumbline.apiserver.resources.resource import Collection
from plumbline.kube.names import GroupKind

POD: Final = GroupKind("", "Pod")
NODE: Final = GroupKind("", "Node")
CLAIM: Final = GroupKind("", "PersistentVolumeClaim")
REPLICATION_CONTROLLER: Final = GroupKind("", "ReplicationController")
REPLICA_SET: Final = GroupKind("apps", "ReplicaSet")
DEPLOYMENT: Final = GroupKind("apps", "Deployment")
STATEFUL_SET: Final = GroupKind("apps", "StatefulSet")
DAEMON_SET: Final = GroupKind("apps", "DaemonSet")
REVISION: Final = GroupKind("apps", "ControllerRevision")
JOB: Final = GroupKind("batch", "Job")
CRON_JOB: Final = GroupKind("batch", "CronJob")

PODS: Final = Collection("", "pods")

HASH_LABEL: Final = "pod-template-hash"
REVISION_LABEL: Final = "controller-revision-hash"
