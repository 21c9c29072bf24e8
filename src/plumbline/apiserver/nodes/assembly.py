"""All of this room as one object, for whoever puts a control plane together."""

from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Controller
from plumbline.apiserver.nodes.autoscaling.controller import Autoscaler
from plumbline.apiserver.nodes.disruption.controller import BudgetKeeper
from plumbline.apiserver.nodes.logs.book import LogBook
from plumbline.apiserver.nodes.logs.serving import refuse_connection, serve_log
from plumbline.apiserver.nodes.machines.controller import NodeKeeper
from plumbline.apiserver.nodes.machines.fleet import Fleet, pod_network
from plumbline.apiserver.nodes.machines.orphans import OrphanCollector
from plumbline.apiserver.nodes.machines.status import registered_node
from plumbline.apiserver.nodes.pods.behavior import Scenario
from plumbline.apiserver.nodes.pods.controller import Kubelet
from plumbline.apiserver.nodes.scheduling.controller import Scheduler
from plumbline.apiserver.nodes.services.balancers import IngressAddresser, ServiceBalancer
from plumbline.apiserver.nodes.services.controller import EndpointsKeeper
from plumbline.apiserver.nodes.settings import NodeSettings
from plumbline.apiserver.nodes.volumes.binding import ClaimBinder
from plumbline.apiserver.nodes.volumes.protection import ClaimProtector, EphemeralClaimer
from plumbline.apiserver.nodes.volumes.provisioning import standard_class
from plumbline.apiserver.nodes.volumes.reclaiming import VolumeReclaimer
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject


class Nodes:
    def __init__(
        self, cluster: Cluster, settings: NodeSettings | None = None, *, scenario: Scenario | None = None
    ) -> None:
        settings = settings or NodeSettings()
        fleet = Fleet(cluster, settings)
        self.logs = LogBook(scenario, settings.timing)
        self.bootstrap_objects: tuple[JsonObject, ...] = (
            registered_node(settings, str(pod_network(settings, 0))),
            standard_class(),
        )
        """What a new cluster has before anybody wrote anything."""
        self.controllers: tuple[Controller, ...] = (
            NodeKeeper(cluster, settings),
            OrphanCollector(cluster),
            Scheduler(cluster),
            Kubelet(cluster, fleet, self.logs, scenario=scenario, timing=settings.timing),
            EndpointsKeeper(cluster),
            ServiceBalancer(cluster),
            IngressAddresser(cluster),
            ClaimBinder(cluster),
            VolumeReclaimer(cluster),
            ClaimProtector(cluster),
            EphemeralClaimer(cluster),
            Autoscaler(cluster),
            BudgetKeeper(cluster),
        )
        self._cluster = cluster

    async def serve_log(self, namespace: str, name: str, call: Call) -> Answer:
        """GET of pods/log."""
        return await serve_log(self._cluster, self.logs, namespace, name, call)

    def refuse_connection(self, namespace: str, name: str, subresource: str, call: Call) -> RequestRefused:
        """What to raise for pods/exec, pods/attach and pods/portforward."""
        return refuse_connection(self._cluster, namespace, name, subresource, call)


def node_controllers(cluster: Cluster, settings: NodeSettings | None = None) -> tuple[Controller, ...]:
    return Nodes(cluster, settings).controllers
