"""The key that plans are sealed with: from a file, or from the secret store of the CI by way of the environment."""

from pathlib import Path

from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.cli.terraform.options import KEY_VARIABLE
from plumbline.terraform.changed.sealing import Key

_LONGEST_BYTES = 4096


def key_from(file: Path | None) -> Key:
    if file is not None:
        try:
            with file.open("rb") as opened:
                return Key(Plaintext(opened.read(_LONGEST_BYTES)))
        except OSError as error:
            raise InvalidInput(f"{file} cannot be read", why=error.strerror or str(error)) from error
    said = environment().get(KEY_VARIABLE, "")
    if not said:
        raise InvalidInput(
            "there is no key for plans",
            why=f"{KEY_VARIABLE} is not set; a plan holds secrets, and is never written as it is",
            hint="Make one with `openssl rand -base64 32`, and keep it in the secret store of your CI.",
        )
    return Key(Plaintext(said))
