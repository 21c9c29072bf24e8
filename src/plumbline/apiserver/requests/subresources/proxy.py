"""Requests to services, pods and nodes through the API: to addresses on this machine that our own rooms announced."""

import ipaddress
import posixpath
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.webhooks.addresses import LocalAddresses, Place
from plumbline.base.errors import RequestRefused
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import printed, quoted
from plumbline.kube.names import GroupKind

if TYPE_CHECKING:
    from plumbline.apiserver.requests.subresources.forwarding import Forwarder

_SCHEMES: Final = ("", "http", "https")
_PARTS: Final = 3
_KUBELET_PORT: Final = 10250
_SIMULATED: Final = "what runs in this cluster is simulated, and nothing on this machine stands in for it"


class Address(NamedTuple):
    """`[scheme:]name[:port]`, as paths name what is behind a proxy."""

    name: str
    port: str


class Proxies:
    """To be closed with the plane."""

    def __init__(self, cluster: Cluster, addresses: LocalAddresses) -> None:
        self._cluster = cluster
        self._addresses = addresses
        self._forwarder: Forwarder | None = None

    def subresources(self) -> Mapping[tuple[str, str], Serve]:
        return {
            ("services", "proxy"): self._serve("ServiceProxyOptions", self._service),
            ("pods", "proxy"): self._serve("PodProxyOptions", self._pod),
            ("nodes", "proxy"): self._serve("NodeProxyOptions", self._node),
        }

    async def close(self) -> None:
        if self._forwarder is not None:
            await self._forwarder.close()
            self._forwarder = None

    def _serve(self, kind: str, find: Callable[[Scope], str]) -> Serve:
        async def serve(context: Context, scope: Scope, call: Call, _: Route) -> Answer:
            if call.parameters.get("dryRun"):
                raise statuses.bad_request("dryRun is not supported")
            path = below_proxy(call.path, namespaced=scope.resource.namespaced)
            options: JsonObject = {"kind": kind, "apiVersion": "v1", **({"path": path} if path else {})}
            options = await context.admission.mutated(Attributes(scope, Operation.CONNECT, options))
            await context.admission.check(Attributes(scope, Operation.CONNECT, options))
            origin, path = find(scope), cleaned(str(options.get("path") or ""))
            if "upgrade" in call.headers.get("connection", "").lower():
                why = "upgraded connections are not proxied here; ask without an Upgrade header"
                raise statuses.bad_request(why)
            if not path and call.method in ("GET", "HEAD"):
                return _to_the_slash(call)
            return await self._forward(call, origin, path)

        return serve

    async def _forward(self, call: Call, origin: str, path: str) -> Answer:
        from plumbline.apiserver.requests.subresources.forwarding import (  # noqa: PLC0415 - most planes proxy nothing
            Forwarder,
            Forwarding,
        )

        if self._forwarder is None:
            self._forwarder = Forwarder()
        return await self._forwarder.forward(Forwarding(call, origin, path))

    def _service(self, scope: Scope) -> str:
        address = _address(scope.name, "service")
        name, port = address
        service = self._cluster.get(GroupKind("", "Service"), scope.namespace, name)
        for number in self._ports(service, scope.namespace, address):
            if url := self._addresses.url_of(Place("services", scope.namespace, name, number)):
                return url
        if service is None:
            raise statuses.not_found("", "services", name)
        if port.isdigit() and int(port) not in _service_ports(service):
            raise _unavailable(f"no service port {port} found for service {quoted(name)}")
        raise _unavailable(f"no endpoints available for service {quoted(name)}")

    def _ports(self, service: JsonObject | None, namespace: str, address: Address) -> list[int]:
        """Those that the address can mean; without a port, the one that has no name, or the only one."""
        if address.port.isdigit():
            return [int(address.port)]
        named = _service_ports(service or {}, address.port)
        announced = self._addresses.ports_of("services", namespace, address.name)
        return named or (announced if not address.port and len(announced) == 1 else [])

    def _pod(self, scope: Scope) -> str:
        name, port = _address(scope.name, "pod")
        pod = self._cluster.get(GroupKind("", "Pod"), scope.namespace, name)
        if pod is None:
            raise statuses.not_found("", "pods", name)
        port = port or _first_port(pod)
        if port.isdigit() and (url := self._addresses.url_of(Place("pods", scope.namespace, name, int(port)))):
            return url
        ip = _pod_ip(pod)
        if not _reachable(ip):
            raise statuses.bad_request("address not allowed")
        raise _out_of_reach(ip, port)

    def _node(self, scope: Scope) -> str:
        name, port = _address(scope.name, "node")
        node = self._cluster.get(GroupKind("", "Node"), "", name)
        if node is None:
            raise statuses.not_found("", "nodes", name)
        number = int(port) if port.isdigit() else _KUBELET_PORT
        if url := self._addresses.url_of(Place("nodes", "", name, number)):
            return url
        known = (node.get("status") or {}).get("addresses") or []
        if not known:
            raise statuses.plain_failure(500, f"no preferred addresses found; known addresses: {printed(known)}")
        raise _out_of_reach(str(known[0].get("address")), str(number))


def below_proxy(path: str, *, namespaced: bool) -> str:
    """What follows `/proxy`: empty, or with its slashes as they were asked for."""
    above = 7 if namespaced else 5  # api, v1, namespaces, NAMESPACE, services, NAME, proxy
    below = "/".join(path.strip("/").split("/")[above:])
    if below and not below.startswith("/"):
        below = f"/{below}"
    return f"{below}/" if path.endswith("/") and not below.endswith("/") else below


def cleaned(path: str) -> str:
    """Without relative and empty parts; a slash at the end stays."""
    if not path:
        return ""
    clean = posixpath.normpath("/" + path.lstrip("/"))
    return f"{clean}/" if path.endswith("/") and clean != "/" else clean


def _to_the_slash(call: Call) -> Answer:
    """Relative links of the page must be below it."""
    location = quote(call.path, safe="/:@") + "/" + (f"?{call.query}" if call.query else "")
    return Answer(301, content_type="", headers=(("Location", location),))


def _address(text: str, kind: str) -> Address:
    scheme, name, port = "", text, ""
    parts = text.split(":")
    if len(parts) == _PARTS:
        scheme, name, port = parts
    elif len(parts) == _PARTS - 1:
        name, port = parts
    if not name or scheme not in _SCHEMES or len(parts) > _PARTS:
        raise statuses.bad_request(f"invalid {kind} request {quoted(text)}")
    return Address(name, port)


def _service_ports(service: JsonObject, name: str | None = None) -> list[int]:
    """Their numbers: all, or those of the given name."""
    ports: Json = (service.get("spec") or {}).get("ports") or []
    return [int(port["port"]) for port in ports if name is None or (port.get("name") or "") == name]


def _first_port(pod: JsonObject) -> str:
    containers = (pod.get("spec") or {}).get("containers") or []
    ports = (port for container in containers for port in container.get("ports") or ())
    return next((str(port.get("containerPort")) for port in ports), "")


def _pod_ip(pod: JsonObject) -> str:
    addresses = (pod.get("status") or {}).get("podIPs") or []
    return str(addresses[0].get("ip")) if addresses else ""


def _reachable(ip: str) -> bool:
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified)


def _out_of_reach(host: str, port: str) -> RequestRefused:
    where = f"{host}:{port}" if port else host
    return _unavailable(f"error trying to reach service: dial tcp {where}: {_SIMULATED}")


def _unavailable(why: str) -> RequestRefused:
    return statuses.failure(503, "ServiceUnavailable", why)
