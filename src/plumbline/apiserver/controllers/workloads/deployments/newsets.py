"""The ReplicaSet that a Deployment's template asks for."""

from collections.abc import Iterable
from typing import Final

from plumbline.apiserver.controllers.workloads.deployments.reading import (
    DESIRED,
    MAXIMUM,
    REVISION,
    REVISION_HISTORY,
    ROLLBACK_TO,
    Rollout,
    number,
    revision_of,
    template_of,
)
from plumbline.apiserver.controllers.workloads.deployments.sizing import new_size, size_notes
from plumbline.apiserver.controllers.workloads.hashing import short_hash
from plumbline.apiserver.controllers.workloads.kinds import HASH_LABEL
from plumbline.apiserver.controllers.workloads.templates import controller_reference
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

LONGEST_HISTORY: Final = 2000
_LONGEST_NAME: Final = 253
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
OWN_NOTES: Final = frozenset({_LAST_APPLIED, REVISION, REVISION_HISTORY, DESIRED, MAXIMUM, ROLLBACK_TO})
"""Annotations that are not copied between a Deployment and its sets."""


def new_set(rollout: Rollout) -> JsonObject:
    """As it is to be created."""
    deployment = rollout.deployment
    template = template_of(deployment)
    letters = short_hash(template, int(deployment.status.get("collisionCount") or 0))
    metadata = template.get("metadata") or {}
    labels = {**(metadata.get("labels") or {}), HASH_LABEL: letters}
    selector = deployment.spec.get("selector") or {}
    spec = {
        "replicas": new_size(rollout, rollout.old, 0),
        "selector": {**selector, "matchLabels": {**(selector.get("matchLabels") or {}), HASH_LABEL: letters}},
        "template": {**template, "metadata": {**metadata, "labels": labels}},
    }
    if deployment.spec.get("minReadySeconds"):
        spec["minReadySeconds"] = deployment.spec["minReadySeconds"]
    blank = Object({"metadata": {}})
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{deployment.name[: _LONGEST_NAME - 1 - len(letters)]}-{letters}",
            "namespace": deployment.namespace,
            "labels": labels,
            "annotations": {**new_notes(rollout, blank), **size_notes(deployment)},
            "ownerReferences": [controller_reference(deployment)],
        },
        "spec": spec,
    }


def updated_set(rollout: Rollout, owned: Object) -> JsonObject | None:
    """*owned*, the new set, with what the Deployment says by now; None where it says that already."""
    notes = new_notes(rollout, owned)
    min_ready_s = rollout.deployment.spec.get("minReadySeconds") or 0
    if notes == owned.annotations and min_ready_s == (owned.spec.get("minReadySeconds") or 0):
        return None
    spec = {name: value for name, value in owned.spec.items() if name != "minReadySeconds"}
    if min_ready_s:
        spec["minReadySeconds"] = min_ready_s
    return {**owned.raw, "metadata": {**owned.metadata, "annotations": notes}, "spec": spec}


def next_revision(old: Iterable[Object]) -> int:
    return max(map(revision_of, old), default=0) + 1


def new_notes(rollout: Rollout, owned: Object) -> dict[str, str]:
    """The annotations of the new set: the Deployment's, its revision, and those that it had before."""
    copied = {name: value for name, value in rollout.deployment.annotations.items() if name not in OWN_NOTES}
    notes = {**owned.annotations, **copied}
    before, now = owned.annotations.get(REVISION), next_revision(rollout.old)
    had = 0 if not before else number(before)
    if had is None or had >= now:
        return notes
    notes[REVISION] = str(now)
    if before is not None:
        notes[REVISION_HISTORY] = _history(owned.annotations.get(REVISION_HISTORY, ""), before)
    return notes


def _history(before: str, revision: str) -> str:
    """The revisions that it had, the oldest forgotten where there are too many."""
    revisions = [*filter(None, before.split(",")), revision]
    while len(",".join(revisions)) > LONGEST_HISTORY:
        del revisions[0]
    return ",".join(revisions)
