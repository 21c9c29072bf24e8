"""How far the servers of a Vault cluster have to be before they may answer, as they told us themselves."""

import base64
import binascii
from typing import Final, NamedTuple

_PARTS: Final = 5
_MOST_BYTES: Final = 1024
_MOST: Final = 2


class _State(NamedTuple):
    cluster: str
    local: int
    replicated: int


class States:
    """What was seen last. It is sent with each request, so that a server which is behind waits or says so."""

    def __init__(self) -> None:
        self.seen: tuple[str, ...] = ()

    def note(self, said: str) -> None:
        """Take in what an answer says; what it cannot be compared with is forgotten, as Vault's own client does."""
        if said and len(said) <= _MOST_BYTES:
            self.seen = _merged(self.seen, said)


def _merged(seen: tuple[str, ...], said: str) -> tuple[str, ...]:
    new = _parsed(said)
    if new is None or len(seen) > _MOST:
        return (said,) if new else seen
    kept: list[str] = []
    for each in seen:
        old = _parsed(each)
        if old is None or old.cluster != new.cluster:
            return (said,)
        if old.local >= new.local and old.replicated >= new.replicated:
            kept.append(each)
        elif old.local <= new.local and old.replicated <= new.replicated:
            kept.append(said)
        else:
            kept += (each, said)
    return tuple(dict.fromkeys(kept)) or (said,)


def _parsed(said: str) -> _State | None:
    try:
        parts = base64.b64decode(said, validate=True).decode().split(":")
        if len(parts) != _PARTS or parts[0] != "v1" or not parts[1]:
            return None
        return _State(parts[1], int(parts[2]), int(parts[3]))
    except (binascii.Error, ValueError):
        return None
