"""Bytes written as base64. The server reads them and writes them anew, so that every value has one spelling."""

import base64
import binascii
from typing import Final

from plumbline.base.json import Json

_LINE_ENDS: Final = str.maketrans("", "", "\r\n")


def spelled(text: Json) -> Json:
    """*text* as the server would write the bytes it stands for; what is no base64 stays for decoding to refuse."""
    # Only folded lines and padding leave a choice.
    if type(text) is not str or not (text.endswith("=") or "\n" in text or "\r" in text):
        return text
    try:
        anew = written(base64.b64decode(text.translate(_LINE_ENDS), validate=True))
    except (binascii.Error, ValueError):
        return text
    return text if anew == text else anew


def written(octets: bytes) -> str:
    return base64.b64encode(octets).decode("ascii")
