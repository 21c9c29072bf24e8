"""Secrets in a diff: compared where they are stored, never shown."""

import base64
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kube.diff.differences import ABSENT, Difference

_HIDDEN: Final = ("f:data", "f:stringData")


def stored_form(desired: JsonObject) -> JsonObject:
    """A Secret with `stringData` folded into `data`, as the server stores it."""
    texts = desired.get("stringData")
    if not isinstance(texts, dict):
        return desired
    data = desired.get("data")
    encoded = {name: base64.b64encode(str(text or "").encode()).decode() for name, text in texts.items()}
    rest = {name: value for name, value in desired.items() if name != "stringData"}
    return {**rest, "data": {**(data if isinstance(data, dict) else {}), **encoded}}


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
