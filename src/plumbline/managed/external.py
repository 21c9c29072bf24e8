"""What a provider does for one kind, in five methods, and the values that go in and come out.

Implementations raise from the one error tree: Throttled and other Transient errors are tried again with patience, Refused ones
become a condition that a person reads. A write whose answer was lost raises a Transient: the next observe finds out.
"""

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kube.names import Ref

State: TypeAlias = Literal["Creating", "Available", "Unavailable", "Deleting"]
"""Reasons of the condition Ready."""


class SecretKey(msgspec.Struct, frozen=True, rename="camel"):
    """Where a secret value is, as fields such as `passwordSecretRef` say it."""

    name: str
    key: str
    namespace: str = ""


class Secrets(Protocol):
    """The Secrets that a managed resource may read: a namespaced one, those of its namespace only."""

    async def read(self, key: SecretKey) -> Plaintext:
        """The value. Raises NotFound naming the Secret and the key that is missing."""


class Config(msgspec.Struct, frozen=True):
    """A ProviderConfig or ClusterProviderConfig, found for one managed resource."""

    ref: Ref
    spec: JsonObject
    secrets: Secrets
    version: str = ""
    """Another one whenever the config or the Secret that it names has changed: connections may be kept by it."""
    annotations: Mapping[str, str] = {}


class Managed(msgspec.Struct, frozen=True, kw_only=True):
    """A managed resource as a provider sees it: references resolved, defaults filled in."""

    ref: Ref
    uid: str
    external_name: str
    """Empty where the provider assigns it and has not yet."""
    wanted: JsonObject
    """forProvider."""
    initial: JsonObject = {}
    """initProvider: said at creation only. A field that is in both has the value of forProvider."""
    config: str = ""
    """Name of its ProviderConfig, for tags."""
    secrets: Secrets
    object: JsonObject
    """All of it, for what is kept in annotations and status."""

    @property
    def at_creation(self) -> JsonObject:
        return merged_under(self.wanted, self.initial)


class Difference(msgspec.Struct, frozen=True):
    """One field that is not as it should be."""

    path: str
    """Below forProvider."""
    wanted: Json
    found: Json
    replaces: bool = False
    """It cannot change in place."""


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    exists: bool
    external_name: str = ""
    """As the provider knows it, where it was found by its name or tags: recorded before anything else is done."""
    at_provider: JsonObject = {}
    status: JsonObject = {}
    """Fields of the status beside atProvider, where a kind has such."""
    differences: tuple[Difference, ...] = ()
    late: JsonObject = {}
    """Fields of forProvider that nobody has set, with the values that the provider chose."""
    connection: Mapping[str, Plaintext] = {}
    state: State = "Available"
    changing: bool = False
    """A change is under way, whoever asked for it: what differs now says nothing, and another change would be refused."""
    message: str = ""
    """Why it is not available, in the provider's words."""
    holds: str = ""
    """What would be lost with it, for people: `database, 100 GB`. Empty where it can be made again."""
    protected: str = ""
    """Why the provider would refuse to delete it, such as `deletionProtection is on`. With `after_s`, it may end by itself."""
    after_s: float | None = None
    """When to look again, where the provider knows better than the poll: while it is being made, for instance."""


ABSENT = Observed(exists=False)


class Created(msgspec.Struct, frozen=True):
    external_name: str = ""
    """What the provider has assigned; empty where the name was known before."""
    connection: Mapping[str, Plaintext] = {}
    at_provider: JsonObject = {}
    """Fields of atProvider that no later look could tell, to be kept in the status: when a password was set."""


class Updated(msgspec.Struct, frozen=True):
    connection: Mapping[str, Plaintext] = {}
    at_provider: JsonObject = {}
    """As for Created."""


class External(Protocol):
    """One kind of resource in one account. Creating what exists under the same name returns as if it had just been made."""

    async def observe(self, managed: Managed) -> Observed: ...

    async def create(self, managed: Managed) -> Created: ...

    async def update(self, managed: Managed, observed: Observed) -> Updated: ...

    async def delete(self, managed: Managed, observed: Observed) -> None:
        """Ask for deletion; what is already gone is no error. Called again until `observe` finds nothing."""


class Connector(Protocol):
    async def connect(self, managed: Managed, config: Config) -> External: ...


def merged_under(over: JsonObject, under: JsonObject) -> JsonObject:
    """*over*, with what only *under* says; objects are merged, lists and scalars are not."""
    result = dict(under)
    for key, value in over.items():
        below = under.get(key)
        result[key] = merged_under(value, below) if isinstance(value, dict) and isinstance(below, dict) else value
    return result
