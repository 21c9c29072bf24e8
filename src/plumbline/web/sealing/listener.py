"""A port of its own for sealing: kubeseal comes to it through API servers, without TLS, and to nothing else of ours."""

from dataclasses import dataclass
from typing import ClassVar, Final

from plumbline.base.http.protocol import BoundedProtocol
from plumbline.web.guard import LOOPBACK_NAMES
from plumbline.web.port import Place, Port, on_loopback
from plumbline.web.routes import Part

_HEAD_BYTES: Final = 64 << 10
_MOST_CONNECTIONS: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SealingSettings:
    host: str = "127.0.0.1"
    """Anywhere but on loopback it may be addressed by any name: API servers pass on the name that they were asked by."""
    port: int = 0
    """Zero takes a free one: whoever is to ask is told."""


class _Protocol(BoundedProtocol):
    head_bytes: ClassVar[int] = _HEAD_BYTES
    most_connections: ClassVar[int] = _MOST_CONNECTIONS


class SealingPort(Port):
    def __init__(self, settings: SealingSettings, part: Part) -> None:
        place = Place(settings.host, settings.port, "choose another port for sealing")
        super().__init__(place, (part,), names_of(settings.host), protocol=_Protocol)


def names_of(host: str) -> frozenset[str] | None:
    """By which it may be addressed; None for any."""
    return LOOPBACK_NAMES if on_loopback(host) else None
