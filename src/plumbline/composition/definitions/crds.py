"""The CRDs of a CompositeResourceDefinition. Pure, and what upstream would make of it."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.composition.definitions import injected
from plumbline.composition.definitions.injected import LEGACY, NAMESPACED
from plumbline.composition.definitions.schemas import kept_schema
from plumbline.kube.object import controller_reference

_LONGEST_NAME: Final = 63
"""Names become values of labels."""
_API_VERSION: Final = "apiextensions.crossplane.io/v1"
_KIND: Final = "CompositeResourceDefinition"


def crds(xrd: JsonObject) -> tuple[JsonObject, JsonObject | None]:
    """The CRD of composite resources, and the one of claims where there are any. Raises InvalidInput."""
    spec = xrd["spec"]
    return _composite(xrd), _claim(xrd) if spec.get("claimNames") else None


def scope_of(xrd: JsonObject) -> str:
    return xrd["spec"].get("scope") or LEGACY


def xrd_reference(xrd: JsonObject) -> JsonObject:
    return controller_reference({**xrd, "apiVersion": _API_VERSION, "kind": _KIND})


def _composite(xrd: JsonObject) -> JsonObject:
    spec, scope = xrd["spec"], scope_of(xrd)
    machinery = injected.composite_spec(scope, spec.get("defaultCompositionUpdatePolicy"))
    versions = [
        _version(version, machinery, injected.status(scope), injected.composite_columns(scope))
        for version in spec["versions"]
    ]
    return _crd(
        xrd, xrd["metadata"]["name"], _names(spec["names"], "composite"), versions, namespaced=scope == NAMESPACED
    )


def _claim(xrd: JsonObject) -> JsonObject:
    spec = xrd["spec"]
    machinery = injected.claim_spec(spec.get("defaultCompositeDeletePolicy"))
    versions = [
        _version(version, machinery, injected.status(LEGACY), injected.claim_columns()) for version in spec["versions"]
    ]
    name = f"{spec['claimNames']['plural']}.{spec['group']}"
    return _crd(xrd, name, _names(spec["claimNames"], "claim"), versions, namespaced=True)


def _crd(xrd: JsonObject, name: str, names: JsonObject, versions: list[JsonObject], *, namespaced: bool) -> JsonObject:
    spec: JsonObject = {
        "group": xrd["spec"]["group"],
        "names": names,
        "scope": "Namespaced" if namespaced else "Cluster",
        "versions": versions,
    }
    if xrd["spec"].get("conversion"):
        spec["conversion"] = xrd["spec"]["conversion"]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name, **_metadata(xrd), "ownerReferences": [xrd_reference(xrd)]},
        "spec": spec,
    }


def _metadata(xrd: JsonObject) -> JsonObject:
    said = xrd["spec"].get("metadata") or {}
    labels = {**(xrd["metadata"].get("labels") or {}), **(said.get("labels") or {})}
    annotations = said.get("annotations") or {}
    return {**({"labels": labels} if labels else {}), **({"annotations": annotations} if annotations else {})}


def _names(names: JsonObject, category: str) -> JsonObject:
    kept = {key: names[key] for key in ("plural", "kind", "singular", "listKind", "shortNames") if names.get(key)}
    return {**kept, "categories": [*(names.get("categories") or ()), category]}


def _version(version: JsonObject, machinery: JsonObject, status: JsonObject, columns: list[JsonObject]) -> JsonObject:
    entry: JsonObject = {
        "name": version["name"],
        "served": bool(version.get("served")),
        "storage": bool(version.get("referenceable")),
        "schema": {"openAPIV3Schema": _root(version, machinery, status)},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [*map(_kept_column, version.get("additionalPrinterColumns") or ()), *columns],
    }
    if version.get("deprecated"):
        entry["deprecated"] = True
    if version.get("deprecationWarning") is not None:
        entry["deprecationWarning"] = version["deprecationWarning"]
    scale = (version.get("subresources") or {}).get("scale")
    if scale:
        entry["subresources"]["scale"] = scale
    return entry


def _kept_column(column: JsonObject) -> JsonObject:
    """Without what says nothing, as the API server would leave it out."""
    return {key: value for key, value in column.items() if value or key in {"name", "type", "jsonPath"}}


def _root(version: JsonObject, machinery: JsonObject, status: JsonObject) -> JsonObject:
    written = (version.get("schema") or {}).get("openAPIV3Schema")
    where = f"spec.versions[{version['name']}].schema"
    if written is None:
        raise InvalidInput(
            f"Version {version['name']} has no schema",
            why=f"{where}.openAPIV3Schema is missing",
            hint="Say what its objects look like, with at least `type: object`.",
        )
    schema = kept_schema(written, f"{where}.openAPIV3Schema")
    user = schema.get("properties", {})
    properties: JsonObject = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": _named(user),
        "spec": _part(user.get("spec", {}), machinery, "x-kubernetes-preserve-unknown-fields"),
        "status": _part(user.get("status", {}), status),
    }
    root: JsonObject = {"type": "object", "required": ["spec"], "properties": properties}
    return {**root, **_said(schema, "description", "x-kubernetes-validations")}


def _named(user: JsonObject) -> JsonObject:
    asked = user.get("metadata", {}).get("properties", {}).get("name", {}).get("maxLength", _LONGEST_NAME)
    name = {"type": "string", "maxLength": min(asked, _LONGEST_NAME)}
    return {"type": "object", "properties": {"name": name}}


def _part(user: JsonObject, machinery: JsonObject, *also: str) -> JsonObject:
    """What the definition says, under what we say. Everything else about the part is left out."""
    properties = {**user.get("properties", {}), **machinery}
    said = _said(user, "required", "x-kubernetes-validations", "oneOf", "description", *also)
    return {"type": "object", "properties": properties, **said}


def _said(schema: JsonObject, *keys: str) -> JsonObject:
    return {key: schema[key] for key in keys if key in schema}
