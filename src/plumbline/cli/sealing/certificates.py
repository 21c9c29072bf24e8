"""The certificate that values are sealed for: from a file, an address, or the controller."""

from pathlib import Path
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, Unreachable
from plumbline.cli.sealing.controller import Place, connected
from plumbline.kube.client import Connection, Request, Response
from plumbline.kube.client.http import HttpTransport
from plumbline.kube.client.proxies import environment_proxy, is_loopback
from plumbline.kube.client.sources import credentials_of
from plumbline.secrets.sealing import Certificate, certificate_of

_LARGEST_BYTES: Final = 1 << 20
_DEADLINE_S: Final = 30.0
_HOPS: Final = 5
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_SUCCESS: Final = 200


async def pem_from(cert: str, place: Place) -> bytes:
    """What *cert* names, as it is there; without one, what the controller serves."""
    if not cert:
        async with connected(place) as controller:
            return await controller.certificate()
    parts = urlsplit(cert)
    if parts.scheme == "file":
        return _file(Path(unquote(parts.path)))
    return await _fetched(cert) if parts.scheme else _file(Path(cert))


async def certificate_from(cert: str, place: Place, clock: Clock | None = None) -> Certificate:
    """Raises InvalidInput for what is no certificate, cannot seal, or has expired."""
    found = certificate_of(await pem_from(cert, place))
    ended = found.not_after
    if (clock or SystemClock()).now() > ended:
        what = f"failed to encrypt using an expired certificate on {ended:%B} {ended.day}, {ended.year}"
        hint = (
            "Fetch the newest with `plumb seal --fetch-cert`; if that has expired too, the controller needs a new key."
        )
        raise InvalidInput(what, hint=hint)
    return found


def _file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_BYTES + 1)
    except FileNotFoundError as missing:
        hint = "Fetch the controller's with `plumb seal --fetch-cert`."
        raise NotFound(f"open {path}: no such file or directory", hint=hint) from missing
    except OSError as failed:
        raise InvalidInput(f"{path} cannot be read", why=failed.strerror or str(failed)) from failed
    if len(content) > _LARGEST_BYTES:
        raise LimitExceeded(f"{path} is too large for a certificate", hint="Name a file that holds one in PEM.")
    return content


async def _fetched(url: str) -> bytes:
    for _ in range(_HOPS):
        reply = await _got(url)
        if reply.status in _MOVED and (elsewhere := reply.headers.get("location", "")):
            url = urljoin(url, elsewhere)
            continue
        if reply.status == _SUCCESS:
            return reply.body
        raise Unreachable(f"cannot fetch {_shown(url)}", why=f"HTTP {reply.status}", hint="Check the address.")
    raise Unreachable(f"cannot fetch {_shown(url)}", why=f"it leads elsewhere more than {_HOPS} times")


async def _got(url: str) -> Response:
    server, request = _asked(url)
    connection = Connection(server=server, source="--cert", proxy=environment_proxy(server, environment()))
    transport = HttpTransport(connection, credentials_of(connection, SystemClock()))
    try:
        return await transport.send(request)
    finally:
        await transport.close()


def _asked(url: str) -> tuple[str, Request]:
    """Whoever can change a certificate on its way can read all that is sealed for it, so it comes by https."""
    parts = urlsplit(url)
    server = f"{parts.scheme}://{parts.netloc}"
    if parts.username is not None or not parts.hostname or parts.scheme not in {"http", "https"}:
        hint = "Write https://HOST/PATH, or name a file."
        raise InvalidInput(
            f"cannot fetch {_shown(url)}", why="it is no address that a certificate comes from", hint=hint
        )
    if parts.scheme == "http" and not is_loopback(server):
        hint = "Use https, or fetch the file yourself, check it, and name it with --cert."
        raise InvalidInput(f"cannot fetch {_shown(url)}", why="nobody vouches for what comes by http", hint=hint)
    request = Request(
        "GET", parts.path or "/", parts.query, (("Accept", "application/x-pem-file, */*"),),
        deadline_s=_DEADLINE_S, reply_limit_bytes=_LARGEST_BYTES,
    )  # fmt: skip
    return server, request


def _shown(url: str) -> str:
    """Without a password that may be in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
