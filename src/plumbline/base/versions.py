"""Versions and constraints on them, read as Masterminds/semver 3 reads them, which Argo CD and Helm both use.

Lenient on versions (`v1`, `1.2`), exact on constraints, including what surprises: a constraint without a prerelease
never selects one, and `>1.2` leaves out all of 1.2. Where the original stops at a single tag that is almost a version
(`1.0.0-01`, a number beyond 64 bits), here that tag alone is passed over.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput

LONGEST_VERSION: Final = 256
LONGEST_CONSTRAINT: Final = 512
MOST_ALTERNATIVES: Final = 32

_LARGEST: Final = 2**64 - 1
_DIGITS: Final = len(str(_LARGEST))

_LABELS: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION: Final = re.compile(rf"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-({_LABELS}))?(?:\+{_LABELS})?")
_LEADING_ZERO: Final = re.compile(r"(?:^|\.)0[0-9]+(?:\.|$)")

_SPACE: Final = r"[\t\n\f\r ]"
_NUMBER: Final = r"[0-9|xX*]+"
_TERM: Final = rf"v?(?:{_NUMBER})(?:\.{_NUMBER})?(?:\.{_NUMBER})?(?:-{_LABELS})?(?:\+{_LABELS})?"
_RANGE: Final = re.compile(rf"{_SPACE}*({_TERM}){_SPACE}+-{_SPACE}+({_TERM}){_SPACE}*")
_ITEM: Final = re.compile(
    rf"(=>|>=|=<|<=|!=|~>|[=<>~^]?){_SPACE}*"
    rf"(v?({_NUMBER})(?:\.({_NUMBER}))?(?:\.({_NUMBER}))?(-{_LABELS})?(?:\+{_LABELS})?)"
)
_BETWEEN: Final = re.compile(rf"{_SPACE}*(?:{_SPACE}|,){_SPACE}*")
_ANY: Final = frozenset({"x", "X", "*"})

Order: TypeAlias = tuple[int, int, int, bool, tuple[tuple[int, int, str], ...]]


class Version(NamedTuple):
    original: str
    major: int
    minor: int
    patch: int
    pre: str
    order: Order
    """Grows with precedence. Equal for versions that differ in build metadata or spelling alone."""


class Term(NamedTuple):
    """One comparison. What its version leaves open (`1`, `1.x`) is open: all, all but the major, or the patch alone."""

    operator: str
    version: Version
    open_all: bool
    open_minor: bool
    open_patch: bool

    @property
    def open(self) -> bool:
        return self.open_all or self.open_minor or self.open_patch


class Alternative(NamedTuple):
    """Terms that all have to hold; prereleases count only where one of the terms names one."""

    terms: tuple[Term, ...]
    with_prereleases: bool

    def allows(self, version: Version) -> bool:
        if version.pre and not self.with_prereleases:
            return False
        return all(_TESTS[term.operator](version, term) for term in self.terms)


class Constraint(NamedTuple):
    text: str
    alternatives: tuple[Alternative, ...]

    def allows(self, version: Version) -> bool:
        return any(alternative.allows(version) for alternative in self.alternatives)


def parse(text: str) -> Version:
    """A version, or InvalidInput."""
    version = _version(text)
    if version is None:
        raise InvalidInput(f"{text[:LONGEST_VERSION]!r} is not a version", hint="Write it as MAJOR.MINOR.PATCH.")
    return version


def is_version(text: str) -> bool:
    return _version(text) is not None


def constraint(text: str) -> Constraint:
    """A constraint, or InvalidInput. Every version is one, too."""
    found = _constraint(text)
    if found is None:
        raise InvalidInput(
            f"{text[:LONGEST_CONSTRAINT]!r} is not a version constraint",
            hint="Write it like 1.2.*, ^1.2, ~1.2.3, >=1.2 <2, 1.2 - 1.4 or 1.2.* || 2.x.",
        )
    return found


def is_constraint(text: str) -> bool:
    """Whether it leaves a choice: a plain version is a pin, and no constraint."""
    return _version(text) is None and _constraint(text) is not None


def best(revision: str, candidates: Iterable[str], tag_prefix: str = "") -> str | None:
    """The candidate that a target revision means, or None where there is no such.

    A version is a pin and is returned as it stands, whether there is such a candidate or not. A constraint selects the
    highest candidate that begins with the prefix, the first of equals; it is returned as it is spelled, prefix
    included. Any other text selects the candidate that is equal to it, and with a prefix none.

    Takes some microseconds for each candidate: ask once for a revision and a list of tags, not once for each user.
    """
    if _version(revision) is not None:
        return tag_prefix + revision
    wanted = _constraint(revision)
    if wanted is None:
        return revision if not tag_prefix and revision in candidates else None
    highest: Version | None = None
    start = len(tag_prefix)
    for candidate in candidates:
        if not candidate.startswith(tag_prefix):
            continue
        version = _version(candidate[start:])
        if version is None or (highest is not None and version.order <= highest.order):
            continue
        if wanted.allows(version):
            highest = version
    return None if highest is None else tag_prefix + highest.original


def _version(text: str) -> Version | None:
    match = _VERSION.fullmatch(text) if len(text) <= LONGEST_VERSION else None
    if match is None:
        return None
    major, minor, patch, pre = match.groups()
    numbers = _number(major), _number(minor or "0"), _number(patch or "0")
    if max(numbers) > _LARGEST or (pre and _LEADING_ZERO.search(pre)):
        return None
    parts = tuple(_part(part) for part in pre.split(".")) if pre else ()
    return Version(text, *numbers, pre or "", (*numbers, not pre, parts))


def _number(digits: str) -> int:
    # Python refuses to read very long numbers; all of them are too large here, once zeros in front are gone.
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= _DIGITS else _LARGEST + 1


def _part(text: str) -> tuple[int, int, str]:
    """Numbers come before words; a number that does not fit into 64 bits is taken for a word."""
    number = _number(text) if text.isdecimal() else _LARGEST + 1
    return (0, number, "") if number <= _LARGEST else (1, 0, text)


@lru_cache(maxsize=1024)
def _constraint(text: str) -> Constraint | None:
    if len(text) > LONGEST_CONSTRAINT:
        return None
    spelled = text
    for match in _RANGE.finditer(text):
        spelled = spelled.replace(match[0], f">= {match[1]}, <= {match[2]} ", 1)
    pieces = spelled.split("||")
    if len(pieces) > MOST_ALTERNATIVES:
        return None
    alternatives = [_alternative(piece) for piece in pieces]
    found = tuple(alternative for alternative in alternatives if alternative is not None)
    return Constraint(text, found) if len(found) == len(pieces) else None


def _alternative(text: str) -> Alternative | None:
    text = text.strip("\t\n\f\r ")
    terms: list[Term] = []
    at = 0
    while True:
        item = _ITEM.match(text, at)
        term = _term(item) if item else None
        if item is None or term is None:
            return None
        terms.append(term)
        at = item.end()
        if at == len(text):
            return Alternative(tuple(terms), any(term.version.pre for term in terms))
        between = _BETWEEN.match(text, at)
        if between is None:
            return None
        at = between.end()


def _term(item: re.Match[str]) -> Term | None:
    operator, spelled, major, minor, patch, pre = item.groups()
    open_all = major in _ANY
    open_minor = not open_all and (minor is None or minor in _ANY)
    open_patch = not open_all and not open_minor and (patch is None or patch in _ANY)
    if open_all:
        spelled = f"0.0.0{pre or ''}"
    elif open_minor:
        spelled = f"{major}.0.0{pre or ''}"
    elif open_patch:
        spelled = f"{major}.{minor}.0{pre or ''}"
    version = _version(spelled)
    return None if version is None else Term(operator, version, open_all, open_minor, open_patch)


def _equal(version: Version, term: Term) -> bool:
    return _tilde(version, term) if term.open else version.order == term.version.order


def _unequal(version: Version, term: Term) -> bool:
    wanted = term.version
    if not term.open:
        return version.order != wanted.order
    if version.major != wanted.major:
        return True
    if term.open_minor:
        return False
    if version.minor != wanted.minor:
        return True
    if term.open_patch:
        return version.pre != wanted.pre
    return version.order != wanted.order


def _greater(version: Version, term: Term) -> bool:
    wanted = term.version
    if term.open and version.major != wanted.major:
        return version.major > wanted.major
    if term.open_minor:
        return False
    if term.open_patch:
        return version.minor > wanted.minor
    return version.order > wanted.order


def _at_most(version: Version, term: Term) -> bool:
    wanted = term.version
    if not term.open:
        return version.order <= wanted.order
    if version.major != wanted.major:
        return version.major < wanted.major
    return term.open_minor or version.minor <= wanted.minor


def _tilde(version: Version, term: Term) -> bool:
    wanted = term.version
    if version.order < wanted.order:
        return False
    if (wanted.major, wanted.minor, wanted.patch) == (0, 0, 0) and not term.open_minor and not term.open_patch:
        return True
    return version.major == wanted.major and (term.open_minor or version.minor == wanted.minor)


def _caret(version: Version, term: Term) -> bool:
    """Up to the next change of the first number that is not zero, or of the last one that is written."""
    wanted = term.version
    if version.order < wanted.order or version.major != wanted.major:
        return False
    if wanted.major > 0 or term.open_minor:
        return True
    if version.minor != wanted.minor:
        return False
    return wanted.minor > 0 or term.open_patch or version.patch == wanted.patch


_TESTS: Final[dict[str, Callable[[Version, Term], bool]]] = {
    "": _equal,
    "=": _equal,
    "!=": _unequal,
    ">": _greater,
    "<": lambda version, term: version.order < term.version.order,
    ">=": lambda version, term: version.order >= term.version.order,
    "=>": lambda version, term: version.order >= term.version.order,
    "<=": _at_most,
    "=<": _at_most,
    "~": _tilde,
    "~>": _tilde,
    "^": _caret,
}
