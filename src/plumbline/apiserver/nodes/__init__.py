"""Nodes without machines: a scheduler, kubelets whose containers only pretend to run, and what goes on around pods.

Everything here is simulated and says so: Nodes carry `plumbline.dev/simulated`, events come from `simulated-kubelet`,
and nobody gets into a container. Images are not pulled, probes are not sent and hooks are not run.
"""

from plumbline.apiserver.nodes.assembly import Nodes, node_controllers
from plumbline.apiserver.nodes.pods.behavior import Rule, Scenario
from plumbline.apiserver.nodes.settings import Capacity, NodeSettings, Timing

__all__ = ["Capacity", "NodeSettings", "Nodes", "Rule", "Scenario", "Timing", "node_controllers"]
