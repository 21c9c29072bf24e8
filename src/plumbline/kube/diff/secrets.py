"""Secrets in a diff: compared where they are stored, never shown."""

import base64
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kube.diff.differences import ABSENT, Difference

_HIDDEN: Final = ("f:data", "f:stringData")


def stored_form(secret: JsonObject) -> JsonObject:
    """A Secret as the server stores it: `stringData` folded into `data`, no null, base64 without line breaks.

    What is no text stays as it is, so that whoever applies it is refused rather than misunderstood.
    """
    texts, values = secret.get("stringData"), secret.get("data")
    if not isinstance(texts, dict) and not (isinstance(values, dict) and any(map(_restored, values.values()))):
        return secret
    stored = {name: _stored(value) for name, value in values.items()} if isinstance(values, dict) else {}
    if not isinstance(texts, dict):
        return {**secret, "data": stored}
    encoded = {name: _encoded(text) for name, text in texts.items()}
    rest = {name: value for name, value in secret.items() if name != "stringData"}
    return {**rest, "data": {**stored, **encoded}}


def _encoded(text: Json) -> Json:
    return base64.b64encode(text.encode("utf-8", "replace")).decode() if isinstance(text, str) else text or ""


def _restored(value: Json) -> bool:
    return value is None or (isinstance(value, str) and "\n" in value)


def _stored(value: Json) -> Json:
    if not _restored(value):
        return value
    return value.replace("\r", "").replace("\n", "") if value else ""


def hidden(difference: Difference) -> Difference:
    """The same difference with its values sealed away, if it is about secret values."""
    if difference.elements[0] not in _HIDDEN:
        return difference
    desired, live = difference.desired, difference.live
    return difference._replace(
        desired=desired if desired is ABSENT else Plaintext(repr(desired)),
        live=live if live is ABSENT else Plaintext(repr(live)),
        secret=True,
    )
