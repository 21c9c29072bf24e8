"""Whether a composed resource is ready, by its checks."""

from collections.abc import Sequence
from typing import Final

from plumbline.base.errors import BadFieldPath, EvaluationFailed, FieldNotFound
from plumbline.base.json import Json, JsonObject
from plumbline.composition.patching.templates import MatchCondition, ReadinessCheck
from plumbline.kube.fieldpath import Path
from plumbline.kube.gotext import quoted

_READY: Final = MatchCondition(type="Ready", status="True")
_NEEDS: Final = {
    "MatchString": "a match string",
    "MatchInteger": "a match integer",
    "MatchCondition": "a valid match condition",
}


class Checks:
    """All have to pass. Without any, the condition Ready has to be True.

    *native*: as mode Resources has them, where an empty text or a zero is none to compare with.
    """

    __slots__ = ("_checks",)

    def __init__(self, checks: Sequence[ReadinessCheck], *, native: bool) -> None:
        self._checks = tuple(_Check(each, native=native) for each in checks)

    def passed(self, composed: JsonObject) -> bool:
        """Raises EvaluationFailed for a check that cannot be made."""
        if not self._checks:
            return status_of(composed, "Ready") == "True"
        for at, each in enumerate(self._checks):
            try:
                if not each.passed(composed):
                    return False
            except (BadFieldPath, EvaluationFailed) as fault:
                raise EvaluationFailed(f"cannot run readiness check at index {at}: {fault}") from fault
        return True


class _Check:
    def __init__(self, check: ReadinessCheck, *, native: bool) -> None:
        self._kind = check.type or ""
        self._string = (check.match_string or None) if native else check.match_string
        self._integer = (check.match_integer or None) if native else check.match_integer
        # The function's schema has the default, but nothing applies it: upstream would fall over.
        self._condition = check.match_condition or (None if native else _READY)
        self._path = Path(check.field_path or "")
        self._native = native
        self._fault = self._invalid(check) if native else ""

    def _invalid(self, check: ReadinessCheck) -> str:
        kind = quoted(self._kind)
        if self._kind not in {"None", "NonEmpty", "MatchTrue", "MatchFalse", *_NEEDS}:
            return f"invalid: unknown type {kind}"
        given = {"MatchString": self._string, "MatchInteger": self._integer, "MatchCondition": self._condition}
        if self._kind in _NEEDS and given[self._kind] is None:
            return f"invalid: type {kind} requires {_NEEDS[self._kind]}"
        if self._kind not in {"None", "MatchCondition"} and not check.field_path:
            return f"invalid: type {kind} requires a field path"
        return ""

    def passed(self, composed: JsonObject) -> bool:
        if self._fault:
            raise EvaluationFailed(self._fault)
        if self._kind == "None":
            return True
        if self._kind == "MatchCondition":
            condition = self._condition or _READY
            return status_of(composed, condition.type or "") == condition.status
        try:
            value = self._path.value(composed)
        except FieldNotFound:
            return False
        return self._matches(value)

    def _matches(self, value: Json) -> bool:
        path = self._path.text
        if self._kind == "MatchString":
            if not isinstance(value, str):
                raise EvaluationFailed(f"{path}: not a string")
            return value == self._string
        if self._kind == "MatchInteger":
            if isinstance(value, float) and value.is_integer() and not self._native:
                value = int(value)
            if not isinstance(value, int) or isinstance(value, bool):
                raise EvaluationFailed(f"{path}: not a (int64) number")
            return value == self._integer
        if self._kind == "NonEmpty":
            return True
        if not isinstance(value, bool):
            raise EvaluationFailed(f"{path}: not a bool")
        return value is (self._kind == "MatchTrue")


def status_of(composed: JsonObject, kind: str) -> str:
    """Of the condition: Unknown where there is none of that type, and nothing where there can be none."""
    status = composed.get("status", 0)
    if status is None:
        return "Unknown"
    conditions = status.get("conditions") or [] if isinstance(status, dict) else None
    if not isinstance(conditions, list) or not all(isinstance(each, dict) for each in conditions):
        return ""
    for each in conditions:
        if each.get("type") == kind:
            return str(each.get("status", ""))
    return "Unknown"
