"""The history of a template, kept in ControllerRevisions. What each of them holds is a patch that brings it back."""

from collections.abc import Iterable
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.workloads.kinds import REVISION
from plumbline.apiserver.controllers.workloads.templates import controller_reference
from plumbline.apiserver.objects.metadata import with_metadata
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

_LONGEST_PREFIX: Final = 223


def template_patch(owner: Object) -> JsonObject:
    """Replaces the whole template; kubectl applies it as it is."""
    return {"spec": {"template": {**(owner.spec.get("template") or {}), "$patch": "replace"}}}


def with_template_of(owner: Object, revision: Object) -> Object:
    """*owner* as it was at *revision*."""
    patch = (revision.raw.get("data") or {}).get("spec") or {}
    template = {name: value for name, value in (patch.get("template") or {}).items() if name != "$patch"}
    return Object({**owner.raw, "spec": {**owner.spec, "template": template}})


def revision_object(owner: Object, letters: str, number: int, hash_label: str) -> JsonObject:
    template = owner.spec.get("template") or {}
    labels = (template.get("metadata") or {}).get("labels") or {}
    metadata = {
        "name": f"{owner.name[:_LONGEST_PREFIX]}-{letters}",
        "namespace": owner.namespace,
        "labels": {**labels, hash_label: letters},
        "ownerReferences": [controller_reference(owner)],
    }
    if owner.annotations:
        metadata["annotations"] = dict(owner.annotations)
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": metadata,
        "data": template_patch(owner),
        "revision": number,
    }


def number_of(revision: Object) -> int:
    return int(revision.raw.get("revision") or 0)


def in_order(revisions: Iterable[Object]) -> list[Object]:
    return sorted(revisions, key=lambda each: (number_of(each), each.creation_timestamp, each.name))


def same_content(revision: Object, other: JsonObject) -> bool:
    return bool(revision.raw.get("data") == other.get("data"))


async def renumbered(cluster: Cluster, revision: Object, number: int) -> Object:
    if number_of(revision) == number:
        return revision
    return Object(await cluster.edit(revision.raw, lambda live: {**live, "revision": number}))


async def created_or_there(cluster: Cluster, wanted: JsonObject) -> Object | None:
    """The revision with that name and content; None where another has the name."""
    try:
        return Object(await cluster.create(wanted))
    except RequestRefused as refused:
        if refused.status.get("reason") != "AlreadyExists":
            raise
    metadata = wanted["metadata"]
    there = cluster.get(REVISION, metadata["namespace"], metadata["name"])
    return Object(there) if there is not None and same_content(Object(there), wanted) else None


def relabelled(revision: JsonObject, label: str, value: str) -> JsonObject:
    return with_metadata(revision, labels={**Object(revision).labels, label: value})
