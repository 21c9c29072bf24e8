"""Somebody else's word on a plan before it goes on: each enabled webhook is asked, and the first that objects stops it.

A plan holds secrets, and upstream's contract is that webhooks see it whole. So it is sent to nobody but the address that is
named, only as much of it as `payloadType` asks for, and only where nobody on the way can read it.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from plumbline.base.documents import load_json
from plumbline.base.errors import BadExpression, EvaluationFailed, InvalidInput, PlumblineError, Transient
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import redact_text
from plumbline.gotemplate import Template
from plumbline.kinds.flux.terraform import Webhook
from plumbline.terraform.checks.addresses import private_enough, web_address
from plumbline.terraform.checks.wire import Reply
from plumbline.terraform.inputs.typed import floating

FAILED: Final = "PostPlanningWebhookFailed"
_DELIMITERS: Final = ("${{", "}}")
_PASSES: Final = frozenset({"true", "yes"})
_FAILS: Final = frozenset({"false", "no"})
_FINE: Final = 200
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_LONGEST: Final = 20_000
_SHOWN: Final = 200


class Objection(NamedTuple):
    """Why the plan does not go on."""

    message: str
    judged: bool
    """Whether that is the webhook's own word; else nobody could be asked, or the answer could not be understood."""
    transient: bool = False
    """Whether it is worth asking again as it is."""
    reason: str = FAILED


class Poster(Protocol):
    async def post(self, url: str, body: Plaintext) -> Reply: ...


async def objection(hooks: Iterable[Webhook], obj: JsonObject, plan: Plaintext, poster: Poster) -> Objection | None:
    """None where all agree. *plan* is its JSON, and *obj* the Terraform object that it is for."""
    for hook in hooks:
        if not hook.enabled:
            continue
        try:
            _check_address(hook)
            reply = await poster.post(hook.url, payload(hook, obj, plan))
            message = verdict(hook, reply)
        except PlumblineError as failed:
            return Objection(redact_text(str(failed))[:_LONGEST], judged=False, transient=isinstance(failed, Transient))
        if message is not None:
            return Objection(redact_text(message), judged=True)
    return None


def _check_address(hook: Webhook) -> None:
    if not private_enough(web_address(hook.url)):
        raise InvalidInput(
            f"failed to send webhook to {_host(hook)}",
            why="the plan may hold secrets, and the address is without TLS",
            hint="Use https, or a service of the cluster.",
        )


def payload(hook: Webhook, obj: JsonObject, plan: Plaintext) -> Plaintext:
    """The object without its status and its tokens, the plan, or both: then the plan is the object's status.tfplan."""
    match hook.payload_type:
        case "PlanOnly":
            return plan
        case "SpecOnly":
            return Plaintext(encode(_shown(obj)))
        case "SpecAndPlan":
            return Plaintext(encode({**_shown(obj), "status": {"tfplan": decode(plan.reveal())}}))
    raise InvalidInput("failed to prepare webhook payload", why=f"unknown payload type: {hook.payload_type[:_SHOWN]}")


def _shown(obj: JsonObject) -> JsonObject:
    shown = {key: value for key, value in obj.items() if key != "status"}
    cloud = (obj.get("spec") or {}).get("cloud") or {}
    if cloud.get("token"):
        hidden = {key: value for key, value in cloud.items() if key != "token"}
        annotations = dict((obj.get("metadata") or {}).get("annotations") or {})
        annotations.pop(_LAST_APPLIED, None)
        shown["spec"] = {**obj["spec"], "cloud": hidden}
        shown["metadata"] = {**(obj.get("metadata") or {}), "annotations": annotations}
    return shown


def verdict(hook: Webhook, reply: Reply) -> str | None:
    """The webhook's objection in its own words, or None. Raises InvalidInput for what is no answer."""
    if reply.status != _FINE:
        raise InvalidInput(f"webhook {_host(hook)} returned {reply.status}")
    answer = _answer(hook, reply)
    result = _filled("test expression", "testexpr", hook.test_expression, answer).strip()
    if result in _PASSES:
        return None
    if result not in _FAILS:
        raise InvalidInput(
            f"webhook test expression {hook.test_expression[:_SHOWN]!r} returned unexpected result",
            why=result[:_SHOWN],
            hint="Let it come out as true, yes, false or no.",
        )
    return _filled("error message template", "errmsg", hook.error_message_template, answer)[:_LONGEST]


def _answer(hook: Webhook, reply: Reply) -> JsonObject:
    try:
        answer = load_json(reply.body, repeats="ignore").value
    except InvalidInput:
        answer = None
    if not isinstance(answer, dict):
        raise InvalidInput(
            "failed to decode webhook reply", why=f"{_host(hook)} answered with no JSON object"
        ) from None
    return floating(answer)


def _filled(what: str, name: str, text: str, answer: JsonObject) -> str:
    try:
        template = Template(name, text, delimiters=_DELIMITERS)
    except BadExpression as wrong:
        raise InvalidInput(f"failed to parse webhook {what}", why=str(wrong)) from None
    try:
        return template.execute(answer)
    except EvaluationFailed as wrong:
        raise InvalidInput(f"failed to execute webhook {what}", why=str(wrong)) from None


def _host(hook: Webhook) -> str:
    """Addresses of hooks often are secrets; hosts are not."""
    return urlsplit(hook.url).hostname or ""
