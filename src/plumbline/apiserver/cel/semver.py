"""Versions as semver.org orders them, read as strictly as the API server does."""

import re
from typing import Final, NamedTuple

from plumbline.base.errors import EvaluationFailed
from plumbline.kube.gotext import quoted

_digits: Final = re.compile("[0-9]+").fullmatch
_alphanumeric: Final = re.compile("[0-9A-Za-z-]+").fullmatch


class Semver(NamedTuple):
    major: int
    minor: int
    patch: int
    before: tuple[str, ...] = ()
    """What makes it come before the release of the same number."""
    build: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and compared_versions(self, other) == 0

    def __hash__(self) -> int:
        return hash((self.major, self.minor, self.patch, self.before))


def compared_versions(left: Semver, right: Semver) -> int:
    if left[:3] != right[:3]:
        return 1 if left[:3] > right[:3] else -1
    if not left.before or not right.before:
        return bool(right.before) - bool(left.before)
    for mine, theirs in zip(left.before, right.before, strict=False):
        if mine != theirs:
            return _compared_parts(mine, theirs)
    return (len(left.before) > len(right.before)) - (len(left.before) < len(right.before))


def _compared_parts(left: str, right: str) -> int:
    numeric = bool(_digits(left)), bool(_digits(right))
    if all(numeric):
        return (int(left) > int(right)) - (int(left) < int(right))
    if any(numeric):
        return -1 if numeric[0] else 1
    return 1 if left > right else -1


def parse_semver(text: str) -> Semver:
    if not text:
        raise EvaluationFailed("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:  # noqa: PLR2004 - major, minor, patch
        raise EvaluationFailed("No Major.Minor.Patch elements found")
    rest, plus, build = parts[2].partition("+")
    patch, dash, before = rest.partition("-")
    return Semver(
        _number(parts[0], "major"),
        _number(parts[1], "minor"),
        _number(patch, "patch"),
        _parts(before, "PreRelease") if dash else (),
        _parts(build, "Build") if plus else (),
    )


def _number(text: str, title: str) -> int:
    if not _digits(text):
        raise EvaluationFailed(f"Invalid character(s) found in {title} number {quoted(text)}")
    if len(text) > 1 and text[0] == "0":
        raise EvaluationFailed(f"{title.capitalize()} number must not contain leading zeroes {quoted(text)}")
    return int(text[:20])


def _parts(text: str, title: str) -> tuple[str, ...]:
    parts = tuple(text.split("."))
    for part in parts:
        if not part:
            raise EvaluationFailed("Prerelease is empty" if title == "PreRelease" else "Build meta data is empty")
        if _digits(part) and len(part) > 1 and part[0] == "0" and title == "PreRelease":
            raise EvaluationFailed(f"Numeric PreRelease version must not contain leading zeroes {quoted(part)}")
        if not _alphanumeric(part):
            what = "prerelease" if title == "PreRelease" else "build meta data"
            raise EvaluationFailed(f"Invalid character(s) found in {what} {quoted(part)}")
    return parts


def normalized_semver(text: str) -> Semver:
    """Forgives a leading `v`, leading zeros and missing parts."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if stripped[:1].isdigit() else "0" + stripped
    if len(parts) < 3:  # noqa: PLR2004 - major, minor, patch
        if set("+-") & set(parts[-1]):
            raise EvaluationFailed("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return parse_semver(".".join(parts))
