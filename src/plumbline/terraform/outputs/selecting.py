"""Which outputs are published under which keys, and what is written there. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import Json, decode
from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.inputs import TYPE_SUFFIX
from plumbline.terraform.work import Output

_KEY: Final = re.compile(r"[-._a-zA-Z0-9]{1,253}").fullmatch
_WHAT: Final = "Outputs cannot be written"


def available(outputs: Mapping[str, Output]) -> tuple[str, ...]:
    return tuple(sorted(outputs))


def selected(outputs: Mapping[str, Output], wanted: Iterable[str]) -> dict[str, Output]:
    """Outputs by the key that each is published under; all of them, under their own names, where nothing is *wanted*.

    Raises InvalidInput for an output that the module does not have, and where two would be under one key.
    """
    found: dict[str, Output] = {}
    for mapping in wanted:
        name, key = name_and_key(mapping)
        if name not in outputs:
            raise InvalidInput(
                _WHAT, why=f"output not found: {name}", hint="Declare it in the root module, or remove it."
            )
        if found.get(key, outputs[name]) is not outputs[name]:
            raise InvalidInput(_WHAT, why=f"two outputs are to be under the key {key}")
        found[key] = outputs[name]
    return found or dict(outputs)


def name_and_key(mapping: str) -> tuple[str, str]:
    """Of `output` or `output:key`."""
    if not mapping:
        raise InvalidInput(_WHAT, why="output mapping cannot be empty")
    name, _, alias = mapping.partition(":")
    return name, alias if ":" in mapping else name


def entries(outputs: Mapping[str, Output]) -> dict[str, Plaintext]:
    """Texts as they are; anything else as JSON, with its type in a key beside it."""
    found: dict[str, Plaintext] = {}
    for key, output in sorted(outputs.items()):
        if not _KEY(key):
            raise InvalidInput(_WHAT, why=f"{key[:253]!r} cannot be a key", hint="Give it another, as in output:key.")
        value = _json(output.value.reveal(), key) if _json(output.type.encode(), key) == "string" else None
        if isinstance(value, str):
            pairs = {key: Plaintext(unicodedata.normalize("NFC", value))}
        else:
            pairs = {key: output.value, key + TYPE_SUFFIX: Plaintext(output.type)}
        if found.keys() & pairs.keys():
            raise InvalidInput(_WHAT, why=f"the key of one output is where the type of another is said: {key}")
        found |= pairs
    if sum(len(key) + len(value.reveal()) for key, value in found.items()) > MIB:
        raise LimitExceeded(_WHAT, why="together they have more than 1 MiB", hint="Name fewer in outputs.")
    return found


def _json(text: bytes, key: str) -> Json:
    try:
        return decode(text)
    except ValueError:
        raise InvalidInput(_WHAT, why=f"the tool gave no JSON for {key}") from None
