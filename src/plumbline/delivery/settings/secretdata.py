"""What Secrets hold, opened as little as possible."""

import base64
import binascii
from collections.abc import Mapping

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext


def secret_data(secret: JsonObject, where: str) -> Mapping[str, Plaintext]:
    """The values of a Secret as the API server stores it. Raises InvalidInput that quotes none of them."""
    data = secret.get("data") or {}
    if not isinstance(data, dict):
        raise InvalidInput(f"{where} cannot be read", why="its data is no mapping")
    return {str(key): _opened(value, f"{where}: {key}") for key, value in data.items()}


def _opened(value: object, where: str) -> Plaintext:
    try:
        if isinstance(value, str):
            return Plaintext(base64.b64decode(value, validate=True))
    except (binascii.Error, ValueError):
        pass
    raise InvalidInput(f"{where} cannot be read", why="it is not base64") from None


def readable(value: Plaintext | None) -> str:
    """The text of a value that is no secret, such as an address. What is not UTF-8 gets marks instead."""
    return value.reveal().decode(errors="replace") if value else ""
