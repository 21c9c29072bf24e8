"""Which objects are hooks, of what, and when they are deleted: all of it from annotations.

A hook is created at its point of a sync and has to complete before the sync goes on. It belongs to no desired state: it
is neither compared nor pruned.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from plumbline.delivery.sync.tasks import Phase

Annotations: TypeAlias = Mapping[str, str]
Role: TypeAlias = Literal["resource", "hook", "skipped", "ignored"]
"""`skipped` is never applied and never pruned; `ignored` is a hook of something that is no sync, such as a Helm test."""
Policy: TypeAlias = Literal["BeforeHookCreation", "HookSucceeded", "HookFailed"]
Departing: TypeAlias = Literal["PreDelete", "PostDelete"]

FINALIZER: Final = "argocd.argoproj.io/hook-finalizer"
"""On a hook until it has completed, so that nobody can delete it before its end was seen."""
OPERATION: Final = "plumbline.dev/operation"
"""On a hook: the very operation and phase that it was created for."""

_HOOK: Final = "argocd.argoproj.io/hook"
_HELM_HOOK: Final = "helm.sh/hook"
_DELETE_POLICY: Final = "argocd.argoproj.io/hook-delete-policy"
_HELM_DELETE_POLICY: Final = "helm.sh/hook-delete-policy"
_PHASES: Final[tuple[Phase, ...]] = ("PreSync", "Sync", "PostSync", "SyncFail")
_TYPES: Final = frozenset({*_PHASES, "Skip"})
_HELM_TYPES: Final = {
    "pre-install": "PreSync",
    "pre-upgrade": "PreSync",
    "post-install": "PostSync",
    "post-upgrade": "PostSync",
}
_HELM_CRDS: Final = "crd-install"
_POLICIES: Final[dict[str, Policy]] = {
    "BeforeHookCreation": "BeforeHookCreation",
    "HookSucceeded": "HookSucceeded",
    "HookFailed": "HookFailed",
}
_HELM_POLICIES: Final[dict[str, Policy]] = {
    "before-hook-creation": "BeforeHookCreation",
    "hook-succeeded": "HookSucceeded",
    "hook-failed": "HookFailed",
}
_DEFAULT_POLICIES: Final[frozenset[Policy]] = frozenset({"BeforeHookCreation"})
_HELM_DEPARTING: Final = {"PreDelete": "pre-delete", "PostDelete": "post-delete"}


def role(annotations: Annotations) -> Role:
    if _HOOK not in annotations and _HELM_HOOK not in annotations:
        return "resource"
    types = _types(annotations)
    if types == {"Skip"}:
        return "skipped"
    if _HOOK not in annotations and annotations[_HELM_HOOK] == _HELM_CRDS:
        return "resource"  # Helm marks CRDs as if they were hooks, but they are to stay
    return "hook" if types else "ignored"


def phases(annotations: Annotations) -> tuple[Phase, ...]:
    """The phases of a sync in which a hook runs, in their order, each once."""
    types = _types(annotations)
    return tuple(phase for phase in _PHASES if phase in types)


def policies(annotations: Annotations) -> frozenset[Policy]:
    """When a hook is deleted; before the next of its name is created, if nobody says."""
    said = [_POLICIES[each] for each in _listed(annotations, _DELETE_POLICY) if each in _POLICIES]
    helm = [_HELM_POLICIES[each] for each in _listed(annotations, _HELM_DELETE_POLICY) if each in _HELM_POLICIES]
    return frozenset((*said, *helm)) or _DEFAULT_POLICIES


def departs(annotations: Annotations, when: Departing) -> bool:
    """Whether it is a hook of the application's deletion, whatever else it is."""
    return when in _listed(annotations, _HOOK) or _HELM_DEPARTING[when] in _listed(annotations, _HELM_HOOK)


def _types(annotations: Annotations) -> frozenset[str]:
    """Helm's types count only where there is none of ours."""
    own = _TYPES.intersection(_listed(annotations, _HOOK))
    if own:
        return own
    return frozenset(_HELM_TYPES[each] for each in _listed(annotations, _HELM_HOOK) if each in _HELM_TYPES)


def _listed(annotations: Annotations, name: str) -> list[str]:
    text = annotations.get(name)
    return [item.strip() for item in text.split(",")] if text else []
