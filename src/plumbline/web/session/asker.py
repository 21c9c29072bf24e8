"""Who asks: found out once for each request, and passed to every part that answers it."""

import msgspec

from plumbline.access.sessions import Session
from plumbline.access.tokens import ISSUER

ANONYMOUS_ISSUER = ""


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """What policies know them by: the account, `proj:PROJECT:ROLE`, or the subject of an identity provider."""
    groups: tuple[str, ...] = ()
    issuer: str = ANONYMOUS_ISSUER
    session: Session | None = None
    anonymous: bool = False

    @property
    def local(self) -> bool:
        """Whether the name is one of ours: what an identity provider calls `admin` is not our administrator."""
        return self.issuer == ISSUER

    @property
    def username(self) -> str:
        """For people to read."""
        return (self.session.username if self.session is not None else "") or self.name


ANONYMOUS = Asker(name="", anonymous=True)


def asker_of(session: Session) -> Asker:
    return Asker(name=session.subject, groups=session.groups, issuer=session.issuer, session=session)
