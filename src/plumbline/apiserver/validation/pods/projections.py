"""Volumes whose files are taken from the API: from the pod itself, from Secrets and ConfigMaps, from tokens."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, required
from plumbline.apiserver.validation.pods.environment import VOLUME_PATHS, field_ref_errors, resource_ref_errors
from plumbline.apiserver.validation.pods.paths import local_errors, mode_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, number, text
from plumbline.base.json import JsonObject

_SHORTEST_TOKEN_S: Final = 600
_LONGEST_TOKEN_S: Final = 2**32
_SOURCES: Final = (
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
)


def key_to_path_errors(item: JsonObject, at: str) -> Iterator[FieldError]:
    for name in ("key", "path"):
        if not item.get(name):
            yield required(f"{at}.{name}")
    yield from local_errors(text(item.get("path")), f"{at}.path")
    yield from mode_errors(item.get("mode"), f"{at}.mode")


def downward_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    yield from mode_errors(source.get("defaultMode"), f"{at}.defaultMode")
    for file in mappings(source.get("items")):
        yield from _file_errors(file, at)


def _file_errors(file: JsonObject, at: str) -> Iterator[FieldError]:
    path, field, resource = text(file.get("path")), file.get("fieldRef"), file.get("resourceFieldRef")
    if not path:
        yield required(f"{at}.path")
    yield from local_errors(path, f"{at}.path")
    if field is not None:
        yield from field_ref_errors(mapping(field), f"{at}.fieldRef", VOLUME_PATHS)
        if resource is not None:
            yield invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
    elif resource is not None:
        yield from resource_ref_errors(mapping(resource), f"{at}.resourceFieldRef", in_volume=True)
    else:
        yield required(at, "one of fieldRef and resourceFieldRef is required")
    yield from mode_errors(file.get("mode"), f"{at}.mode")


def projected_errors(source: JsonObject, at: str) -> Iterator[FieldError]:
    yield from mode_errors(source.get("defaultMode"), f"{at}.defaultMode")
    taken: set[str] = set()
    for index, part in enumerate(mappings(source.get("sources"))):
        field = f"{at}.sources[{index}]"
        given = [name for name in _SOURCES if part.get(name) is not None]
        for name in given:
            yield from _part_errors(name, mapping(part[name]), field, at, taken)
        if len(given) > 1:
            yield forbidden(field, "may not specify more than 1 volume type per source")


def _part_errors(name: str, part: JsonObject, field: str, at: str, taken: set[str]) -> Iterator[FieldError]:
    if name in {"secret", "configMap"}:
        held = text(part.get("name"))
        if not held:
            yield required(f"{field}.{name}.name")
        for index, item in enumerate(mappings(part.get("items"))):
            yield from key_to_path_errors(item, f"{field}.{name}.items[{index}]")
            yield from _taken_errors(text(item.get("path")), held, at, taken)
    elif name == "downwardAPI":
        for file in mappings(part.get("items")):
            path = text(file.get("path"))
            yield from _file_errors(file, f"{field}.downwardAPI")
            yield from _taken_errors(path, path, at, taken)
    elif name == "serviceAccountToken":
        yield from _token_errors(part, f"{field}.serviceAccountToken", at)


def _taken_errors(path: str, shown: str, at: str, taken: set[str]) -> Iterator[FieldError]:
    if path and path in taken:
        yield invalid(at, shown, "conflicting duplicate paths")
    taken.add(path)


def _token_errors(token: JsonObject, field: str, at: str) -> Iterator[FieldError]:
    seconds, path = number(token.get("expirationSeconds")), text(token.get("path"))
    if seconds < _SHORTEST_TOKEN_S:
        detail = "may not specify a duration less than 10 minutes"
        yield invalid(f"{field}.expirationSeconds", seconds, detail)
    if seconds > _LONGEST_TOKEN_S:
        detail = "may not specify a duration larger than 2^32 seconds"
        yield invalid(f"{field}.expirationSeconds", seconds, detail)
    # Upstream names the path of the volume here, not that of the token.
    yield from local_errors(path, f"{at}.path") if path else [required(f"{at}.path")]
