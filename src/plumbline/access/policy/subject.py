"""Who asks."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from plumbline.base.json import Json

DEFAULT_SCOPES: Final = ("groups",)
_NO_CLAIMS: Final[Mapping[str, Json]] = MappingProxyType({})
_PROJECT_PARTS: Final = 3


class Subject(NamedTuple):
    """An account, a person, a role of a project (`proj:PROJECT:ROLE`), or with an empty name nobody in particular.

    Whoever has no name has nothing but the default role: neither groups nor claims are looked at.
    """

    name: str
    groups: tuple[str, ...] = ()
    claims: Mapping[str, Json] = _NO_CLAIMS
    """What the identity provider says. The policy's scopes pick more groups out of it."""

    def all_groups(self, scopes: Iterable[str]) -> tuple[str, ...]:
        return (*self.groups, *groups_in(self.claims, scopes)) if self.claims else self.groups


ANONYMOUS: Final = Subject("")


def name_in(claims: Mapping[str, Json]) -> str:
    """Who somebody is: the id behind Dex, where there is one, and otherwise the subject. Empty if it is not said."""
    federated = claims.get("federated_claims")
    behind = federated.get("user_id") if isinstance(federated, dict) else None
    if isinstance(behind, str) and behind:
        return behind
    subject = claims.get("sub")
    return subject if isinstance(subject, str) else ""


def groups_in(claims: Mapping[str, Json], scopes: Iterable[str]) -> tuple[str, ...]:
    """The texts and the lists of texts under *scopes*. Anything else is left out."""
    found: list[str] = []
    for scope in scopes:
        value = claims.get(scope)
        values = value if isinstance(value, list | tuple) else (value,)
        found += (each for each in values if isinstance(each, str))
    return tuple(found)


def project_of(name: str) -> str | None:
    """The project whose role *name* stands for."""
    parts = name.split(":")
    return parts[1] if len(parts) == _PROJECT_PARTS and parts[0] == "proj" else None
