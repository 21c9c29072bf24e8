"""Where the placed pods are, kept up to date with every change, so that placing one costs no walk over all."""

from collections.abc import Iterator, Sequence

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.nodes.kinds import NODE
from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Entry, Key


class Placements:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._pods: dict[str, dict[Key, Candidate]] = {}
        self._nodes: dict[Key, str] = {}
        self._places: dict[str, Place] = {}
        """Those nodes on which nothing has changed since they were looked at."""

    def observe(self, entry: Entry) -> Candidate | None:
        """Take note of a pod as it is now; None where it is gone."""
        obj = self._cluster.at(entry.key)
        pod = Candidate(obj) if obj is not None else None
        if pod is not None and pod.node and not pod.finished:
            self.place(entry.key, pod, pod.node)
        else:
            self.remove(entry.key)
        return pod

    def place(self, key: Key, pod: Candidate, node: str) -> None:
        if self._nodes.get(key, node) != node:
            self.remove(key)
        self._nodes[key] = node
        self._pods.setdefault(node, {})[key] = pod
        self._places.pop(node, None)

    def remove(self, key: Key) -> None:
        node = self._nodes.pop(key, None)
        if node is not None:
            self._pods[node].pop(key, None)
            self._places.pop(node, None)

    def holds(self, key: Key) -> bool:
        return key in self._nodes

    def node_changed(self, name: str) -> None:
        self._places.pop(name, None)

    def places(self) -> Sequence[Place]:
        return list(self._each_place())

    def _each_place(self) -> Iterator[Place]:
        for entry in self._cluster.entries(NODE):
            name = entry.key.name
            if name not in self._places:
                node = entry.object()
                if metadata_of(node).get("deletionTimestamp"):
                    continue
                self._places[name] = Place(node, list(self._pods.get(name, {}).values()))
            yield self._places[name]
