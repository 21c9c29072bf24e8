"""All simulated nodes: which there are, where they are, and the addresses and images that their pods use."""

from collections.abc import Hashable
from ipaddress import IPv4Network
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.nodes.addresses import AddressPool
from plumbline.apiserver.nodes.settings import SIMULATED, NodeSettings
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.storage.entries import Entry
from plumbline.base.json import JsonObject

_SHORTEST_PREFIX: Final = 24
_MOST_IMAGES: Final = 10_000


class Fleet:
    def __init__(self, cluster: Cluster, settings: NodeSettings) -> None:
        self._cluster = cluster
        self._settings = settings
        self._addresses: dict[str, str] = {}
        self._pools: dict[str, AddressPool] = {}
        self._images: dict[str, None] = {}

    def observe(self, entry: Entry) -> bool:
        """Take note of a node as it is now; whether it is a simulated one."""
        node = self._cluster.at(entry.key)
        name = entry.key.name
        if node is None or not simulated(node):
            self._addresses.pop(name, None)
            return False
        self._addresses[name] = internal_address(node) or self._settings.address
        if name not in self._pools:
            self._pools[name] = AddressPool(self._network(node))
        return True

    def has(self, node: str) -> bool:
        return node in self._addresses

    def address(self, node: str) -> str:
        return self._addresses.get(node, "")

    def take_address(self, node: str, holder: Hashable) -> str:
        return self._pools[node].take(holder)

    def hold_address(self, node: str, holder: Hashable, address: str) -> None:
        self._pools[node].hold(holder, address)

    def give_back_address(self, node: str, holder: Hashable) -> None:
        self._pools[node].give_back(holder)

    def give_back_everywhere(self, holder: Hashable) -> None:
        for pool in self._pools.values():
            pool.give_back(holder)

    def has_image(self, reference: str) -> bool:
        return reference in self._images

    def keep_images(self, references: frozenset[str]) -> None:
        if len(self._images) > _MOST_IMAGES:
            self._images.clear()
        self._images.update(dict.fromkeys(references))

    def _network(self, node: JsonObject) -> IPv4Network:
        given = (node.get("spec") or {}).get("podCIDR")
        try:
            return IPv4Network(str(given))
        except ValueError:
            return pod_network(self._settings, len(self._pools))


def pod_network(settings: NodeSettings, place: int) -> IPv4Network:
    """The part of the pod network for the node in that *place*, with room for all its pods twice over."""
    prefix = min(_SHORTEST_PREFIX, 32 - (2 * settings.capacity.pods + 3).bit_length())
    whole = IPv4Network(settings.pod_network)
    parts = 2 ** max(prefix - whole.prefixlen, 0)
    start = int(whole.network_address) + (place % parts) * 2 ** (32 - prefix)
    return IPv4Network((start, prefix))


def simulated(node: JsonObject) -> bool:
    return (metadata_of(node).get("annotations") or {}).get(SIMULATED) == "true"


def internal_address(node: JsonObject) -> str:
    for each in (node.get("status") or {}).get("addresses") or ():
        if each.get("type") == "InternalIP":
            return str(each.get("address") or "")
    return ""
