"""What the API server refuses to apply before it merges anything: undeclared fields, wrong types, repeated keys."""

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.elements import element_of
from plumbline.kube.apply.fieldset import element_text
from plumbline.kube.gotext import go_syntax, printed, type_name
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema.shape import Form, Shape

_KINDS = {"string": str, "integer": int | float, "number": int | float, "boolean": bool}


def check_declared(config: JsonObject, shape: Shape) -> None:
    """Refuse *config* with the server's words if its schema does not allow it."""
    problems: list[str] = []
    _check_object(config, shape, "", problems)
    if not problems:
        return
    metadata = config.get("metadata") or {}
    where = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {GroupVersionKind.of(config)}"
    listed = problems[0] if len(problems) == 1 else "errors:\n" + "\n".join(f"  {each}" for each in problems)
    raise SchemaViolation(f"failed to create typed patch object ({where}): {listed}")


def _check(value: Json, shape: Shape, path: str, problems: list[str]) -> None:
    if value is None or shape.form is Form.FREE:
        return
    if shape.form is Form.SCALAR:
        _check_scalar(value, shape, path, problems)
    elif shape.form in {Form.RECORD, Form.MAP}:
        if isinstance(value, dict):
            _check_object(value, shape, path, problems)
        else:
            problems.append(f"{path}: expected map, got &{{{printed(value)}}}")
    elif isinstance(value, list):
        _check_items(value, shape, path, problems)
    else:
        problems.append(f"{path}: expected list, got &{{{printed(value)}}}")


def _check_object(value: JsonObject, shape: Shape, path: str, problems: list[str]) -> None:
    if shape.form is not Form.RECORD:
        for name, child in value.items():
            _check(child, shape.values, f"{path}.{name}", problems)
        return
    fields = shape.fields
    for name in value if value.keys() <= fields.keys() else sorted(value):
        child, child_shape = value[name], fields.get(name)
        if child_shape is not None:
            if child_shape.form is Form.SCALAR and type(child) is str and child_shape.kind == "string":
                continue
            _check(child, child_shape, f"{path}.{name}", problems)
        elif shape.open:
            _check(child, shape.values, f"{path}.{name}", problems)
        else:
            problems.append(f"{path}.{name}: field not declared in schema")
            return  # the server looks no further in this record, and goes on elsewhere


def _check_items(items: list[Json], shape: Shape, path: str, problems: list[str]) -> None:
    if shape.form is Form.LIST:
        for index, item in enumerate(items):
            _check(item, shape.values, f"{path}[{index}]", problems)
        return
    seen: set[str] = set()
    for index, item in enumerate(items):
        try:
            element = element_of(item, shape)
        except SchemaViolation as error:
            problems.append(f"{path}: element {index}: {error}")
            return
        if element in seen:
            problems.append(f"{path}: duplicate entries for key {element_text(element)}")
        seen.add(element)
        _check(item, shape.values, path + element_text(element), problems)


def _check_scalar(value: Json, shape: Shape, path: str, problems: list[str]) -> None:
    expected = _KINDS.get(shape.kind)
    if expected is None:
        if isinstance(value, dict | list):
            problems.append(f"{path}: expected any scalar, got &{{{printed(value)}}}")
    elif not isinstance(value, expected) or (isinstance(value, bool) and shape.kind != "boolean"):
        problems.append(f"{path}: {_expectation(value, shape.kind)}")


def _expectation(value: Json, kind: str) -> str:
    if kind == "string":
        return f"expected string, got &value.valueUnstructured{{Value:{go_syntax(value)}}}"
    if kind == "boolean":
        return f"expected boolean, got &{{{printed(value)}}}"
    return f"expected numeric (int or float), got {type_name(value)}"
