"""The machines that pods of an application run on, and how much of each it asks for. Pure."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.delivery.tree.pods import ENDED
from plumbline.delivery.tree.reading import below, text, texts
from plumbline.delivery.tree.requests import RESOURCES, milli, requested

_SYSTEM: Final = (
    "machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion",
    "kubeProxyVersion", "operatingSystem", "architecture",
)  # fmt: skip


def hosts_of(
    nodes: Iterable[JsonObject], pods: Mapping[str, Iterable[JsonObject]], own: Collection[str], labels: Iterable[str]
) -> list[JsonObject]:
    """*pods* by the name of their node; *own* are uids of the application's; of *labels* people may see."""
    shown = tuple(labels)
    return [_host(node, pods.get(text(node, "metadata", "name"), ()), own, shown) for node in nodes]


def _host(node: JsonObject, pods: Iterable[JsonObject], own: Collection[str], labels: tuple[str, ...]) -> JsonObject:
    by_app = dict.fromkeys(RESOURCES, 0)
    by_others = dict.fromkeys(RESOURCES, 0)
    for pod in pods:
        ours = text(pod, "metadata", "uid") in own
        if not ours and text(pod, "status", "phase") in ENDED:
            continue
        for name, amount in requested(pod).items():
            (by_app if ours else by_others)[name] += amount
    capacity = below(node, "status", "capacity")
    resources = [
        {
            "resourceName": name,
            "requestedByApp": by_app[name],
            "requestedByNeighbors": by_others[name],
            "capacity": most,
        }
        for name in RESOURCES
        if (most := milli(capacity.get(name))) > 0
    ]
    system = below(node, "status", "nodeInfo")
    named = texts(node, "metadata", "labels")
    host: JsonObject = {
        "name": text(node, "metadata", "name"),
        "resourcesInfo": [{part: value for part, value in each.items() if value} for each in resources],
        "systemInfo": {name: text(system, name) for name in _SYSTEM},
        "labels": {name: named[name] for name in labels if name in named},
    }
    return {part: value for part, value in host.items() if value}
