"""APIService, whose answer is that of the server behind it."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.builtin.versions import only
from plumbline.kube.health.reading import part, parts, word
from plumbline.kube.health.rules import Rule
from plumbline.kube.health.status import Health, Status


def api_service(obj: JsonObject) -> Health:
    for condition in parts(part(obj, "status"), "conditions"):
        if condition.get("type") == "Available":
            status = Status.HEALTHY if condition.get("status") == "True" else Status.PROGRESSING
            return Health(status, f"{word(condition, 'reason')}: {word(condition, 'message')}")
    return Health(Status.PROGRESSING, "Waiting to be processed")


RULES: Mapping[str, Rule] = {
    "apiregistration.k8s.io/APIService": (
        only("apiregistration.k8s.io/v1", "apiregistration.k8s.io/v1beta1", called="APIService", step=api_service),
    ),
}
