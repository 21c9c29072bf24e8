"""Mutating webhooks: one after another, and again those that want to see what came after them."""

from collections.abc import Sequence

from plumbline.apiserver.webhooks.hooks import Hook
from plumbline.apiserver.webhooks.invoking import Invoker, concerned_by, failure, forgiven
from plumbline.apiserver.webhooks.matching import Invocation, Matcher
from plumbline.apiserver.webhooks.patches import patched
from plumbline.apiserver.webhooks.subjects import Subject
from plumbline.base.errors import WebhookFailed
from plumbline.base.json import JsonObject


class MutatingRounds:
    """One request on its way through the webhooks, at most twice."""

    def __init__(self, matcher: Matcher, invoker: Invoker, hooks: Sequence[Hook]) -> None:
        self._matcher = matcher
        self._invoker = invoker
        self._hooks = hooks
        self._asked: set[str] = set()
        """Those asked so far that want to be asked again after a change."""
        self._due: set[str] = set()
        self._last: JsonObject | None = None
        self.changed = False
        """Whether a webhook changed the object: then everything that changes objects gets a second chance."""

    async def first(self, subject: Subject) -> Subject:
        return await self._round(subject, again=False)

    async def second(self, subject: Subject) -> Subject:
        """Only those are asked that were asked before a change, and asked for it."""
        if subject.obj != self._last:
            self._require()
        return await self._round(subject, again=True)

    async def _round(self, subject: Subject, *, again: bool) -> Subject:
        for hook in self._hooks:
            if again and hook.uid not in self._due:
                continue
            invocation = await concerned_by(self._matcher, hook, subject)
            if invocation is not None:
                subject = await self._asked_about(invocation, subject)
        self._last = subject.obj
        return subject

    async def _asked_about(self, invocation: Invocation, subject: Subject) -> Subject:
        before = subject.obj
        try:
            verdict = await self._invoker.verdict(invocation, subject, mutating=True)
            subject = await patched(invocation, subject, verdict)
        except WebhookFailed as failed:
            if not forgiven(invocation, failed):
                raise failure(invocation.hook.name, failed) from None
        if subject.obj != before:
            self.changed = True
            self._require()
        if invocation.hook.reinvoked:
            self._asked.add(invocation.hook.uid)
        return subject

    def _require(self) -> None:
        self._due |= self._asked
        self._asked = set()
