"""`plumb keys export`: encrypted, opened again to be sure, written, and only then noted as put aside."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import AlreadyExists, NotFound, PlumblineError, StorageFailed, Undecryptable
from plumbline.cli.keys.options import STDIN, Where
from plumbline.cli.keys.reading import identities_from, recipients_from
from plumbline.cli.keys.store import KeySecrets, Stored
from plumbline.cli.sealing.files import PRIVATE, replaced
from plumbline.cli.terminal import GOOD, WARNING, Sign, plain
from plumbline.secrets.escrow import Identities, Recipients, bundle_of, mark, opened, packed


class Asked(NamedTuple):
    where: Where
    recipients: tuple[str, ...]
    output: Path | None
    identities: tuple[Path, ...]
    force: bool


async def performed(asked: Asked, clock: Clock | None = None) -> None:
    # What can be refused without the keys is refused before they leave the cluster.
    recipients = recipients_from(asked.recipients)
    identities = identities_from(asked.identities) if asked.identities else None
    output = None if asked.output == STDIN else asked.output
    _refuse_existing(output, force=asked.force)
    async with asked.where.opened() as secrets:
        stored = await _keys(secrets)
        _write(output, _parcel(stored, recipients, identities))
        _tell(stored, recipients, output, checked=identities is not None)
        await _mark(secrets, stored, mark((clock or SystemClock()).now(), recipients.names))


def _refuse_existing(output: Path | None, *, force: bool) -> None:
    if output is not None and output.exists() and not force:
        why = "it may be the only file that keys are in"
        raise AlreadyExists(f"{output} is there already", why=why, hint="Write another file, or give --force.")


async def _keys(secrets: KeySecrets) -> list[Stored]:
    there = await secrets.listed()
    for each in there:
        if each.key is None:
            _say(WARNING, f"{each.name} is left out: {each.fault}")
    found = [each for each in there if each.key is not None]
    if not found:
        hint = "Name the namespace of the keys with --key-namespace."
        raise NotFound(f"there is no sealing key in namespace {secrets.namespace}", hint=hint)
    return found


def _parcel(stored: Sequence[Stored], recipients: Recipients, identities: Identities | None) -> bytes:
    bundle = bundle_of([each.secret for each in stored])
    parcel = packed(bundle, recipients)
    if identities is None or opened(parcel, identities) == bundle:
        return parcel
    raise Undecryptable("the identity opens something else than what was encrypted", hint="Try again.")


def _write(output: Path | None, parcel: bytes) -> None:
    if output is None:
        try:
            sys.stdout.buffer.write(parcel)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as failed:
            raise StorageFailed("the keys were not written", why=failed.strerror or str(failed)) from failed
        return
    if output.is_file():
        output.chmod(PRIVATE)  # what is replaced keeps its mode
    replaced(output, parcel, mode=PRIVATE)


def _tell(stored: Sequence[Stored], recipients: Recipients, output: Path | None, *, checked: bool) -> None:
    how = "opened again with the identity given" if checked else "opened again with a key made for that"
    into = f" into {output}" if output else ""
    _say(GOOD, f"{_counted(len(stored))} exported{into} for {', '.join(recipients.names)}, and {how}.")
    if not checked:
        _say(WARNING, "Whether the recipients have their identities was not tried: do that with `plumb keys check`.")


async def _mark(secrets: KeySecrets, stored: Sequence[Stored], text: str) -> None:
    """Where it cannot be noted, the export counts all the same."""
    for each in stored:
        try:
            await secrets.mark(each, text)
        except PlumblineError as refused:
            _say(
                WARNING,
                f"It cannot be noted on {each.name} that it was exported, so that the warning about it stays: {refused}",
            )


def _counted(keys: int) -> str:
    return "1 sealing key" if keys == 1 else f"{keys} sealing keys"


def _say(sign: Sign, text: str) -> None:
    click.echo(plain(f"{sign.text(sys.stderr)} {text}"), err=True)
