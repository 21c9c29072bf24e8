"""Values that stand elsewhere: `$key` in argocd-secret, `$name:key` in another Secret of the installation."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from plumbline.base.plaintext import Plaintext

Lookup: TypeAlias = Callable[[str, str], Plaintext | None]
"""The value of a key in a named Secret, where that Secret carries `app.kubernetes.io/part-of: argocd`; else None."""


def nowhere(secret: str, key: str) -> Plaintext | None:  # noqa: ARG001 - what a lookup is given
    """The lookup of whoever has no other Secrets."""
    return None


def resolved(value: Plaintext, own: Mapping[str, Plaintext], lookup: Lookup) -> Plaintext | None:
    """What *value* stands for; itself if it is no reference, None if it leads nowhere.

    One step only: what a reference leads to is the secret, even if it begins with a `$`.
    """
    text = value.reveal()
    if not text.startswith(b"$"):
        return value
    name = text[1:].decode(errors="replace")
    secret, colon, key = name.partition(":")
    found = own.get(name) or (lookup(secret, key) if colon else None)
    return Plaintext(found.reveal().strip()) if found else None
