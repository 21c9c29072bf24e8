"""Who listens, and what they see: the live stream's door and sight over sessions and policies that are there already."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Protocol, TypeAlias

from plumbline.base.json import Json, encode_sorted
from plumbline.web.live.sight import Viewer
from plumbline.web.requests import Request

Sees: TypeAlias = Callable[[Any, str], bool]
"""Whether an asker may see what has this scope."""

_FAMILY: Final = ":"


class Session(Protocol):
    @property
    def token_id(self) -> str: ...

    @property
    def claims(self) -> Mapping[str, Json]: ...


class Asker(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def groups(self) -> tuple[str, ...]: ...

    @property
    def issuer(self) -> str: ...

    @property
    def session(self) -> Session | None: ...


class Askers(Protocol):
    async def asker(self, request: Request) -> Asker: ...

    async def still_valid(self, asker: Any) -> bool: ...


class SessionDoor:
    """Everybody who has a session, and where anybody may look, anybody: those are told apart by where they are."""

    def __init__(self, askers: Askers) -> None:
        self._askers = askers

    async def admit(self, request: Request) -> Viewer:
        asker = await self._askers.asker(request)
        session = asker.session
        claims = encode_sorted(session.claims) if session is not None else b""
        token = session.token_id if session is not None else ""
        # A token without an id of its own is told apart by whose it is.
        held = token or f"{asker.issuer} {asker.name}" if session is not None else f"from {request.peer}"
        person = (asker.issuer, asker.name) if session is not None else held
        return Viewer(held, (asker.name, asker.groups, asker.issuer, claims), asker, person)

    async def holds(self, viewer: Viewer) -> bool:
        return await self._askers.still_valid(viewer.asker)


class FamilySight:
    """Each family of topics has a rule of its own; what has none is seen by nobody.

    *version* is another value whenever a rule may decide otherwise, such as the policy itself.
    """

    def __init__(self, version: Callable[[], Hashable], rules: Mapping[str, Sees]) -> None:
        self._version = version
        self._rules = rules

    @property
    def version(self) -> Hashable:
        return self._version()

    def sees(self, asker: Any, topic: str, scope: str) -> bool:
        family, colon, _ = topic.partition(_FAMILY)
        rule = self._rules.get(family + colon)
        return rule is not None and rule(asker, scope)
