"""Rows in the shape of the Applications that they stand for. Pure."""

from plumbline.base.json import Json, JsonObject
from plumbline.web.board.rows import Row


def shaped(row: Row) -> JsonObject:
    """What the row knows of its object, where the object has it."""
    return {"metadata": _metadata(row), "spec": _spec(row), "status": _status(row), **_operation(row)}


def _metadata(row: Row) -> JsonObject:
    annotations = {"argocd.argoproj.io/refresh": row.refresh} if row.refresh else None
    return _said(
        name=row.name,
        namespace=row.namespace,
        uid=row.uid,
        resourceVersion=row.version,
        creationTimestamp=row.created,
        deletionTimestamp=row.deleting,
        labels=dict(row.labels),
        annotations=annotations,
    )


def _spec(row: Row) -> JsonObject:
    sources = [each.shaped() for each in row.sources]
    written: JsonObject = {"sources": sources} if row.several else {"source": sources[0]} if sources else {}
    policy: JsonObject = {"syncPolicy": {"automated": {}}} if row.automated else {}
    destination = _said(server=row.server, name=row.cluster, namespace=row.into)
    return {"project": row.project, "destination": destination, **written, **policy}


def _status(row: Row) -> JsonObject:
    one = {"revision": row.revisions[0]} if row.revisions and not row.several else {}
    several = {"revisions": list(row.revisions)} if row.revisions and row.several else {}
    last = _said(phase=row.phase, startedAt=row.started, finishedAt=row.synced)
    health = _said(status=row.health, message=row.health_message, lastTransitionTime=row.health_since)
    found: JsonObject = {"sync": {"status": row.sync, **one, **several}, "health": health}
    return {**found, **_said(operationState=last, conditionsCount=row.conditions)}


def _operation(row: Row) -> JsonObject:
    return {"operation": {"sync": {}}} if row.asked else {}


def _said(**fields: Json) -> JsonObject:
    return {name: value for name, value in fields.items() if value}
