"""Who asks and whether they may. Every endpoint goes through here, and none has rules of its own."""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeAlias

from plumbline.access.policy import Decision, Policy, Subject
from plumbline.base.errors import Forbidden, Unauthenticated
from plumbline.web.board.sight import Who
from plumbline.web.requests import Request

APPLICATIONS: Final = "applications"
PROJECTS: Final = "projects"
REPOSITORIES: Final = "repositories"
WRITE_REPOSITORIES: Final = "write-repositories"
CLUSTERS: Final = "clusters"
CERTIFICATES: Final = "certificates"
GPG_KEYS: Final = "gpgkeys"


class Asker(Protocol):
    """Somebody who has said who they are."""

    @property
    def name(self) -> str: ...

    @property
    def groups(self) -> tuple[str, ...]: ...

    @property
    def issuer(self) -> str: ...

    @property
    def username(self) -> str:
        """For people to read."""


Asking: TypeAlias = Callable[[Request], Awaitable[Asker]]
"""Who asks; raises Unauthenticated."""
Known: TypeAlias = Callable[[Asker], Subject]
"""As whom a policy knows somebody."""


def by_name(asker: Asker) -> Subject:
    return Subject(asker.name, asker.groups)


class Rights:
    """*policy* gives the one that counts now: it is another value as soon as anything of it changed."""

    def __init__(self, asking: Asking, policy: Callable[[], Policy], known: Known = by_name) -> None:
        self._asking = asking
        self._known = known
        self.policy = policy

    async def asker(self, request: Request) -> Asker:
        return await self._asking(request)

    async def guest(self, request: Request) -> Asker | None:
        """Who asks, where somebody need not say so."""
        try:
            return await self._asking(request)
        except (Unauthenticated, Forbidden):
            return None

    def may(self, asker: Asker, resource: str, action: str, name: str) -> bool:
        return self.policy().allows(self._known(asker), resource, action, name)

    def sees(self, asker: Asker, resource: str, action: str = "get") -> Callable[[str], bool]:
        """The same question about many names."""
        policy, who = self.policy(), self._known(asker)
        return lambda name: policy.allows(who, resource, action, name)

    def decide(self, asker: Asker, resource: str, action: str, name: str) -> Decision:
        """The same with the line that decides."""
        return self.policy().decide(self._known(asker), resource, action, name)

    def demand(self, asker: Asker, resource: str, action: str, name: str) -> None:
        """Raises Forbidden, which says what was asked for and which line decided."""
        decision = self.decide(asker, resource, action, name)
        if not decision.allowed:
            said = f"permission denied: {resource}, {action}, {name}, sub: {asker.name}"
            raise Forbidden(said, why=decision.why, hint=f"See: plumb account can-i {action} {resource} '{name}'.")


def who(asker: Asker) -> Who:
    return asker.name, asker.groups, asker.issuer
