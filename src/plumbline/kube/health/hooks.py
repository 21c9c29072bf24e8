"""Which objects are hooks: they come and go with a sync, and their health is not their application's."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, text

FINALIZER: Final = "argocd.argoproj.io/hook-finalizer"
"""Kept on a hook until its phase is over: its health still counts while it is being deleted."""

_ANNOTATION: Final = "argocd.argoproj.io/hook"
_HELM_ANNOTATION: Final = "helm.sh/hook"
_PHASES: Final = frozenset({"PreSync", "Sync", "PostSync", "Skip", "SyncFail"})


def hook(obj: JsonObject) -> bool:
    """Whether it is a hook, be it one whose phase nobody knows. Helm's `crd-install` marks no hook."""
    annotations = at(obj, "metadata", "annotations")
    if at(annotations, _ANNOTATION) is not None:
        return not skipped(obj)
    return text(annotations, _HELM_ANNOTATION) not in {"", "crd-install"}


def skipped(obj: JsonObject) -> bool:
    """Whether it is never applied: its only phase is Skip."""
    named = text(obj, "metadata", "annotations", _ANNOTATION).split(",")
    return {phase.strip() for phase in named} & _PHASES == {"Skip"}
