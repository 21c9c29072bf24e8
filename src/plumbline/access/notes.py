"""What all replicas have to know of sessions, and still after a restart: tokens that were revoked, logins that failed.

It is one Secret. Both parts are bounded: revoked tokens are forgotten once they would have ended by themselves, and where
there are too many, all sessions up to now end instead, which is the safe side. Failures are counted for accounts that
exist, of which there are few: names that people make up need no limit, since nobody can log in with them.
"""

import hashlib
from typing import Final

import msgspec

from plumbline.base.errors import Corrupted
from plumbline.base.json import decode, encode

MOST_REVOKED: Final = 10_000
_MOST_SPENT: Final = 2_000
_MOST_FAILURES: Final = 1_000
KEY: Final = "notes"


class Failures(msgspec.Struct, frozen=True, array_like=True):
    count: int
    last_s: int


class Notes(msgspec.Struct, frozen=True, omit_defaults=True):
    revoked: dict[str, int] = {}
    """By digest of the token's id, until when that matters."""
    spent: dict[str, int] = {}
    """The same for links and logins elsewhere, which work once."""
    void_before_s: int = 0
    """Sessions that were begun before this, or in this second, are void."""
    failures: dict[str, Failures] = {}

    def knows(self, issuer: str, token_id: str) -> bool:
        return digest(issuer, token_id) in self.revoked


EMPTY: Final = Notes()


def read_notes(text: bytes) -> Notes:
    """Raises Corrupted: with nothing known of revoked tokens, none can be believed."""
    try:
        return decode(text, type=Notes)
    except msgspec.DecodeError as fault:
        raise Corrupted(
            "What was noted of sessions cannot be read",
            why=str(fault),
            hint="Delete the Secret plumbline-sessions, and set server.secretkey in argocd-secret anew: all log in again.",
        ) from fault


def written(notes: Notes) -> bytes:
    return encode(notes)


def digest(issuer: str, token_id: str) -> str:
    return hashlib.sha256(f"{issuer}\n{token_id}".encode()).hexdigest()[:32]


def pruned(notes: Notes, now_s: int) -> Notes:
    revoked, spent = ({key: end for key, end in each.items() if end >= now_s} for each in (notes.revoked, notes.spent))
    return msgspec.structs.replace(notes, revoked=revoked, spent=spent)


def joined(notes: Notes, older: Notes) -> Notes:
    """*notes* with all of *older* that ends something: what was void for one is void for both."""
    return msgspec.structs.replace(
        notes,
        revoked={**notes.revoked, **{key: max(end, notes.revoked.get(key, 0)) for key, end in older.revoked.items()}},
        spent={**older.spent, **notes.spent},
        void_before_s=max(notes.void_before_s, older.void_before_s),
    )


def with_revoked(notes: Notes, key: str, until_s: int, now_s: int) -> Notes:
    kept = pruned(notes, now_s)
    if len(kept.revoked) >= MOST_REVOKED:
        return msgspec.structs.replace(kept, revoked={key: until_s}, void_before_s=now_s)
    return msgspec.structs.replace(kept, revoked={**kept.revoked, key: max(until_s, kept.revoked.get(key, 0))})


def with_spent(notes: Notes, key: str, until_s: int, now_s: int) -> Notes:
    """Where there are too many, those give way that would have ended first."""
    kept = pruned(notes, now_s)
    latest = sorted(kept.spent.items(), key=lambda each: each[1])[-_MOST_SPENT + 1 :]
    return msgspec.structs.replace(kept, spent={**dict(latest), key: until_s})


def with_failure(notes: Notes, name: str, now_s: int, window_s: int) -> Notes:
    recent = {key: each for key, each in notes.failures.items() if now_s - each.last_s <= window_s}
    before = recent.get(name)
    if before is None and len(recent) >= _MOST_FAILURES:
        recent.pop(min(recent, key=lambda key: (recent[key].count, recent[key].last_s)))
    failed = Failures((before.count if before else 0) + 1, now_s)
    return msgspec.structs.replace(notes, failures={**recent, name: failed})


def without_failures(notes: Notes, name: str) -> Notes:
    return msgspec.structs.replace(notes, failures={key: each for key, each in notes.failures.items() if key != name})
