"""JSON with the escapes that the server's encoder writes."""

from typing import Final

from plumbline.base.json import Json, encode

_ESCAPES: Final = (
    (b"&", b"\\u0026"),
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


def encoded(value: Json) -> bytes:
    return escaped(encode(value))


def escaped(json: bytes) -> bytes:
    """Nothing of this can stand outside a string, so that the bytes can be replaced without reading them."""
    for plain, escape in _ESCAPES:
        if plain in json:
            json = json.replace(plain, escape)
    return json
