"""The tag of a call: the same for the same call, another for any other. Pure."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from plumbline.base.json import encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Call, Resource, State


class _Sink(Protocol):
    def update(self, data: bytes, /) -> None: ...


class Print(NamedTuple):
    """A fingerprint of a state, taken once and used for the tag of each call that holds the state."""

    digest: bytes
    size_bytes: int


def fingerprint(state: State) -> Print:
    """Raises TypeError, ValueError or RecursionError for what JSON cannot hold."""
    digest = hashlib.sha256()
    size_bytes = _feed(digest, state.composite)
    for name in sorted(state.resources):
        digest.update(name.encode() + b"\0")
        size_bytes += len(name) + _feed(digest, state.resources[name])
    return Print(digest.digest(), size_bytes)


def tag(call: Call, observed: Print, desired: Print) -> str:
    """*observed* and *desired* are the fingerprints of the call's states."""
    digest = hashlib.sha256(observed.digest + desired.digest)
    digest.update(encode_sorted((call.input, call.context, call.schemas)))
    for name in sorted(call.credentials):
        digest.update(name.encode() + b"\0")
        _feed_secrets(digest, call.credentials[name])
    for items in (call.required, call.extra):
        for name in sorted(items):
            digest.update(name.encode() + b"\0")
            for item in items[name]:
                _feed(digest, item)
    return digest.hexdigest()


def _feed(digest: _Sink, resource: Resource) -> int:
    encoded = encode_sorted(resource.resource)
    digest.update(encoded)
    digest.update(resource.ready.encode())
    return len(encoded) + _feed_secrets(digest, resource.connection)


def _feed_secrets(digest: _Sink, secrets: Mapping[str, Plaintext]) -> int:
    size_bytes = 0
    for key in sorted(secrets):
        value = secrets[key].reveal()
        digest.update(b"%d %b %d %b" % (len(key), key.encode(), len(value), value))
        size_bytes += len(key) + len(value)
    return size_bytes
