"""Semantic versions, as Masterminds/semver reads and compares them."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.versions import Version, constraint, parse
from plumbline.gotemplate.sprig.told import Told
from plumbline.gotemplate.values import INVALID, Function, Int, Typed, Value, function


class Semver(Typed):
    """A version, whose parts are called."""

    type_name = "*semver.Version"
    kind = "ptr"

    def __init__(self, version: Version) -> None:
        self.version = version

    def member(self, name: str) -> Value:
        if name in _PARTS:
            return function("", lambda: _PARTS[name](self))
        if name in _COMPARED:
            return function("*semver.Version", lambda other: _COMPARED[name](_order(self.version, other.version)))
        if name in _NEXT:
            return function("", lambda: _next(self.version, name))
        return INVALID

    def __bool__(self) -> bool:
        return True

    def text(self) -> str:
        version = self.version
        pre = f"-{version.pre}" if version.pre else ""
        build = f"+{_build(version)}" if _build(version) else ""
        return f"{version.major}.{version.minor}.{version.patch}{pre}{build}"

    def json(self) -> Value:
        return self.text()


_PARTS: Final[Mapping[str, Callable[[Semver], Value]]] = {
    "Major": lambda it: it.version.major,
    "Metadata": lambda it: _build(it.version),
    "Minor": lambda it: it.version.minor,
    "Original": lambda it: it.version.original,
    "Patch": lambda it: it.version.patch,
    "Prerelease": lambda it: it.version.pre,
    "String": Semver.text,
}
_COMPARED: Final[Mapping[str, Callable[[int], Value]]] = {
    "Compare": Int,
    "Equal": lambda sign: sign == 0,
    "GreaterThan": lambda sign: sign > 0,
    "GreaterThanEqual": lambda sign: sign >= 0,
    "LessThan": lambda sign: sign < 0,
    "LessThanEqual": lambda sign: sign <= 0,
}
_NEXT: Final = frozenset({"IncMajor", "IncMinor", "IncPatch"})


def _build(version: Version) -> str:
    return version.original.partition("+")[2]


def _order(version: Version, other: Version) -> int:
    return (version.order > other.order) - (version.order < other.order)


def _next(version: Version, step: str) -> Semver:
    """A prerelease comes before its release, which is the next patch of it."""
    major, minor, patch = version.major, version.minor, version.patch
    if step == "IncMajor":
        major, minor, patch = major + 1, 0, 0
    elif step == "IncMinor":
        minor, patch = minor + 1, 0
    elif not version.pre:
        patch += 1
    first = "v" if version.original.startswith("v") else ""
    return Semver(parse(f"{first}{major}.{minor}.{patch}"))


def _read(text: str) -> Semver:
    try:
        return Semver(parse(text))
    except InvalidInput:
        raise Told("invalid semantic version") from None


def _fits(wanted: str, text: str) -> bool:
    try:
        found = constraint(wanted)
    except InvalidInput:
        raise Told(f"improper constraint: {wanted}") from None
    return found.allows(_read(text).version)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "semver": function("string", _read),
    "semverCompare": function("string string", _fits),
}
