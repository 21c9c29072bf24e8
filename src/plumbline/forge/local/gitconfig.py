"""Values in a git configuration file, without running git for every repository that there is.

As git reads them, for a section without a subsection; where a file cannot be read, what comes before the fault counts.
"""

import re
from collections.abc import Iterator
from typing import Final

_SECTION: Final = re.compile(r"\s*\[\s*([A-Za-z0-9.-]+)\s*(\"(?:[^\"\\\n]|\\.)*\")?\s*\]")
_KEY: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*")
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


def values(text: str, section: str, key: str) -> tuple[str, ...]:
    """All values of *section*.*key*, in order; both names in lower case."""
    return tuple(value for at, name, value in _entries(text) if (at, name) == (section, key))


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    section = ""
    lines = iter(text.replace("\r\n", "\n").split("\n"))
    for line in lines:
        rest = line
        while opened := _SECTION.match(rest):
            section = f"{opened[1].lower()}{opened[2] or ''}"
            rest = rest[opened.end() :]
        if not rest.strip() or rest.lstrip()[0] in "#;":
            continue
        named = _KEY.match(rest)
        if named is None:
            return
        rest = rest[named.end() :]
        if rest and rest[0] not in "=#;":
            return
        value = _value(rest[1:], lines) if rest.startswith("=") else ""
        if value is None:
            return
        yield section, named[1].lower(), value


def _value(rest: str, lines: Iterator[str]) -> str | None:
    """What follows the equals sign, over as many lines as it goes on; None if it cannot be read."""
    made: list[str] = []
    kept = 0
    quoted = False
    rest = rest.lstrip(" \t")
    while True:
        index = 0
        goes_on = False
        while index < len(rest):
            sign = rest[index]
            index += 1
            if sign == "\\":
                if index == len(rest):
                    goes_on = True
                    break
                if rest[index] not in _ESCAPES:
                    return None
                made.append(_ESCAPES[rest[index]])
                index += 1
                kept = len(made)
            elif sign == '"':
                quoted = not quoted
                kept = len(made)
            elif sign in "#;" and not quoted:
                break
            else:
                made.append(sign)
                if quoted or not sign.isspace():
                    kept = len(made)
        if not goes_on:
            return None if quoted else "".join(made[:kept])
        following = next(lines, None)
        if following is None:
            return None if quoted else "".join(made[:kept])
        rest = following
