"""Exit codes of others, for scripts that call this program by the name of their command line."""

import sys
from pathlib import PurePath
from typing import Final

from plumbline.base.environment import environment
from plumbline.cli.exits import Exit

NAME: Final = "argocd"
KUBESEAL: Final = "kubeseal"
_SWITCH: Final = "PLUMBLINE_COMPAT"
"""An alias of a shell leaves no trace in the program's name, so it can be said in the environment as well."""
_FATAL: Final = 20
_NO: Final = 1
_OURS: Final = frozenset({Exit.BUG, Exit.INTERRUPTED, Exit.UNREAD})


def called_argocd() -> bool:
    return PurePath(sys.argv[0]).name == NAME or environment().get(_SWITCH) == NAME


def argocds(code: int, *, raised: bool) -> int:
    """What `argocd` answers where we answer *code*: 20 for errors, 1 for a wrong command line and an answer of no."""
    if code == Exit.DONE or code in _OURS or code not in tuple(Exit):
        return code
    return _FATAL if raised else _NO


def called_kubeseal() -> bool:
    return named_kubeseal() or environment().get(_SWITCH) == KUBESEAL


def named_kubeseal() -> bool:
    """Whether the program itself has that name, by a link: then all of its command line is about sealing."""
    return PurePath(sys.argv[0]).name == KUBESEAL


def kubeseals(code: int, *, raised: bool) -> int:
    """What `kubeseal` answers where we answer *code*: 1 for everything but a wrong flag."""
    if code == Exit.DONE or code in _OURS or code not in tuple(Exit):
        return code
    return Exit.USAGE if code == Exit.USAGE and not raised else _NO
