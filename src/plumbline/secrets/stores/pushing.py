"""What a place that keeps secrets can be given, and what has to be there before it takes anything.

Writing has two halves. A sink compares first, and answers with an effect, or with nothing where all is as it should be; whoever
asked lets the effect through the gate. What somebody else wrote is never overwritten: the mark of External Secrets tells
whose a secret is, and where a store has no place for a mark, the record of what was pushed before does.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec

from plumbline.base.errors import AlreadyExists, InvalidInput
from plumbline.base.json import JsonObject, encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.store import Remote

MANAGED_BY: Final = "managed-by"
MANAGER: Final = "external-secrets"
_KIND: Final = "PushSecretMetadata"

S = TypeVar("S", bound=msgspec.Struct)


class Piece(NamedTuple):
    """One value on its way to a store, and the Secret that it is from."""

    remote: Remote
    """Where it goes: a key, and a property of it unless it is all of it."""
    entries: Mapping[str, Plaintext]
    """Everything of the Secret."""
    chosen: str = ""
    """Which entry of it; all of them if empty."""
    metadata: JsonObject | None = None
    """What the PushSecret says in the form of the provider."""
    ours: bool = False
    """It is on record that this was pushed before, or was about to be."""
    type: str = ""
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}

    @property
    def value(self) -> Plaintext:
        return self.entries[self.chosen] if self.chosen else Plaintext(encode_sorted(texts(self.entries)))


def texts(entries: Mapping[str, Plaintext]) -> dict[str, str]:
    """What is not text loses something, as it does upstream: push such entries one by one."""
    return {name: value.reveal().decode(errors="replace") for name, value in entries.items()}


class Effect(NamedTuple):
    verb: Literal["create", "update", "delete"]
    perform: Callable[[], Awaitable[None]]
    """Raises Conflict where what is there is no longer what was compared."""


@runtime_checkable
class Sink(Protocol):
    """Open, as the store is that it belongs to. Raises what a store raises, and AlreadyExists for what somebody else wrote."""

    async def exists(self, remote: Remote) -> bool: ...

    async def pushing(self, piece: Piece) -> Effect | None:
        """What makes the store hold *piece*; None where it does."""

    async def withdrawing(self, remote: Remote) -> Effect | None:
        """What takes it out of the store; None where there is nothing of ours."""


@runtime_checkable
class Writable(Protocol):
    """A store that can be given something."""

    def sink(self) -> Sink: ...


def sink_of(store: object) -> Sink:
    if not isinstance(store, Writable):
        raise InvalidInput("Nothing can be pushed to the store", why="stores of its provider are only read here")
    return store.sink()


def foreign(what: str, hint: str = "") -> AlreadyExists:
    """For what is there and was not pushed."""
    return AlreadyExists(
        f"{what} cannot be written",
        why=f"secret not managed by {MANAGER}",
        hint=hint
        or f"If it may be overwritten, note {MANAGED_BY}={MANAGER} on it in the store; otherwise choose another key.",
    )


def wanted(metadata: JsonObject | None, form: type[S]) -> S:
    """What the PushSecret says about a value, for this provider. Raises InvalidInput for what is not done."""
    what = "The metadata of the PushSecret cannot be used"
    if metadata is None:
        return form()
    if metadata.get("kind") != _KIND:
        raise InvalidInput(
            what, why=f"its kind is not {_KIND}", hint=f"Set kind to {_KIND}, and what is wanted in spec."
        )
    try:
        return msgspec.convert(metadata.get("spec") or {}, form)
    except msgspec.ValidationError as wrong:
        raise InvalidInput(what, why=str(wrong)) from None
