"""OpenAPI 3.1, from what parts say of their routes and from the types that they read and write.

A route that nothing is said of is there with its path and methods: that it exists is known, and no more is claimed.
"""

import re
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any, Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.web.operations import JSON, Operation, Parameter
from plumbline.web.routes import Route

_REF: Final = "#/components/schemas/{name}"
_NAMED: Final = re.compile(r"\{([^}]*)\}")
_UNDESCRIBED: Final = "undescribed"
_REST: Final = "path"
"""What stands for all that is beneath a route."""
_BOUND: Final = ("401", "403")
_OWN_PAGES: Final = "/"
"""All that is beneath it is the interface, which is no API."""
_DESCRIPTION: Final = (
    "What Argo CD has is as Argo CD has it: its paths, its shapes, its errors. The description itself is OpenAPI 3.1 at "
    "every path that it is served at, `/swagger.json` among them, where Argo CD has Swagger 2. Say who you are with "
    "`Authorization: Bearer TOKEN`; browsers have a cookie. With a cookie, what changes something must be "
    "`application/json` and come from a page of the same origin."
)


class Problem(msgspec.Struct, frozen=True):
    """Every error: the words twice, as gRPC gateways write them, and the number that gRPC has for the kind of error."""

    error: str
    code: int
    message: str


def document(routes: Iterable[Route]) -> JsonObject:
    operations = sorted(described(routes), key=lambda each: (each.path, each.method))
    schemas, components = _schemas(operations)
    paths: dict[str, JsonObject] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Plumbline", "version": "v1", "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "tags": [{"name": tag} for tag in sorted({_tag(each) for each in operations})],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "argocd.token"},
            },
            "responses": {"Problem": {"description": "Why not", "content": {JSON: {"schema": schemas[Problem]}}}},
        },
        "security": [{"bearer": []}, {"cookie": []}],
    }


def described(routes: Iterable[Route]) -> Iterator[Operation]:
    """What can be asked for, whether or not anybody has said something of it."""
    for route in routes:
        if route.path == _OWN_PAGES:
            continue
        yield from route.operations
        said = {each.method for each in route.operations}
        if said and route.path.endswith("/"):
            # What is beneath is listed by whoever answers it.
            continue
        path = f"{route.path}{{{_REST}}}" if route.path.endswith("/") else route.path
        for method in sorted(route.methods - said - ({"HEAD"} if "GET" in route.methods else set())):
            yield Operation(method=method, path=path, tag=_UNDESCRIBED)


def _schemas(operations: Iterable[Operation]) -> tuple[dict[Any, JsonObject], JsonObject]:
    """Each type's schema, and the named ones that these refer to."""
    types: list[Any] = [Problem]
    for each in operations:
        wanted = (each.takes, each.gives, *(parameter.kind for parameter in each.parameters))
        types += [kind for kind in wanted if kind is not None and kind not in types]
    found, components = msgspec.json.schema_components(types, ref_template=_REF)
    return dict(zip(types, found, strict=True)), dict(components)


def _operation(each: Operation, schemas: dict[Any, JsonObject]) -> JsonObject:
    said: JsonObject = {
        "operationId": _id(each),
        "tags": [_tag(each)],
        "responses": _responses(each, schemas),
    }
    if each.summary:
        said["summary"] = each.summary
    parameters = [_parameter(parameter, schemas) for parameter in _all_parameters(each)]
    if parameters:
        said["parameters"] = parameters
    if each.takes is not None:
        said["requestBody"] = {"required": True, "content": {JSON: {"schema": schemas[each.takes]}}}
    if each.anonymous:
        said["security"] = []
    return said


def _all_parameters(each: Operation) -> Iterator[Parameter]:
    """Those of the path are always there, and always needed."""
    named = {parameter.name: parameter for parameter in each.parameters if parameter.where == "path"}
    for name in _NAMED.findall(each.path):
        known = named.get(name, Parameter(name))
        yield Parameter(name, known.summary, known.kind, "path", required=True)
    yield from (parameter for parameter in each.parameters if parameter.where != "path")


def _parameter(parameter: Parameter, schemas: dict[Any, JsonObject]) -> JsonObject:
    schema = schemas.get(parameter.kind, {"type": "string"})
    said: JsonObject = {
        "name": parameter.name,
        "in": parameter.where,
        "required": parameter.required,
        "schema": {"type": "array", "items": schema} if parameter.many else schema,
    }
    return {**said, "description": parameter.summary} if parameter.summary else said


def _responses(each: Operation, schemas: dict[Any, JsonObject]) -> JsonObject:
    refused = {"$ref": "#/components/responses/Problem"}
    if each.tag == _UNDESCRIBED:
        return {"default": {"description": "Whatever it answers"}}
    good: JsonObject = {"description": HTTPStatus(each.status).phrase}
    if each.gives is not None:
        good["content"] = {each.media: {"schema": schemas[each.gives]}}
    elif each.media != JSON:
        good["content"] = {each.media: {"schema": {"type": "string"}}}
    statuses = (*(() if each.anonymous else _BOUND), *map(str, each.refusals))
    return {str(each.status): good, **dict.fromkeys(statuses, refused), "default": refused}


def _id(each: Operation) -> str:
    words = re.findall(r"[A-Za-z0-9]+", each.path.removeprefix("/api/v1/"))
    return each.method.lower() + "".join(word[:1].upper() + word[1:] for word in words)


def _tag(each: Operation) -> str:
    return each.tag or each.path.removeprefix("/api/v1/").strip("/").partition("/")[0] or _UNDESCRIBED
