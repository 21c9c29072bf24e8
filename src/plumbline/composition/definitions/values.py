"""A composite type that is offered, as a value: everything that its controllers need to know of its definition."""

from typing import Literal, Protocol, TypeAlias

import msgspec

from plumbline.base.json import JsonObject
from plumbline.composition.definitions.crds import scope_of
from plumbline.composition.definitions.injected import LEGACY
from plumbline.kube.names import GroupVersionKind, GroupVersionResource

Lineage: TypeAlias = Literal["legacy", "modern"]


class Offer(msgspec.Struct, frozen=True):
    """A kind that the API serves because of a definition."""

    gvk: GroupVersionKind
    gvr: GroupVersionResource


class Defined(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """Of the definition."""
    uid: str
    composite: Offer
    claim: Offer | None = None
    namespaced: bool = False
    lineage: Lineage = "legacy"
    """Legacy ones have their machinery fields right in the spec, may have claims and publish connection secrets."""
    default_composition: str = ""
    enforced_composition: str = ""
    default_revision_selector: JsonObject | None = None
    """A label selector."""
    update_policy: Literal["Automatic", "Manual"] = "Automatic"
    """For those that do not say."""
    delete_policy: Literal["Background", "Foreground"] = "Background"
    """For claims that do not say."""
    connection_keys: tuple[str, ...] = ()
    """Keys that are published; all of them if empty."""


class Listener(Protocol):
    """Whoever looks after composite resources and claims."""

    async def offered(self, definition: Defined) -> None:
        """The API serves the kinds. Told again, with another value, when the definition changed."""

    async def withdrawn(self, definition: Defined) -> None:
        """No object of the kinds is left, and the API will not serve them any longer. Told once more after a restart."""


def defined(xrd: JsonObject) -> Defined:
    """What a valid *xrd* offers, in the version that compositions refer to."""
    spec, scope = xrd["spec"], scope_of(xrd)
    version = next(version["name"] for version in spec["versions"] if version.get("referenceable"))
    return Defined(
        name=xrd["metadata"]["name"],
        uid=xrd["metadata"].get("uid", ""),
        composite=_offer(spec["group"], version, spec["names"]),
        claim=_offer(spec["group"], version, spec["claimNames"]) if spec.get("claimNames") else None,
        namespaced=scope == "Namespaced",
        lineage="legacy" if scope == LEGACY else "modern",
        default_composition=(spec.get("defaultCompositionRef") or {}).get("name", ""),
        enforced_composition=(spec.get("enforcedCompositionRef") or {}).get("name", ""),
        default_revision_selector=spec.get("defaultCompositionRevisionSelector"),
        update_policy=spec.get("defaultCompositionUpdatePolicy") or "Automatic",
        delete_policy=spec.get("defaultCompositeDeletePolicy") or "Background",
        connection_keys=tuple(spec.get("connectionSecretKeys") or ()),
    )


def _offer(group: str, version: str, names: JsonObject) -> Offer:
    return Offer(GroupVersionKind(group, version, names["kind"]), GroupVersionResource(group, version, names["plural"]))
