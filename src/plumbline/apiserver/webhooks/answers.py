"""What a webhook sent back: a review of the kind it was asked with, or a reason why not."""

from typing import Final, NamedTuple

from plumbline.apiserver.webhooks.wording import no_object, status_message
from plumbline.base.documents import load_document
from plumbline.base.errors import InvalidInput, WebhookFailed
from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind

_SUCCESS: Final = range(200, 207)


class Reply(NamedTuple):
    status: int
    content_type: str
    body: bytes
    retry_after_s: int | None


def answer_of(reply: Reply, review: JsonObject) -> JsonObject:
    """The review that came back; raises WebhookFailed for anything else."""
    if reply.status not in _SUCCESS:
        raise WebhookFailed(_refusal(reply))
    if not reply.body:
        where = f"status code: {reply.status} and content type: {reply.content_type}"
        raise WebhookFailed(f"0-length response with {where}")
    value = _value(reply.body)
    if not isinstance(value, dict):
        raise WebhookFailed(no_object(value))
    _check_kind(GroupVersionKind.of(value), GroupVersionKind.of(review))
    return value


def _value(body: bytes) -> Json:
    """JSON, or YAML: API servers read both."""
    try:
        return decode(body)
    except (ValueError, RecursionError):
        pass
    try:
        return load_document(body, repeats="ignore").value
    except InvalidInput as bad:
        raise WebhookFailed(f"couldn't get version/kind; json parse error: {bad.what}") from None


def _refusal(reply: Reply) -> str:
    """A Status speaks for itself; anything else is told by its code."""
    try:
        status = decode(reply.body)
    except (ValueError, RecursionError):
        status = None
    if isinstance(status, dict) and status.get("kind") == "Status" and status.get("message"):
        return str(status["message"])
    return status_message(reply.status, reply.body, reply.content_type)


def _check_kind(found: GroupVersionKind, asked: GroupVersionKind) -> None:
    """An answer without a kind is left to the one who knows what has to be in it."""
    if found in (asked, GroupVersionKind("", "", "")):
        return
    if found.kind == asked.kind and found.group == asked.group and found.version in ("v1", "v1beta1"):
        shown = f"({found.version}.{found.kind}) to ({asked.version}.{asked.kind})"
    elif found == GroupVersionKind("", "v1", "Status"):
        shown = f"(v1.Status) to ({asked.version}.{asked.kind})"
    else:
        scheme = 'in scheme "pkg/runtime/scheme.go:111"'
        raise WebhookFailed(
            f"no kind {quoted(found.kind)} is registered for version {quoted(found.api_version)} {scheme}"
        )
    raise WebhookFailed(f"converting {shown}: unknown conversion")
