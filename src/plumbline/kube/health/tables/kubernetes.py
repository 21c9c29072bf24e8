"""Kinds of Kubernetes itself whose rule is only about conditions."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, condition
from plumbline.kube.health.rules import Rule, by_condition, degraded, having, healthy, note, on, progressing
from plumbline.kube.health.status import Health, Status

_BUDGET = "PodDisruptionBudget has {reason}"


def _established(obj: JsonObject) -> Health | None:
    found = condition(obj, "Established")
    if found.get("status") == "True":
        return Health(Status.HEALTHY, "CRD is healthy")
    if found.get("reason") == "Installing":
        return Health(Status.PROGRESSING, "CRD is being installed")
    if at(obj, "status", "conditions"):
        return Health(Status.DEGRADED, "CRD is not established")
    return Health(Status.PROGRESSING, "Status conditions not found")


RULES: Mapping[str, Rule] = {
    "apiextensions.k8s.io/CustomResourceDefinition": (
        having("metadata.deletionTimestamp", progressing("CRD is terminating")),
        by_condition(
            on("Terminating", "True", progressing("CRD is terminating: {message}")),
            on("NamesAccepted", "False", degraded("CRD names have not been accepted: {message}")),
            on("NonStructuralSchema", "True", degraded("Schema violations found: {message}")),
        ),
        _established,
    ),
    # Too few pods to allow a disruption is what many budgets are for; the other refusals are mistakes.
    "policy/PodDisruptionBudget": (
        by_condition(
            on("", "False", degraded(_BUDGET), reason="!InsufficientPods"),
            note("", "", healthy(_BUDGET)),
        ),
        progressing("Waiting for status"),
    ),
}
