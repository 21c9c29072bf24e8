"""Custom objects from one version to another, by a webhook of whoever defined them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.crds.conversion import conversion_review, converted, renamed, review_version
from plumbline.apiserver.crds.definition import Definition
from plumbline.apiserver.webhooks.calling import HookCaller
from plumbline.apiserver.webhooks.hooks import ClientConfig
from plumbline.base.errors import GarbledReply, WebhookFailed
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

TIMEOUT_S: Final = 30
_BLANK: Final[JsonObject] = {"uid": "", "convertedObjects": None, "result": {"metadata": {}}}
"""API servers send an empty answer along with their question."""
_NOWHERE: Final = "webhook configuration must have either service or URL"

Conversion = Callable[[Definition, str, Sequence[JsonObject]], Awaitable[list[JsonObject]]]


class _Webhook(msgspec.Struct, frozen=True, rename="camel"):
    client_config: ClientConfig


class _Conversion(msgspec.Struct, frozen=True):
    webhook: _Webhook


async def convert(caller: HookCaller, conversion: JsonObject, review: JsonObject) -> JsonObject:
    """The ConversionReview that comes back for *review*; *conversion* is `spec.conversion` of the CRD.

    Raises WebhookFailed with the reason alone: who asked knows for which kind.
    """
    try:
        client = msgspec.convert(conversion, _Conversion).webhook.client_config
    except msgspec.ValidationError:
        raise WebhookFailed(_NOWHERE) from None
    if client.service is None and not client.url:
        raise WebhookFailed(_NOWHERE)
    try:
        return await caller.ask(client, {**review, "response": _BLANK}, TIMEOUT_S)
    except WebhookFailed as failed:
        raise WebhookFailed(failed.what.removeprefix("failed to call webhook: ")) from None


def webhook_conversion(caller: HookCaller, ids: Ids) -> Conversion:
    """Converts objects as their definition says: by its webhook, or by renaming their version."""

    async def conversion(definition: Definition, api_version: str, objects: Sequence[JsonObject]) -> list[JsonObject]:
        if definition.conversion.get("strategy") != "Webhook":
            return [renamed(obj, api_version) for obj in objects]
        foreign = [obj for obj in objects if obj.get("apiVersion") != api_version]
        made = iter(await _asked(caller, ids.uid(), definition, api_version, foreign))
        return [obj if obj.get("apiVersion") == api_version else next(made) for obj in objects]

    return conversion


async def _asked(
    caller: HookCaller, uid: str, definition: Definition, api_version: str, objects: Sequence[JsonObject]
) -> list[JsonObject]:
    """Raises RequestRefused in the words of the server."""
    if not objects:
        return []
    kind = GroupVersionKind.of(objects[0])
    try:
        version = review_version(definition.conversion.get("webhook"))
        review = conversion_review(uid, api_version, objects, version)
        return converted(await convert(caller, definition.conversion, review), review, objects)
    except WebhookFailed as failed:
        raise statuses.plain_failure(500, f"conversion webhook for {kind} failed: {failed.what}") from None
    except GarbledReply as bad:
        raise statuses.plain_failure(500, bad.what) from None
