"""One part of a secret that is a JSON document."""

from decimal import Decimal

from msgspec import DecodeError

from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.gjson import Text, found, members

_SPACE = b" \t\r\n"


def property_of(document: Plaintext, path: str) -> Plaintext | None:
    """What the document has under that very name, else what the path of gjson leads to; None if neither is there.

    Strings come out of their quotes, null as nothing, numbers as Go's `strconv` prints them, all else as it is written. Raises
    InvalidInput for what is not JSON and for paths that are not spoken: neither says that a value is gone.
    """
    text = document.reveal().strip(_SPACE)
    named = _members_of(text) or {}
    value = named[path] if path in named else found(text, path)
    return None if value is None else Plaintext(printed(value))


def entries_of(document: Plaintext) -> dict[str, Plaintext]:
    """The members of an object by their names, each as `property_of` gives it, except that numbers stay as written.

    Raises InvalidInput for what is not a JSON object.
    """
    named = _members_of(document.reveal().strip(_SPACE))
    if named is None:
        raise InvalidInput("The secret cannot be taken apart", why="It is JSON, but not an object")
    return {name: Plaintext(printed(text) if text[:1] in b'"n' else text) for name, text in named.items()}


def _members_of(text: Text) -> dict[str, Text] | None:
    try:
        named = members(text)
        if named is None:
            decode(text)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidInput(
            "The secret cannot be taken apart",
            why="It is not JSON, or nested too deeply",
            hint="Take the whole value, without a property and not with extract.",
        ) from None
    return named


def printed(text: Text) -> bytes:
    if text[:1] == b'"':
        return decode(text, type=str).encode()
    if text[:1] in b"{[tf":
        return text
    if text[:1] == b"n":
        return b""
    return text if text.lstrip(b"-").isdigit() else _plain_number(float(text))


def _plain_number(value: float) -> bytes:
    """Go's 'f' format with the fewest digits that say the same number: no exponent, no zeros at the end."""
    if value in (float("inf"), float("-inf")):
        return b"+Inf" if value > 0 else b"-Inf"
    digits = f"{Decimal(repr(value)):f}"
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits).encode()
