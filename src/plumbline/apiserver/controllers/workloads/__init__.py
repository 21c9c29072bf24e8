"""The controllers that turn workloads into pods: Deployments, sets of every sort, Jobs and CronJobs.

Each keeps its decisions apart from its writes: `planning` modules are pure, controllers carry out what they say. They
read the plane's own memory, so that a look always sees what the last one wrote, and all that must outlive a look is in
objects: whoever is killed between two writes goes on where it was.
"""

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Controller
from plumbline.apiserver.controllers.workloads.cronjobs.controller import CronJobController
from plumbline.apiserver.controllers.workloads.daemonsets.controller import DaemonSetController
from plumbline.apiserver.controllers.workloads.deployments.controller import DeploymentController
from plumbline.apiserver.controllers.workloads.jobs.controller import JobController
from plumbline.apiserver.controllers.workloads.jobs.ttl import TtlController
from plumbline.apiserver.controllers.workloads.replicasets.controller import (
    REPLICATION_CONTROLLERS,
    ReplicaSetController,
)
from plumbline.apiserver.controllers.workloads.statefulsets.controller import StatefulSetController

__all__ = ["workload_controllers"]


def workload_controllers(cluster: Cluster) -> tuple[Controller, ...]:
    return (
        DeploymentController(cluster),
        ReplicaSetController(cluster),
        ReplicaSetController(cluster, REPLICATION_CONTROLLERS),
        StatefulSetController(cluster),
        DaemonSetController(cluster),
        JobController(cluster),
        TtlController(cluster),
        CronJobController(cluster),
    )
