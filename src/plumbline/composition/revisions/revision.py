"""The revision of a composition, and what to do so that the newest one is that of its present state. Pure."""

from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.composition.definitions.writing import controlled_by, controller_of, with_controller
from plumbline.composition.revisions.hashing import canonical_spec, composition_hash, hash_label, revision_name
from plumbline.kube.object import controller_reference

COMPOSITION_NAME: Final = "crossplane.io/composition-name"
COMPOSITION_HASH: Final = "crossplane.io/composition-hash"
_API_VERSION: Final = "apiextensions.crossplane.io/v1"


class Plan(NamedTuple):
    """Revisions to write: changed ones first, because a new number depends on nothing else."""

    changed: tuple[JsonObject, ...]
    """As they should be, in the version that was looked at."""
    new: JsonObject | None
    current: str
    """Name of the revision of the present state."""


def plan_revisions(composition: JsonObject, live: list[JsonObject]) -> Plan:
    """What to write so that all of *live* belong to *composition* and the one of its present state has the highest number.

    A composition that returns to a state it was in before gets no new revision: the old one moves to the front.
    """
    full = composition_hash(composition)
    owner = _owner(composition)
    ours = [each for each in live if _belongs(each, owner)]
    latest = max(map(_number, ours), default=0)
    present = [each for each in ours if _label(each, COMPOSITION_HASH) == hash_label(full)]
    changed: list[JsonObject] = []
    for each in ours:
        number = latest + 1 if each in present[-1:] and _number(each) != latest else _number(each)
        owned = controlled_by(each, owner["uid"])
        if owned and number == _number(each):
            continue
        metadata = {**each["metadata"], "ownerReferences": with_controller(each["metadata"], owner)}
        changed.append({**each, "metadata": metadata, "spec": {**each["spec"], "revision": number}})
    if present:
        return Plan(tuple(changed), None, present[-1]["metadata"]["name"])
    new = revision_of(composition, latest + 1)
    return Plan(tuple(changed), new, new["metadata"]["name"])


def belongs(revision: JsonObject, composition: JsonObject) -> bool:
    return _belongs(revision, _owner(composition))


def labelled(lost: JsonObject, wanted: JsonObject) -> JsonObject:
    """*lost*, a revision that is not found by its labels any more, with those of *wanted*. Its number follows once it is found."""
    labels = {**(lost["metadata"].get("labels") or {}), **wanted["metadata"]["labels"]}
    return {**lost, "metadata": {**lost["metadata"], "labels": labels}}


def revision_of(composition: JsonObject, number: int) -> JsonObject:
    metadata, full = composition["metadata"], composition_hash(composition)
    name = metadata["name"]
    labels = {COMPOSITION_NAME: name, COMPOSITION_HASH: hash_label(full), **(metadata.get("labels") or {})}
    annotations = metadata.get("annotations") or {}
    return {
        "apiVersion": _API_VERSION,
        "kind": "CompositionRevision",
        "metadata": {
            "name": revision_name(name, full),
            "labels": labels,
            **({"annotations": annotations} if annotations else {}),
            "ownerReferences": [_owner(composition)],
        },
        "spec": {**canonical_spec(composition["spec"]), "revision": number},
    }


def _owner(composition: JsonObject) -> JsonObject:
    return controller_reference({**composition, "apiVersion": _API_VERSION, "kind": "Composition"})


def _belongs(revision: JsonObject, owner: JsonObject) -> bool:
    """A controller of the same name is the same composition before the control plane was rebuilt from Git."""
    controller = controller_of(revision)
    return controller is None or (controller["kind"], controller["name"]) == (owner["kind"], owner["name"])


def _number(revision: JsonObject) -> int:
    number: int = revision["spec"].get("revision") or 0
    return number


def _label(obj: JsonObject, key: str) -> str:
    return str((obj["metadata"].get("labels") or {}).get(key, ""))
