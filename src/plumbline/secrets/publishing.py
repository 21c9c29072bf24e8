"""Where kubeseal finds us: a Service that it asks through the API server, and the right of everybody to do so.

An API server passes requests on to pods alone: to an address that belongs to a pod which it knows, in the namespace of the
Service. So kubeseal comes through to pods that a selector means, and to a control plane in our own process, which is told
where we are. An address outside of the cluster can be given to a Service too, for whoever is inside of it:
`kubeseal --cert http://sealed-secrets-controller.kube-system:8080/v1/cert.pem`.
"""

import ipaddress
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import AlreadyExists, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kernel.installing import AS_US
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

NAMESPACE: Final = "kube-system"
NAME: Final = "sealed-secrets-controller"
PORT: Final = 8080
PORT_NAME: Final = "http"
_PROXIER: Final = "sealed-secrets-service-proxier"

SERVICES: Final = GroupVersionResource("", "v1", "services")
SLICES: Final = GroupVersionResource("discovery.k8s.io", "v1", "endpointslices")
ROLES: Final = GroupVersionResource("rbac.authorization.k8s.io", "v1", "roles")
BINDINGS: Final = GroupVersionResource("rbac.authorization.k8s.io", "v1", "rolebindings")

_MANAGED_BY: Final = "app.kubernetes.io/managed-by"
_OURS: Final = {_MANAGED_BY: "plumbline"}


class Place(NamedTuple):
    """What kubeseal is told with --controller-namespace and --controller-name; unless told, it asks for this one."""

    namespace: str = NAMESPACE
    name: str = NAME


DEFAULT: Final = Place()


class Outside(NamedTuple):
    """An address of ours that the cluster's nodes can reach."""

    ip: str
    port: int


class Pods(NamedTuple):
    """Those that have these labels, and listen on this port."""

    labels: Mapping[str, str]
    port: int


Behind: TypeAlias = Pods | Outside | None
"""What a Service leads to; None where the control plane is told otherwise."""


def outside(text: str) -> Outside:
    """`IP:PORT`, as people write it. Raises InvalidInput for names, and for addresses that mean another machine to each."""
    host, _, port = text.rpartition(":")
    hint = "Give an address of this machine that the nodes of the cluster can reach, such as 10.0.0.5:8080."
    try:
        address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
        number = int(port)
    except ValueError as bad:
        raise InvalidInput(f"{text!r} is not an address with a port", why=str(bad), hint=hint) from bad
    if not 0 < number < 1 << 16:
        raise InvalidInput(f"{text!r} is not an address with a port", why="there is no such port", hint=hint)
    if address.is_loopback or address.is_unspecified or address.is_link_local or address.is_multicast:
        raise InvalidInput(f"{text!r} leads nobody here", why="it means something else on every machine", hint=hint)
    return Outside(str(address), number)


def manifests(place: Place = DEFAULT, behind: Behind = None) -> dict[Target, JsonObject]:
    """All that is made on a cluster, by where it goes."""
    made = {
        Target(SERVICES, place.namespace, place.name): _service(place, behind),
        Target(ROLES, place.namespace, _PROXIER): _role(place),
        Target(BINDINGS, place.namespace, _PROXIER): _binding(place),
    }
    if isinstance(behind, Outside):
        made[Target(SLICES, place.namespace, _slice_name(place))] = _slice(place, behind)
    return made


async def published(client: Client, place: Place = DEFAULT, behind: Behind = None) -> tuple[Target, ...]:
    """Make what is missing and bring what is ours up to date; return what somebody else made, which stays as it is."""
    wanted = manifests(place, behind)
    others = [target for target, body in wanted.items() if not await _kept(client, target, body)]
    leading_elsewhere = Target(SLICES, place.namespace, _slice_name(place))
    if leading_elsewhere not in wanted:
        await _removed(client, leading_elsewhere)
    return tuple(others)


async def _kept(client: Client, target: Target, body: JsonObject) -> bool:
    try:
        await client.create(target.collection, encode(body), AS_US)
    except AlreadyExists:
        live = decode(await client.get(target))
        if not _ours(live):
            return False
        renewed = _renewed(live, body)
        if renewed != live:
            await client.update(target, encode(renewed), AS_US)
    return True


async def _removed(client: Client, target: Target) -> None:
    try:
        live = decode(await client.get(target))
        if _ours(live):
            await client.delete(target, uid=live["metadata"]["uid"])
    except NotFound:
        return


def _ours(live: JsonObject) -> bool:
    return (live["metadata"].get("labels") or {}).get(_MANAGED_BY) == _OURS[_MANAGED_BY]


def _renewed(live: JsonObject, body: JsonObject) -> JsonObject:
    """*live* with all that we have to say, and with nothing else changed."""
    said = {part: value for part, value in body.items() if part not in {"metadata", "roleRef"}}
    if "spec" in said:
        kept = {field: value for field, value in live["spec"].items() if field != "selector"}
        said["spec"] = kept | body["spec"]
    return live | said


def _service(place: Place, behind: Behind) -> JsonObject:
    target = PORT if behind is None else behind.port
    spec: JsonObject = {"ports": [{"name": PORT_NAME, "port": PORT, "targetPort": target, "protocol": "TCP"}]}
    if isinstance(behind, Pods):
        spec["selector"] = dict(behind.labels)
    return {"apiVersion": "v1", "kind": "Service", "metadata": _metadata(place, place.name), "spec": spec}


def _slice(place: Place, behind: Outside) -> JsonObject:
    metadata = _metadata(place, _slice_name(place))
    metadata["labels"] |= {
        "kubernetes.io/service-name": place.name,
        "endpointslice.kubernetes.io/managed-by": "plumbline",
    }
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata,
        "addressType": "IPv6" if ":" in behind.ip else "IPv4",
        "endpoints": [{"addresses": [behind.ip], "conditions": {"ready": True}}],
        "ports": [{"name": PORT_NAME, "port": behind.port, "protocol": "TCP"}],
    }


def _slice_name(place: Place) -> str:
    return f"{place.name}-plumbline"


def _role(place: Place) -> JsonObject:
    proxied = [f"http:{place.name}:", f"http:{place.name}:{PORT_NAME}", place.name]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": _metadata(place, _PROXIER),
        "rules": [
            {"apiGroups": [""], "resources": ["services"], "resourceNames": [place.name], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["services/proxy"], "resourceNames": proxied, "verbs": ["create", "get"]},
        ],
    }


def _binding(place: Place) -> JsonObject:
    everybody = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:authenticated"}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": _metadata(place, _PROXIER),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": _PROXIER},
        "subjects": [everybody],
    }


def _metadata(place: Place, name: str) -> JsonObject:
    return {"name": name, "namespace": place.namespace, "labels": dict(_OURS)}
