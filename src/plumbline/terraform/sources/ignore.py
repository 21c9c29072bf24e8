"""Which files of a repository are left out, as `.sourceignore` and `spec.ignore` say it: the syntax of `.gitignore`.

A rule speaks of a path and of all that is below it, and the last rule that speaks of a path decides. That is how Flux reads
it; to git a file in a folder that is left out cannot be brought back, to Flux it can. Pure, total, and of a cost that grows
with the length of texts and never faster.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import LimitExceeded

FILE: Final = ".sourceignore"
FILE_BYTES: Final = 1 << 20
_MOST: Final = 20_000
_LONGEST: Final = 1024
_WORK: Final = 100_000_000
"""Comparisons of characters, at worst, for all files together: ten seconds or so. Honest rules take a thousandth."""

_STANDARD: Final = (
    ".git/", ".gitignore", ".gitmodules", ".gitattributes",
    "*.jpg", "*.jpeg", "*.gif", "*.png", "*.wmv", "*.flv", "*.tar.gz", "*.zip",
    ".github/", ".circleci/", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".drone.yml", "cloudbuild.yaml",
    "codeship-services.yml", "codeship-steps.yml",
    "**/.goreleaser.yml", "**/.sops.yaml", "**/.flux.yaml",
)  # fmt: skip

Fits: TypeAlias = Callable[[str], bool]
"""Whether one character is one of those that a pattern allows at a place."""


class _Many(NamedTuple):
    """`*`: any characters of one name."""


class _Deep(NamedTuple):
    """`**` between slashes: any folders."""


_MANY: Final = _Many()
_DEEP: Final = _Deep()

Name: TypeAlias = str | tuple[str | Fits | _Many, ...]
"""What one part of a path has to be: this very text, or what its characters may be."""


class Rule(NamedTuple):
    keeps: bool
    """Whether it brings back what an earlier rule leaves out."""
    folders_only: bool
    rooted: bool
    """Whether it speaks of one path below its folder, and not of a name anywhere below."""
    names: tuple[Name | _Deep, ...]
    within: str = ""
    """The folder of the file that the rule is in."""


def rules(text: str, within: str = "") -> tuple[Rule, ...]:
    """The rules in a file, in their order. What can never fit is left out; too many are refused."""
    lines = text.removeprefix("\ufeff").split("\n")
    if len(lines) > _MOST:
        raise LimitExceeded(f"Cannot use {within and within + '/'}{FILE}", why=f"it has more than {_MOST:,} lines")
    return tuple(rule for line in lines if (rule := _rule(line.removesuffix("\r"), within)) is not None)


"""What is left out where nobody says otherwise."""


class Rules:
    """Rules in the order of their weight, the last word last."""

    def __init__(self, ordered: Iterable[Rule]) -> None:
        self._rules = tuple(ordered)
        self._rooted: dict[str, list[int]] = {}
        self._loose: dict[str, list[int]] = {}
        for at, rule in enumerate(self._rules):
            (self._rooted if rule.rooted else self._loose).setdefault(rule.within, []).append(at)
        self._named: dict[tuple[str, str, bool], int] = {}
        self._folders: dict[str, int] = {"": -1}
        self._work = 0

    def leaves_out(self, path: str) -> bool:
        """Whether the file *path* is left out. Raises LimitExceeded where finding out would take for ever."""
        above, _, name = path.rpartition("/")
        at = max(self._folder(above), self._spoken(above, name, folder=False))
        return at >= 0 and not self._rules[at].keeps

    def _folder(self, path: str) -> int:
        """The last rule that speaks of a folder, or of one that it is in."""
        known = self._folders.get(path)
        if known is None:
            above, _, name = path.rpartition("/")
            known = self._folders[path] = max(self._folder(above), self._spoken(above, name, folder=True))
        return known

    def _spoken(self, above: str, name: str, *, folder: bool) -> int:
        """The last rule that speaks of this very path; -1 for none."""
        parts = (*above.split("/"), name) if above else (name,)
        found = -1
        for depth in range(len(parts)):
            within = "/".join(parts[:depth])
            if within in self._loose:
                found = max(found, self._by_name(within, name, folder=folder))
            for at in reversed(self._rooted.get(within, ())):
                if at <= found:
                    break
                if self._speaks(at, parts[depth:], folder=folder):
                    found = at
        return found

    def _by_name(self, within: str, name: str, *, folder: bool) -> int:
        key = (within, name, folder)
        known = self._named.get(key)
        if known is None:
            fitting = (at for at in reversed(self._loose[within]) if self._speaks(at, (name,), folder=folder))
            known = self._named[key] = next(fitting, -1)
        return known

    def _speaks(self, at: int, parts: tuple[str, ...], *, folder: bool) -> bool:
        rule = self._rules[at]
        if (rule.folders_only and not folder) or not _may_lead(rule.names, parts):
            return False
        self._work += _work(rule, parts)
        if self._work > _WORK:
            raise LimitExceeded("Cannot choose among the files of the source", why=f"the rules in {FILE} take too long")
        return _leads(rule.names, parts)


def _rule(line: str, within: str) -> Rule | None:
    if line.startswith("#") or len(line) > _LONGEST:
        return None
    keeps = line.startswith("!")
    text = _trimmed(line[1:] if keeps else line)
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    rooted = "/" in text
    *folders, last = text.removeprefix("/").split("/")
    names = [*(_name(_unescaped(folder)) for folder in folders), _name(last)]
    if not text or any(not name for name in names):
        return None
    spread = tuple(_DEEP if rooted and name == (_MANY, _MANY) else name for name in names if name)
    return Rule(keeps, folders_only, rooted, spread, within)


def _unescaped(folder: str) -> str:
    """A slash that is written with a backslash before it is a slash."""
    return folder[:-1] if (len(folder) - len(folder.rstrip("\\"))) % 2 else folder


def _trimmed(text: str) -> str:
    """Without spaces at its end, unless a backslash stands before them."""
    end = len(text)
    while end and text[end - 1] == " ":
        before = text[: end - 1]
        if (len(before) - len(before.rstrip("\\"))) % 2:
            break
        end -= 1
    return text[:end]


def _name(text: str) -> Name | None:
    """What one part of a pattern allows; None where no name can fit."""
    found: list[str | Fits | _Many] = []
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "*":
            found.append(_MANY)
        elif character == "?":
            found.append(_anything)
        elif character == "[":
            allowed, at = _choice(text, at)
            if allowed is None:
                return None
            found.append(allowed)
        elif character == "\\":
            if at == len(text):
                return None
            found.append(text[at])
            at += 1
        else:
            found.append(character)
    plain = [each for each in found if isinstance(each, str)]
    return "".join(plain) if len(plain) == len(found) else tuple(found)


def _anything(character: str) -> bool:
    del character
    return True


_CLASSES: Final[Mapping[str, Fits]] = {
    "alnum": lambda c: c.isascii() and c.isalnum(),
    "alpha": lambda c: c.isascii() and c.isalpha(),
    "blank": lambda c: c in " \t",
    "cntrl": lambda c: c < " " or c == "\x7f",
    "digit": lambda c: c.isascii() and c.isdigit(),
    "graph": lambda c: "!" <= c <= "~",
    "lower": lambda c: c.isascii() and c.islower(),
    "print": lambda c: " " <= c <= "~",
    "punct": lambda c: "!" <= c <= "~" and not c.isalnum(),
    "space": lambda c: c in " \t\n\v\f\r",
    "upper": lambda c: c.isascii() and c.isupper(),
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
}


def _choice(text: str, at: int) -> tuple[Fits | None, int]:
    """Characters between brackets, from after the first bracket on; None where they do not end or cannot be read."""
    negated = text[at : at + 1] in {"!", "^"}
    at += negated
    start, tests = at, list[Fits]()
    while at < len(text):
        if text[at] == "]" and at > start:
            return _one_of(tuple(tests), negated=negated), at + 1
        if text.startswith("[:", at):
            end = text.find(":]", at + 2)
            named = _CLASSES.get(text[at + 2 : end]) if end >= 0 else None
            if named is None:
                return None, at
            tests.append(named)
            at = end + 2
            continue
        low, at = _literal(text, at)
        if text.startswith("-", at) and text[at + 1 : at + 2] not in {"", "]"}:
            high, at = _literal(text, at + 1)
            tests.append(_between(low, high))
        tests.append(_between(low, low))  # also of a range that is written backwards, as git has it
    return None, at


def _one_of(tests: tuple[Fits, ...], *, negated: bool) -> Fits:
    return lambda character: any(fits(character) for fits in tests) != negated


def _literal(text: str, at: int) -> tuple[str, int]:
    if text[at] == "\\":
        at += 1
    return text[at : at + 1], at + 1


def _between(low: str, high: str) -> Fits:
    return lambda character: low <= character <= high


def _may_lead(names: tuple[Name | _Deep, ...], parts: tuple[str, ...]) -> bool:
    """Whether it is worth looking: most rules end at the first name, or want another number of them."""
    first = names[0]
    if isinstance(first, _Deep):
        last = names[-1]
        return not isinstance(last, str) or last == parts[-1]
    if isinstance(first, str) and first != parts[0]:
        return False
    return len(names) == len(parts) or _DEEP in names


def _leads(names: tuple[Name | _Deep, ...], parts: tuple[str, ...]) -> bool:
    """Whether the pattern fits exactly these parts of a path."""
    reached = {0}
    for at, name in enumerate(names):
        if isinstance(name, _Deep):
            # At its end it wants something that is inside.
            first = min(reached) + (at == len(names) - 1)
            reached = set(range(first, len(parts) + 1))
        else:
            reached = {step + 1 for step in reached if step < len(parts) and _fits(name, parts[step])}
        if not reached:
            return False
    return len(parts) in reached


def _work(rule: Rule, parts: tuple[str, ...]) -> int:
    """How many characters are compared, at worst."""
    if len(rule.names) == 1:
        return _effort(rule.names[0], len(parts[0]))
    return sum(_effort(name, len(part)) for name in rule.names for part in parts)


def _effort(name: Name | _Deep, length: int) -> int:
    if isinstance(name, str | _Deep):
        return 1
    return length * (len(name) if name.count(_MANY) > 1 else 1)


def _fits(name: Name, text: str) -> bool:
    """Two places to go on from are enough: a later `*` can take whatever an earlier one could."""
    if isinstance(name, str):
        return name == text
    at, place, star, tried = 0, 0, -1, 0
    while place < len(text):
        wanted = name[at] if at < len(name) else None
        if isinstance(wanted, _Many):
            star, tried, at = at, place, at + 1
        elif wanted is not None and (wanted == text[place] if isinstance(wanted, str) else wanted(text[place])):
            at, place = at + 1, place + 1
        elif star >= 0:
            at, tried = star + 1, tried + 1
            place = tried
        else:
            return False
    return all(isinstance(rest, _Many) for rest in name[at:])


STANDARD: Final = tuple(rule for line in _STANDARD for rule in rules(line))
