"""The edge of comparing: remembers what was compared, and asks jq where a rule needs it."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

from plumbline.base.errors import EvaluationFailed, LimitExceeded, PlumblineError, TimedOut
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.compare.difference import NO_ANSWERS, Answers, Found, difference, sides
from plumbline.delivery.compare.ignored import NO_PATHS, Paths, is_path
from plumbline.delivery.compare.pairing import Pair
from plumbline.delivery.compare.rules import Rules
from plumbline.delivery.values import Desired
from plumbline.kernel.cache import Cached
from plumbline.kube.diff import Difference
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.schema.shape import FREE, Shape

JQ_DEADLINE_S: Final = 1.0
_DIGEST_BYTES: Final = 16
_MOST_ANSWERS: Final = 4096
_AT_A_TIME: Final = 64
"""Comparisons that are made before everybody else has a turn."""

Shapes: TypeAlias = Mapping[GroupVersionKind, Shape]
_BROKEN: Final = ("compile error", "syntax error", "is not defined")
"""How jq speaks of a program that it cannot read."""


class Jq(Protocol):
    async def jq_many(
        self, program: str, values: Sequence[Json], *, deadline_s: float
    ) -> list[list[Json] | PlumblineError]: ...


class Compared(NamedTuple):
    differences: tuple[Difference, ...]
    answers: Answers = NO_ANSWERS
    """What jq said, for whoever applies or shows the object."""
    foretold: bool = False
    """Whether the server has said what the object would become."""
    after: Plaintext | None = None
    """What that is, as JSON; None where it would stay as it is. Sealed, as any object may be a Secret."""
    failure: str = ""
    """What the server said instead: then nobody knows how it differs."""

    def becomes(self, live: JsonObject) -> JsonObject:
        """What the server said that *live* would become."""
        found: JsonObject = live if self.after is None else decode(self.after.reveal())
        return found


class _Slot(NamedTuple):
    relevant: int
    rules: bytes
    shape: Shape
    resource_version: str
    compared: Compared


_Memo: TypeAlias = dict[bytes, _Slot]


class Comparer:
    """Compares applications. What was compared before, and has not changed in anything that matters, is one look-up."""

    def __init__(self, jq: Jq, *, jq_deadline_s: float = JQ_DEADLINE_S) -> None:
        self._jq = jq
        self._deadline_s = jq_deadline_s
        self._memos: dict[Ref, _Memo] = {}
        self._answers: dict[tuple[str, bytes], Paths] = {}

    def forget(self, application: Ref) -> None:
        """An application that is gone needs no memory."""
        self._memos.pop(application, None)

    async def compare(
        self, application: Ref, pairs: Sequence[Pair], shapes: Shapes, rules: Rules
    ) -> dict[Ref, Compared]:
        """How each pair differs that has both sides, by what it is.

        Raises EvaluationFailed, LimitExceeded or TimedOut where a jq expression cannot be used, in upstream's words: that
        is this application's ComparisonError and nobody else's. One that only does not fit an object means nothing.
        """
        memo = self._memos.get(application, {})
        kept: _Memo = {}
        found: dict[Ref, Compared] = {}
        made = 0
        for ref, _, target, observed in pairs:
            if target is None or observed is None:
                continue
            live, shape = observed.live, shapes.get(target.gvk, FREE)
            slot = memo.get(target.digest)
            if slot is None or not _fits(slot, live, rules, shape):
                compared = await self._compared(target, live, shape, rules)
                slot = _Slot(live.relevant, rules.version, shape, live.meta.resource_version, compared)
                made += 1
                if made % _AT_A_TIME == 0:
                    await asyncio.sleep(0)
            kept[target.digest] = slot
            found[ref] = slot.compared
        self._memos[application] = kept
        return found

    async def _compared(self, target: Desired, live: Cached, shape: Shape, rules: Rules) -> Compared:
        desired, present = target.object(), live.object()
        answers = await self.answers(desired, present, rules, (target.digest, digest(live.raw)))
        return Compared(difference(desired, present, shape, rules, answers), answers)

    async def answers(
        self, desired: JsonObject, live: JsonObject, rules: Rules, digests: tuple[bytes, bytes]
    ) -> Answers:
        """What jq says about two objects, of which *digests* tell whether it was asked about them before."""
        applying = rules.applying(Ref.of(desired))
        if not applying.expressions:
            return NO_ANSWERS
        values = sides(desired, live, rules, applying)
        identities = (digests[0] + rules.version, digests[1] + rules.version)
        return {
            expression: Found(*await self._asked(expression, values, identities)) for expression in applying.expressions
        }

    async def _asked(
        self, expression: str, values: tuple[JsonObject, JsonObject], identities: tuple[bytes, bytes]
    ) -> tuple[Paths, Paths]:
        known = [self._answers.get((expression, identity)) for identity in identities]
        if known[0] is not None and known[1] is not None:
            return known[0], known[1]
        # `del(E)` deletes `path(E)`: asked for the paths, one answer serves comparing, applying and showing.
        try:
            results = await self._jq.jq_many(f"[path({expression})]", values, deadline_s=self._deadline_s)
        except TimedOut as error:
            raise TimedOut(f"JQ patch execution timed out ({self._deadline_s:g}s)", why=expression) from error
        paths = tuple(_paths(expression, result) for result in results)
        while len(self._answers) > _MOST_ANSWERS:
            del self._answers[next(iter(self._answers))]
        self._answers.update(((expression, identity), each) for identity, each in zip(identities, paths, strict=True))
        return paths[0], paths[1]


def _fits(slot: _Slot, live: Cached, rules: Rules, shape: Shape) -> bool:
    """Whether what was found then still holds.

    What does not differ goes on not to, whoever holds it. What differs may cease to when fields change hands, which
    the relevant part of an object does not show.
    """
    if slot.relevant != live.relevant or slot.rules != rules.version or slot.shape is not shape:
        return False
    return not slot.compared.differences or slot.resource_version == live.meta.resource_version


def _paths(expression: str, result: list[Json] | PlumblineError) -> Paths:
    if isinstance(result, LimitExceeded):
        raise LimitExceeded(f"JQ patch returned error: {result.why}", why=expression)
    if isinstance(result, PlumblineError):
        if _unreadable(result):
            raise EvaluationFailed(f"JQ patch returned error: {result.why}", why=expression)
        return NO_PATHS
    if not result:
        raise EvaluationFailed("JQ patch did not return any data", why=expression)
    if len(result) > 1:
        raise EvaluationFailed("JQ patch returned multiple objects", why=expression)
    paths = result[0]
    if not isinstance(paths, list) or not all(map(is_path, paths)):
        raise EvaluationFailed("JQ patch returned error: it is not a path expression", why=expression)
    return paths


def _unreadable(error: PlumblineError) -> bool:
    """Whether the expression itself is wrong, rather than at odds with an object that lacks what it looks at."""
    return any(sign in error.why for sign in _BROKEN)


def digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=_DIGEST_BYTES).digest()
