"""`plumb keys import`: keys that a cluster does not have yet, and nothing of what it has changed."""

import sys
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

import click

from plumbline.base.aside import in_a_thread
from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import Undecryptable
from plumbline.base.json import JsonObject
from plumbline.cli.exits import Exit
from plumbline.cli.keys.options import STDIN, Where
from plumbline.cli.keys.reading import Kept, kept_in
from plumbline.cli.keys.store import Stored
from plumbline.cli.terminal import GOOD, WARNING, Styled, plain, table
from plumbline.kube.object import Object
from plumbline.secrets.escrow import mark
from plumbline.secrets.sealed.keys import EXPORTED
from plumbline.secrets.sealing import Keyring, SealingKey, verified

_MOST_TRIED: Final = 500
"""SealedSecrets that are tried with the new keys. Each takes some milliseconds for each of them."""
_COLOURS: Final = {"imported": "green", "would be imported": "yellow", "already there": ""}


class Asked(NamedTuple):
    where: Where
    file: Path
    identities: tuple[Path, ...]
    dry_run: bool


class _Row(NamedTuple):
    name: str
    key: SealingKey
    outcome: str


async def performed(asked: Asked, clock: Clock | None = None) -> Exit:
    kept = kept_in(asked.file, asked.identities)
    async with asked.where.opened() as secrets:
        there = _there(await secrets.listed())
        new = _new(kept, there)
        # Whoever looks after them opens them as soon as a key is there.
        closed = [each for each in await secrets.sealed() if not _synced(each)] if new else []
        if asked.dry_run:
            rows = [_Row(key.name, key, "would be imported") for _, key in new]
        else:
            noted = _noted(kept, asked.file, (clock or SystemClock()).now())
            rows = [_Row(await secrets.add(noted(secret)), key, "imported") for secret, key in new]
    known = {key.fingerprint: key for _, key in kept.keys if key.fingerprint in there}
    _print([*rows, *(_Row(there[each].name, key, "already there") for each, key in known.items())])
    _tell_unused([there[each] for each in known])
    if closed:
        await _tell_opened(closed, [key for _, key in new], dry_run=asked.dry_run)
    return Exit.NO if asked.dry_run and rows else Exit.DONE


def _there(stored: Sequence[Stored]) -> dict[str, Stored]:
    """By fingerprint; of several with the same key, one that is used."""
    used_last = sorted(stored, key=lambda each: each.used)
    return {each.key.fingerprint: each for each in used_last if each.key is not None}


def _new(kept: Kept, there: Collection[str]) -> list[tuple[JsonObject, SealingKey]]:
    """By fingerprint: under which name a key is there does not matter."""
    found = {key.fingerprint: (secret, key) for secret, key in kept.keys if key.fingerprint not in there}
    return list(found.values())


def _noted(kept: Kept, file: Path, now: datetime) -> Callable[[JsonObject], JsonObject]:
    """A key that comes out of an encrypted file is put aside already: in that file."""
    text = mark(now, [f"whoever opens {'stdin' if file == STDIN else file.name}"])

    def noted(secret: JsonObject) -> JsonObject:
        return Object(secret).with_annotation(EXPORTED, text).raw if kept.protected else secret

    return noted


def _tell_unused(known: Sequence[Stored]) -> None:
    for each in known:
        if not each.used:
            said = f"{each.name} is there, but not used: its label says {each.status!r} instead of 'active'."
            click.echo(plain(f"{WARNING.text(sys.stderr)} {said}"), err=True)


def _print(rows: Sequence[_Row]) -> None:
    cells = [(row.name or "-", row.key.fingerprint, Styled(row.outcome, _COLOURS[row.outcome])) for row in rows]
    click.echo(table(("NAME", "FINGERPRINT", "RESULT"), cells))


async def _tell_opened(closed: Sequence[JsonObject], new: Sequence[SealingKey], *, dry_run: bool) -> None:
    ring, tried = Keyring(new), closed[:_MOST_TRIED]
    opened = await in_a_thread(lambda: sum(_opens(each, ring) for each in tried))
    would = "would open" if dry_run else "open"
    of = f"{opened} of {len(tried)} that were tried" if len(tried) < len(closed) else f"{opened} of them"
    said = f"{len(closed)} SealedSecrets of this cluster were not opened until now; these keys {would} {of}."
    click.echo(f"{GOOD.text(sys.stderr)} {said}", err=True)


def _synced(sealed: JsonObject) -> bool:
    condition = Object(sealed).condition("Synced")
    return condition is not None and condition.status == "True"


def _opens(sealed: JsonObject, ring: Keyring) -> bool:
    try:
        verified(sealed, ring)
    except Undecryptable:
        return False
    return True
