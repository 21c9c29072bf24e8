"""Whose objects are whose: owners take in what their selector matches and let go of what it no longer does."""

from collections.abc import Callable
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.owners import controller
from plumbline.apiserver.controllers.workloads.podcontrol import INVALID, NOT_FOUND
from plumbline.apiserver.controllers.workloads.templates import controller_reference
from plumbline.apiserver.objects.metadata import metadata_of, with_metadata
from plumbline.apiserver.storage.entries import Entry
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object
from plumbline.kube.selectors.labels import LabelSelector

_GONE: Final = frozenset({NOT_FOUND, INVALID})


class Claim(NamedTuple):
    """What *owner* takes in: objects of *kind* that *selector* matches and *admits* accepts."""

    owner: Object
    kind: GroupKind
    selector: LabelSelector
    admits: Callable[[Entry], bool] = lambda _: True
    """Of those that are not let in, neither is any adopted nor any given up."""
    belongs: Callable[[Entry], bool] = lambda _: True
    """Besides the selector: what it refuses is given up."""
    finalizer: str = ""
    """Put on what is adopted, taken off what is released."""


class Claims(NamedTuple):
    kept: list[Entry]
    adopted: list[Entry]
    released: list[Entry]


def plan_claims(claim: Claim, own: list[Entry], orphans: list[Entry]) -> Claims:
    """An owner that is going away changes nothing any more."""
    going = bool(claim.owner.deletion_timestamp)

    def matches(entry: Entry) -> bool:
        return claim.selector.matches(entry.labels) and claim.belongs(entry)

    kept: list[Entry] = []
    released: list[Entry] = []
    uid = claim.owner.uid
    for entry in own:
        if _controlled(entry, uid) and claim.admits(entry):
            (kept if matches(entry) else released).append(entry)
    if going:
        return Claims(kept, [], [])
    adopted = [
        entry
        for entry in orphans
        if matches(entry) and claim.admits(entry) and not metadata_of(entry.object()).get("deletionTimestamp")
    ]
    return Claims(kept, adopted, released)


async def claimed(cluster: Cluster, claim: Claim) -> list[Entry]:
    """What is *claim*'s owner's, after adoption and release."""
    owner = claim.owner
    own = cluster.dependent_entries(owner.uid, claim.kind)
    claims = plan_claims(claim, own, cluster.orphans(claim.kind, owner.namespace))
    for entry in claims.released:
        await _change(cluster, entry, lambda live: released(live, owner.uid, claim.finalizer))
    found = list(claims.kept)
    for entry in claims.adopted:
        if _still_there(cluster, owner) and await _change(cluster, entry, lambda live: adopted(live, claim)):
            found += [fresh for fresh in cluster.dependent_entries(owner.uid, claim.kind) if fresh.key == entry.key]
    return found


def adopted(live: JsonObject, claim: Claim) -> JsonObject | None:
    """*live* with its new owner; None where somebody else was quicker."""
    metadata = metadata_of(live)
    owners = list(metadata.get("ownerReferences") or ())
    if metadata.get("deletionTimestamp") or any(owner.get("controller") for owner in owners):
        return None
    others = [owner for owner in owners if owner.get("uid") != claim.owner.uid]
    finalizers = list(metadata.get("finalizers") or ())
    if claim.finalizer and claim.finalizer not in finalizers:
        finalizers.append(claim.finalizer)
    return with_metadata(
        live, ownerReferences=[*others, controller_reference(claim.owner)], finalizers=finalizers or None
    )


def released(live: JsonObject, uid: str, finalizer: str) -> JsonObject:
    metadata = metadata_of(live)
    owners = [owner for owner in metadata.get("ownerReferences") or () if owner.get("uid") != uid]
    finalizers = [each for each in metadata.get("finalizers") or () if each != finalizer]
    return with_metadata(live, ownerReferences=owners or None, finalizers=finalizers or None)


async def _change(cluster: Cluster, entry: Entry, change: Callable[[JsonObject], JsonObject | None]) -> bool:
    """Whether it is changed; an object that is gone, or another by now, is not."""
    obj = entry.object()
    uid = metadata_of(obj).get("uid")
    try:
        written = await cluster.edit(obj, lambda live: change(live) if metadata_of(live).get("uid") == uid else None)
    except RequestRefused as refused:
        if refused.status["code"] in _GONE:
            return False
        raise
    return bool(metadata_of(written).get("uid") == uid)


def _still_there(cluster: Cluster, owner: Object) -> bool:
    """Asked right before an adoption: whoever is going must not take anybody in."""
    fresh = cluster.at(cluster.key_of(owner.raw))
    metadata = metadata_of(fresh or {})
    return metadata.get("uid") == owner.uid and not metadata.get("deletionTimestamp")


def _controlled(entry: Entry, uid: str) -> bool:
    found = controller(entry)
    return found is not None and found.uid == uid
