"""Who acted and on what. The text form of each is what the stores index, so it never changes for the same thing."""

from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.kube.names import GroupKind, Ref

NAME_CHARS: Final = 256
ID_CHARS: Final = 2048
"""ARNs and ARM ids are the longest names that clouds give."""


def checked(value: object, what: str, limit_chars: int = NAME_CHARS, *, optional: bool = False) -> str:
    """The text itself, if it is one, short enough, and nothing in it moves a terminal's cursor."""
    if not isinstance(value, str):
        raise TypeError(f"{what} of a journal entry is text, not {type(value).__name__}")
    if not value and not optional:
        raise InvalidInput(f"a journal entry without {what}")
    if len(value) > limit_chars:
        raise LimitExceeded(f"{what} of a journal entry is too long", why=f"{len(value)} > {limit_chars} characters")
    if not value.isprintable():
        raise InvalidInput(f"{what} of a journal entry cannot be printed", why=ascii(value[:80]))
    return value


def printable(text: str, limit_chars: int = NAME_CHARS) -> str:
    """Somebody else's words made fit for an entry: what cannot be printed is escaped, what is too long is cut."""
    kept = text[:limit_chars]
    if not kept.isprintable():
        kept = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in kept)
    return kept if len(kept) <= limit_chars and len(text) <= limit_chars else kept[: limit_chars - 1] + "…"


class Actor(msgspec.Struct, frozen=True):
    kind: Literal["person", "controller", "field-manager"]
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    def check(self) -> None:
        if self.kind not in {"person", "controller", "field-manager"}:
            raise InvalidInput("an actor of an unknown kind", why=ascii(self.kind))
        checked(self.name, "the actor")


class LiveObject(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="object", omit_defaults=True):
    """One object of one cluster. Cluster and namespace come first in its text: people ask for all of a namespace."""

    cluster: str
    group: str = ""
    kind: str
    namespace: str = ""
    name: str

    @classmethod
    def at(cls, cluster: str, ref: Ref) -> "LiveObject":
        return cls(cluster=cluster, group=ref.group, kind=ref.kind, namespace=ref.namespace, name=ref.name)

    @property
    def ref(self) -> Ref:
        return Ref(self.group, self.kind, self.namespace, self.name)

    def __str__(self) -> str:
        return object_path(self.cluster, self.namespace, str(GroupKind(self.group, self.kind)), self.name)

    def check(self) -> None:
        checked(self.cluster, "the cluster")
        checked(self.kind, "the kind")
        checked(self.name, "the name")
        checked(self.group, "the group", optional=True)
        checked(self.namespace, "the namespace", optional=True)


class ExternalResource(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="external"):
    """Something outside every cluster: `provider` says whose, `id` is its ARN or whatever the provider calls it."""

    provider: str
    id: str

    def __str__(self) -> str:
        return f"external/{_escaped(self.provider)}/{self.id}"

    def check(self) -> None:
        checked(self.provider, "the provider")
        checked(self.id, "the external id", ID_CHARS)


Subject: TypeAlias = LiveObject | ExternalResource


def object_path(*parts: str) -> str:
    """The text of an object, or the beginning of the texts of many: cluster, namespace, kind with group, name."""
    return "/".join(("object", *(_escaped(part) for part in parts)))


def _escaped(part: str) -> str:
    # Cluster names are often URLs; Kubernetes allows neither character in the other parts.
    return part.replace("%", "%25").replace("/", "%2F")
