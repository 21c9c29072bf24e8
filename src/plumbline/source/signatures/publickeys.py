"""Public keys as people list, add and remove them, in the ConfigMap that says whose signatures count."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound
from plumbline.base.json import JsonObject
from plumbline.base.process.scratch import scratch
from plumbline.base.tasks import task_group
from plumbline.source.configmaps import ConfigMaps, put, settled, texts
from plumbline.source.signatures.gpg import run_gpg
from plumbline.source.signatures.trusted import CONFIG_MAP, trusted

MOST_BYTES: Final = 1_000_000
"""Of one ConfigMap; Kubernetes keeps little more."""
MOST_KEYS: Final = 100
"""In one go."""
_AT_ONCE: Final = 4
_PUBLIC: Final = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
_PRIVATE: Final = "PRIVATE KEY"
_SSH: Final = re.compile(r"(?:sk-)?(?:ssh|ecdsa)-\S+ ")
_EXPORT: Final = "Export the public key with: gpg --armor --export KEYID."
_KEY_ID: Final = re.compile(r"[0-9A-Fa-f]{16}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64}")
_ID_DIGITS: Final = 16
_LENGTH, _ALGORITHM, _ID, _TEXT, _CURVE = 2, 3, 4, 9, 16
_ALGORITHMS: Final = {"1": "rsa", "2": "rsa", "3": "rsa", "16": "elg", "17": "dsa"}
_TRUST: Final = {"r": "revoked", "e": "expired", "i": "invalid"}
_ESCAPE: Final = re.compile(rb"\\x([0-9a-fA-F]{2})")


class PublicKey(msgspec.Struct, frozen=True):
    id: str
    fingerprint: str = ""
    owner: str = ""
    trust: str = ""
    subtype: str = ""
    content: str = ""
    entry: str = ""
    """Under which name it is kept."""

    def as_json(self, *, whole: bool = True) -> JsonObject:
        """As Argo CD says it."""
        told = {
            "fingerprint": self.fingerprint,
            "owner": self.owner,
            "trust": self.trust,
            "subType": self.subtype,
            "keyData": self.content if whole else "",
        }
        return {"keyID": self.id, **{name: value for name, value in told.items() if value}}


class Imported(NamedTuple):
    created: list[PublicKey]
    skipped: list[str]
    """Ids of those that were there."""


class PublicKeys:
    """OpenPGP keys, and ssh keys beside them. What was read once is not read again for as long as it stays."""

    def __init__(self, maps: ConfigMaps, read: dict[str, tuple[PublicKey, ...]] | None = None) -> None:
        self._maps = maps
        self._known = {} if read is None else read

    async def listed(self) -> list[PublicKey]:
        """In the order of their ids. An entry that is no key is listed with the reason."""
        return sorted(await self._keys(await self._maps.read(CONFIG_MAP)), key=lambda key: key.id)

    async def one(self, text: str) -> PublicKey:
        """By id or fingerprint. Raises NotFound, InvalidInput where *text* can be neither."""
        found = next((key for key in await self.listed() if text == key.entry or _is(key, text)), None)
        if found is None:
            raise NotFound(f"no such key: {_id(text)}", hint="See which there are with: plumb gpg list.")
        return found

    async def add(self, text: str) -> Imported:
        """All keys in *text*, each under its id; those that are there stay as they are. Raises InvalidInput."""
        keys = await imported(text)

        async def once() -> Imported:
            config_map = await self._maps.read(CONFIG_MAP)
            entries = texts(config_map)
            there = {key.id for key in await self._keys(config_map)} | set(entries)
            created = [key for key in keys if key.id not in there]
            if created:
                after = entries | {key.id: key.content for key in created}
                _bounded(after)
                await put(self._maps, CONFIG_MAP, config_map, after, f"Trust signatures of {_named(created)}")
            return Imported(created, [key.id for key in keys if key.id in there])

        return await settled(CONFIG_MAP, once)

    async def remove(self, text: str) -> None:
        """By id, fingerprint, or the name of the entry. Raises NotFound, InvalidInput."""

        async def once() -> None:
            config_map = await self._maps.read(CONFIG_MAP)
            entries = texts(config_map)
            name = text if text in entries else _entry_of(await self._keys(config_map), text)
            after = {key: value for key, value in entries.items() if key != name}
            await put(self._maps, CONFIG_MAP, config_map, after, f"Trust signatures of {name} no longer")

        await settled(CONFIG_MAP, once)

    async def _keys(self, config_map: JsonObject | None) -> list[PublicKey]:
        found = trusted(config_map)
        entries = texts(config_map)
        slots = asyncio.Semaphore(_AT_ONCE)

        async def read(name: str, text: str) -> tuple[PublicKey, ...]:
            keys = self._known.get(text)
            if keys is None:
                async with slots:
                    keys = self._known[text] = tuple(await shown(text))
            return keys or (PublicKey(name, subtype="invalid", owner="gpg cannot read it"),)

        async with task_group() as group:
            reading = {name: group.create_task(read(name, text)) for name, text in found.openpgp}
        for gone in self._known.keys() - {text for _, text in found.openpgp}:
            self._known.pop(gone, None)
        keys = [
            msgspec.structs.replace(key, entry=name, content=entries[name])
            for name, task in reading.items()
            for key in task.result()
        ]
        for name, text in entries.items():
            if name not in reading:
                keys.append(_other(name, text))
        return keys


async def shown(text: str) -> list[PublicKey]:
    """The keys in *text*; none where gpg does not take it. Raises ToolMissing where there is no gpg."""
    async with scratch() as home:
        return await _taken(home, text)


async def imported(text: str) -> list[PublicKey]:
    """The keys in *text*, each with an armor of its own. Raises InvalidInput where there are none, or private ones."""
    _plausible(text)
    async with scratch() as home:
        found = await _taken(home, text)
        if not found:
            raise InvalidInput("the keys are not read", why="gpg finds no public key in them", hint=_EXPORT)
        if len(found) > MOST_KEYS:
            raise LimitExceeded("the keys are not read", why=f"there are more than {MOST_KEYS}")
        armors = [await run_gpg(home, "--armor", "--export", key.fingerprint, status="2") for key in found]
    # Argo CD keeps them without the last line break, and a key that both have added is the same text.
    contents = [armor.stdout.decode("ascii").rstrip("\n") for armor in armors]
    return [msgspec.structs.replace(key, content=content) for key, content in zip(found, contents, strict=True)]


async def _taken(home: Path, text: str) -> list[PublicKey]:
    """What is in a new keyring after *text* was imported: gpg shows keys as well that it would not import."""
    await run_gpg(home, "--import", stdin=text.encode())
    listing = await run_gpg(home, "--with-colons", "--fixed-list-mode", "--list-keys", status="2")
    return _listed(listing.stdout)


def _plausible(text: str) -> None:
    if not text.strip():
        raise InvalidInput("submitted key data is empty", hint=_EXPORT)
    if len(text) > MOST_BYTES:
        raise LimitExceeded("the keys are not read", why=f"they have more than {MOST_BYTES} bytes", hint=_EXPORT)
    if _PRIVATE in text:
        why = "there is a private key among them, which belongs to whoever signs"
        raise InvalidInput("the keys are not read", why=why, hint=_EXPORT)
    if _SSH.match(text.lstrip()):
        hint = f"Write the line to {CONFIG_MAP}, under any name."
        raise InvalidInput("the keys are not read", why="that is a key of ssh, not of OpenPGP", hint=hint)
    if _PUBLIC not in text:
        raise InvalidInput("the keys are not read", why="there is no armored OpenPGP key", hint=_EXPORT)


def _listed(output: bytes) -> list[PublicKey]:
    """Gpg's lines for programs: a primary key, its fingerprint, and the first of those that it is for."""
    found: list[PublicKey] = []
    primary = False
    for line in output.split(b"\n"):
        columns = line.split(b":")
        kind = columns[0]
        if kind == b"pub":
            found.append(_primary([each.decode("ascii", "replace") for each in columns]))
            primary = True
        elif kind in (b"sub", b"uat"):
            primary = primary and kind == b"uat"
        elif kind == b"fpr" and primary and not found[-1].fingerprint:
            found[-1] = msgspec.structs.replace(found[-1], fingerprint=columns[_TEXT].decode("ascii", "replace"))
        elif kind == b"uid" and found and not found[-1].owner:
            trust = _TRUST.get(columns[1].decode("ascii", "replace"), "unknown")
            found[-1] = msgspec.structs.replace(found[-1], owner=_unescaped(columns[_TEXT]), trust=trust)
    return [key for key in found if key.fingerprint]


def _primary(columns: Sequence[str]) -> PublicKey:
    name = _ALGORITHMS.get(columns[_ALGORITHM])
    curve = columns[_CURVE] if len(columns) > _CURVE else ""
    return PublicKey(columns[_ID], trust="unknown", subtype=f"{name}{columns[_LENGTH]}" if name else curve or "unknown")


def _unescaped(text: bytes) -> str:
    return _ESCAPE.sub(lambda match: bytes((int(match[1], 16),)), text).decode("utf-8", "replace")


def _other(name: str, text: str) -> PublicKey:
    """An entry that is a key of ssh, or none at all."""
    found = trusted({"data": {name: text}})
    if found.ssh:
        kind, _, comment = [*text.split(None, 2), ""][:3]
        mark = next(iter(found.ssh))
        return PublicKey(mark, mark, comment.strip(), "unknown", kind, text, name)
    return PublicKey(
        name,
        owner="; ".join(found.faults) or "too many entries come before it",
        subtype="invalid",
        content="",
        entry=name,
    )


def _id(text: str) -> str:
    """The short form of an id, for messages. Raises InvalidInput where it is none."""
    if text.startswith("SHA256:"):
        return text
    if not _KEY_ID.fullmatch(text):
        hint = "It is 16 or 40 digits, as `gpg --list-keys --keyid-format long` shows them."
        raise InvalidInput(f"'{text[:100]}' is not a valid GnuPG key ID", hint=hint)
    return text.upper() if len(text) == _ID_DIGITS else text.upper()[-_ID_DIGITS:]


def _is(key: PublicKey, text: str) -> bool:
    return text in (key.id, key.fingerprint) or text.upper() in (key.id, key.fingerprint)


def _entry_of(keys: Sequence[PublicKey], text: str) -> str:
    found = [key for key in keys if _is(key, text)]
    if not found:
        raise NotFound(f"no such key configured: {text[:100]}", hint="See which there are with: plumb gpg list.")
    entry = found[0].entry
    beside = [key.id for key in keys if key.entry == entry]
    if len(beside) > 1:
        why = f"its entry {entry} holds {len(beside)} keys"
        hint = f"Remove all of them with: plumb gpg rm {entry}. Then add those that are to stay."
        raise InvalidInput(f"{text} is not removed", why=why, hint=hint)
    return entry


def _named(keys: Sequence[PublicKey]) -> str:
    return keys[0].id if len(keys) == 1 else f"{keys[0].id} and {len(keys) - 1} more"


def _bounded(entries: dict[str, str]) -> None:
    if sum(len(name) + len(text) for name, text in entries.items()) > MOST_BYTES:
        why = f"what is kept would have more than {MOST_BYTES} bytes"
        raise LimitExceeded("nothing is added", why=why, hint="Remove what is not used any more: plumb gpg rm KEYID.")
