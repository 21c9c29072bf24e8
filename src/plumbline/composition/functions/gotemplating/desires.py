"""From objects that a template printed to what is desired. Pure."""

import base64
import binascii
from collections.abc import Mapping
from typing import Final, Literal, cast

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition.conditions import SYSTEM
from plumbline.composition.functions.answers import copied
from plumbline.composition.functions.gotemplating.extras import EXTRA_RESOURCES, NAME
from plumbline.composition.functions.values import (
    Answer,
    Call,
    Condition,
    Ready,
    Requirements,
    Resource,
    Selector,
    State,
)
from plumbline.kube.fieldpath import MergeOptions
from plumbline.kube.fieldpath import merged as with_merged
from plumbline.kube.gotext import quoted

READY: Final = "gotemplating.fn.crossplane.io/ready"
META: Final = "meta.gotemplating.fn.crossplane.io/v1alpha1"
_READY: Final = frozenset({"True", "False", "Unspecified"})
_OVERRIDE: Final = MergeOptions()


class _Requirement(msgspec.Struct, frozen=True, rename={"api_version": "apiVersion"}):
    api_version: str = ""
    kind: str = ""
    matchLabels: dict[str, str] | None = None  # noqa: N815 - the field's own name
    matchName: str = ""  # noqa: N815 - same
    namespace: str = ""


class _Condition(msgspec.Struct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    target: str = ""


class Desires:
    """Takes one object after the other. Raises InvalidInput with the function's own words."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._composite = call.desired.composite
        self._resources = dict(call.desired.resources)
        self._context = call.context
        self._conditions: list[Condition] = []
        self._required: dict[str, Selector] = {}
        observed = call.observed.composite.resource
        self._kind = (observed.get("apiVersion"), observed.get("kind"))

    def take(self, obj: JsonObject) -> None:
        named = NAME in _annotations(obj)
        if (obj.get("apiVersion"), obj["kind"]) == self._kind and not named:
            self._take_status(obj)
        elif obj.get("apiVersion") == META:
            self._take_meta(obj)
        else:
            self._take_resource(obj)

    def answer(self, ttl_s: float) -> Answer:
        return Answer(
            desired=State(self._composite, self._resources),
            context=self._passed_on(),
            conditions=tuple(self._conditions),
            requirements=Requirements(resources=self._required),
            ttl_s=ttl_s,
        )

    def _take_status(self, obj: JsonObject) -> None:
        status = obj.get("status", {})
        if not isinstance(status, dict):
            raise InvalidInput("cannot get templated composite status", why="it is not an object")
        resource = self._composite.resource
        if not isinstance(resource.get("status", {}), dict):
            raise InvalidInput("cannot get desired composite status", why="it is not an object")
        merged = {**resource, "status": with_merged(resource.get("status", {}), status, _OVERRIDE)}
        self._composite = Resource(merged, self._composite.connection, self._composite.ready)

    def _take_meta(self, obj: JsonObject) -> None:
        kind = obj["kind"]
        if kind == "CompositeConnectionDetails":
            self._take_connection(obj.get("data"))
        elif kind == "ClaimConditions":
            self._take_conditions(obj)
        elif kind == "Context":
            self._take_context(obj.get("data"))
        elif kind == "ExtraResources":
            self._take_requirements(obj)
        else:
            what = f"invalid kind {quoted(kind)} for apiVersion {quoted(META)}"
            raise InvalidInput(f"{what} - must be one of CompositeConnectionDetails, Context or ExtraResources")

    def _take_connection(self, details: Json) -> None:
        """Upstream passes over what is no text; of base64 it keeps what it could read."""
        if not isinstance(details, dict) or not all(isinstance(each, str) for each in details.values()):
            return
        added = {key: Plaintext(_decoded(value)) for key, value in details.items()}
        self._composite = Resource(
            self._composite.resource, {**self._composite.connection, **added}, self._composite.ready
        )

    def _take_conditions(self, obj: JsonObject) -> None:
        try:
            conditions = msgspec.convert(obj.get("conditions") or [], list[_Condition])
        except msgspec.ValidationError as fault:
            raise InvalidInput("cannot get Conditions from input", why=str(fault)) from fault
        for each in conditions:
            if each.type in SYSTEM:
                raise InvalidInput(f"cannot set ClaimCondition type: {each.type} is a reserved Crossplane Condition")
            status = each.status if each.status in {"True", "False"} else "Unknown"
            known = cast("Literal['True', 'False', 'Unknown']", status)
            both = each.target == "CompositeAndClaim"
            recipient: Literal["Composite", "CompositeAndClaim"] = "CompositeAndClaim" if both else "Composite"
            self._conditions.append(Condition(each.type, known, each.reason, each.message, recipient))

    def _take_context(self, added: Json) -> None:
        if not isinstance(added, dict):
            raise InvalidInput("cannot get Contexts from input", why="data is not an object")
        self._context = _merged(self._context, added)

    def _take_requirements(self, obj: JsonObject) -> None:
        try:
            wanted = msgspec.convert(obj.get("requirements"), dict[str, _Requirement])
        except msgspec.ValidationError as fault:
            raise InvalidInput("cannot get extra resources requirements", why=str(fault)) from fault
        for name, each in wanted.items():
            if name in self._required:
                raise InvalidInput(f"duplicate extra resource key {quoted(name)}")
            self._required[name] = Selector(
                api_version=each.api_version,
                kind=each.kind,
                name=each.matchName,
                labels=None if each.matchName else each.matchLabels or {},
                namespace=each.namespace,
            )

    def _take_resource(self, obj: JsonObject) -> None:
        annotations = dict(_annotations(obj))
        ready = annotations.pop(READY, "Unspecified")
        if ready not in _READY:
            value = f"invalid {quoted(READY)} annotation value {quoted(ready)}"
            raise InvalidInput(f"invalid function input: {value}: must be True, False, or Unspecified")
        if NAME not in annotations:
            raise InvalidInput(f"{quoted(obj['kind'])} template is missing required {quoted(NAME)} annotation")
        name = annotations.pop(NAME)
        resource = copied({**obj, "metadata": {**obj["metadata"], "annotations": annotations}})
        self._resources[name] = Resource(resource, ready=cast("Ready", ready))

    def _passed_on(self) -> JsonObject:
        """The context, with what was fetched for this function: later ones can look there."""
        fetched = {**_shown(self._call.extra), **_shown(self._call.required)}
        if not fetched:
            return self._context
        before = self._context.get(EXTRA_RESOURCES)
        known = before if isinstance(before, dict) else {}
        return {**self._context, EXTRA_RESOURCES: {**known, **fetched}}


def _annotations(obj: JsonObject) -> Mapping[str, str]:
    return (obj.get("metadata") or {}).get("annotations") or {}


def _merged(there: JsonObject, coming: JsonObject) -> JsonObject:
    return cast("JsonObject", with_merged(there, coming, _OVERRIDE))


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _shown(found: Mapping[str, tuple[Resource, ...]]) -> JsonObject:
    return {
        name: {"items": [{"resource": each.resource} for each in items]} if items else {}
        for name, items in found.items()
    }
