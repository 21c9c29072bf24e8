"""What the journal holds: facts, each with who, what, why and the change that it belongs to.

A `Draft` is what a caller says; the journal makes an `Entry` of it by adding its place, its time and the digest of the
entry before. Drafts are checked in full when they are made, entries are read as they were written: a limit that is
lowered later must not make history unreadable.
"""

from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.journal.causes import Cause, check_change
from plumbline.journal.effects import check_effect
from plumbline.journal.parties import Actor, Subject, checked
from plumbline.journal.positions import seq_of

SUMMARY_CHARS: Final = 500

Kind: TypeAlias = Literal[
    "decided",  # a plan was made, with what it would do
    "intended",  # about to be done: written before the side effect
    "performed",  # done: settles an intent
    "refused",  # the gate said no; settles an intent where there was one
    "failed",  # tried, and it did not work; settles an intent where there was one
    "drifted",  # the live object is not what it should be
    "healed",  # it is again
    "healthy",  # an application runs what a commit says
    "degraded",  # it no longer does
    "approved",  # a person let it pass
    "rejected",  # a person did not
    "adopted",  # an object was handed to this installation
    "released",  # and back
    "login",  # somebody came in, or tried to
    "checkpoint",  # the journal's own: what was before this was dropped
    "rewound",  # the journal's own: entries that were once acknowledged are gone
]
KINDS: Final[frozenset[str]] = frozenset(get_args(Kind))
OUTCOMES: Final[frozenset[str]] = frozenset({"performed", "refused", "failed"})


class _Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    kind: str
    actor: Actor
    verb: str = ""
    """What is done to the subject: apply, delete, sync, plan."""
    subject: Subject | None = None
    cause: Cause | None = None
    change: str = ""
    settles: str = ""
    """The id of the intent that this is the outcome of."""
    summary: str
    """One sentence for people."""
    effect: JsonObject = {}


class Draft(_Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A fact to be journalled. Making one refuses Plaintext, bytes, whatever is too long, and what makes no sense."""

    kind: Kind

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidInput("a journal entry of an unknown kind", why=ascii(self.kind))
        self.actor.check()
        checked(self.verb, "the verb", optional=True)
        checked(self.summary, "the summary", SUMMARY_CHARS)
        if self.subject is not None:
            self.subject.check()
        if self.cause is not None:
            self.cause.check()
        if self.change:
            check_change(self.change)
        self._check_settlement()
        check_effect(self.effect, self.subject)

    def _check_settlement(self) -> None:
        if self.settles:
            seq_of(self.settles)
            if self.kind not in OUTCOMES:
                raise InvalidInput(f"a {self.kind!r} entry settles no intent")
        elif self.kind == "performed":
            raise InvalidInput("a 'performed' entry without its intent", hint="Journal the intent before the effect.")


class Entry(_Fact, frozen=True, kw_only=True, omit_defaults=True):
    seq: int
    id: str
    at: datetime
    """The writer's wall clock. Clocks jump: the order of entries is that of their ids."""
    writer: str
    """Which process wrote it."""
    prev: str
    """SHA-256 of the entry before, as it is stored."""
