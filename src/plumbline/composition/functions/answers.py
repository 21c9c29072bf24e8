"""What in-process functions answer with: everything passed through, and a refusal in a function's own words. Pure."""

from typing import TypeVar

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.composition.functions.values import Answer, Call, Result
from plumbline.kinds.duration import Duration

T = TypeVar("T")

TTL_S = 60.0
_INT64_END = 2.0**63


def answer_to(call: Call) -> Answer:
    """All that earlier functions want, unchanged."""
    return Answer(desired=call.desired, context=call.context, ttl_s=TTL_S)


def refusing(call: Call, message: str) -> Answer:
    """The same, with a result that ends the pipeline."""
    return msgspec.structs.replace(answer_to(call), results=(Result("Fatal", message),))


def read_input(call: Call, kind: type[T]) -> T:
    """The step's input as *kind*, where unknown fields are passed over as Go does. Raises InvalidInput."""
    try:
        return msgspec.convert(call.input or {}, kind)
    except msgspec.ValidationError as fault:
        why = str(fault)
        raise InvalidInput("cannot get Function input from *v1.RunFunctionRequest", why=why) from fault


def seconds(text: str) -> float:
    """A Go duration such as `1m30s`, which must not be negative. Raises InvalidInput."""
    duration = Duration.parse(text)
    if duration.ns < 0:
        raise InvalidInput(f"the duration {text} is negative")
    return duration.seconds


def merged_maps(there: JsonObject, coming: JsonObject) -> JsonObject:
    """*there* overlaid with *coming*, object by object; lists and all else are replaced."""
    merged = dict(there)
    for key, value in coming.items():
        old = merged.get(key)
        merged[key] = merged_maps(old, value) if isinstance(value, dict) and isinstance(old, dict) else value
    return merged


def copied(value: Json) -> Json:
    """A copy in which whole numbers are integers, however they came: the protocol knows only one kind of number."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [copied(each) for each in value]
    return whole(value) if isinstance(value, float) else value


def whole(value: float) -> float | int:
    """As an integer, if it is one of 64 bits."""
    return int(value) if value.is_integer() and -_INT64_END <= value < _INT64_END else value
