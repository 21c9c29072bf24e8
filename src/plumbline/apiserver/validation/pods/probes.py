"""Probes and lifecycle hooks: what is called, where and how often."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.metadata import NEGATIVE, faulty
from plumbline.apiserver.validation.names import http_header_name, port_name, port_number
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text
from plumbline.base.json import Json, JsonObject

_PROBE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_COUNTS: Final = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_SCHEMES: Final = ("HTTP", "HTTPS")


def probe_errors(container: JsonObject, at: str, grace_s: int | None) -> Iterator[FieldError]:
    """Complaints about the three probes that a container may have."""
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if (probe := container.get(name)) is not None:
            yield from _probe_errors(mapping(probe), name, f"{at}.{name}", grace_s)


def lifecycle_errors(lifecycle: JsonObject, at: str, grace_s: int | None) -> Iterator[FieldError]:
    for name in ("postStart", "preStop"):
        if (hook := lifecycle.get(name)) is not None:
            yield from _handler_errors(mapping(hook), _HOOK_HANDLERS, f"{at}.{name}", grace_s)


def _probe_errors(probe: JsonObject, name: str, at: str, grace_s: int | None) -> Iterator[FieldError]:
    yield from _handler_errors(probe, _PROBE_HANDLERS, at, grace_s)
    for count in _COUNTS:
        if number(probe.get(count)) < 0:
            yield invalid(f"{at}.{count}", probe[count], NEGATIVE)
    grace = integer(probe.get("terminationGracePeriodSeconds"))
    if grace is not None and grace <= 0:
        yield invalid(f"{at}.terminationGracePeriodSeconds", grace, "must be greater than 0")
    if name == "readinessProbe":
        if grace is not None:
            yield invalid(f"{at}.terminationGracePeriodSeconds", grace, "must not be set for readinessProbes")
    elif number(probe.get("successThreshold")) != 1:
        yield invalid(f"{at}.successThreshold", number(probe.get("successThreshold")), "must be 1")


def _handler_errors(held: JsonObject, handlers: tuple[str, ...], at: str, grace_s: int | None) -> Iterator[FieldError]:
    given = [name for name in handlers if held.get(name) is not None]
    if not given:
        yield required(at, "must specify a handler type")
        return
    first = given[0]
    action, field = mapping(held[first]), f"{at}.{first}"
    if first == "exec":
        if not action.get("command"):
            yield required(f"{field}.command")
    elif first == "httpGet":
        yield from _http_errors(action, field)
    elif first == "sleep":
        yield from _sleep_errors(number(action.get("seconds")), field, grace_s)
    else:
        yield from port_errors(action.get("port"), f"{field}.port")
    for name in given[1:]:
        yield forbidden(f"{at}.{name}", "may not specify more than 1 handler type")


def _http_errors(action: JsonObject, at: str) -> Iterator[FieldError]:
    if not action.get("path"):
        yield required(f"{at}.path")
    yield from port_errors(action.get("port"), f"{at}.port")
    if action.get("scheme") not in _SCHEMES:
        yield not_supported(f"{at}.scheme", Word(text(action.get("scheme"))), _SCHEMES)
    for header in mappings(action.get("httpHeaders")):
        name = text(header.get("name"))
        yield from faulty(f"{at}.httpHeaders", name, http_header_name(name))


def port_errors(port: Json, field: str) -> Iterator[FieldError]:
    """Complaints about a port that is told by number or by name."""
    if isinstance(port, str):
        yield from faulty(field, port, port_name(port))
    else:
        yield from faulty(field, number(port), port_number(number(port)))


def _sleep_errors(seconds: int, field: str, grace_s: int | None) -> Iterator[FieldError]:
    if grace_s is not None and not 0 <= seconds <= grace_s:
        detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_s})"
        yield invalid(field, seconds, detail)
