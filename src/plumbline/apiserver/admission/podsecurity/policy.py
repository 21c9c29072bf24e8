"""What the labels of a namespace ask for."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.apiserver.validation.shapes import text
from plumbline.base.json import Json, JsonObject

Read = TypeVar("Read")

PRIVILEGED: Final = "privileged"
BASELINE: Final = "baseline"
RESTRICTED: Final = "restricted"
LEVELS: Final = (PRIVILEGED, BASELINE, RESTRICTED)
"""From the one that allows everything to the strictest."""
LATEST: Final = 1_000_000
"""As a minor version: newer than every other."""
_PREFIX: Final = "pod-security.kubernetes.io/"
_MODES: Final = ("enforce", "audit", "warn")
_LEVEL_EXPECTED: Final = f"must be one of {', '.join(LEVELS)}"
_VERSION_EXPECTED: Final = 'must be "latest" or "v1.x"'
_version: Final = re.compile(r"v1\.([0-9]|[1-9][0-9]{0,5})").fullmatch


class Standard(NamedTuple):
    """A level as some version of Kubernetes defined it."""

    level: str = PRIVILEGED
    minor: int = LATEST

    def __str__(self) -> str:
        return f"{self.level}:{'latest' if self.minor == LATEST else f'v1.{self.minor}'}"


class Policy(NamedTuple):
    enforce: Standard = Standard()
    audit: Standard = Standard()
    warn: Standard = Standard()


def policy_of(labels: JsonObject) -> tuple[Policy, list[FieldError]]:
    """What cannot be read is enforced as strictly as possible, and not warned of."""
    standards: dict[str, Standard] = {}
    errors: list[FieldError] = []
    for mode in _MODES:
        level, minor = PRIVILEGED, LATEST
        if (wanted := labels.get(f"{_PREFIX}{mode}")) is not None:
            level = _read(f"{_PREFIX}{mode}", wanted, _level, errors) or (
                RESTRICTED if mode == "enforce" else PRIVILEGED
            )
        if (wanted := labels.get(f"{_PREFIX}{mode}-version")) is not None:
            found = _read(f"{_PREFIX}{mode}-version", wanted, _minor, errors)
            minor = LATEST if found is None else found
        standards[mode] = Standard(level, minor)
    if standards["enforce"].level == labels.get(f"{_PREFIX}enforce") and f"{_PREFIX}warn" not in labels:
        standards["warn"] = _as_enforced(standards["enforce"], standards["warn"], labels)
    return Policy(**standards), errors


def _as_enforced(enforce: Standard, warn: Standard, labels: JsonObject) -> Standard:
    """What is enforced on pods is warned of where pods are only described."""
    if LEVELS.index(enforce.level) <= LEVELS.index(warn.level):
        return warn
    return Standard(enforce.level, warn.minor if f"{_PREFIX}warn-version" in labels else enforce.minor)


def _read(label: str, value: Json, parse: Callable[[str], Read | None], errors: list[FieldError]) -> Read | None:
    found = parse(text(value))
    if found is None:
        expected = _LEVEL_EXPECTED if "version" not in label else _VERSION_EXPECTED
        errors.append(invalid(f"metadata.labels[{label}]", text(value), expected))
    return found


def _level(value: str) -> str | None:
    return value if value in LEVELS else None


def _minor(value: str) -> int | None:
    if value == "latest":
        return LATEST
    match = _version(value)
    return int(match[1]) if match else None
