"""Ports that several containers of one pod declare, or one of them twice."""

from collections.abc import Iterator
from typing import TypeAlias

from plumbline.apiserver.validation.shapes import mappings, number, text
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

Placed: TypeAlias = tuple[str, JsonObject]
"""Where a container is, and the container."""


def port_warnings(containers: list[Placed]) -> Iterator[str]:
    ports = [
        (f"{at}.ports[{index}]", port)
        for at, container in containers
        for index, port in enumerate(mappings(container.get("ports")))
    ]
    yield from _number_warnings(ports)
    yield from _name_warnings(ports)


def _number_warnings(ports: list[Placed]) -> Iterator[str]:
    seen: dict[tuple[int, str], list[Placed]] = {}
    for at, port in ports:
        host_ip, host_port = text(port.get("hostIP")), number(port.get("hostPort"))
        if host_ip and not host_port:
            yield f"{at}: hostIP set without hostPort: {_go_form(port)}"
        others = seen.setdefault((number(port.get("containerPort")), text(port.get("protocol"))), [])
        for place, other in others:
            if word := _clash(host_ip, host_port, text(other.get("hostIP")), number(other.get("hostPort"))):
                yield f"{at}: {word} port definition with {place}"
        others.append((at, port))


def _clash(ip: str, port: int, other_ip: str, other_port: int) -> str:
    if ip == other_ip and port == other_port:
        return "duplicate"
    if not port or not other_port:
        return "overlapping"
    if port == other_port and bool(ip) is not bool(other_ip):
        return "dangerously ambiguous"
    return ""


def _name_warnings(ports: list[Placed]) -> Iterator[str]:
    names: dict[str, str] = {}
    for at, port in ports:
        name = text(port.get("name"))
        if not name:
            continue
        first = names.setdefault(name, at)
        if first is not at:
            used = f"services and probes that select ports by name will use {first}"
            yield f"{at}: duplicate port name {quoted(name)} with {first}, {used}"


def _go_form(port: JsonObject) -> str:
    fields = (("Name", "name", ""), ("HostPort", "hostPort", 0), ("ContainerPort", "containerPort", 0))
    shown = [f"{name}:{port.get(field, zero)}" for name, field, zero in fields]
    return "{" + " ".join([*shown, f"Protocol:{port.get('protocol', '')}", f"HostIP:{port.get('hostIP', '')}"]) + "}"
