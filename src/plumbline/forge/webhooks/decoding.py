"""Payloads as typed values.

Only the fields that are asked for are ever built, so that the size of a payload says little about the memory it takes;
all the rest is skipped by the decoder, which stops by itself at a depth that the stack can bear. What remains is
bounded by the number of separators, which is counted first.
"""

from typing import Final, TypeVar

import msgspec

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.forge.webhooks.push import Delivery

MOST_VALUES: Final = 1_000_000
_FORM: Final = "application/x-www-form-urlencoded"

T = TypeVar("T")


class Part(msgspec.Struct):
    """Of a payload. Every field may be missing or null, and fields that are not named here are nobody's business."""


def decoded(delivery: Delivery, payload: type[T]) -> T:
    """The payload, or BadDocument for what is none of its kind."""
    body = delivery.body
    if delivery.header("content-type").lower().startswith(_FORM):
        raise BadDocument(
            "Webhook processing failed",
            why="the payload is a form",
            hint="Set the content type of the webhook to application/json.",
        )
    if body.count(b",") > MOST_VALUES:
        raise LimitExceeded("Webhook processing failed", why=f"the payload has more than {MOST_VALUES:,} values")
    try:
        return msgspec.json.decode(body, type=payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        raise BadDocument("Webhook processing failed", why=_reason(error)) from None


def _reason(error: Exception) -> str:
    """In words that never quote what was sent."""
    if isinstance(error, msgspec.ValidationError):
        return f"the payload is not what such a webhook sends: {error}"
    if isinstance(error, RecursionError):
        return "the payload is too deep"
    return "the payload is not JSON"
