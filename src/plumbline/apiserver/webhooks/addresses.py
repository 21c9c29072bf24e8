"""Where services of a cluster without nodes really are: addresses on this machine that our own rooms announce."""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from plumbline.base.errors import InvalidInput

_SCHEMES: Final = frozenset({"http", "https"})


class Place(NamedTuple):
    """A port of a service, pod or node, as the API names it; nodes are in no namespace."""

    resource: str
    namespace: str
    name: str
    port: int


class LocalAddresses:
    """Only loopback can be announced: whoever may proxy through the API must not reach further than this machine says."""

    def __init__(self) -> None:
        self._urls: dict[Place, str] = {}

    def announce(self, place: Place, url: str) -> None:
        """*url* is a scheme, a loopback IP and a port; raises InvalidInput for anything else."""
        parts = urlsplit(url)
        if parts.scheme not in _SCHEMES or not _is_loopback(parts.hostname or "") or parts.port is None:
            why = "only http and https on a loopback address with a port can be"
            raise InvalidInput(f"{url!r} cannot be announced as an address of {place.name}", why=why)
        self._urls[place] = f"{parts.scheme}://{parts.netloc}"

    def withdraw(self, place: Place) -> None:
        self._urls.pop(place, None)

    @contextmanager
    def announced(self, place: Place, url: str) -> Iterator[None]:
        """While the context lasts, as `announce` does."""
        self.announce(place, url)
        try:
            yield
        finally:
            self.withdraw(place)

    def url_of(self, place: Place) -> str | None:
        return self._urls.get(place)

    def ports_of(self, resource: str, namespace: str, name: str) -> list[int]:
        return [each.port for each in self._urls if each[:3] == (resource, namespace, name)]


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # names can be made to mean something else later
