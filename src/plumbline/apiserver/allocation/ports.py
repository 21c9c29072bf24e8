"""The ports of a Service on every node."""

from plumbline.apiserver import statuses
from plumbline.apiserver.allocation.claims import Claims
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.strategies.services.needs import (
    allocates_ports,
    exposes_ports,
    needs_health_check,
    node_ports,
)
from plumbline.apiserver.validation.shapes import mappings, number, text
from plumbline.base.json import JsonObject


def with_ports(spec: JsonObject, old: JsonObject | None, claims: Claims) -> JsonObject:
    if exposes_ports(spec):
        ports = mappings(spec.get("ports"))
        given = _first_ports(spec, ports, claims) if old is None else _next_ports(spec, ports, old, claims)
        spec = {**spec, "ports": given} if given else spec
    needed = old is not None and needs_health_check(old)
    if needs_health_check(spec) and not needed:
        return {**spec, "healthCheckNodePort": _health_check_port(spec, claims)}
    return spec


def _first_ports(spec: JsonObject, ports: list[JsonObject], claims: Claims) -> list[JsonObject]:
    """Ports of different protocols with the same number get the same port on nodes."""
    known: dict[int, int] = {}
    given = []
    for index, port in enumerate(ports):
        node_port, asked = number(port.get("nodePort")), number(port.get("port"))
        if not node_port and not allocates_ports(spec):
            given.append(port)
            continue
        if asked not in known:
            wanted = _asked_for(asked, ports)
            known[asked] = node_port = _claimed(wanted, index, claims) if wanted else claims.next_port()
        elif not node_port:
            node_port = known[asked]
        elif node_port != known[asked]:
            _claimed(node_port, index, claims)
        given.append({**port, "nodePort": node_port})
    return given


def _asked_for(asked: int, ports: list[JsonObject]) -> int:
    same = (number(port.get("nodePort")) for port in ports if number(port.get("port")) == asked)
    return next(filter(None, same), 0)


def _next_ports(spec: JsonObject, ports: list[JsonObject], old: JsonObject, claims: Claims) -> list[JsonObject]:
    had, given = set(node_ports(old)), []
    used: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        node_port = number(port.get("nodePort"))
        if not node_port and not allocates_ports(spec):
            given.append(port)
            continue
        if not node_port:
            node_port = claims.next_port()
        elif node_port not in had:
            _claimed(node_port, index, claims)
            had.add(node_port)
        protocol = text(port.get("protocol"))
        if (protocol, node_port) in used:
            raise statuses.plain_failure(500, f"duplicate nodePort: {{{protocol} {node_port}}}")
        used.add((protocol, node_port))
        given.append({**port, "nodePort": node_port})
    return given


def _claimed(node_port: int, index: int, claims: Claims) -> int:
    if why := claims.take_port(node_port):
        raise claims.invalid(invalid(f"spec.ports[{index}].nodePort", node_port, why))
    return node_port


def _health_check_port(spec: JsonObject, claims: Claims) -> int:
    asked = number(spec.get("healthCheckNodePort"))
    if not asked:
        return claims.next_port()
    if why := claims.take_port(asked):
        raise statuses.internal(f"failed to allocate requested HealthCheck NodePort {asked}: {why}")
    return asked
