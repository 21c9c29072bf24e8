"""OpenAPI 2, better known as Swagger: everything in one document."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from plumbline.apiserver.openapi.builtin import builtin_operations
from plumbline.apiserver.openapi.custom import custom_definitions, custom_operations
from plumbline.apiserver.openapi.definitions import SWAGGER, Definitions
from plumbline.apiserver.openapi.names import META
from plumbline.apiserver.openapi.operations import Operation, path_items
from plumbline.apiserver.openapi.published import Published
from plumbline.apiserver.openapi.render import SwaggerPaths
from plumbline.apiserver.openapi.roots import root_operations, version_root
from plumbline.apiserver.openapi.v3 import SECURITY, TITLE
from plumbline.base.json import JsonObject, encode
from plumbline.kube.names import GroupVersion


def swagger_document(published: Sequence[Published]) -> bytes:
    """Encoded piece by piece: decoded at once, it would be ten times as large."""
    names: set[str] = {f"{META}ObjectMeta", f"{META}ListMeta"}
    paths: dict[str, msgspec.Raw] = {}
    renderer = SwaggerPaths()
    for operations in _by_version(published):
        items = path_items(operations)
        names |= {name for item in items for each in item.operations for name in each.definitions()}
        paths |= {path: msgspec.Raw(encode(item)) for path, item in renderer.render(items).items()}
    own = _own(published)
    definitions = {
        name: msgspec.Raw(encode(schema)) for name, schema in Definitions(SWAGGER).closure(names - own.keys()).items()
    } | own
    document = {
        "swagger": "2.0",
        "info": TITLE,
        "paths": {path: paths[path] for path in sorted(paths)},
        "definitions": {name: definitions[name] for name in sorted(definitions)},
        "parameters": {name: renderer.shared[name] for name in sorted(renderer.shared)},
        "securityDefinitions": {"BearerToken": SECURITY},
        "security": [{"BearerToken": []}],
    }
    return encode(document)


def _own(published: Iterable[Published]) -> dict[str, msgspec.Raw]:
    found: dict[str, JsonObject] = {}
    for each in published:
        if each.resource.custom:
            found.update(custom_definitions(each, SWAGGER))
    return {name: msgspec.Raw(encode(schema)) for name, schema in found.items()}


def _by_version(published: Iterable[Published]) -> Iterator[list[Operation]]:
    versions: dict[GroupVersion, list[Operation]] = {}
    for each in published:
        version = GroupVersion(*each.resource.kind[:2])
        if each.resource.custom:
            versions.setdefault(version, []).extend(custom_operations(each.resource))
        else:
            versions.setdefault(version, [version_root(version)]).extend(builtin_operations(each.resource))
    yield from versions.values()
    groups = {each.resource.kind.group for each in published if not each.resource.custom} - {""}
    yield [operation for _, operation in root_operations(sorted(groups))]
