"""All keys that can open something, and the one that seals."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.errors import NotFound, Undecryptable
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.envelope import envelope_of, oaep, opened_with
from plumbline.secrets.sealing.keys import SealingKey

KeyOrder: TypeAlias = Literal["CertNotBefore", "SecretCreationTimestamp"]
"""What makes a key newer than another: when its certificate begins, or when its Secret was written."""

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


class Opened(NamedTuple):
    value: Plaintext
    fingerprint: str
    """Of the key that opened it."""


class Keyring:
    """Does not change; where keys come or go, there is another. Threads may share one."""

    __slots__ = ("_by_fingerprint", "keys", "order")

    def __init__(self, keys: Iterable[SealingKey], order: KeyOrder = "CertNotBefore") -> None:
        self.order: Final[KeyOrder] = order
        newest_first: dict[str, SealingKey] = {}
        # Of two that began at the same time, the one whose Secret is older counts as the newer, as with sealed-secrets.
        oldest_secret_first = sorted(keys, key=lambda key: (key.created or _LONG_AGO, key.name))
        for key in sorted(oldest_secret_first, key=self._began, reverse=True):
            newest_first.setdefault(key.fingerprint, key)
        self._by_fingerprint: Final = newest_first
        self.keys: Final = tuple(newest_first.values())
        """The newest first, each once."""

    def _began(self, key: SealingKey) -> datetime:
        return key.not_before if self.order == "CertNotBefore" else key.created or _LONG_AGO

    @property
    def newest(self) -> SealingKey:
        """The one that seals. Raises NotFound where there is none at all."""
        if not self.keys:
            raise NotFound("there is no sealing key", hint="Import one with `plumb keys import`, or let one be made.")
        return self.keys[0]

    def __contains__(self, fingerprint: object) -> bool:
        return fingerprint in self._by_fingerprint

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"Keyring({', '.join(key.fingerprint for key in self.keys)})"

    def opened(self, text: str, label: bytes, hint: str = "") -> Opened:
        """Open *text* with whichever key does it; the one whose fingerprint is *hint* is tried first.

        Raises Undecryptable, in the same words whatever is wrong.
        """
        envelope = envelope_of(text)
        if envelope is not None:
            padding = oaep(label)
            for key in self._tried(hint, len(envelope.wrapped)):
                value = opened_with(key.loaded, envelope, padding)
                if value is not None:
                    return Opened(Plaintext(value), key.fingerprint)
        raise Undecryptable("it cannot be decrypted", why="no key that is known here opens it for this name and scope")

    def _tried(self, hint: str, size_bytes: int) -> Iterator[SealingKey]:
        hinted = self._by_fingerprint.get(hint)
        if hinted is not None:
            yield hinted
        # What was wrapped is as long as the key that wrapped it, so that others need not be tried.
        yield from (key for key in self.keys if key is not hinted and key.loaded.key_size + 7 >> 3 == size_bytes)
