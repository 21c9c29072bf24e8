"""Posting to webhooks, with the certificates that a folder holds for each host: ca.crt, tls.crt and tls.key."""

import asyncio
import re
import ssl
from pathlib import Path
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.checks.addresses import web_address
from plumbline.terraform.checks.wire import Reply, Wire

_DEADLINE_S: Final = 30.0
_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?").fullmatch


class WebhookPoster:
    """*certificates* is upstream's /etc/certs: a folder for each host. Hosts without one are trusted as the system does."""

    def __init__(self, wire: Wire, certificates: Path | None = None, deadline_s: float = _DEADLINE_S) -> None:
        self._wire = wire
        self._certificates = certificates
        self._deadline_s = deadline_s

    async def post(self, url: str, body: Plaintext) -> Reply:
        parts = web_address(url)
        tls = await asyncio.to_thread(self._context, parts.hostname or "") if parts.scheme == "https" else None
        return await self._wire.post(url, body, self._deadline_s, tls)

    def _context(self, host: str) -> ssl.SSLContext | None:
        folder = self._folder(host)
        if folder is None:
            return None
        authority, certificate, key = (folder / name for name in ("ca.crt", "tls.crt", "tls.key"))

        def no_password() -> str:
            # Without this, OpenSSL would ask on the terminal and wait for ever.
            raise _unusable(host)

        try:
            made = ssl.create_default_context(cafile=str(authority) if authority.is_file() else None)
            if certificate.is_file():
                made.load_cert_chain(certificate, key, password=no_password)
        except (ssl.SSLError, OSError):
            raise _unusable(host) from None
        return made

    def _folder(self, host: str) -> Path | None:
        if self._certificates is None or not _HOST(host) or ".." in host:
            return None
        folder = self._certificates / host
        return folder if folder.is_dir() else None


def _unusable(host: str) -> InvalidInput:
    return InvalidInput("failed to load webhook TLS certificate", why=f"the files for {host} are not PEM, or no pair")
