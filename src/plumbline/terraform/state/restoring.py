"""A state put back from a copy: under the lock, in the very form in which the tools write it."""

import base64
import hashlib
from typing import Final, NamedTuple

from plumbline.base.errors import Corrupted, InvalidInput
from plumbline.base.json import JsonObject
from plumbline.kube.client import Client, Target
from plumbline.terraform.state.copies import Copies, Version
from plumbline.terraform.state.document import Document, parsed
from plumbline.terraform.state.holders import RunInfo
from plumbline.terraform.state.locks import Locks
from plumbline.terraform.state.packing import packed, pieces
from plumbline.terraform.state.place import MOST_PARTS, SECRETS, Place
from plumbline.terraform.state.reading import KEY, Part, State, found_parts, read
from plumbline.terraform.state.writing import Note, Pin, Writer

_ENCODING: Final = {"encoding": "gzip"}


class Restored(NamedTuple):
    serial: int
    lineage: str
    resources: int
    secrets: tuple[str, ...]
    written: bool
    """False where it was there already."""


class Restorer:
    def __init__(self, client: Client, writer: Writer, locks: Locks, copies: Copies) -> None:
        self._client = client
        self._writer = writer
        self._locks = locks
        self._copies = copies

    async def restore(self, place: Place, version: Version, run: RunInfo, *, over: bool = False) -> Restored:
        """Make *place* what *version* was. Only with *over* is a newer state, or one of another lineage, given up for it.

        A state that is damaged, and one that has nothing in it, may always be written over. Raises StateLocked while a
        run is at work.
        """
        text = (await self._copies.read(place, version)).reveal()
        document = parsed(text)
        content = pieces(packed(text))
        if len(content) > MOST_PARTS:
            raise InvalidInput(f"{place} cannot be restored", why=f"it takes more than {MOST_PARTS} Secrets")
        async with self._locks.held(place, run) as lock:
            present = await self._present(place)
            if present is not None and _same(present, text):
                return _restored(document, present.parts, written=False)
            if present is not None and not over:
                _refuse_loss(present, document)
            lock.check()
            note = Note(f"Restore the state from the copy of {version.at}, serial {version.serial}", run.behalf)
            parts = await found_parts(self._client, place)
            for number, piece in enumerate(content):
                await self._put(place, number, piece, parts.get(number), note)
            for number in sorted(set(parts) - set(range(len(content)))):
                await self._writer.delete(_target(place, number), _pin(parts[number]), note)
        return Restored(
            document.serial,
            document.lineage,
            len(document.instances),
            tuple(map(place.part, range(len(content)))),
            True,
        )

    async def _present(self, place: Place) -> State | None:
        """None also for one that cannot be read: nobody can use it, and the copy is what helps."""
        try:
            return await read(self._client, place, self._copies.offer)
        except Corrupted:
            return None

    async def _put(self, place: Place, number: int, piece: bytes, part: Part | None, note: Note) -> None:
        body: JsonObject = {
            "metadata": {"labels": place.labels, "annotations": _ENCODING},
            "data": {KEY: base64.b64encode(piece).decode()},
        }
        target = _target(place, number)
        if part is None:
            await self._writer.create(target, body, note)
        else:
            await self._writer.patch(target, body, _pin(part), note)


def _refuse_loss(present: State, document: Document) -> None:
    if present.lineage != document.lineage:
        if present.vacant:
            return
        why = f"there is another state, of lineage {present.lineage}, with {len(present.instances)} resources"
    elif present.serial >= document.serial:
        why = f"the state there has serial {present.serial}, and the copy {document.serial}"
    else:
        return
    raise InvalidInput(
        f"{present.place} is not restored",
        why=why,
        hint="Look at both. If what is there may be given up for the copy, say so; it is copied first if an apply made it.",
    )


def _same(present: State, text: bytes) -> bool:
    return hashlib.sha256(present.text.reveal()).digest() == hashlib.sha256(text).digest()


def _restored(document: Document, parts: tuple[Part, ...], *, written: bool) -> Restored:
    names = tuple(part.name for part in parts)
    return Restored(document.serial, document.lineage, len(document.instances), names, written)


def _target(place: Place, number: int) -> Target:
    return Target(SECRETS, place.namespace, place.part(number))


def _pin(part: Part) -> Pin:
    return Pin(part.uid, part.resource_version)
