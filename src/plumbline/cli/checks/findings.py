"""What a check found, as values."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from plumbline.base.json import JsonObject


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """Something optional is missing, or will matter later."""
    FAILED = "failed"
    """Plumbline cannot work like this."""


class Finding(NamedTuple):
    name: str
    state: State
    says: str
    fix: str = ""
    """What to type or to do about it; empty where all is well."""

    def as_json(self) -> JsonObject:
        return {"check": self.name, "state": self.state, "message": self.says} | ({"fix": self.fix} if self.fix else {})


def ok(name: str, says: str) -> Finding:
    return Finding(name, State.OK, says)


def warning(name: str, says: str, fix: str) -> Finding:
    return Finding(name, State.WARNING, says, fix)


def failed(name: str, says: str, fix: str) -> Finding:
    return Finding(name, State.FAILED, says, fix)


def passed(findings: Iterable[Finding]) -> bool:
    return all(finding.state is not State.FAILED for finding in findings)
