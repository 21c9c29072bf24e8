"""Resources inside of resources: their apiVersion, kind and metadata are those of an object, whatever the schema says."""

from typing import Final

from plumbline.apiserver.crds.structural import Node
from plumbline.apiserver.fielderrors import FieldError, invalid, required
from plumbline.apiserver.validation.metadata import object_meta_errors
from plumbline.apiserver.validation.names import dns_1035_label, path_segment_name
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject

_TEXT: Final = "string"
_INTEGER: Final = "int64"
_TIME: Final = "time"
_TEXTS: Final = "texts"
_LABELS: Final = "labels"
_METADATA: Final = {
    "name": _TEXT, "generateName": _TEXT, "namespace": _TEXT, "selfLink": _TEXT, "uid": _TEXT, "resourceVersion": _TEXT,
    "generation": _INTEGER, "creationTimestamp": _TIME, "deletionTimestamp": _TIME,
    "deletionGracePeriodSeconds": _INTEGER, "labels": _LABELS, "annotations": _LABELS, "finalizers": _TEXTS,
    "ownerReferences": "owners", "managedFields": "entries",
}  # fmt: skip
_GO_TYPES: Final = {
    _TEXT: "string", _INTEGER: "int64", _LABELS: "map[string]string", _TEXTS: "[]string",
    "owners": "[]v1.OwnerReference", "entries": "[]v1.ManagedFieldsEntry",
}  # fmt: skip
_KINDS: Final = {str: "string", int: "number", float: "number", bool: "bool", dict: "object", list: "array"}
_FORMS: Final = {_TEXT: str, _INTEGER: int, _TIME: str, _LABELS: dict, _TEXTS: list, "owners": list, "entries": list}


def coerced(obj: JsonObject, root: Node, unknown: list[str]) -> JsonObject:
    """*obj* with embedded metadata as the server's type holds it; what that drops is added to *unknown*.

    Raises `SchemaViolation` where metadata cannot be read at all, which the API answers with 400.
    """
    if not root.traits.embeds:
        return obj
    found: list[str] = []
    result: JsonObject = _coerced(obj, root, "", found, embedded=False)
    unknown += sorted(found)
    return result


def coerced_value(value: Json, node: Node, path: str) -> Json:
    """A value that stands alone, such as a default."""
    return _coerced(value, node, path, [], embedded=node.embedded) if node.traits.embeds else value


def embedded_value_errors(value: Json, node: Node, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if node.traits.embeds:
        _visit(value, node, path, errors, embedded=node.embedded)
    return errors


def embedded_errors(obj: JsonObject, root: Node) -> list[FieldError]:
    """What is wrong with embedded resources; the object itself is not one of them."""
    errors: list[FieldError] = []
    if root.traits.embeds:
        _visit(obj, root, "", errors, embedded=False)
    return errors


def _coerced(value: Json, node: Node, path: str, unknown: list[str], *, embedded: bool) -> Json:
    if isinstance(value, list):
        items = node.items
        if items is None or not items.traits.embeds:
            return value
        listed = [
            _coerced(each, items, f"{path}[{at}]", unknown, embedded=items.embedded) for at, each in enumerate(value)
        ]
        return value if all(new is old for new, old in zip(listed, value, strict=True)) else listed
    if not isinstance(value, dict):
        return value
    changes: JsonObject = {}
    for name, child in value.items():
        if embedded and name in {"apiVersion", "kind"} and not isinstance(child, str):
            raise SchemaViolation(str(invalid(_under(path, name), child, "must be a string")))
        if embedded and name == "metadata":
            kept = _metadata(child, _under(path, name), unknown)
            if kept != child:
                changes[name] = kept
            continue
        below = node.properties.get(name)
        target, place = (below, _under(path, name)) if below is not None else (node.additional, f"{path}[{name}]")
        if target is not None and target.traits.embeds:
            new = _coerced(child, target, place, unknown, embedded=target.embedded)
            if new is not child:
                changes[name] = new
    return {**value, **changes} if changes else value


def _metadata(value: Json, path: str, unknown: list[str]) -> Json:
    """What the server's ObjectMeta keeps of *value*: known fields that are not empty."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _unreadable(path, value, value, "Go value", "v1.ObjectMeta")
    kept: JsonObject = {}
    for name, child in value.items():
        form = _METADATA.get(name)
        if form is None:
            unknown.append(f"{path}.{name}")
            continue
        if child is None:
            continue
        if type(child) is not _FORMS[form] and not (form == _INTEGER and type(child) is int):
            raise _unreadable(path, value, child, f"Go struct field ObjectMeta.{name}", _GO_TYPES.get(form, "string"))
        _check_inside(path, value, name, child)
        if child:
            kept[name] = child
    return kept


def _check_inside(path: str, metadata: JsonObject, name: str, child: Json) -> None:
    form = _METADATA[name]
    values = child.values() if form == _LABELS else child if form == _TEXTS else ()
    for each in values:
        if each is not None and not isinstance(each, str):
            raise _unreadable(path, metadata, each, f"Go struct field ObjectMeta.{name}", "string")


def _unreadable(path: str, metadata: Json, bad: Json, where: str, wanted: str) -> SchemaViolation:
    text = f"json: cannot unmarshal {_KINDS.get(type(bad), 'null')} into {where} of type {wanted}"
    return SchemaViolation(str(invalid(path, metadata, text)))


def _visit(value: Json, node: Node, path: str, errors: list[FieldError], *, embedded: bool) -> None:
    if isinstance(value, list):
        if node.items is not None and node.items.traits.embeds:
            for index, each in enumerate(value):
                _visit(each, node.items, f"{path}[{index}]", errors, embedded=node.items.embedded)
        return
    if not isinstance(value, dict):
        return
    if embedded:
        errors += _resource_errors(value, path)
    for name, child in value.items():
        below = node.properties.get(name)
        if below is not None:
            if below.traits.embeds:
                _visit(child, below, _under(path, name), errors, embedded=below.embedded)
        elif node.additional is not None and node.additional.traits.embeds:
            _visit(child, node.additional, f"{path}[{name}]", errors, embedded=node.additional.embedded)


def _resource_errors(value: JsonObject, path: str) -> list[FieldError]:
    errors = [required(_under(path, name)) for name in ("apiVersion", "kind") if name not in value]
    for name, child in value.items():
        if name == "apiVersion":
            errors += _api_version_errors(child, _under(path, name))
        elif name == "kind":
            errors += _kind_errors(child, _under(path, name))
        elif name == "metadata" and isinstance(child, dict):
            meta = child if child.get("name") else {**child, "name": "fakename"}
            errors += object_meta_errors(
                meta, namespaced=bool(meta.get("namespace")), name_faults=path_segment_name, prefix=_under(path, name)
            )
    return errors


def _api_version_errors(value: Json, path: str) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid(path, value, "must be a string")]
    if not value:
        return [invalid(path, value, "must not be empty")]
    return [invalid(path, value, f"unexpected GroupVersion string: {value}")] if value.count("/") > 1 else []


def _kind_errors(value: Json, path: str) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid(path, value, "must be a string")]
    if not value:
        return [invalid(path, value, "must not be empty")]
    faults = dns_1035_label(value.lower())
    return (
        [invalid(path, value, f"may have mixed case, but should otherwise match: {','.join(faults)}")] if faults else []
    )


def _under(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
