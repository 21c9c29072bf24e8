"""The call as templates see it: the JSON form of the protocol's request, as Go decodes it again. Pure.

Everything is copied: templates change what they are given (`set`, `unset`, `merge`).
"""

import base64
from collections.abc import Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.answers import copied
from plumbline.composition.functions.values import NOTHING, Call, Resource, State

CAPABILITIES: Final = ("CAPABILITIES", "REQUIRED_RESOURCES", "CREDENTIALS", "CONDITIONS", "REQUIRED_SCHEMAS")


def as_map(call: Call) -> JsonObject:
    """Fields that hold nothing are left out, as in the protocol's JSON."""
    request: JsonObject = {
        "meta": {"tag": call.tag, "capabilities": [f"CAPABILITY_{each}" for each in CAPABILITIES]},
        "observed": _state(call.observed),
        "desired": _state(call.desired),
        "context": copied(call.context),
    }
    if call.input is not None:
        request["input"] = copied(call.input)
    if call.credentials:
        request["credentials"] = {
            name: {"credentialData": {"data": _opened(secret)}} for name, secret in call.credentials.items()
        }
    if call.required:
        request["requiredResources"] = _items(call.required)
    if call.extra or call.required:
        request["extraResources"] = _items(call.extra or call.required)
    if call.schemas:
        request["requiredSchemas"] = {name: {"openapiV3": copied(each)} for name, each in call.schemas.items()}
    return request


def _state(state: State) -> JsonObject:
    shown: JsonObject = {}
    if state.composite != NOTHING:
        shown["composite"] = _resource(state.composite)
    if state.resources:
        shown["resources"] = {name: _resource(each) for name, each in state.resources.items()}
    return shown


def _resource(resource: Resource) -> JsonObject:
    shown: JsonObject = {"resource": copied(resource.resource)}
    if resource.connection:
        shown["connectionDetails"] = _opened(resource.connection)
    if resource.ready != "Unspecified":
        shown["ready"] = f"READY_{resource.ready.upper()}"
    return shown


def _opened(secrets: Mapping[str, Plaintext]) -> dict[str, str]:
    return {key: base64.b64encode(value.reveal()).decode() for key, value in secrets.items()}


def _items(found: Mapping[str, tuple[Resource, ...]]) -> JsonObject:
    return {name: {"items": [_resource(each) for each in items]} if items else {} for name, items in found.items()}
