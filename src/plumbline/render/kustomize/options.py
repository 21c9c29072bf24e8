"""Build options of an installation: those that change what is built, and none that runs or writes something."""

from functools import lru_cache
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput

_SWITCHES: Final = frozenset({"--enable-helm", "--enable-managedby-label", "--helm-debug"})
_VALUED: Final = {
    "--load-restrictor": frozenset({"LoadRestrictionsNone", "LoadRestrictionsRootOnly"}),
    "--reorder": frozenset({"legacy", "none"}),
    "--helm-kube-version": None,
    "--helm-api-versions": None,
    "--helm-command": None,
}
_OLD: Final = {"--load_restrictor": "--load-restrictor"}
_OURS: Final = "--helm-command"
_TRUTH: Final = {"": True, "1": True, "t": True, "T": True, "true": True, "TRUE": True, "True": True} | dict.fromkeys(
    ("0", "f", "F", "false", "FALSE", "False"), False
)


class BuildOptions(NamedTuple):
    argv: tuple[str, ...] = ()
    helm: bool = False


@lru_cache(maxsize=64)
def build_options(text: str) -> BuildOptions:
    """*text* of `kustomize.buildOptions`, or InvalidInput for what is not on the list."""
    words = text.split()
    argv: list[str] = []
    helm = False
    while words:
        name, assigned, value = words.pop(0).partition("=")
        name = _OLD.get(name, name)
        if name in _SWITCHES:
            if value not in _TRUTH:
                raise _refused(f"{name}={value}", "it is true or false")
            if _TRUTH[value]:
                argv.append(name)
                helm |= name == "--enable-helm"
            continue
        if name not in _VALUED:
            raise _refused(name, "it is not one of those that only change what is built")
        value = value if assigned else words.pop(0) if words else ""
        allowed = _VALUED[name]
        if not value or (allowed is not None and value not in allowed):
            raise _refused(name, f"{value or 'nothing'} is no value for it")
        # Which helm runs is for us to say: it is the one that was checked.
        argv += [] if name == _OURS else [f"{name}={value}"]
    return BuildOptions(tuple(argv), helm)


def _refused(option: str, why: str) -> InvalidInput:
    known = sorted({*_SWITCHES, *_VALUED})
    return InvalidInput(
        f"Cannot build with the option {option}",
        why=why,
        hint=f"Change kustomize.buildOptions in argocd-cm; allowed are {', '.join(known)}.",
    )
