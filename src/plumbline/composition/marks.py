"""What Crossplane writes on objects, and the names that we derive: the same marks, so that either may take over."""

import hashlib
from typing import Final

from plumbline.journal.parties import Actor
from plumbline.kube.names import GroupVersionKind, Ref

ACTOR: Final = Actor("controller", "composition")

COMPOSITE: Final = "crossplane.io/composite"
"""On composites and what they compose: the name of the outermost composite."""
CLAIM_NAME: Final = "crossplane.io/claim-name"
CLAIM_NAMESPACE: Final = "crossplane.io/claim-namespace"
RESOURCE_NAME: Final = "crossplane.io/composition-resource-name"
EXTERNAL_NAME: Final = "crossplane.io/external-name"
PAUSED: Final = "crossplane.io/paused"
POLL_INTERVAL: Final = "crossplane.io/poll-interval"
RECONCILE_REQUESTED: Final = "crossplane.io/reconcile-requested-at"

COMPOSITE_FINALIZER: Final = "composite.apiextensions.crossplane.io"
CLAIM_FINALIZER: Final = "finalizer.apiextensions.crossplane.io"
CONNECTION_TYPE: Final = "connection.crossplane.io/v1alpha1"

COMPOSITE_MANAGER: Final = "apiextensions.crossplane.io/composite"
CLAIM_MANAGER: Final = "apiextensions.crossplane.io/claim"

_LONGEST_NAME: Final = 63
_COMPOSED_DIGITS: Final = 12
_CLAIM_LETTERS: Final = 5
_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
"""What Kubernetes makes up names from: no vowels, so no words."""


def composed_manager(composite: Ref) -> str:
    """The field manager of what a composite composes: one for each composite, so that two of them cannot share an object."""
    group_kind = f"{composite.kind}.{composite.group}" if composite.group else composite.kind
    return f"apiextensions.crossplane.io/composed/{hashlib.sha256((composite.name + group_kind).encode()).hexdigest()}"


def composed_name(prefix: str, composite: Ref, resource_name: str) -> str:
    """A name for something that is composed for the first time.

    It follows from what people wrote, not from the composite's uid: a control plane that was lost and is made again from Git
    gives the same names, and finds the same things in the cloud.
    """
    told = "\0".join((*composite, resource_name))
    digits = hashlib.sha256(told.encode()).hexdigest()[:_COMPOSED_DIGITS]
    return prefix[: _LONGEST_NAME - _COMPOSED_DIGITS] + digits


def composite_name(claim: Ref) -> str:
    """The name of the composite that is made for a claim; as `composed_name`, it can be found again."""
    digest = hashlib.sha256("\0".join(claim).encode()).digest()
    letters = "".join(_LETTERS[each % len(_LETTERS)] for each in digest[:_CLAIM_LETTERS])
    return f"{claim.name[: _LONGEST_NAME - _CLAIM_LETTERS - 1]}-{letters}"


def reference(gvk: GroupVersionKind, name: str, namespace: str = "") -> dict[str, str]:
    """An object reference as composites keep them."""
    ref = {"apiVersion": gvk.api_version, "kind": gvk.kind, "name": name}
    return ref | {"namespace": namespace} if namespace else ref
