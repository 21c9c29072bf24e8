"""States as they lie in a cluster: found whichever tool wrote them, and never half."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import BadDocument, Corrupted, GarbledReply, InvalidInput, LimitExceeded, NotFound
from plumbline.base.limits import KIB
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client, Selection
from plumbline.terraform.state.document import Document, Instance, parsed
from plumbline.terraform.state.packing import unpacked
from plumbline.terraform.state.place import MOST_PARTS, Place, strays

KEY: Final = "tfstate"
_LARGE_BYTES: Final = 256 * KIB
"""More than this takes longer to unpack than the loop may be held up."""
_PAGE: Final = 16

Offer = Callable[[Place], Awaitable[str]]
"""What can be had in place of a state that is damaged, as a sentence."""


class Mark(msgspec.Struct, frozen=True):
    """Tells one version of a state from every other."""

    serial: int
    lineage: str
    versions: tuple[str, ...] = ()
    """Of the Secrets: they say without a look inside whether anything was written since."""


class Part(NamedTuple):
    name: str
    uid: str
    resource_version: str
    labels: dict[str, str]

    @property
    def version(self) -> str:
        return f"{self.uid}/{self.resource_version}"


class State(msgspec.Struct, frozen=True, kw_only=True):
    place: Place
    text: Plaintext
    document: Document
    parts: tuple[Part, ...]
    strangers: tuple[str, ...] = ()
    """Secrets that carry this state's labels and are none of it."""

    @property
    def mark(self) -> Mark:
        return Mark(self.serial, self.lineage, tuple(part.version for part in self.parts))

    @property
    def serial(self) -> int:
        return self.document.serial

    @property
    def lineage(self) -> str:
        return self.document.lineage

    @property
    def instances(self) -> tuple[Instance, ...]:
        return self.document.instances

    @property
    def addresses(self) -> frozenset[str]:
        return frozenset(each.address for each in self.instances)

    @property
    def vacant(self) -> bool:
        """Nothing would be lost with it."""
        return not (self.instances or self.document.outputs or self.document.encrypted)


class _Meta(msgspec.Struct, rename="camel"):
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] = {}


class _Secret(msgspec.Struct):
    metadata: _Meta
    data: dict[str, bytes] = {}


_decode: Final = msgspec.json.Decoder(_Secret).decode


class _Found(NamedTuple):
    parts: dict[int, _Secret]
    strangers: tuple[str, ...] = ()


async def _nothing(place: Place) -> str:
    return f"No copy of {place} is known."


async def read(client: Client, place: Place, offer: Offer = _nothing) -> State | None:
    """The state, None where there is none. Raises Corrupted, with what *offer* says, for one that is damaged."""
    found = await _found(client, place, metadata_only=False)
    main = found.parts.get(0)
    if not found.parts or (len(found.parts) == 1 and main is not None and KEY not in main.data):
        return None
    order = tuple(found.parts[number] for number in sorted(found.parts))
    try:
        pieces = _pieces(place, found)
        size_bytes = sum(map(len, pieces))
        text, document = await asyncio.to_thread(_opened, pieces) if size_bytes > _LARGE_BYTES else _opened(pieces)
    except (BadDocument, LimitExceeded) as damage:
        raise Corrupted(
            f"The state {place} is damaged",
            why=f"{damage} ({_named(order)})",
            hint=f"Nothing is planned or applied with it. {await offer(place)}",
        ) from damage
    return State(
        place=place,
        text=Plaintext(text),
        document=document,
        parts=tuple(map(_part, order)),
        strangers=found.strangers,
    )


async def unmoved(client: Client, place: Place, mark: Mark | None) -> bool:
    """Whether nobody has written the state since *mark* (None: since there was none). Reads no values."""
    found = await _found(client, place, metadata_only=True)
    versions = tuple(_part(found.parts[number]).version for number in sorted(found.parts))
    return versions == (mark.versions if mark else ())


async def found_parts(client: Client, place: Place) -> dict[int, Part]:
    """The Secrets of a state by their number, whatever is in them."""
    found = await _found(client, place, metadata_only=True)
    return {number: _part(secret) for number, secret in found.parts.items()}


def hidden(state: State) -> str:
    """Why terraform, which goes by labels alone, would not find this state and write an empty one over it."""
    if state.strangers:
        return f"Secret {state.strangers[0]} carries the labels of {state.place} and is no part of it"
    for part in state.parts:
        for key, value in state.place.labels.items():
            if part.labels.get(key) != value:
                return f"Secret {part.name} has not the label {key}={value} that terraform looks for"
    return ""


def _opened(pieces: tuple[bytes, ...]) -> tuple[bytes, Document]:
    text = unpacked(pieces)
    return text, parsed(text)


def _pieces(place: Place, found: _Found) -> tuple[bytes, ...]:
    """In their order, which is not that of their names. A gap is told before anything is unpacked."""
    pieces = []
    for number in range(max(found.parts) + 1):
        secret = found.parts.get(number)
        content = secret.data.get(KEY) if secret else None
        if content is None:
            what = "is missing" if secret is None else "is empty"
            raise BadDocument("The state cannot be put together", why=f"Secret {place.part(number)} {what}")
        pieces.append(content)
    return tuple(pieces)


async def _found(client: Client, place: Place, *, metadata_only: bool) -> _Found:
    """By labels, as terraform looks for it, and by name, as OpenTofu does."""
    parts: dict[int, _Secret] = {}
    strangers = []
    selection = Selection(labels=place.selector, limit=_PAGE, metadata_only=metadata_only)
    async with aclosing(client.pages(place.secret.collection, selection)) as pages:
        async for page in pages:
            for secret in map(_secret, page.items):
                number = place.number(secret.metadata.name)
                if number is None:
                    strangers.append(secret.metadata.name)
                else:
                    parts[number] = secret
            if len(parts) + len(strangers) > MOST_PARTS:
                raise LimitExceeded(f"The state {place} is too large", why=f"it has more than {MOST_PARTS} Secrets")
    if 0 not in parts:
        named = await _by_name(client, place, metadata_only=metadata_only)
        parts |= {0: named} if named else {}
    return _Found(parts, tuple(sorted(strangers)))


async def _by_name(client: Client, place: Place, *, metadata_only: bool) -> _Secret | None:
    try:
        secret = _secret(await client.get(place.secret, metadata_only=metadata_only))
    except NotFound:
        return None
    other = strays(place, secret.metadata.labels)
    if other:
        raise InvalidInput(
            f"There can be no state {place}",
            why=f"the Secret of that name holds the state of {other}",
            hint="Set another workspace or secretSuffix: joined by dashes, the two give the same name.",
        )
    return secret


def _secret(body: bytes) -> _Secret:
    try:
        return _decode(body)
    except msgspec.DecodeError as broken:
        raise GarbledReply("The API server's Secret is none") from broken


def _part(secret: _Secret) -> Part:
    meta = secret.metadata
    return Part(meta.name, meta.uid, meta.resource_version, meta.labels)


def _named(secrets: tuple[_Secret, ...]) -> str:
    return ("Secret " if len(secrets) == 1 else "Secrets ") + ", ".join(each.metadata.name for each in secrets)
