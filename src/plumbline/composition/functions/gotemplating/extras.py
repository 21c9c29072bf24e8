"""What templates can call beside Sprig."""

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from plumbline.base.documents import load_document
from plumbline.base.errors import InvalidInput
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.base.limits import REQUESTS
from plumbline.composition.functions.gotemplating.yamltext import dumped
from plumbline.gotemplate import INCLUDE, Failed, Function, Typed, Value, function
from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.moments import Time
from plumbline.gotemplate.values import INVALID, Raw

NAME: Final = "gotemplating.fn.crossplane.io/composition-resource-name"
EXTRA_RESOURCES: Final = "apiextensions.crossplane.io/extra-resources"
"""The key of the context under which fetched objects are passed on."""


class Condition(Typed):
    """A condition of some object, `Unknown` where the object has none of that type."""

    type_name = "v1.Condition"

    def __init__(self, kind: str, written: JsonObject) -> None:
        self._fields: Mapping[str, Value] = {
            "Type": kind,
            "Status": _text(written, "status") or "Unknown",
            "LastTransitionTime": _time(_text(written, "lastTransitionTime")),
            "Reason": _text(written, "reason"),
            "Message": _text(written, "message"),
            "ObservedGeneration": written.get("observedGeneration") or 0,
        }

    def member(self, name: str) -> Value:
        return self._fields.get(name, INVALID)

    def text(self) -> str:
        parts = [each.text() if isinstance(each, Typed) else str(each) for each in self._fields.values()]
        return "{" + " ".join(parts) + "}"

    def json(self) -> Value:
        shown = {name[0].lower() + name[1:]: value for name, value in self._fields.items()}
        if shown["lastTransitionTime"] == Time():
            shown["lastTransitionTime"] = None
        return {name: value for name, value in shown.items() if value or name not in {"message", "observedGeneration"}}


def extras(ids: Ids) -> Mapping[str, Function]:
    return {
        **INCLUDE,
        "randomChoice": function("...string", lambda *choices: _chosen(ids, choices)),
        "toYaml": function("any", _to_yaml),
        "fromYaml": function("string", _from_yaml),
        "getResourceCondition": function("string map", _condition),
        "setResourceNameAnnotation": function("string", lambda name: f"{NAME}: {name}"),
        "getComposedResource": function("map string", _composed),
        "getComposedConnectionDetails": function("map string", _connection),
        "getCompositeResource": function("map", lambda request: _at(request, "observed", "composite", "resource")),
        "getExtraResources": function("map string", _extra),
        "getExtraResourcesFromContext": function("map string", _from_context),
        "getCredentialData": function("map string", _credential),
    }


def _chosen(ids: Ids, choices: tuple[str, ...]) -> str:
    if not choices:
        raise Failed("invalid argument to Intn")
    return choices[min(int(ids.between(0, len(choices))), len(choices) - 1)]


@budgeted
def _to_yaml(budget: Budget, value: Value) -> str:
    budget.weigh(value)
    return dumped(None if value is INVALID else value)


def _from_yaml(text: str) -> Value:
    if not text.strip():
        return None
    try:
        return load_document(text, limits=REQUESTS, repeats="refuse").value
    except InvalidInput as fault:
        raise Failed(f"yaml: {fault}") from fault


def _at(value: Value, *path: str, kind: type = dict) -> Value:
    """What is there, or the nil that Go gives: an empty one of its kind, which templates take for false."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, kind) else kind()


def _composed(request: JsonObject, name: str) -> Value:
    return _at(request, "observed", "resources", name, "resource")


def _connection(request: JsonObject, name: str) -> Value:
    return _at(request, "observed", "resources", name, "connectionDetails")


def _extra(request: JsonObject, name: str) -> Value:
    required = _at(request, "requiredResources", name, "items", kind=list)
    return required or _at(request, "extraResources", name, "items", kind=list)


def _from_context(request: JsonObject, name: str) -> Value:
    return _at(request, "context", EXTRA_RESOURCES, name, "items", kind=list)


def _credential(request: JsonObject, name: str) -> Value:
    found = _at(request, "credentials", name, "credentialData", "data")
    try:
        return {key: Raw(base64.b64decode(value)) for key, value in found.items()}
    except (binascii.Error, TypeError, ValueError):
        return {}


def _condition(kind: str, resource: JsonObject) -> Condition:
    listed = _at(resource, "resource", "status", "conditions", kind=list) or _at(
        resource, "status", "conditions", kind=list
    )
    for each in listed:
        if isinstance(each, dict) and each.get("type") == kind:
            return Condition(kind, each)
    return Condition(kind, {})


def _text(written: JsonObject, field: str) -> str:
    value = written.get(field)
    return value if isinstance(value, str) else ""


def _time(text: str) -> Time:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return Time()
    return Time.of(moment) if moment.tzinfo is not None else Time()
