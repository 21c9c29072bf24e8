"""Which kinds the API server can decode, served or not, and what it converts them to.

The table was written by `tools/go_types/registered`. A line per group-version: its kinds, with `*` where their lists are
known too, and after `=` the package of the internal type where that is not named after the group (`-` for none). The
groups that other servers answer for behind the same address have lines of their own, which begin with the group.
"""

from functools import cache
from pathlib import Path
from typing import Final

from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind

SCHEME: Final = "pkg/runtime/scheme.go:111"
"""Where the API server says that it knows its kinds from."""
INTERNAL: Final = "__internal"
_FILE: Final = Path(__file__).with_name("registered.txt")
_EVERYWHERE: Final = frozenset(
    {"CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"}
)


def internal_type(kind: GroupVersionKind, owner: str = "") -> str:
    """The type that all versions of *kind* are converted to, empty if there is none; Refusal of an unknown kind.

    *owner* is the group that the request is about.
    """
    kinds = _kinds(owner if owner in _owners() else "")
    if kind.version == INTERNAL:
        usual = f"{_usual(kind.group)}.{kind.kind}"
        if any(found == usual for kinds_of_version in kinds.values() for found in kinds_of_version.values()):
            return usual
        group = f"the internal version of group {quoted(kind.group)}"
        raise Refusal(f"no kind {quoted(kind.kind)} is registered for {group} in scheme {quoted(SCHEME)}")
    found = kinds.get(kind.api_version, {})
    if kind.kind in found:
        return found[kind.kind]
    if found and kind.kind in _EVERYWHERE:
        return ""
    raise unregistered(kind)


def unregistered(kind: GroupVersionKind) -> Refusal:
    version = quoted(kind.api_version)
    return Refusal(f"no kind {quoted(kind.kind)} is registered for version {version} in scheme {quoted(SCHEME)}")


def with_scheme(complaint: str) -> str:
    """*complaint* with the place where kinds are registered, if it is about one that is not."""
    about_kinds = " is registered for version " in complaint and not complaint.endswith(quoted(SCHEME))
    return f"{complaint} in scheme {quoted(SCHEME)}" if about_kinds else complaint


def go_type(kind: GroupVersionKind) -> str:
    """The type of *kind* itself, as Go prints it."""
    return f"{'v1' if kind.kind in _EVERYWHERE else kind.version}.{kind.kind}"


def _usual(group: str) -> str:
    return group.partition(".")[0] or "core"


@cache
def _kinds(owner: str) -> dict[str, dict[str, str]]:
    """Per group-version, the internal type of each kind."""
    found: dict[str, dict[str, str]] = {}
    for line in _FILE.read_text().splitlines():
        head, _, words = line.partition(": ")
        *owned, version = head.split()
        if owned == ([owner] if owner else []):
            group = version.rpartition("/")[0]
            found[version] = dict(pair for word in words.split() for pair in _read(word, _usual(group)))
    return found


@cache
def _owners() -> frozenset[str]:
    heads = (line.partition(": ")[0].split() for line in _FILE.read_text().splitlines())
    return frozenset(head[0] for head in heads if len(head) > 1)


def _read(word: str, usual: str) -> list[tuple[str, str]]:
    marked, _, package = word.partition("=")
    package = package or usual
    kind = marked.removesuffix("*")
    kinds = [kind] if kind == marked else [kind, f"{kind}List"]
    return [(each, "" if package == "-" else f"{package}.{each}") for each in kinds]
