"""OpenAPI 3: one document for each group-version, and small ones for the roots."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plumbline.apiserver.openapi.builtin import builtin_operations
from plumbline.apiserver.openapi.custom import custom_definitions, custom_operations
from plumbline.apiserver.openapi.definitions import OPENAPI, Definitions
from plumbline.apiserver.openapi.names import META
from plumbline.apiserver.openapi.operations import Operation, path_items
from plumbline.apiserver.openapi.published import Published
from plumbline.apiserver.openapi.render import OpenApiPaths
from plumbline.apiserver.openapi.roots import version_root
from plumbline.base.json import JsonObject, encode
from plumbline.kube.names import GroupVersion
from plumbline.kube.schema.builtin import SERVED_VERSION, catalog

SECURITY: Final = {
    "type": "apiKey",
    "description": "Bearer Token authentication",
    "name": "authorization",
    "in": "header",
}
TITLE: Final = {"title": "Kubernetes", "version": SERVED_VERSION}
_CUSTOM_TITLE: Final = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
_CORE: Final = GroupVersion("", "v1")
_NOT_IN_CLIENTS: Final = frozenset(
    {"admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "imagepolicy.k8s.io"}
)
"""Groups that clients in Go do not know: documents of custom resources do not count them among those with options."""


def version_document(version: GroupVersion, published: Sequence[Published]) -> bytes:
    """The document of one group-version."""
    custom = [each for each in published if each.resource.custom]
    own = dict(schema for each in custom for schema in custom_definitions(each, OPENAPI))
    if len(custom) == len(published):
        definitions = Definitions(OPENAPI, _client_versions())
        return _document(_operations(published), definitions, own, _CUSTOM_TITLE)
    definitions = Definitions(OPENAPI, [_CORE] if version == _CORE else [_CORE, version])
    operations = [version_root(version), *_operations(published)]
    return _document(operations, definitions, own, TITLE)


def root_document(operation: Operation) -> bytes:
    return _document([operation], Definitions(OPENAPI), {}, TITLE)


def _operations(published: Sequence[Published]) -> Iterator[Operation]:
    for each in published:
        yield from custom_operations(each.resource) if each.resource.custom else builtin_operations(each.resource)


def _document(
    operations: Iterable[Operation], definitions: Definitions, own: dict[str, JsonObject], title: JsonObject
) -> bytes:
    items = path_items(operations)
    names = {name for item in items for each in item.operations for name in each.definitions()}
    if own:
        names |= {f"{META}ObjectMeta", f"{META}ListMeta"}
    schemas = definitions.closure(names - own.keys()) | own
    components: JsonObject = {"schemas": {name: schemas[name] for name in sorted(schemas)}} if schemas else {}
    if title is TITLE:
        components["securitySchemes"] = {"BearerToken": SECURITY}
    paths = OpenApiPaths().render(items)
    return encode({"openapi": "3.0.0", "info": title, "paths": paths, "components": components})


def _client_versions() -> list[GroupVersion]:
    options = catalog().definition("meta.v1.DeleteOptions") or {}
    known = (GroupVersion(each["group"], each["version"]) for each in options["x-kubernetes-group-version-kind"])
    return [each for each in known if each.group not in _NOT_IN_CLIENTS]
