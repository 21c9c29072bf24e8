"""Does it destroy something that nobody asked to destroy? Pure."""

import hashlib
from enum import Enum
from typing import Final

import msgspec

from plumbline.gate.intents import Destruction, Intent

CONSENT_ANNOTATION: Final = "plumbline.dev/consent"
"""On the object whose reconcile waits: the token of what may be lost."""
POLICY_ANNOTATION: Final = "plumbline.dev/destruction-policy"
"""On a namespace: enforce, warn or off."""
_TOKEN_DIGITS: Final = 16


class Limits(msgspec.Struct, frozen=True):
    """How much may be pruned without a question."""

    prune: int = 10
    prune_share: float = 0.5


class Verdict(Enum):
    PASSES = "passes"
    WARNS = "warns"
    """It goes on, and says what is lost."""
    WAITS = "waits"


def judged(intent: Intent, limits: Limits) -> Verdict:
    destruction = intent.destroys
    if destruction is None or not destruction.losses or intent.namespace_policy == "off":
        return Verdict.PASSES
    if not _surprising(destruction, limits) or token(destruction) in intent.consents:
        return Verdict.PASSES
    return Verdict.WARNS if intent.namespace_policy == "warn" else Verdict.WAITS


def _surprising(destruction: Destruction, limits: Limits) -> bool:
    """Whether it is more than what somebody asked for."""
    if destruction.requested or destruction.how == "deletion":
        return False
    if destruction.how != "prune":
        return True
    count, out_of = len(destruction.losses), destruction.out_of
    everything = out_of > 1 and count >= out_of
    large = count > limits.prune or (out_of > limits.prune and count > out_of * limits.prune_share)
    return everything or large or any(loss.stateful and not loss.named for loss in destruction.losses)


def token(destruction: Destruction) -> str:
    """What a consent has to name: it fits these losses and no others, in whatever order they are listed."""
    listed = "\n".join((destruction.how, *(f"{loss.subject}\t{loss.stateful}" for loss in sorted(destruction.losses))))
    return hashlib.sha256(listed.encode()).hexdigest()[:_TOKEN_DIGITS]
