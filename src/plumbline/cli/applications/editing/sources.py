"""What flags say about a source. Pure."""

import re
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.cli.applications.editing.fields import Edit, at, labels, pair, put, replacing, sets, unless_empty

_UNESCAPED_COMMA: Final = re.compile(r"([^\\]),")


def _helm(*path: str) -> Edit:
    return unless_empty("helm", *path)


def _kustomize(*path: str) -> Edit:
    return unless_empty("kustomize", *path)


def _parameters(*, force_string: bool) -> Edit:
    def edit(source: JsonObject, texts: tuple[str, ...]) -> JsonObject:
        new = [helm_parameter(text, force_string=force_string) for text in texts]
        return put(source, replacing(at(source, "helm", "parameters"), new), "helm", "parameters")

    return edit


def helm_parameter(text: str, *, force_string: bool = False) -> JsonObject:
    name, value = pair(text, "PARAM=VALUE")
    parameter: JsonObject = {"name": name, "value": _UNESCAPED_COMMA.sub(r"\1\\,", value)}
    return parameter | {"forceString": True} if force_string else parameter


def _file_parameters(source: JsonObject, texts: tuple[str, ...]) -> JsonObject:
    new = [{"name": name, "path": path} for name, path in (pair(text, "PARAM=PATH") for text in texts)]
    return put(source, replacing(at(source, "helm", "fileParameters"), new), "helm", "fileParameters")


def values_literal(source: JsonObject, text: str) -> JsonObject:
    """Values as one block; an empty text takes it away."""
    from plumbline.base.documents import load_document  # noqa: PLC0415 - loads YAML

    plain = put(source, None, "helm", "values")
    if not text:
        return put(plain, None, "helm", "valuesObject")
    values = load_document(text, source="the values").value
    if not isinstance(values, dict):
        raise InvalidInput("the values cannot be used", why="they are no mapping")
    return put(plain, values, "helm", "valuesObject")


def same_image(one: str, other: str) -> bool:
    """Whether both are for the same image: *other* says where a name ends."""
    delimiter = next((each for each in "=:@" if each in other), ":")
    return one.partition(delimiter)[0] == other.partition(delimiter)[0]


def _images(source: JsonObject, texts: tuple[str, ...]) -> JsonObject:
    merged: list[str] = list(at(source, "kustomize", "images") or [])
    for text in texts:
        place = next((n for n, old in enumerate(merged) if same_image(old, text)), None)
        if place is None:
            merged.append(text)
        else:
            merged[place] = text
    return put(source, merged, "kustomize", "images")


def _replicas(source: JsonObject, texts: tuple[str, ...]) -> JsonObject:
    new: list[JsonObject] = []
    for text in texts:
        name, count = pair(text, "NAME=COUNT")
        if not count.isdecimal():
            raise InvalidInput(f"{text!r} cannot be used", why="the count is no number")
        new.append({"name": name, "count": int(count)})
    return put(source, replacing(at(source, "kustomize", "replicas"), new), "kustomize", "replicas")


def _common(part: str) -> Edit:
    return lambda source, texts: put(source, labels(texts), "kustomize", part)


def _jsonnet(part: str, *, code: bool = False) -> Edit:
    def edit(source: JsonObject, texts: tuple[str, ...]) -> JsonObject:
        new: list[JsonObject] = []
        for text in texts:
            name, _, value = text.partition("=")
            new.append({"name": name, "value": value} | ({"code": True} if code else {}))
        before = at(source, "directory", "jsonnet", part) or []
        return put(source, [*before, *new], "directory", "jsonnet", part)

    return edit


def _libs(source: JsonObject, texts: tuple[str, ...]) -> JsonObject:
    return put(source, [*(at(source, "directory", "jsonnet", "libs") or []), *texts], "directory", "jsonnet", "libs")


def _plugin(source: JsonObject, name: str) -> JsonObject:
    return {**source, "plugin": {"name": name} if name else {}}


def _plugin_env(source: JsonObject, texts: tuple[str, ...]) -> JsonObject:
    new = [{"name": name, "value": value} for name, value in (pair(text, "NAME=VALUE") for text in texts)]
    return put(source, replacing(at(source, "plugin", "env"), new), "plugin", "env")


EDITS: Final[dict[str, Edit]] = {
    "config_management_plugin": _plugin,
    "directory_exclude": sets("directory", "exclude"),
    "directory_include": sets("directory", "include"),
    "directory_recurse": sets("directory", "recurse"),
    "helm_api_versions": _helm("apiVersions"),
    "helm_chart": sets("chart"),
    "helm_kube_version": _helm("kubeVersion"),
    "helm_namespace": _helm("namespace"),
    "helm_pass_credentials": _helm("passCredentials"),
    "helm_set": _parameters(force_string=False),
    "helm_set_file": _file_parameters,
    "helm_set_string": _parameters(force_string=True),
    "helm_skip_crds": _helm("skipCrds"),
    "helm_skip_schema_validation": _helm("skipSchemaValidation"),
    "helm_skip_tests": _helm("skipTests"),
    "helm_version": _helm("version"),
    "ignore_missing_components": _kustomize("ignoreMissingComponents"),
    "ignore_missing_value_files": _helm("ignoreMissingValueFiles"),
    "jsonnet_ext_var_code": _jsonnet("extVars", code=True),
    "jsonnet_ext_var_str": _jsonnet("extVars"),
    "jsonnet_libs": _libs,
    "jsonnet_tla_code": _jsonnet("tlas", code=True),
    "jsonnet_tla_str": _jsonnet("tlas"),
    "kustomize_api_versions": _kustomize("apiVersions"),
    "kustomize_common_annotation": _common("commonAnnotations"),
    "kustomize_common_label": _common("commonLabels"),
    "kustomize_force_common_annotation": _kustomize("forceCommonAnnotations"),
    "kustomize_force_common_label": _kustomize("forceCommonLabels"),
    "kustomize_image": _images,
    "kustomize_kube_version": _kustomize("kubeVersion"),
    "kustomize_label_include_templates": _kustomize("labelIncludeTemplates"),
    "kustomize_label_without_selector": _kustomize("labelWithoutSelector"),
    "kustomize_namespace": _kustomize("namespace"),
    "kustomize_replica": _replicas,
    "kustomize_version": _kustomize("version"),
    "nameprefix": _kustomize("namePrefix"),
    "namesuffix": _kustomize("nameSuffix"),
    "parameter": _parameters(force_string=False),
    "path": sets("path"),
    "plugin_env": _plugin_env,
    "ref": sets("ref"),
    "release_name": _helm("releaseName"),
    "repo": sets("repoURL"),
    "revision": sets("targetRevision"),
    "source_name": sets("name"),
    "tag_prefix": sets("tagPrefix"),
    "values": _helm("valueFiles"),
    "values_literal_file": values_literal,
}
"""By the name of the flag. They are applied in this order."""
