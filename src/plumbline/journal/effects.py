"""What an entry may say about its effect: small, plain JSON, and nothing that looks like the value of a secret."""

import math
from typing import Final

from plumbline.base.errors import LimitExceeded
from plumbline.base.json import Json, JsonObject, encode
from plumbline.journal.parties import LiveObject, Subject

EFFECT_BYTES: Final = 8192
_DEPTH: Final = 16
_SECRET_FIELDS: Final = ("data", "stringData")


def check_effect(effect: JsonObject, subject: Subject | None) -> None:
    """Refuse what is not JSON (a Plaintext, bytes that somebody revealed), too large, or a Secret's content.

    Only types can be checked: a caller that turns a secret into text defeats this, and `Plaintext.reveal` is where to
    look for it.
    """
    if not isinstance(effect, dict):
        raise TypeError(f"the effect of a journal entry is an object, not {type(effect).__name__}")
    secret = isinstance(subject, LiveObject) and (subject.group, subject.kind) == ("", "Secret")
    _check(effect, _DEPTH, secret=secret)
    size_bytes = len(encode(effect))
    if size_bytes > EFFECT_BYTES:
        raise LimitExceeded(
            "the effect of a journal entry is too large",
            why=f"{size_bytes} > {EFFECT_BYTES} bytes",
            hint="Journal a digest and a count, and keep the whole where it can be looked up.",
        )


def _check(value: Json, depth: int, *, secret: bool) -> None:
    if depth < 0:
        raise LimitExceeded("the effect of a journal entry is nested too deeply", why=f"more than {_DEPTH} levels")
    if isinstance(value, dict):
        for key, inner in value.items():
            if type(key) is not str:
                raise TypeError(f"a key in the effect of a journal entry is text, not {type(key).__name__}")
            if secret and key in _SECRET_FIELDS and isinstance(inner, dict):
                raise TypeError(f"the {key} of a Secret cannot be journalled")
            _check(inner, depth - 1, secret=secret)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check(inner, depth - 1, secret=secret)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError("the effect of a journal entry holds a number that JSON cannot")
    elif not (value is None or isinstance(value, str | int)):
        raise TypeError(f"a {type(value).__name__} cannot be journalled")
