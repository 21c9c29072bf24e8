"""What a Usage says, whichever of its three kinds it is, and the marks that it leaves. Pure."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from plumbline.base.errors import InvalidInput, UnknownKind
from plumbline.base.json import JsonObject
from plumbline.kinds.crossplane.usage import CLUSTER_USAGE, LEGACY_USAGE, USAGE, PlacedRef, Resource, UsageSpec
from plumbline.kinds.kind import Kind
from plumbline.kinds.read import read
from plumbline.kube.names import GroupVersionKind, Ref

IN_USE: Final = "crossplane.io/in-use"
"""On what is used: an API server asks the webhook about deletions of what carries it."""
DETAILS: Final = "crossplane.io/usage-details"
FINALIZER: Final = "usage.apiextensions.crossplane.io"
ATTEMPT: Final = "usage.crossplane.io/deletion-attempt-with-policy"
"""On what is used: how somebody wanted it deleted meanwhile."""
POLICIES: Final = frozenset({"Background", "Foreground", "Orphan"})
DEFAULT_POLICY: Final = "Background"

KINDS: Final[tuple[Kind[Any, Any], ...]] = (USAGE, CLUSTER_USAGE, LEGACY_USAGE)
"""In the order in which they are named to somebody who is refused."""
_RANK: Final[Mapping[tuple[str, str], int]] = {kind.group_kind: rank for rank, kind in enumerate(KINDS)}


class Usage(NamedTuple):
    """A Usage, as far as others are concerned by it."""

    ref: Ref
    uid: str
    of: Ref | None
    """None until its selector has been resolved, or where it cannot be read."""
    by: str = ""
    """Kind and name of what uses it, where that is known."""
    reason: str = ""

    @property
    def order(self) -> tuple[int, Ref]:
        return _RANK[self.ref.group, self.ref.kind], self.ref


def usage_of(kind: Kind[Any, Any], obj: JsonObject) -> Usage:
    ref, uid = Ref.of(obj), str(obj["metadata"].get("uid") or "")
    try:
        spec: UsageSpec = read(kind, obj).spec
    except (InvalidInput, UnknownKind):
        return Usage(ref, uid, None)
    by = f"{spec.by.kind}/{spec.by.resource_ref.name}" if spec.by is not None and spec.by.resource_ref else ""
    return Usage(ref, uid, named(spec.of, ref.namespace), by, spec.reason or "")


def named(resource: Resource, namespace: str) -> Ref | None:
    """What *resource* of a usage in *namespace* means; None where only a selector says so."""
    ref = resource.resource_ref
    if ref is None or not ref.name:
        return None
    elsewhere = ref.namespace if isinstance(ref, PlacedRef) else None
    group, _, kind = gvk_of(resource)
    return Ref(group, kind, namespace if elsewhere is None else elsewhere, ref.name)


def gvk_of(resource: Resource) -> GroupVersionKind:
    return GroupVersionKind.parse(resource.api_version, resource.kind)


def attempted(used: JsonObject) -> str:
    """The policy of a deletion that was refused; empty where nobody has tried."""
    policy = str((used["metadata"].get("annotations") or {}).get(ATTEMPT) or "")
    return policy if policy in POLICIES else ""
