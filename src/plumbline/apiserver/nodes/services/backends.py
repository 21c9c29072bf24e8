"""Pods behind a service: which, at which addresses and ports, and in which condition."""

from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from typing import Final, NamedTuple

from plumbline.apiserver.nodes.moments import instant
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import Json, JsonObject

HEADLESS: Final = "service.kubernetes.io/headless"
TRIGGER: Final = "endpoints.kubernetes.io/last-change-trigger-time"
ZONE: Final = "topology.kubernetes.io/zone"
_FINISHED: Final = ("Succeeded", "Failed")


class Port(NamedTuple):
    name: str
    number: int
    protocol: str
    app_protocol: str = ""


class Backend(NamedTuple):
    name: str
    namespace: str
    uid: str
    addresses: Sequence[str]
    node: str
    zone: str
    hostname: str
    serving: bool
    terminating: bool
    ports: tuple[Port, ...]
    ready_since: str

    def target(self) -> JsonObject:
        return {"kind": "Pod", "namespace": self.namespace, "name": self.name, "uid": self.uid}


class Standing(NamedTuple):
    """What of a pod services look at. While it stays the same, no service has to look."""

    labels: Mapping[str, str]
    addresses: Sequence[str]
    ready: bool
    terminating: bool
    finished: bool
    node: str
    hostname: str
    subdomain: str


def standing(pod: JsonObject) -> Standing:
    metadata, spec, status = metadata_of(pod), pod.get("spec") or {}, pod.get("status") or {}
    return Standing(
        metadata.get("labels") or {},
        [str(each.get("ip")) for each in status.get("podIPs") or ()],
        _ready_condition(status).get("status") == "True",
        bool(metadata.get("deletionTimestamp")),
        status.get("phase") in _FINISHED,
        str(spec.get("nodeName") or ""),
        str(spec.get("hostname") or ""),
        str(spec.get("subdomain") or ""),
    )


def selector(service: JsonObject) -> Mapping[str, str] | None:
    """The labels it selects by; None where somebody else looks after its endpoints, or nobody has to."""
    spec = service.get("spec") or {}
    wanted = spec.get("selector")
    return None if not wanted or spec.get("type") == "ExternalName" else wanted


def selects(wanted: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in wanted.items())


def headless(service: JsonObject) -> bool:
    return (service.get("spec") or {}).get("clusterIP") in ("None", "", None)


def backend_of(service: JsonObject, pod: JsonObject, zone: str) -> Backend | None:
    """None where the pod has no address, or is over."""
    seen = standing(pod)
    if seen.finished or not seen.addresses:
        return None
    metadata, service_name = metadata_of(pod), metadata_of(service).get("name")
    named = bool(seen.hostname) and seen.subdomain == service_name
    return Backend(
        str(metadata.get("name")),
        str(metadata.get("namespace")),
        str(metadata.get("uid")),
        seen.addresses,
        seen.node,
        zone,
        seen.hostname if named else "",
        seen.ready,
        seen.terminating,
        tuple(_ports(service, pod)),
        str(_ready_condition(pod.get("status") or {}).get("lastTransitionTime") or ""),
    )


def of_family(addresses: Sequence[str], family: str) -> list[str]:
    """*family* is IPv4 or IPv6."""
    version = 6 if family == "IPv6" else 4
    return [each for each in addresses if _version(each) == version]


def families(service: JsonObject) -> Sequence[str]:
    return (service.get("spec") or {}).get("ipFamilies") or ("IPv4",)


def trigger_time(service: JsonObject, backends: Sequence[Backend], before: str | None) -> str | None:
    """The change that led to writing endpoints; *before* is the one that led to the last writing, None at first."""
    if before is None:
        return str(metadata_of(service).get("creationTimestamp") or "") or None
    latest = max((each.ready_since for each in backends), default="")
    return latest if (instant(latest) or 0.0) > (instant(before) or 0.0) else None


def _ready_condition(status: JsonObject) -> JsonObject:
    return next((each for each in status.get("conditions") or () if each.get("type") == "Ready"), {})


def _ports(service: JsonObject, pod: JsonObject) -> list[Port]:
    ports = []
    for each in (service.get("spec") or {}).get("ports") or ():
        number = _number(each, pod)
        if number is not None:
            protocol = str(each.get("protocol") or "TCP")
            ports.append(Port(str(each.get("name") or ""), number, protocol, str(each.get("appProtocol") or "")))
    return sorted(ports)


def _number(port: JsonObject, pod: JsonObject) -> int | None:
    """The port on the pod; None where it has none of that name."""
    target: Json = port.get("targetPort")
    if isinstance(target, int):
        return target or port.get("port")
    if not target:
        return port.get("port")
    spec = pod.get("spec") or {}
    sidecars = [each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"]
    for container in (*(spec.get("containers") or ()), *sidecars):
        for each in container.get("ports") or ():
            same_protocol = (each.get("protocol") or "TCP") == (port.get("protocol") or "TCP")
            if each.get("name") == target and same_protocol:
                return int(each["containerPort"])
    return None


def _version(address: str) -> int:
    try:
        return ip_address(address).version
    except ValueError:
        return 0
