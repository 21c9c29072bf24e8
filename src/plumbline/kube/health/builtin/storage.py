"""PersistentVolumeClaim: bound, pending or lost."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.builtin.versions import only
from plumbline.kube.health.reading import part, word
from plumbline.kube.health.rules import Rule
from plumbline.kube.health.status import Health, Status

_PHASES = {
    "Bound": Health(Status.HEALTHY),
    "Pending": Health(Status.PROGRESSING),
    "Lost": Health(Status.DEGRADED),
}


def claim(obj: JsonObject) -> Health:
    return _PHASES.get(word(part(obj, "status"), "phase"), Health(Status.UNKNOWN))


RULES: Mapping[str, Rule] = {
    "/PersistentVolumeClaim": (only("v1", called="PersistentVolumeClaim", step=claim),),
}
