"""Asking one webhook about one request."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.webhooks.calling import HookCaller
from plumbline.apiserver.webhooks.conditions import met
from plumbline.apiserver.webhooks.hooks import Hook
from plumbline.apiserver.webhooks.matching import Invocation, Matcher
from plumbline.apiserver.webhooks.reviews import Verdict, review_of, verdict_of
from plumbline.apiserver.webhooks.subjects import Subject
from plumbline.base.errors import RequestRefused, WebhookFailed
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject
from plumbline.base.log import logger
from plumbline.kube.gotext import quoted

_log = logger(__name__)
_BAD_REQUEST: Final = 400
_LARGEST_CODE: Final = 599


class Invoker:
    def __init__(self, caller: HookCaller, ids: Ids) -> None:
        self._caller = caller
        self._ids = ids

    async def verdict(self, invocation: Invocation, subject: Subject, *, mutating: bool) -> Verdict:
        """Its approval; raises RequestRefused for its refusal, WebhookFailed where it gave no answer."""
        hook = invocation.hook
        if subject.scope.dry_run and not hook.dry_runs:
            raise statuses.bad_request(f"admission webhook {quoted(hook.name)} does not support dry run")
        if hook.version is None:
            known = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
            raise WebhookFailed(f"could not create admission objects: {known}")
        uid = self._ids.uid()
        states = await in_version(invocation, subject)
        review = review_of(subject, invocation, uid, *states)
        answer = await self._caller.ask(hook.client, review, hook.timeout_s)
        verdict = verdict_of(answer, uid, hook.version, mutating=mutating)
        warn(subject.scope.warnings, verdict.warnings)
        if not verdict.allowed:
            raise denial(hook.name, verdict.status)
        return verdict


States = tuple[JsonObject | None, JsonObject | None]
"""An object as it will be, and as it was."""


async def in_version(invocation: Invocation, subject: Subject) -> States:
    """Both states of the request's object in the version that the webhook wants."""
    states = (subject.obj, subject.old)
    own = subject.scope.model
    if invocation.model is own or invocation.kind == subject.kind:
        return states
    given = [state for state in states if state is not None]
    if own.remote:
        made = iter(await own.converted(given, invocation.kind.api_version))
    else:
        made = iter([invocation.model.served(own.stored(state)) for state in given])
    obj, old = (None if state is None else next(made) for state in states)
    return obj, old


async def concerned_by(matcher: Matcher, hook: Hook, subject: Subject) -> Invocation | None:
    """How *hook* is to be asked; None where it is not. Raises RequestRefused where that cannot be found out."""
    found = matcher.invocation(hook, subject)
    if found is None or not hook.conditions:
        return found
    return found if met(found, subject, *await in_version(found, subject)) else None


def warn(warnings: list[str], said: Sequence[str]) -> None:
    """Add what can stand in a header, each thing once."""
    for text in said:
        if text and text.isprintable() and text not in warnings:
            warnings.append(text)


def failure(hook_name: str, failed: WebhookFailed) -> RequestRefused:
    return statuses.internal(f"failed calling webhook {quoted(hook_name)}: {failed.what}")


def forgiven(invocation: Invocation, failed: WebhookFailed) -> bool:
    """Whether the request goes on although the webhook gave no answer."""
    hook = invocation.hook
    _log.warning("webhook failed", webhook=hook.uid, ignored=hook.ignores_failure, error=failed.what)
    return hook.ignores_failure


def denial(hook_name: str, said: JsonObject | None) -> RequestRefused:
    """The webhook's own Status, under our heading and with a code that says no."""
    given = said or {}
    denied = f"admission webhook {quoted(hook_name)} denied the request"
    message, reason = _text(given, "message"), _text(given, "reason")
    explanation = message or reason
    status: JsonObject = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": _object(given, "metadata"),
        "status": "Failure",
    }
    status["message"] = f"{denied}: {explanation}" if explanation else f"{denied} without explanation"
    if reason:
        status["reason"] = reason
    if details := _object(given, "details"):
        status["details"] = details
    code = given.get("code")
    status["code"] = code if isinstance(code, int) and _BAD_REQUEST <= code <= _LARGEST_CODE else _BAD_REQUEST
    return RequestRefused(status)


def _text(given: JsonObject, field: str) -> str:
    value: Json = given.get(field)
    return value if isinstance(value, str) else ""


def _object(given: JsonObject, field: str) -> JsonObject:
    value: Json = given.get(field)
    return value if isinstance(value, dict) else {}
