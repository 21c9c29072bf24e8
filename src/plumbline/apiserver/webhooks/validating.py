"""Validating webhooks: all at once, and the first refusal counts."""

from collections.abc import Sequence

from plumbline.apiserver.webhooks.hooks import Hook
from plumbline.apiserver.webhooks.invoking import Invoker, concerned_by, failure, forgiven
from plumbline.apiserver.webhooks.matching import Invocation, Matcher
from plumbline.apiserver.webhooks.subjects import Subject
from plumbline.base.errors import RequestRefused, WebhookFailed
from plumbline.base.tasks import task_group


async def validate(matcher: Matcher, invoker: Invoker, hooks: Sequence[Hook], subject: Subject) -> None:
    """Raises RequestRefused with the refusal that came first, after all have answered."""
    concerned = [found for hook in hooks if (found := await concerned_by(matcher, hook, subject)) is not None]
    if not concerned:
        return
    refusals: list[RequestRefused] = []
    async with task_group() as tasks:
        for invocation in concerned:
            tasks.create_task(_ask(invoker, invocation, subject, refusals))
    if refusals:
        raise refusals[0]


async def _ask(invoker: Invoker, invocation: Invocation, subject: Subject, refusals: list[RequestRefused]) -> None:
    try:
        await invoker.verdict(invocation, subject, mutating=False)
    except RequestRefused as refused:
        refusals.append(refused)
    except WebhookFailed as failed:
        if not forgiven(invocation, failed):
            refusals.append(failure(invocation.hook.name, failed))
