"""Files that people give: recipients, identities, and keys that were put aside."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import click

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.cli.keys.options import STDIN
from plumbline.cli.sealing.files import text_from
from plumbline.cli.terminal import WARNING, plain
from plumbline.secrets.escrow import Identities, Recipients, encrypted, identities_in, keys_in, opened, recipients_in
from plumbline.secrets.sealing import SealingKey

_TEXTS: Final = ("age1", "ssh-", "-----BEGIN ")
"""How recipients begin that are given in place of a file."""


class Kept(NamedTuple):
    """What a file holds, each with its Secret. Proven to work."""

    keys: list[tuple[JsonObject, SealingKey]]
    protected: bool
    """Whether it was encrypted."""


def recipients_from(given: Sequence[str]) -> Recipients:
    """Raises InvalidInput for what is neither a recipient nor a file with some."""
    return recipients_in([text if text.startswith(_TEXTS) else _recipients(Path(text)) for text in given])


def _recipients(path: Path) -> str:
    try:
        return text_from(path).decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} holds no recipient", why="it is not a text") from None


def identities_from(paths: Sequence[Path]) -> Identities:
    return identities_in([Plaintext(text_from(path)) for path in paths])


def kept_in(file: Path, identities: Sequence[Path]) -> Kept:
    """Opened, and each key tried out. Keys that were never encrypted are taken too, and it is said that they lie there."""
    if STDIN in identities and (file == STDIN or identities.count(STDIN) > 1):
        raise click.UsageError("Only one thing can be read from stdin.")
    content = Plaintext(text_from(file))
    source = "stdin" if file == STDIN else str(file)
    if encrypted(content.reveal()):
        if not identities:
            raise InvalidInput(
                f"{source} is encrypted", hint="Give the identity of one of those it is for: --identity."
            )
        return Kept(keys_in(opened(content.reveal(), identities_from(identities)), source), protected=True)
    found = keys_in(content, source)
    if file != STDIN:
        said = f"{source} holds private keys in the clear: whoever reads it can open what is sealed."
        click.echo(plain(f"{WARNING.text(sys.stderr)} {said} Export them encrypted, and destroy it."), err=True)
    return Kept(found, protected=False)
