"""Short stable names for contents: ten letters that spell no words."""

import hashlib
from typing import Final

from plumbline.base.json import Json, encode_sorted

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"


def short_hash(content: Json, collisions: int = 0) -> str:
    """The same letters for equal content, as long as it did not collide with other content."""
    digest = hashlib.sha256(encode_sorted(content))
    if collisions:
        digest.update(collisions.to_bytes(8, "little"))
    number = int.from_bytes(digest.digest()[:4], "big")
    return safe_letters(f"{number:010d}")


def safe_letters(text: str) -> str:
    return "".join(_LETTERS[ord(letter) % len(_LETTERS)] for letter in text)
