"""What `argocd` takes with every verb. Such flags may stand before the verb as well, and some of them in ARGOCD_OPTS."""

import csv
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from plumbline.base.errors import InvalidInput

OPTS: Final = "ARGOCD_OPTS"
IGNORED_SWITCHES: Final = ("--grpc-web", "--port-forward", "--prompts-enabled")
IGNORED_VALUES: Final = (
    "--client-crt", "--client-crt-key", "--controller-name", "--http-retry-max", "--loglevel",
    "--port-forward-namespace", "--redis-compress", "--redis-haproxy-name", "--redis-name", "--repo-server-name",
    "--server-name",
)  # fmt: skip
SWITCHES: Final = {"--core": "core", "--insecure": "insecure", "--plaintext": "plaintext"}
VALUES: Final = {
    "--argocd-context": "context", "--auth-token": "token", "--config": "config", "--grpc-web-root-path": "root_path",
    "--server": "server",
}  # fmt: skip
LOG_FORMAT: Final = "--logformat"
AUTHORITIES: Final = "--server-crt"
HEADER: Final = "--header"
_CLUSTER: Final = ("--kubeconfig", "--context", "--kube-context", "-n", "--namespace")
_MOVED_SWITCHES: Final = frozenset({*IGNORED_SWITCHES, *SWITCHES})
_MOVED_VALUES: Final = frozenset({*IGNORED_VALUES, *VALUES, *_CLUSTER, LOG_FORMAT, AUTHORITIES, HEADER, "-H"})
_OURS_WITH_VALUE: Final = "--color"
_WORDS: Final = 2
"""Noun and verb; what stands behind them is the verb's own."""


def verb_first(arguments: list[str]) -> list[str]:
    """The same command line, with flags of every verb that stand before the verb behind all others."""
    moved: list[str] = []
    kept: list[str] = []
    rest = list(arguments)
    words = 0
    while rest and words < _WORDS and rest[0] != "--":
        name, equals, _ = rest[0].partition("=")
        takes_value = not equals and (name in _MOVED_VALUES or name == _OURS_WITH_VALUE)
        place = moved if name in _MOVED_SWITCHES or name in _MOVED_VALUES else kept
        words += not name.startswith("-")
        place += rest[: 1 + takes_value]
        rest = rest[1 + takes_value :]
    end = rest.index("--") if "--" in rest else len(rest)
    return [*kept, *rest[:end], *moved, *rest[end:]]


def kept_in(variables: Mapping[str, str]) -> dict[str, Any]:
    """What ARGOCD_OPTS says about servers, as parts of `Asked`. Raises InvalidInput where it does not consist of flags."""
    said = _flags(variables.get(OPTS, ""))
    parts: dict[str, Any] = {part: True for name, part in SWITCHES.items() if said.get(name) == "true"}
    parts |= {part: said[name] for name, part in VALUES.items() if said.get(name)}
    if said.get(AUTHORITIES):
        parts["authorities"] = Path(said[AUTHORITIES])
    if said.get(HEADER):
        parts["headers"] = tuple(next(csv.reader([said[HEADER]])))
    return parts


def _flags(text: str) -> dict[str, str]:
    """Flags with their values; a flag without one is true."""
    try:
        words = shlex.split(text)
    except ValueError as odd:
        raise InvalidInput(f"{OPTS} cannot be read", why=str(odd), hint="Close what is quoted in it.") from odd
    found: dict[str, str] = {}
    waiting = ""
    for word in words:
        name, equals, value = word.partition("=")
        if name.startswith("--"):
            found[name] = value if equals else "true"
            waiting = "" if equals else name
        elif waiting:
            found[waiting], waiting = word, ""
        else:
            raise InvalidInput(
                f"{OPTS} is invalid at {word!r}",
                why="it is the value of no flag",
                hint=f'Such as: export {OPTS}="--grpc-web --server plumb.example.org".',
            )
    return found
