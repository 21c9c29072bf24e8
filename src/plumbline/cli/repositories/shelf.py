"""What verbs ask about repositories and credentials, whoever answers."""

from typing import NamedTuple, Protocol

from plumbline.base.json import JsonObject
from plumbline.source.repository import Repository


class Known(NamedTuple):
    """A repository, or credentials for many of them. Nothing secret is in it."""

    value: JsonObject
    """What may be seen of it, with Argo CD's names."""
    own: bool = False
    """Whether it has credentials of its own."""
    ssh: bool = False
    tls: bool = False

    @property
    def url(self) -> str:
        return str(self.value.get("repo") or self.value.get("url") or "")


class Shelf(Protocol):
    async def listed(self, *, anew: bool = False) -> list[Known]:
        """All of them, by address. With *anew*, those who can tell find out again whether they answer."""

    async def found(self, url: str, project: str = "", *, anew: bool = False) -> Known:
        """The one for an address, in whatever spelling; of several that mean the same, the one of the project."""

    async def add(self, repository: Repository, *, upsert: bool) -> None:
        """Write it. One that differs is replaced only with *upsert*; a repository that does not answer is WrongState."""

    async def remove(self, url: str, project: str = "") -> None: ...
