"""Whom a server may be vouched for by, from a file that is replaced long before the last of them runs out."""

import asyncio
from dataclasses import replace
from typing import Final

from plumbline.base.errors import BadKubeconfig
from plumbline.kube.client.credentials import read_bounded
from plumbline.kube.client.parts import ServerTrust

STALE_S: Final = 60.0


class Authorities:
    """The trust in one server. A file that cannot be read is being replaced, and what it held is still good."""

    def __init__(self, trust: ServerTrust, source: str) -> None:
        self._trust = trust
        self._source = source
        self._read_at_s: float | None = None

    def now(self) -> ServerTrust:
        """The same one for as long as the file says the same."""
        file = self._trust.file
        if file is None:
            return self._trust
        now_s = asyncio.get_running_loop().time()
        if self._read_at_s is None or now_s - self._read_at_s >= STALE_S:
            self._read_at_s = now_s
            try:
                held = read_bounded(file, f"certificate-authority of {self._source}")
            except BadKubeconfig:
                held = b""
            # Nothing in it is not nobody: it would be those of this machine.
            if held and held != self._trust.authorities:
                self._trust = replace(self._trust, authorities=held)
        return self._trust

    def doubt(self) -> None:
        """There was no connection to be had: look again before the next one."""
        self._read_at_s = None
