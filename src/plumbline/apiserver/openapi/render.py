"""Path items as JSON, in either dialect."""

import base64
import hashlib
from collections.abc import Iterable
from typing import Final

from plumbline.apiserver.openapi.definitions import OPENAPI, SWAGGER, Dialect
from plumbline.apiserver.openapi.operations import WORDS, Operation, PathItem
from plumbline.apiserver.openapi.parameters import Parameter
from plumbline.base.json import JsonObject, encode

_REFUSED: Final = {"description": WORDS[401]}
_NEVER_SHARED: Final = frozenset({"dryRun", "fieldValidation", "name"})
"""Older clients look for the first two in operations themselves; the last differs by kind."""


class OpenApiPaths:
    """Equal parameters are one object, so that a document with thousands of them stays small until it is encoded."""

    def __init__(self) -> None:
        self._parameters: dict[Parameter, JsonObject] = {}

    def render(self, items: Iterable[PathItem]) -> dict[str, JsonObject]:
        return {item.path: self._item(item) for item in items}

    def _item(self, item: PathItem) -> JsonObject:
        made: JsonObject = {each.method: self._operation(each) for each in item.operations}
        if item.shared:
            made["parameters"] = [self._parameter(each) for each in item.shared]
        return made

    def _operation(self, operation: Operation) -> JsonObject:
        made: JsonObject = {
            "tags": [operation.tag],
            "description": operation.description,
            "operationId": operation.id,
        }
        if operation.parameters:
            made["parameters"] = [self._parameter(each) for each in operation.parameters]
        if operation.body:
            schema = {"schema": OPENAPI.refer(operation.body.definition)}
            made["requestBody"] = {"content": dict.fromkeys(sorted(operation.consumes), schema)}
            if operation.body.required:
                made["requestBody"]["required"] = True
        answer = {"schema": _answer(operation, OPENAPI)}
        content = dict.fromkeys(sorted(operation.produces), answer)
        made["responses"] = {
            **{str(status): {"description": WORDS[status], "content": content} for status in operation.statuses},
            "401": _REFUSED,
        }
        return made | _extensions(operation)

    def _parameter(self, parameter: Parameter) -> JsonObject:
        known = self._parameters.get(parameter)
        if known is None:
            known = {"name": parameter.name, "in": parameter.place, "description": parameter.description}
            if parameter.place == "path":
                known["required"] = True
            known["schema"] = {"type": parameter.type, "uniqueItems": True}
            self._parameters[parameter] = known
        return known


class SwaggerPaths:
    """Collects the parameters that several operations share; they stand at the end of the document, once."""

    def __init__(self) -> None:
        self.shared: dict[str, JsonObject] = {}
        self._parameters: dict[Parameter, JsonObject] = {}

    def render(self, items: Iterable[PathItem]) -> dict[str, JsonObject]:
        return {item.path: self._item(item) for item in items}

    def _item(self, item: PathItem) -> JsonObject:
        made: JsonObject = {each.method: self._operation(each) for each in item.operations}
        if item.shared:
            made["parameters"] = [self._parameter(each) for each in item.shared]
        return made

    def _operation(self, operation: Operation) -> JsonObject:
        made: JsonObject = {
            "description": operation.description,
            "produces": operation.produces,
            "schemes": ["https"],
            "tags": [operation.tag],
            "operationId": operation.id,
        }
        if operation.consumes:
            made["consumes"] = operation.consumes
        taken = [self._parameter(each) for each in operation.parameters]
        if operation.body:
            taken.insert(0, self._body(operation.body.definition, required=operation.body.required))
        if taken:
            made["parameters"] = taken
        schema = _answer(operation, SWAGGER)
        made["responses"] = {
            **{str(status): {"description": WORDS[status], "schema": schema} for status in operation.statuses},
            "401": _REFUSED,
        }
        return made | _extensions(operation)

    def _body(self, definition: str, *, required: bool) -> JsonObject:
        body: JsonObject = {"name": "body", "in": "body"}
        if required:
            body["required"] = True
        body["schema"] = SWAGGER.refer(definition)
        return self._share("body", body) if definition.startswith("io.k8s.apimachinery") else body

    def _parameter(self, parameter: Parameter) -> JsonObject:
        known = self._parameters.get(parameter)
        if known is None:
            known = {"uniqueItems": True, "type": parameter.type, "description": parameter.description}
            known |= {"name": parameter.name, "in": parameter.place}
            if parameter.place == "path":
                known["required"] = True
            if parameter.name not in _NEVER_SHARED:
                known = self._share(parameter.name, known)
            self._parameters[parameter] = known
        return known

    def _share(self, name: str, parameter: JsonObject) -> JsonObject:
        digest = hashlib.blake2b(encode(parameter), digest_size=6).digest()
        label = f"{name}-{base64.urlsafe_b64encode(digest).decode()}"
        self.shared[label] = parameter
        return {"$ref": f"#/parameters/{label}"}


def _answer(operation: Operation, dialect: Dialect) -> JsonObject:
    return dialect.refer(operation.answers) if operation.answers else {"type": "string"}


def _extensions(operation: Operation) -> JsonObject:
    if operation.kind is None:
        return {}
    group, version, kind = operation.kind
    named = {"group": group, "version": version, "kind": kind}
    return {"x-kubernetes-action": operation.action, "x-kubernetes-group-version-kind": named}
