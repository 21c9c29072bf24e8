"""The Endpoints object of a service: addresses by ports, those that are ready and those that are not."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.nodes.services.backends import (
    HEADLESS,
    TRIGGER,
    Backend,
    Port,
    families,
    headless,
    of_family,
    trigger_time,
)
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject

_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_KEEPER: Final = "endpoint-controller"


def endpoints_of(service: JsonObject, backends: Sequence[Backend], old: JsonObject | None) -> JsonObject:
    """The Endpoints as they should be; *old* itself where they are so already."""
    before = metadata_of(old or {})
    labels = _labels(service)
    subsets = subsets_of(service, backends)
    same = old is not None and (old.get("subsets") or []) == subsets and (before.get("labels") or {}) == labels
    if old is not None and same:
        return old
    annotations = {key: value for key, value in (before.get("annotations") or {}).items() if key != TRIGGER}
    trigger = trigger_time(service, backends, (before.get("annotations") or {}).get(TRIGGER, "") if old else None)
    if trigger:
        annotations[TRIGGER] = trigger
    metadata = {
        **before,
        "name": metadata_of(service)["name"],
        "namespace": metadata_of(service)["namespace"],
        "labels": labels,
        "annotations": annotations,
    }
    if not annotations:
        del metadata["annotations"]
    return {"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": subsets}


def subsets_of(service: JsonObject, backends: Sequence[Backend]) -> list[JsonObject]:
    """One for each set of ports that pods have: a pod may have the service's ports at different numbers."""
    spec = service.get("spec") or {}
    anyway = bool(spec.get("publishNotReadyAddresses"))
    groups: dict[tuple[Port, ...], tuple[list[JsonObject], list[JsonObject]]] = defaultdict(lambda: ([], []))
    bare = headless(service) and not spec.get("ports")
    for each in backends:
        addresses = of_family(each.addresses, str(families(service)[0]))
        if not addresses or (each.terminating and not anyway):
            continue
        address = _address(addresses[0], each)
        for ports in [()] if bare else [(port,) for port in each.ports]:
            groups[ports][0 if each.serving or anyway else 1].append(address)
    return [_subset(ports, *found) for ports, found in _merged(groups)]


def _merged(
    groups: dict[tuple[Port, ...], tuple[list[JsonObject], list[JsonObject]]],
) -> list[tuple[tuple[Port, ...], tuple[list[JsonObject], list[JsonObject]]]]:
    """Ports with the very same addresses behind them go together."""
    merged: list[tuple[tuple[Port, ...], tuple[list[JsonObject], list[JsonObject]]]] = []
    for ports in sorted(groups):
        found = groups[ports]
        for place, (others, there) in enumerate(merged):
            if there == found:
                merged[place] = ((*others, *ports), there)
                break
        else:
            merged.append((ports, found))
    return merged


def _subset(ports: tuple[Port, ...], ready: list[JsonObject], unready: list[JsonObject]) -> JsonObject:
    subset: JsonObject = {
        "addresses": sorted(ready, key=_order),
        "notReadyAddresses": sorted(unready, key=_order),
        "ports": [_port(each) for each in ports],
    }
    return {field: value for field, value in subset.items() if value}


def _order(address: JsonObject) -> tuple[str, str]:
    return str(address["ip"]), str(address["targetRef"]["uid"])


def _port(port: Port) -> JsonObject:
    shown = {"name": port.name, "port": port.number, "protocol": port.protocol, "appProtocol": port.app_protocol}
    return {field: value for field, value in shown.items() if value != ""}


def _address(ip: str, backend: Backend) -> JsonObject:
    shown = {"ip": ip, "hostname": backend.hostname, "nodeName": backend.node, "targetRef": backend.target()}
    return {field: value for field, value in shown.items() if value}


def _labels(service: JsonObject) -> dict[str, str]:
    labels = {**(metadata_of(service).get("labels") or {}), _MANAGED_BY: _KEEPER}
    labels.pop(HEADLESS, None)
    return {**labels, HEADLESS: ""} if headless(service) else labels
