"""Who a request comes from, kept fresh: files are read again, plugins run again, before or after the server says no."""

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from plumbline.base.clock import Clock
from plumbline.base.errors import BadKubeconfig
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.parts import Certificate, User
from plumbline.kube.client.transport import Headers

STALE_S = 10.0
"""How long a file's content is believed. The kubelet replaces tokens well before they run out."""
_FILE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Identity:
    """What a request carries to say who sends it. Compared by identity: a renewed one is another one."""

    headers: Headers = ()
    certificate: Certificate | None = None

    def __repr__(self) -> str:
        return "Identity(***)"


class Credentials(Protocol):
    def ready(self) -> Identity | None:
        """The identity to use now, or None where `renew` has to be waited for."""

    async def renew(self, refused: Identity | None) -> Identity | None:
        """One that is not *refused*, or None where there is no other."""


class Fixed:
    """What the kubeconfig itself holds; there is no other."""

    def __init__(self, user: User) -> None:
        self._identity = Identity(_authorization(user.token, user.basic), user.certificate)

    def ready(self) -> Identity | None:
        return self._identity

    async def renew(self, refused: Identity | None) -> Identity | None:
        return None if refused is self._identity else self._identity


class FromFiles:
    """A token or a certificate that somebody else keeps fresh on disk.

    Once read, a file that cannot be read is not a failure: it is being replaced, and what it held is still good. The
    server says so when it is not.
    """

    def __init__(self, user: User, clock: Clock, source: str) -> None:
        self._user = user
        self._clock = clock
        self._source = source
        self._content: tuple[bytes, ...] = ()
        self._identity: Identity | None = None
        self._read_at_s = 0.0

    def ready(self) -> Identity | None:
        if self._identity is None or self._clock.monotonic() - self._read_at_s >= STALE_S:
            self._read()
        return self._identity

    async def renew(self, refused: Identity | None) -> Identity | None:
        self._read()
        return None if refused is self._identity else self._identity

    def _read(self) -> None:
        user = self._user
        paths = {
            "tokenFile": user.token_file,
            "client-certificate": user.certificate_file,
            "client-key": user.key_file,
        }
        try:
            content = tuple(self._content_of(name, path) for name, path in paths.items())
        except BadKubeconfig:
            if self._identity is None:
                raise
            content = self._content
        self._read_at_s = self._clock.monotonic()
        if self._identity is None or content != self._content:
            self._content = content
            self._identity = self._made(*content)

    def _made(self, token: bytes, chain: bytes, key: bytes) -> Identity:
        inline = self._user.certificate
        if chain or key:
            inline = Certificate(
                chain or (inline.chain if inline else b""),
                Plaintext(key) if key or inline is None else inline.key,
            )
        bearer = Plaintext(token.strip()) if token.strip() else self._user.token
        return Identity(_authorization(bearer, self._user.basic), inline)

    def _content_of(self, name: str, path: Path | None) -> bytes:
        return read_bounded(path, f"{name} of {self._source}") if path else b""


def read_bounded(path: Path, what: str) -> bytes:
    """The content of a file that has no business being large. Raises BadKubeconfig."""
    try:
        with path.open("rb") as file:
            content = file.read(_FILE_BYTES + 1)
    except OSError as broken:
        raise BadKubeconfig(f"The {what} cannot be read", why=f"{path}: {broken.strerror}") from None
    if len(content) > _FILE_BYTES:
        raise BadKubeconfig(f"The {what} cannot be used", why=f"{path} is larger than {_FILE_BYTES} bytes")
    return content


def _authorization(token: Plaintext | None, basic: tuple[str, Plaintext] | None) -> Headers:
    if token:
        return bearer(token)
    if basic:
        name, password = basic
        pair = base64.b64encode(name.encode() + b":" + password.reveal()).decode()
        return (("Authorization", f"Basic {pair}"),)
    return ()


def bearer(token: Plaintext) -> Headers:
    """The header for *token*. Raises BadKubeconfig where it could smuggle another header in."""
    text = token.reveal().decode("latin-1")
    if not (text.isascii() and text.isprintable()):
        raise BadKubeconfig("A bearer token cannot be used", why="it has characters that no HTTP header may have")
    return (("Authorization", f"Bearer {text}"),)
