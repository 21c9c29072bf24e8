"""EndpointSlices of a service: a plan of what to write, so that endpoints stay where they are if they can."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

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

SERVICE_NAME: Final = "kubernetes.io/service-name"
MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
KEEPER: Final = "endpointslice-controller.k8s.io"
LARGEST: Final = 100
_RESERVED: Final = (SERVICE_NAME, MANAGED_BY, HEADLESS)


class SlicePlan(NamedTuple):
    create: Sequence[JsonObject]
    update: Sequence[JsonObject]
    delete: Sequence[JsonObject]


def plan_slices(service: JsonObject, backends: Sequence[Backend], existing: Sequence[JsonObject]) -> SlicePlan:
    create: list[JsonObject] = []
    update: list[JsonObject] = []
    delete = [each for each in existing if each.get("addressType") not in families(service)]
    for family in families(service):
        mine = [each for each in existing if each.get("addressType") == family]
        planned = _plan_family(service, backends, mine, str(family))
        create += planned.create
        update += planned.update
        delete += planned.delete
    return SlicePlan(create, update, delete)


def _plan_family(
    service: JsonObject, backends: Sequence[Backend], existing: Sequence[JsonObject], family: str
) -> SlicePlan:
    groups: dict[tuple[Port, ...], dict[str, JsonObject]] = defaultdict(dict)
    for each in backends:
        addresses = of_family(each.addresses, family)
        if addresses:
            groups[each.ports][each.uid] = _endpoint(service, each, addresses)
    filled: list[tuple[JsonObject | None, tuple[Port, ...], list[JsonObject]]] = []
    left = list(existing)
    for ports, wanted in groups.items():
        same = [each for each in left if _ports_of(each) == ports]
        left = [each for each in left if each not in same]
        filled += [(slice_, ports, endpoints) for slice_, endpoints in _fill(wanted, same)]
    kept = [each for each in filled if each[2]]
    left += [slice_ for slice_, _, endpoints in filled if slice_ is not None and not endpoints]
    if not kept:
        # A service always has a slice, even if there is nothing in it.
        kept = [(left.pop(0) if left else None, (), [])]
    return _plan(service, backends, kept, left, family)


def _fill(
    wanted: Mapping[str, JsonObject], slices: Sequence[JsonObject]
) -> list[tuple[JsonObject | None, list[JsonObject]]]:
    """Who is in a slice stays in it; others go where there is room, then into new ones."""
    rest = dict(wanted)
    filled: list[tuple[JsonObject | None, list[JsonObject]]] = []
    for each in slices:
        uids = [(endpoint.get("targetRef") or {}).get("uid") for endpoint in each.get("endpoints") or ()]
        filled.append((each, [rest.pop(uid) for uid in uids if uid in rest]))
    for _, endpoints in filled:
        while rest and len(endpoints) < LARGEST:
            endpoints.append(rest.pop(next(iter(rest))))
    others = list(rest.values())
    filled += [(None, others[start : start + LARGEST]) for start in range(0, len(others), LARGEST)]
    return filled


def _plan(
    service: JsonObject,
    backends: Sequence[Backend],
    kept: Sequence[tuple[JsonObject | None, tuple[Port, ...], list[JsonObject]]],
    unused: Sequence[JsonObject],
    family: str,
) -> SlicePlan:
    create, update = [], []
    labels = _labels(service)
    for old, ports, endpoints in kept:
        if old is None:
            create.append(_made(service, ports, endpoints, family))
            continue
        before = metadata_of(old)
        contents = {"endpoints": endpoints or None, "ports": [_port(each) for each in ports] or None}
        same_contents = all((old.get(field) or None) == value for field, value in contents.items())
        if same_contents and before.get("labels") == labels:
            continue
        annotations = {key: value for key, value in (before.get("annotations") or {}).items() if key != TRIGGER}
        trigger = trigger_time(service, backends, (before.get("annotations") or {}).get(TRIGGER, ""))
        annotations = {**annotations, TRIGGER: trigger} if trigger else annotations
        update.append({**old, **contents, "metadata": {**before, "labels": labels, "annotations": annotations}})
    return SlicePlan(create, update, unused)


def _made(service: JsonObject, ports: tuple[Port, ...], endpoints: list[JsonObject], family: str) -> JsonObject:
    metadata = metadata_of(service)
    owner = {
        "apiVersion": "v1",
        "kind": "Service",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    trigger = trigger_time(service, (), None)
    made: JsonObject = {
        "generateName": f"{metadata['name']}-",
        "namespace": metadata["namespace"],
        "labels": _labels(service),
        "ownerReferences": [owner],
    }
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {**made, "annotations": {TRIGGER: trigger}} if trigger else made,
        "addressType": family,
        "endpoints": endpoints or None,
        "ports": [_port(each) for each in ports] or None,
    }


def _endpoint(service: JsonObject, backend: Backend, addresses: list[str]) -> JsonObject:
    anyway = bool((service.get("spec") or {}).get("publishNotReadyAddresses"))
    ready = anyway or (backend.serving and not backend.terminating)
    shown: JsonObject = {
        "addresses": addresses,
        "conditions": {"ready": ready, "serving": backend.serving, "terminating": backend.terminating},
        "hostname": backend.hostname,
        "nodeName": backend.node,
        "targetRef": backend.target(),
        "zone": backend.zone,
    }
    return {field: value for field, value in shown.items() if value}


def _port(port: Port) -> JsonObject:
    shown: JsonObject = {"name": port.name, "port": port.number, "protocol": port.protocol}
    return {**shown, "appProtocol": port.app_protocol} if port.app_protocol else shown


def _ports_of(slice_: JsonObject) -> tuple[Port, ...]:
    return tuple(
        sorted(
            Port(
                str(each.get("name") or ""),
                int(each.get("port") or 0),
                str(each.get("protocol") or "TCP"),
                str(each.get("appProtocol") or ""),
            )
            for each in slice_.get("ports") or ()
        )
    )


def _labels(service: JsonObject) -> dict[str, str]:
    own = metadata_of(service).get("labels") or {}
    labels = {key: value for key, value in own.items() if key not in _RESERVED}
    if headless(service):
        labels[HEADLESS] = ""
    return {**labels, SERVICE_NAME: str(metadata_of(service)["name"]), MANAGED_BY: KEEPER}
