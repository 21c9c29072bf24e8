"""Transforms of a patch, made once and used for every value."""

from collections.abc import Sequence
from typing import Final

from plumbline.base.errors import BadExpression, EvaluationFailed
from plumbline.base.json import Json
from plumbline.base.regex import compiled
from plumbline.composition.patching.converts import Step, conversion, refusing, whole, wrapped_around
from plumbline.composition.patching.govalues import floated
from plumbline.composition.patching.templates import MatchPattern, MatchTransform, MathTransform, Transform
from plumbline.composition.patching.texts import string_step
from plumbline.composition.patching.validation import check_math
from plumbline.gotemplate.values import type_name

_KINDS: Final = ("math", "map", "match", "string", "convert")


class Transforms:
    """Steps in order. *native*: as mode Resources has them, else as the function does."""

    __slots__ = ("_steps",)

    def __init__(self, transforms: Sequence[Transform], *, native: bool) -> None:
        self._steps = tuple(_step(each, native=native) for each in transforms)

    def __bool__(self) -> bool:
        return bool(self._steps)

    def __call__(self, value: Json) -> Json:
        """Raises EvaluationFailed, with upstream's words."""
        for at, step in enumerate(self._steps):
            try:
                value = step(value)
            except EvaluationFailed as fault:
                raise EvaluationFailed(f"transform at index {at} returned error: {fault}") from fault
        return value


def _step(transform: Transform, *, native: bool) -> Step:
    kind = transform.type or ""
    if kind not in _KINDS:
        return refusing(f"transform type {kind} is not supported")
    inner: Step
    if kind == "math" and transform.math is not None:
        inner = _math(transform.math, native=native)
    elif kind == "map" and transform.map is not None:
        inner = _map(transform.map)
    elif kind == "match" and transform.match is not None:
        inner = _match(transform.match, native=native)
    elif kind == "string" and transform.string is not None:
        inner = string_step(transform.string, native=native)
    elif kind == "convert" and transform.convert is not None:
        inner = conversion(transform.convert, native=native)
    else:
        return refusing(f"given transform type {kind} requires configuration")
    return _named(kind, inner)


def _named(kind: str, inner: Step) -> Step:
    def resolve(value: Json) -> Json:
        try:
            return inner(value)
        except EvaluationFailed as fault:
            raise EvaluationFailed(f"{kind} transform could not resolve: {fault}") from fault

    return resolve


def _math(math: MathTransform, *, native: bool) -> Step:
    default = "Multiply" if native else ""
    if fault := next(check_math(math, default), None):
        return refusing(str(fault))
    kind = math.type or default
    bound = math.clamp_min if kind == "ClampMin" else math.clamp_max
    factor = math.multiply or 0

    def resolve(value: Json) -> Json:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise EvaluationFailed(f"input is required to be a number for math transformer, got {type_name(value)}")
        if kind == "Multiply":
            return value * float(factor) if isinstance(value, float) else wrapped_around(value * factor)
        return _clamped(value, bound or 0, least=kind == "ClampMin")

    return resolve


def _clamped(value: float, bound: int, *, least: bool) -> Json:
    compared = whole(value)
    outside = compared < bound if least else compared > bound
    return bound if outside else value


def _map(pairs: dict[str, Json]) -> Step:
    results = {key: floated(each) for key, each in pairs.items()}

    def resolve(value: Json) -> Json:
        if not isinstance(value, str):
            raise EvaluationFailed(f"type {type_name(value)} is not supported for map transform")
        if value not in results:
            raise EvaluationFailed(f"key {value} is not found in map")
        if results[value] is None:
            raise EvaluationFailed(f"value for key {value} is not valid JSON: unexpected end of JSON input")
        return results[value]

    return resolve


def _match(match: MatchTransform, *, native: bool) -> Step:
    cases = [(_matching(each, native=native), floated(each.result)) for each in match.patterns or ()]
    fallback = floated(match.fallback_value)

    def resolve(value: Json) -> Json:
        for at, (matches, result) in enumerate(cases):
            try:
                if matches(value):
                    return result
            except EvaluationFailed as fault:
                raise EvaluationFailed(f"cannot match pattern at index {at}: {fault}") from fault
        if match.fallback_to != "Input":
            return fallback
        if fallback is not None:
            raise EvaluationFailed("cannot set both a fallback value and the fallback to input flag")
        return value

    return resolve


def _matching(pattern: MatchPattern, *, native: bool) -> Step:
    kind = pattern.type or ("literal" if native else "")
    if kind == "literal":
        if pattern.literal is None:
            return refusing("literal is required by type literal")
        literal = pattern.literal
        return lambda value: _text(value) == literal
    if kind != "regexp":
        return refusing(f"unsupported pattern type '{kind}'")
    if pattern.regexp is None:
        return refusing("regexp is required by type regexp")
    try:
        regex = compiled(pattern.regexp)
    except BadExpression as fault:
        return refusing(f"cannot compile regexp: {fault}")
    return lambda value: regex.matches(_text(value, nothing="null"))


def _text(value: Json, nothing: str = "<nil>") -> str:
    if not isinstance(value, str):
        raise EvaluationFailed(f"unsupported input type '{nothing if value is None else type_name(value)}'")
    return value
