"""What a Secret carries to say where it comes from: upstream's names and formats, which other tools read.

The hash of all values is not keyed there, so that whoever sees the annotation alone, in a diff that masks values for
example, can try guesses of short ones against it. It stays byte for byte what upstream writes unless a key is given,
because upstream takes a Secret with another hash for one that was tampered with. Whoever shows annotations hides it.
"""

import hashlib
import hmac
from collections.abc import Iterator
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.external.shaping.keys import Values

MANAGED: Final = "reconcile.external-secrets.io/managed"
CREATED_BY: Final = "reconcile.external-secrets.io/created-by"
DATA_HASH: Final = "reconcile.external-secrets.io/data-hash"
FORCE_SYNC: Final = "external-secrets.io/force-sync"
"""An annotation of ExternalSecrets; any change of it refreshes at once."""

_OWNER: Final = "externalsecrets.external-secrets.io/"
_LONGEST: Final = 63


def created_by(namespace: str, name: str) -> str:
    """The label's value on Secrets that this ExternalSecret owns."""
    return hashlib.sha3_224(f"{namespace}/{name}".encode()).hexdigest()


def field_manager(name: str) -> str:
    """As whom Secrets of this ExternalSecret are written, and by which its fields are found again."""
    manager = _OWNER + name
    if len(manager) > _LONGEST:
        return f"{_OWNER}sha3/{hashlib.sha3_224(name.encode()).hexdigest()}"
    return manager


def data_hash(values: Values, key: Plaintext | None = None) -> str:
    """Of Go's `%+v` of the map; with *key*, a digest that nobody without it can compute."""
    text = b" ".join(name.encode() + b":" + _numbers(values[name].reveal()) for name in sorted(values))
    text = b"map[" + text + b"]"
    if key is None:
        return hashlib.sha3_224(text).hexdigest()
    return hmac.new(key.reveal(), text, hashlib.sha3_224).hexdigest()


def _numbers(raw: bytes) -> bytes:
    return f"[{' '.join(map(str, raw))}]".encode()


def written_keys(live: JsonObject, name: str, *path: str) -> frozenset[str]:
    """The keys of the map at *path* that *live*'s managedFields say we wrote for the ExternalSecret *name*."""
    manager = field_manager(name)
    return frozenset(
        field.removeprefix("f:")
        for entry in _entries(live)
        if entry.get("manager") == manager
        for field in _fields(entry.get("fieldsV1"), path)
        if field != "."
    )


def _entries(live: JsonObject) -> Iterator[JsonObject]:
    metadata = live.get("metadata")
    listed = metadata.get("managedFields") if isinstance(metadata, dict) else None
    yield from (entry for entry in listed or () if isinstance(entry, dict))


def _fields(fields: Json, path: tuple[str, ...]) -> Iterator[str]:
    for step in path:
        fields = fields.get(f"f:{step}") if isinstance(fields, dict) else None
    yield from fields if isinstance(fields, dict) else ()
