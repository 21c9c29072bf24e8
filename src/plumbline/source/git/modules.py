"""Submodules as a commit declares them. Their addresses were written by whoever may push: each is checked like any other."""

import re
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import joined

DECLARED_IN: Final = ".gitmodules"
FILE_BYTES: Final = 256 << 10
_MOST: Final = 256
_SECTION: Final = re.compile(r'\s*\[\s*submodule\s+"((?:[^"\\]|\\.)*)"\s*\]\s*(.*)', re.IGNORECASE)
_SETTING: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)")
_ESCAPED: Final = {"n": "\n", "t": "\t", "b": "\b"}


class Module(NamedTuple):
    path: str
    url: str


def modules(declared: bytes, parent_url: str) -> tuple[Module, ...]:
    """Every submodule that has a path and an address. Refuses paths that lead out of the repository."""
    found: dict[str, dict[str, str]] = {}
    current: dict[str, str] | None = None
    for line in declared.decode("utf-8", "replace").splitlines():
        section = _SECTION.fullmatch(line)
        if section:
            current = found.setdefault(section[1], {})
            line = section[2]  # noqa: PLW2901 - a setting may follow on the same line
        elif line.lstrip().startswith("["):
            current = None
        setting = _SETTING.fullmatch(line)
        if setting and current is not None:
            current[setting[1].lower()] = _value(setting[2])
    if len(found) > _MOST:
        raise LimitExceeded("Cannot read the submodules", why=f"there are more than {_MOST}")
    return tuple(
        Module(joined("", each["path"]), absolute(each["url"], parent_url))
        for each in found.values()
        if each.get("path") and each.get("url")
    )


def absolute(url: str, parent_url: str) -> str:
    """Addresses that begin with `./` or `../` start from that of the repository which has the submodule."""
    if not url.startswith(("./", "../")):
        return url
    base = parent_url.rstrip("/")
    while True:
        if url.startswith("./"):
            url = url[2:]
        elif url.startswith("../"):
            url = url[3:]
            base = _upwards(base, parent_url)
        else:
            return f"{base}{'' if base.endswith(':') else '/'}{url}"


def _upwards(base: str, parent_url: str) -> str:
    cut = max(base.rfind("/"), base.rfind(":"))
    if cut < 0 or base.endswith(":") or base[: cut + 1].endswith(("://", ":/")):
        raise InvalidInput(f"Cannot use a submodule of {parent_url}", why="its address leads above the host")
    return base[:cut] if base[cut] == "/" else base[: cut + 1]


def _value(text: str) -> str:
    """A value as git writes them: quotes, escapes, and comments outside of quotes."""
    out: list[str] = []
    kept = 0
    quoted = False
    characters = iter(text)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            out.append(_ESCAPED.get(escaped, escaped))
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            out.append(character)
            if character.isspace() and not quoted:
                continue
        kept = len(out)
    return "".join(out[:kept])
