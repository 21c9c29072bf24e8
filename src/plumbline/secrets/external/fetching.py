"""Asking stores, with manners: each question once in a look, few at a time, and no more once a store is down."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError, TimedOut, Transient
from plumbline.base.tasks import task_group
from plumbline.secrets.external.asking import CALLS, Answer, Question
from plumbline.secrets.external.known import KnownStore, Opener
from plumbline.secrets.external.metrics import ExternalMetrics
from plumbline.secrets.external.retrying import patiently
from plumbline.secrets.stores.store import Store

T = TypeVar("T")

AT_ONCE: Final = 8
"""Questions to one store that are under way together, of all objects that use it."""
DEADLINE_S: Final = 30.0


class Fetching:
    def __init__(self, open_: Opener, metrics: ExternalMetrics, clock: Clock) -> None:
        self.open = open_
        self._metrics = metrics
        self._clock = clock
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """By the uid of the store."""

    async def answers(
        self, stores: Iterable[tuple[KnownStore, list[Question]]], namespace: str
    ) -> Mapping[Question, Answer | PlumblineError]:
        """What each question came to. Stores are asked side by side; one that is down keeps none of the others."""
        visits = [self._visited(store, questions, namespace) for store, questions in stores]
        found: dict[Question, Answer | PlumblineError] = {}
        for each in await _together(visits):
            found.update(each)
        return found

    async def opened(self, known: KnownStore, namespace: str) -> Store:
        return await patiently(lambda: opened(self.open, known, namespace), known.spec.retry_settings, self._clock)

    async def _visited(
        self, known: KnownStore, questions: list[Question], namespace: str
    ) -> dict[Question, Answer | PlumblineError]:
        turns = self._turns.setdefault(known.uid, asyncio.Semaphore(AT_ONCE))
        try:
            async with turns:
                store = await self.opened(known, namespace)
        except PlumblineError as error:
            self._metrics.asked(known.provider, "NewClient", failed=True)
            return dict.fromkeys(questions, error)
        visit = _Visit(known, store, turns, self._metrics, self._clock)
        try:
            answers = await _together(visit.answer(question) for question in questions)
        finally:
            await store.close()
        return dict(zip(questions, answers, strict=True))


class _Visit:
    """What one look asks of one open store."""

    def __init__(
        self, known: KnownStore, store: Store, turns: asyncio.Semaphore, metrics: ExternalMetrics, clock: Clock
    ) -> None:
        self._known, self._store, self._turns, self._metrics = known, store, turns, metrics
        self._clock = clock
        self._down: Transient | None = None

    async def answer(self, question: Question) -> Answer | PlumblineError:
        async with self._turns:
            if self._down is not None:
                return self._down  # whoever waited behind the failure would only wait for the next
            try:
                answer = await patiently(lambda: self._in_time(question), self._known.spec.retry_settings, self._clock)
            except PlumblineError as error:
                self._down = error if isinstance(error, Transient) else None
                self._metrics.asked(self._known.provider, CALLS[question.how], failed=True)
                return error
            self._metrics.asked(self._known.provider, CALLS[question.how], failed=False)
            return answer

    async def _in_time(self, question: Question) -> Answer:
        async with deadline(self._known):
            return await self._asked(question)

    async def _asked(self, question: Question) -> Answer:
        if question.how == "value":
            return await self._store.value(question.remote)
        if question.how == "entries":
            return await self._store.entries(question.remote)
        return await self._store.search(question.search)


async def opened(open_: Opener, known: KnownStore, namespace: str) -> Store:
    async with deadline(known):
        return await open_(known, namespace)


@asynccontextmanager
async def deadline(known: KnownStore) -> AsyncGenerator[None, None]:
    try:
        async with asyncio.timeout(DEADLINE_S):
            yield
    except TimeoutError:
        raise TimedOut(f"{known} did not answer within {DEADLINE_S:g} s") from None


async def _together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    async with task_group() as group:
        tasks = [group.create_task(each) for each in works]
    return [each.result() for each in tasks]
