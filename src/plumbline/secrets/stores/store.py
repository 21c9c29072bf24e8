"""What a place that keeps secrets can be asked, and what it may ask us."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client


class Remote(NamedTuple):
    """One secret of a store, or a property in it."""

    key: str
    property: str = ""
    version: str = ""
    metadata: bool = False
    """Ask for what is noted about the secret instead of its value."""


class Search(NamedTuple):
    """Which secrets of a store; all that fit what is given."""

    path: str = ""
    name: str = ""
    """A regular expression, in Go's dialect."""
    tags: Mapping[str, str] = {}


class Store(Protocol):
    """Open, and good for some questions in a row. Nothing that it answers is kept in it.

    Raises NotFound where the store says that there is no such secret, property or version, and nothing else for that; what
    comes and goes is Transient, what stays wrong Refused. No error tells a value or a credential.
    """

    async def value(self, remote: Remote) -> Plaintext: ...

    async def entries(self, remote: Remote) -> Mapping[str, Plaintext]:
        """The parts of a secret that is a JSON object, or whatever the store has several values under one name in."""

    async def search(self, search: Search) -> Mapping[str, Plaintext]:
        """Whole secrets by their names, as the store spells them."""

    async def check(self) -> bool:
        """Raises if the store cannot be used with what it is given; False where that cannot be known."""

    async def close(self) -> None: ...


class Selector(NamedTuple):
    """Where in the cluster something that a store needs is written. *namespace* is what the store says, empty if nothing."""

    name: str
    key: str = ""
    namespace: str = ""


class Cluster(Protocol):
    """What a store may read of the cluster it is defined in.

    Of a SecretStore that is its own namespace, whatever a selector says; of a ClusterSecretStore the namespace that the
    selector says, else the one of the ExternalSecret that asks. Raises Unresolved for what is not there.
    """

    async def secret(self, selector: Selector) -> Plaintext: ...

    async def config_map(self, selector: Selector) -> str: ...

    async def token(self, account: Selector, audiences: tuple[str, ...], lifetime_s: int) -> Plaintext:
        """A token of a service account."""

    async def account(self, account: Selector) -> JsonObject:
        """The service account itself."""

    def bearing(self, token: Plaintext) -> AbstractAsyncContextManager[Client]:
        """To the same API server, as whoever the token says."""

    @property
    def client(self) -> Client:
        """To the API server that all this comes from."""
