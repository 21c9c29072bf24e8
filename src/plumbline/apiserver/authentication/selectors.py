"""Selectors in access reviews: RBAC does not look at them, but they have to be well-formed, and are said to be ignored."""

from collections.abc import Callable, Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, required
from plumbline.base.errors import BadSelector
from plumbline.base.json import Json, JsonObject
from plumbline.kube.selectors import FieldSelector, LabelSelector
from plumbline.kube.spelling import label_key_faults, label_value_faults

_ATTRIBUTES: Final = "spec.resourceAttributes"
_SETS: Final = ("In", "NotIn")
_UNARY: Final = ("Exists", "DoesNotExist")


def selector_errors(attributes: JsonObject) -> list[FieldError]:
    """What is wrong with the selectors of resource attributes; operators nobody knows are not."""
    return [*_field_errors(attributes.get("fieldSelector")), *_label_errors(attributes.get("labelSelector"))]


def evaluation_errors(attributes: JsonObject) -> str:
    """What the answer says about selectors that are well-formed and still cannot be read."""
    fields, labels = attributes.get("fieldSelector"), attributes.get("labelSelector")
    said = (
        _ignored("fieldSelector", fields, _readable_field, FieldSelector.parse),
        _ignored("labelSelector", labels, _readable_label, LabelSelector.parse),
    )
    return "; ".join(filter(None, said))


def _field_errors(selector: Json) -> Iterator[FieldError]:
    field = f"{_ATTRIBUTES}.fieldSelector"
    yield from _form_errors(selector, field)
    for index, requirement in enumerate(_requirements(selector)):
        where = f"{field}.requirements[{index}]"
        if not requirement.get("key"):
            yield required(f"{where}.key", "must be specified")
        yield from _value_errors(requirement, where)


def _label_errors(selector: Json) -> Iterator[FieldError]:
    field = f"{_ATTRIBUTES}.labelSelector"
    yield from _form_errors(selector, field)
    for index, requirement in enumerate(_requirements(selector)):
        where = f"{field}.requirements[{index}]"
        yield from _value_errors(requirement, where)
        key = _text(requirement, "key")
        for fault in label_key_faults(key):
            yield invalid(f"{where}.key", key, fault)
        for number, value in enumerate(_values(requirement)):
            for fault in label_value_faults(value):
                yield invalid(f"{where}.values[{number}]", value, fault)


def _form_errors(selector: Json, field: str) -> Iterator[FieldError]:
    if not isinstance(selector, dict):
        return
    raw, requirements = _text(selector, "rawSelector"), _requirements(selector)
    if raw and requirements:
        yield invalid(f"{field}.rawSelector", raw, "may not specified at the same time as requirements")
    if not raw and not requirements:
        yield required(f"{field}.requirements", f"when {field} is specified, requirements or rawSelector is required")


def _value_errors(requirement: JsonObject, where: str) -> Iterator[FieldError]:
    operator, values = requirement.get("operator"), _values(requirement)
    if operator in _SETS and not values:
        yield required(f"{where}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    if operator in _UNARY and values:
        yield forbidden(f"{where}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")


def _ignored(title: str, selector: Json, readable: Callable[[JsonObject], bool], parse: Callable[[str], object]) -> str:
    if not isinstance(selector, dict):
        return ""
    requirements = _requirements(selector)
    read = [requirement for requirement in requirements if readable(requirement)]
    whole = len(read) == len(requirements)
    if not requirements:
        whole = _parsed(_text(selector, "rawSelector"), parse)
    if whole:
        return ""
    return f"{_ATTRIBUTES}.{title} {'partially ignored' if read else 'ignored'} due to parse error"


def _parsed(text: str, parse: Callable[[str], object]) -> bool:
    try:
        parse(text)
    except BadSelector:
        return False
    return True


def _readable_field(requirement: JsonObject) -> bool:
    return requirement.get("operator") in _SETS and len(_values(requirement)) == 1


def _readable_label(requirement: JsonObject) -> bool:
    return requirement.get("operator") in _SETS + _UNARY


def _requirements(selector: Json) -> list[JsonObject]:
    listed = selector.get("requirements") if isinstance(selector, dict) else None
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _values(requirement: JsonObject) -> list[str]:
    values = requirement.get("values")
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []


def _text(record: JsonObject, field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""
