"""The web port: one table of routes, and the parts that wiring puts together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from plumbline.base.http.protocol import BoundedProtocol
from plumbline.web.cors import Cors
from plumbline.web.guard import LOOPBACK_NAMES
from plumbline.web.port import Place, Port, on_loopback
from plumbline.web.routes import Part

_HEAD_BYTES: Final = 64 << 10
_MOST_CONNECTIONS: Final = 2048
"""Half of them for streams that stay open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 8080
    """Zero takes a free one."""
    hosts: tuple[str, ...] = ()
    """Names that it may be addressed by, beside those of loopback. Anywhere but on loopback, none means any."""
    origins: tuple[str, ...] = ()
    """Of pages elsewhere that may use the API, such as https://portal.example.org."""


class _Protocol(BoundedProtocol):
    head_bytes: ClassVar[int] = _HEAD_BYTES
    most_connections: ClassVar[int] = _MOST_CONNECTIONS


class Web(Port):
    def __init__(self, settings: Settings, parts: Sequence[Part]) -> None:
        place = Place(settings.host, settings.port, "choose another with --web-port")
        super().__init__(place, parts, _hosts(settings), protocol=_Protocol, cors=Cors(settings.origins))


def _hosts(settings: Settings) -> frozenset[str] | None:
    named = frozenset(name.lower() for name in settings.hosts)
    return LOOPBACK_NAMES | named if on_loopback(settings.host) or named else None
