"""Labels that events of Applications carry, so that whoever collects events knows whose they are."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

from plumbline.base.glob import glob_matches
from plumbline.base.json import JsonObject
from plumbline.delivery.installation import Installation
from plumbline.delivery.settings.values import Display
from plumbline.kernel.informer import Informer
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import Records
from plumbline.kube.client import Target

Labels: TypeAlias = tuple[tuple[str, str], ...]


def event_labels(display: Display, own: Mapping[str, str], projects: Mapping[str, str]) -> Labels:
    """Those of an Application and its project that the settings name; where both have one, the Application's counts."""
    both = {**projects, **own} if display.event_labels else {}
    return tuple(
        (name, value)
        for name, value in sorted(both.items())
        if _any(display.event_labels, name) and not _any(display.hidden_event_labels, name)
    )


def labels_in(installation: Installation, own: Mapping[str, str], project: str) -> Labels:
    display = installation.settings.display
    if not display.event_labels:
        return ()
    found = installation.project_objects.get(project) or {}
    return event_labels(display, own, (found.get("metadata") or {}).get("labels") or {})


class Labelled:
    """`kernel.records.Records` of Applications, whose events carry their labels."""

    def __init__(self, records: Records, installation: Installation, applications: Informer) -> None:
        self._records = records
        self._installation = installation
        self._applications = applications

    async def write(self, target: Target, obj: JsonObject, change: JsonObject) -> bytes:
        return await self._records.write(target, obj, change)

    async def write_finalizers(self, target: Target, obj: JsonObject, finalizers: list[str]) -> None:
        await self._records.write_finalizers(target, obj, finalizers)

    async def emit(self, obj: JsonObject, event: Event) -> None:
        labels = self._labels(obj)
        await self._records.emit(obj, msgspec.structs.replace(event, labels=labels) if labels else event)

    def _labels(self, obj: JsonObject) -> Labels:
        if not self._installation.settings.display.event_labels:
            return ()
        entry = self._applications.cache.get((obj["metadata"].get("namespace", ""), obj["metadata"]["name"]))
        if entry is None:
            return ()
        project = str((entry.object().get("spec") or {}).get("project") or "default")
        return labels_in(self._installation, entry.meta.labels, project)


def _any(patterns: Iterable[str], name: str) -> bool:
    return any(glob_matches(pattern, name) for pattern in patterns)
