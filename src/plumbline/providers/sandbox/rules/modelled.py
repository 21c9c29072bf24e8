"""What botocore's models of the services say themselves: required parameters, lengths, ranges, patterns, choices.

AWS holds requests against the same descriptions. Clients check only that parameters are there, and not even that if told so.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec

from plumbline.providers.sandbox.calls import Call, Refusal

# The code for a missing parameter, and the one for a value that is not allowed.
_CODES: Final = {
    "dynamodb": ("ValidationException", "ValidationException"),
    "ec2": ("MissingParameter", "InvalidParameterValue"),
    "eks": ("InvalidParameterException", "InvalidParameterException"),
    "elasticache": ("InvalidParameterValue", "InvalidParameterValue"),
    "iam": ("ValidationError", "ValidationError"),
    "kms": ("ValidationException", "ValidationException"),
    "rds": ("MissingParameter", "InvalidParameterValue"),
    "route53": ("InvalidInput", "InvalidInput"),
    "s3": ("InvalidRequest", "InvalidArgument"),
    "secretsmanager": ("ValidationException", "ValidationException"),
    "sns": ("InvalidParameter", "InvalidParameter"),
    "sqs": ("MissingParameter", "InvalidParameterValue"),
    "sts": ("ValidationError", "ValidationError"),
}
_BY_PROTOCOL: Final = {
    "query": ("MissingParameter", "InvalidParameterValue"),
    "ec2": ("MissingParameter", "InvalidParameterValue"),
}
_OTHERS: Final = ("ValidationException", "ValidationException")

# Enumerations that the models keep more narrowly than the services do.
_OPEN_CHOICES: Final = frozenset({"s3"})


class Violation(msgspec.Struct, frozen=True):
    path: str
    missing: bool
    constraint: str
    value: Any = None


def violation(call: Call, operation: Any) -> Refusal | None:
    shape = operation.input_shape
    if shape is None:
        return None
    for found in _violations(call.params, shape, "", choices=call.service not in _OPEN_CHOICES):
        missing, invalid = _CODES.get(call.service) or _BY_PROTOCOL.get(call.protocol, _OTHERS)
        return Refusal(missing if found.missing else invalid, _message(call, found))
    return None


def _message(call: Call, found: Violation) -> str:
    if call.protocol in {"query", "ec2"} and call.service not in {"iam", "sts"}:
        if found.missing:
            return f"The request must contain the parameter {found.path}"
        return f"Invalid value '{found.value}' for {found.path}. {found.constraint}"
    path = found.path[:1].lower() + found.path[1:]
    said = "null" if found.missing else f"'{found.value}'"
    return f"1 validation error detected: Value {said} at '{path}' failed to satisfy constraint: {found.constraint}"


def _violations(value: Any, shape: Any, path: str, *, choices: bool) -> Iterator[Violation]:
    match shape.type_name:
        case "structure" if isinstance(value, dict):
            yield from _of_structure(value, shape, path, choices=choices)
        case "list" if isinstance(value, list):
            yield from _of_size(len(value), shape, path, "size")
            for index, each in enumerate(value):
                yield from _violations(each, shape.member, f"{path}.{index + 1}", choices=choices)
        case "map" if isinstance(value, dict):
            for key, each in value.items():
                yield from _violations(each, shape.value, f"{path}.{key}", choices=choices)
        case "string" if isinstance(value, str):
            yield from _of_string(value, shape, path, choices=choices)
        case "integer" | "long" if isinstance(value, int):
            yield from _of_size(value, shape, path, "value")


def _of_structure(value: dict[str, Any], shape: Any, path: str, *, choices: bool) -> Iterator[Violation]:
    below = f"{path}." if path else ""
    for name in shape.required_members:
        if value.get(name) is None:
            yield Violation(below + name, missing=True, constraint="Member must not be null")
    members = shape.members
    for name, each in value.items():
        if each is not None and name in members:
            yield from _violations(each, members[name], below + name, choices=choices)


def _of_string(value: str, shape: Any, path: str, *, choices: bool) -> Iterator[Violation]:
    shown = "***" if shape.metadata.get("sensitive") else value
    yield from _of_size(len(value), shape, path, "length", shown)
    allowed = shape.enum
    if choices and allowed and value not in allowed:
        wanted = f"Member must satisfy enum value set: [{', '.join(allowed)}]"
        yield Violation(path, missing=False, constraint=wanted, value=shown)
    source = shape.metadata.get("pattern")
    pattern = _compiled(source) if source else None
    if pattern is not None and not pattern.fullmatch(value):
        wanted = f"Member must satisfy regular expression pattern: {source}"
        yield Violation(path, missing=False, constraint=wanted, value=shown)


def _of_size(size: int, shape: Any, path: str, of: str, value: Any = None) -> Iterator[Violation]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    shown = size if value is None else value
    have = "have value" if of == "value" else f"have {of}"
    if low is not None and size < low:
        wanted = f"Member must {have} greater than or equal to {low}"
        yield Violation(path, missing=False, constraint=wanted, value=shown)
    if high is not None and size > high:
        wanted = f"Member must {have} less than or equal to {high}"
        yield Violation(path, missing=False, constraint=wanted, value=shown)


@cache
def _compiled(source: str) -> re.Pattern[str] | None:
    """None for the few that are written for another language's regular expressions."""
    try:
        return re.compile(source, re.ASCII | re.DOTALL)
    except re.error:
        return None
