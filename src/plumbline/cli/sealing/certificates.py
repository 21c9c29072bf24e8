"""The certificate that values are sealed for: from a file, an address, or the controller."""

from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound
from plumbline.cli.fetching import Wanted, fetched, shown
from plumbline.cli.sealing.controller import Place, connected
from plumbline.kube.client.proxies import is_loopback
from plumbline.secrets.sealing import Certificate, certificate_of

_LARGEST_BYTES: Final = 1 << 20


async def pem_from(cert: str, place: Place) -> bytes:
    """What *cert* names, as it is there; without one, what the controller serves."""
    if not cert:
        async with connected(place) as controller:
            return await controller.certificate()
    parts = urlsplit(cert)
    if parts.scheme == "file":
        return _file(Path(unquote(parts.path)))
    return await fetched(cert, _WANTED) if parts.scheme else _file(Path(cert))


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


def _vouched_for(url: str) -> None:
    """Whoever can change a certificate on its way can read all that is sealed for it, so it comes by https."""
    if urlsplit(url).scheme == "http" and not is_loopback(url):
        hint = "Use https, or fetch the file yourself, check it, and name it with --cert."
        raise InvalidInput(f"cannot fetch {shown(url)}", why="nobody vouches for what comes by http", hint=hint)


_WANTED: Final = Wanted("--cert", _LARGEST_BYTES, "application/x-pem-file, */*", _vouched_for)
