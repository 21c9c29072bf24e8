"""What becomes of a container whose command anybody can foretell: `true`, `false`, `sleep`, `echo`, and these in a shell.

Nothing is run. A script counts if it is made of these and of `exit` alone, joined by `;`, newlines, `&&` and `||`; one
word that depends on anything else, such as a variable, a file or another program, and nothing is foretold of the whole.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject

_LONGEST_SCRIPT: Final = 4096
_PATHS: Final = ("", "/bin/", "/usr/bin/")
_SHELLS: Final = frozenset({"sh", "ash", "bash", "dash"})
_SHELL_OPTIONS: Final = re.compile("-[ceu]+")
_TOKENS: Final = re.compile(
    r"""(?P<gap>[ \t]+)
      | (?P<joint>&&|\|\||;|\n)
      | (?P<word>(?:[\w./:,+@%=^!-]|'[^'\0]*'|"[^"$`\\\0]*")+)""",
    re.VERBOSE,
)
_QUOTED: Final = re.compile("""'([^']*)'|"([^"]*)\"""")
_PAUSE: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smhd]?)")
_UNITS_S: Final = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_CODE: Final = re.compile("[0-9]{1,9}")
_CODES: Final = 256


class Said(NamedTuple):
    after_s: float
    text: str


class Course(NamedTuple):
    code: int
    lasts_s: float
    """Infinite where it does not end by itself."""
    says: Sequence[Said] = ()


class _Act(NamedTuple):
    code: int | None = 0
    """None where it is that of the act before."""
    lasts_s: float = 0.0
    says: str | None = None
    leaves: bool = False


class _Link(NamedTuple):
    joint: str
    """What stands before it: `&&`, `||`, or nothing."""
    act: _Act


def foretold(container: JsonObject) -> Course | None:
    """The course of *container*; None where its command does not say it, as without one only its image knows."""
    command = container.get("command")
    if not command:
        return None
    words = [str(each) for each in (*command, *(container.get("args") or ()))]
    if sum(map(len, words)) > _LONGEST_SCRIPT or any("$" in each for each in words):
        return None
    if _program(words[0]) in _SHELLS:
        return _shell(words[1:])
    act = _act(words)
    return None if act is None else _course([[_Link("", act)]], strict=False)


def _shell(words: Sequence[str]) -> Course | None:
    options = ""
    for place, word in enumerate(words):
        if word == "--" or not word.startswith("-"):
            rest = words[place + (word == "--") :]
            chains = _chains(rest[0]) if rest and "c" in options else None
            return None if chains is None else _course(chains, strict="e" in options)
        if not _SHELL_OPTIONS.fullmatch(word):
            return None
        options += word
    return None


def _course(chains: Sequence[Sequence[_Link]], *, strict: bool) -> Course:
    """What acts come to one after the other; *strict* shells leave at the first failure that nobody asked about."""
    code, now_s = 0, 0.0
    says: list[Said] = []
    for chain in chains:
        for place, (joint, act) in enumerate(chain):
            if joint and (joint == "&&") != (code == 0):
                continue
            code = code if act.code is None else act.code
            if act.says is not None:
                says += [Said(now_s, each) for each in act.says.split("\n")]
            now_s += act.lasts_s
            last = place == len(chain) - 1
            if act.leaves or math.isinf(now_s) or (strict and last and code):
                return Course(code, now_s, says)
    return Course(code, now_s, says)


def _chains(script: str) -> list[list[_Link]] | None:
    """Acts that depend on each other, chain by chain; None where something is in *script* that is not foretold."""
    chains: list[list[_Link]] = [[]]
    joint, words = "", list[str]()
    for kind, text in _tokens(script + "\n"):
        if kind == "word":
            words.append(_QUOTED.sub(lambda found: found[1] or found[2] or "", text))
            continue
        if not words and text == "\n":
            continue
        act = _builtin(words) if words and kind == "joint" else None
        if act is None:
            return None
        chains[-1].append(_Link(joint, act))
        joint, words = (text, []) if text in ("&&", "||") else ("", [])
        if not joint:
            chains.append([])
    return None if joint else chains


def _tokens(script: str) -> Iterator[tuple[str, str]]:
    """The words and joints of *script*, up to the first thing that is neither."""
    place = 0
    while place < len(script):
        found = _TOKENS.match(script, place)
        if found is None:
            yield "stranger", script[place]
            return
        place = found.end()
        if found.lastgroup != "gap":
            yield str(found.lastgroup), found[0]


def _builtin(words: Sequence[str]) -> _Act | None:
    match words:
        case ["exit"]:
            return _Act(code=None, leaves=True)
        case ["exit", code] if _CODE.fullmatch(code):
            return _Act(code=int(code) % _CODES, leaves=True)
        case _:
            return _act(words)


def _act(words: Sequence[str]) -> _Act | None:
    program, args = _program(words[0]), words[1:]
    if program in ("true", "false") and not any(each.startswith("--") for each in args):
        return _Act(code=int(program == "false"))
    if program == "echo" and not (args and args[0].startswith("-")) and not any("\\" in each for each in args):
        return _Act(says=" ".join(args))
    if program == "sleep" and args:
        pauses_s = [_pause_s(each) for each in args]
        return None if None in pauses_s else _Act(lasts_s=sum(each for each in pauses_s if each is not None))
    return None


def _program(word: str) -> str:
    path, slash, name = word.rpartition("/")
    return name if path + slash in _PATHS else ""


def _pause_s(text: str) -> float | None:
    if text in ("inf", "infinity"):
        return math.inf
    found = _PAUSE.fullmatch(text)
    return float(found[1]) * _UNITS_S[found[2]] if found else None
