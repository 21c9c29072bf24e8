"""A port of its own for API servers, with TLS: they call nobody without, and people have no business there."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from plumbline.base.clock import Clock
from plumbline.base.http.protocol import BoundedProtocol
from plumbline.web.admission.certificates import given, made
from plumbline.web.guard import LOOPBACK_NAMES
from plumbline.web.port import Place, Port
from plumbline.web.routes import Part

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_MOST_CONNECTIONS: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionSettings:
    host: str = "127.0.0.1"
    port: int = 0
    """Zero takes a free one: whoever is to ask is told."""
    names: tuple[str, ...] = ()
    """Names that it is asked by beside those of loopback, such as `plumbline.argocd.svc`."""
    certificates: Path | None = None
    """A folder with tls.crt, tls.key and ca.crt. None makes a certificate that lasts as long as the process."""


class _Protocol(BoundedProtocol):
    most_connections: ClassVar[int] = _MOST_CONNECTIONS


class AdmissionPort(Port):
    scheme = "https"

    def __init__(self, settings: AdmissionSettings, part: Part, clock: Clock) -> None:
        names, folder = (*_LOOPBACK, *settings.names), settings.certificates
        self._certificate = given(folder) if folder is not None else made(names, clock.now())
        place = Place(settings.host, settings.port, "choose another with --admission-port")
        hosts = LOOPBACK_NAMES | frozenset(name.lower() for name in settings.names)
        super().__init__(place, (part,), hosts, protocol=_Protocol)

    @property
    def authority_pem(self) -> bytes:
        return self._certificate.authority_pem

    def _tls(self) -> ssl.SSLContext:
        return self._certificate.context()
