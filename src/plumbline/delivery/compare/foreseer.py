"""Comparing by asking the destination what it would make of an object: a dry run of an apply, which changes nothing.

A question costs a server more than it costs us to look ourselves, so none is asked twice: an answer holds until the
object, what Git asks for, or the rules become others, or somebody wants everything looked at anew.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, PlumblineError
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.delivery.compare.comparer import Compared, Comparer, Shapes, digest
from plumbline.delivery.compare.difference import Answers
from plumbline.delivery.compare.foretelling import foretold
from plumbline.delivery.compare.marks import COMPARE_OPTIONS, options
from plumbline.delivery.compare.masking import is_secret
from plumbline.delivery.compare.pairing import Pair
from plumbline.delivery.compare.respecting import respected
from plumbline.delivery.compare.rules import Rules
from plumbline.delivery.values import Desired
from plumbline.kernel.cache import Cached
from plumbline.kube.diff import stored_form
from plumbline.kube.names import Ref
from plumbline.kube.object import Object
from plumbline.kube.schema.shape import FREE, Shape

WITH_WEBHOOKS: Final = "IncludeMutationWebhook=true"
FAILED_S: Final = 60.0
"""How long a refusal holds. What a webhook thinks of an object may change without anything that could be seen."""
_AT_A_TIME: Final = 64
_SPARE: Final = 64
"""Answers that are kept of an application beside those of its last comparison: somebody may look at another revision."""
_SILENCE: Final = "what the server said is not shown, because it may quote the values"

Ask: TypeAlias = Callable[[Desired, bytes], Awaitable[bytes]]
"""Has a destination apply a body without doing so; gives what the object would become."""


class Judge(Enum):
    """Who says whether an object is as it should be."""

    OURSELVES = "ourselves"
    SERVER = "server"
    SERVER_AND_WEBHOOKS = "server and webhooks"
    """What admission would add counts too."""


def judge(annotations: Mapping[str, str], *, asked_by_default: bool) -> Judge:
    """Who judges the objects of an application with *annotations*. One `ServerSideDiff=false` outweighs all else."""
    said = options(annotations, COMPARE_OPTIONS)
    if "ServerSideDiff=false" in said or not (asked_by_default or "ServerSideDiff=true" in said):
        return Judge.OURSELVES
    return Judge.SERVER_AND_WEBHOOKS if WITH_WEBHOOKS in said else Judge.SERVER


def asking(app: JsonObject, *, server_side: bool) -> JsonObject:
    """*app* as if it said by itself whether the server judges."""
    found = Object(app)
    said = [each for each in options(found.annotations, COMPARE_OPTIONS) if not each.startswith("ServerSideDiff=")]
    option = ",".join([*said, f"ServerSideDiff={'true' if server_side else 'false'}"])
    annotations = {**found.annotations, COMPARE_OPTIONS: option}
    return {**app, "metadata": {**found.metadata, "annotations": annotations}}


class _Grounds(NamedTuple):
    """What an answer holds for."""

    uid: str
    resource_version: str
    rules: bytes
    judge: Judge


class _Slot(NamedTuple):
    grounds: _Grounds
    shape: Shape
    compared: Compared
    until_s: float | None = None


class _Question(NamedTuple):
    ref: Ref
    target: Desired
    live: Cached
    shape: Shape
    answers: Answers
    """Of jq, about what is asked for and what is there."""
    body: bytes


class Foreseer:
    """Compares applications whose objects the destination judges."""

    def __init__(self, comparer: Comparer, clock: Clock) -> None:
        self._comparer = comparer
        self._clock = clock
        self._memos: dict[Ref, dict[bytes, _Slot]] = {}

    def forget(self, application: Ref) -> None:
        """It is gone, or somebody wants it looked at anew."""
        self._memos.pop(application, None)

    async def compare(
        self, application: Ref, pairs: Sequence[Pair], shapes: Shapes, rules: Rules, *, judge: Judge, ask: Ask
    ) -> dict[Ref, Compared]:
        """As `Comparer.compare`, and asks about as many objects at once as *ask* lets it.

        What the server refuses to judge is said so of that object alone. One that is served to us in another version than
        Git writes is compared here: the server would answer in Git's.
        """
        memo = self._memos.get(application, {})
        kept: dict[bytes, _Slot] = {}
        found: dict[Ref, Compared] = {}
        questions: list[_Question] = []
        other = [each for each in pairs if each.target is not None and each.target.gvk != each.gvk]
        for ref, gvk, target, observed in pairs:
            if target is None or observed is None or target.gvk != gvk:
                continue
            shape = shapes.get(gvk, FREE)
            slot = memo.get(target.digest)
            if slot is not None and self._holds(slot, _grounds(observed.live, rules, judge), shape):
                kept[target.digest], found[ref] = slot, slot.compared
            else:
                questions.append(await self._question(ref, target, observed.live, shape, rules))
        async with task_group() as group:
            asked = [group.create_task(_answer(ask, each)) for each in questions]
        for made, (question, task) in enumerate(zip(questions, asked, strict=True), 1):
            compared = await self._compared(question, task.result(), rules, judge)
            kept[question.target.digest] = self._slot(question, compared, rules, judge)
            found[question.ref] = compared
            if made % _AT_A_TIME == 0:
                await asyncio.sleep(0)
        self._remember(application, kept)
        if other:
            found.update(await self._comparer.compare(application, other, shapes, rules))
        return found

    def _holds(self, slot: _Slot, grounds: _Grounds, shape: Shape) -> bool:
        fresh = slot.until_s is None or self._clock.monotonic() < slot.until_s
        return fresh and slot.grounds == grounds and slot.shape is shape

    def _slot(self, question: _Question, compared: Compared, rules: Rules, judge: Judge) -> _Slot:
        until_s = self._clock.monotonic() + FAILED_S if compared.failure else None
        return _Slot(_grounds(question.live, rules, judge), question.shape, compared, until_s)

    def _remember(self, application: Ref, kept: dict[bytes, _Slot]) -> None:
        """Beside what is known already, as long as that is not too much."""
        known = self._memos.setdefault(application, {})
        known.update(kept)
        if len(known) > 2 * len(kept) + _SPARE:
            self._memos[application] = kept

    async def _question(self, ref: Ref, target: Desired, live: Cached, shape: Shape, rules: Rules) -> _Question:
        """What a sync would apply: without the fields that are ignored and others look after."""
        desired, present = target.object(), live.object()
        answers = await self._comparer.answers(desired, present, rules, (target.digest, digest(live.raw)))
        applied = respected(desired, present, shape, rules, answers)
        if is_secret(applied):
            applied = stored_form(applied)
        body = target.body if applied is desired else encode(applied)
        return _Question(ref, target, live, shape, answers, body)

    async def _compared(
        self, question: _Question, answer: JsonObject | PlumblineError, rules: Rules, judge: Judge
    ) -> Compared:
        if isinstance(answer, PlumblineError):
            return Compared((), question.answers, failure=_told(question.target, answer))
        live = question.live.object()
        digests = (digest(encode(answer)), digest(question.live.raw))
        answers = await self._comparer.answers(answer, live, rules, digests)
        webhooks = judge is Judge.SERVER_AND_WEBHOOKS
        said = foretold(answer, live, question.shape, rules, answers, webhooks=webhooks)
        after = Plaintext(encode(said.after)) if said.differences else None
        return Compared(said.differences, question.answers, foretold=True, after=after)


def _grounds(live: Cached, rules: Rules, judge: Judge) -> _Grounds:
    return _Grounds(live.meta.uid, live.meta.resource_version, rules.version, judge)


async def _answer(ask: Ask, question: _Question) -> JsonObject | PlumblineError:
    try:
        merged: Json = decode(await ask(question.target, question.body))
    except PlumblineError as error:
        return error
    except msgspec.DecodeError:
        return GarbledReply("the answer to a dry run is not read", why="it is no JSON")
    return merged if isinstance(merged, dict) else GarbledReply("the answer to a dry run is no object")


def _told(target: Desired, error: PlumblineError) -> str:
    """Upstream's words, with the server's."""
    secret = (target.ref.group, target.ref.kind) == ("", "Secret")
    why = _SILENCE if secret else error.why or error.what
    return f"error running server side apply in dryrun mode for resource {target.ref.kind}/{target.ref.name}: {why}"
