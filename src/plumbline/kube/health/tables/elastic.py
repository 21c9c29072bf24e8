"""Elastic Cloud on Kubernetes: health by colour."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, number, objects, printed, text
from plumbline.kube.health.rules import Rule, by_field, degraded, healthy, progressing, unknown
from plumbline.kube.health.status import Health, Status

_LOOK = "Check the status of indices, replicas and shards"
_COLOURS = {
    "green": Health(Status.HEALTHY, "Elasticsearch Cluster status is Green"),
    "yellow": Health(Status.PROGRESSING, f"Elasticsearch Cluster status is Yellow. {_LOOK}"),
    "red": Health(Status.DEGRADED, f"Elasticsearch Cluster status is Red. {_LOOK}"),
}
_PHASES = {
    "ApplyingChanges": Status.PROGRESSING,
    "MigratingData": Status.PROGRESSING,
    "Invalid": Status.DEGRADED,
}


def _elasticsearch(obj: JsonObject) -> Health | None:
    available = at(obj, "status", "availableNodes")
    if available is None:
        return None
    wanted = sum(number(each, "count") for each in objects(obj, "spec", "nodeSets"))
    present = number(obj, "status", "availableNodes")
    if present < wanted:
        said = f"The desired amount of availableNodes is {printed(wanted)} but the current amount is {printed(present)}"
        return Health(Status.PROGRESSING, said)
    phase, colour = text(obj, "status", "phase"), text(obj, "status", "health")
    if present > wanted or not colour:
        return None
    if phase == "Ready":
        return _COLOURS.get(colour)
    return Health(_PHASES[phase], f"Elasticsearch phase is {phase}") if phase in _PHASES else None


def _deploying(obj: JsonObject) -> Health | None:
    colour, present, wanted = (at(obj, "status", name) for name in ("health", "availableNodes", "expectedNodes"))
    if colour == "yellow" and present is not None and wanted is not None:
        said = f"there is {printed(present)} instance(s) on {printed(wanted)} expected"
        return Health(Status.PROGRESSING, f"Elastic Beat status is deploying, {said}")
    if colour == "yellow" or (colour is None and wanted is not None):
        return Health(Status.PROGRESSING, "Elastic Beat phase is progressing")
    return None


RULES: Mapping[str, Rule] = {
    "elasticsearch.k8s.elastic.co/Elasticsearch": (
        _elasticsearch,
        unknown("Elasticsearch Cluster status is unknown"),
    ),
    "beat.k8s.elastic.co/Beat": (
        by_field(
            "status.health",
            {"red": degraded("Elastic Beat status is Red"), "green": healthy("Elastic Beat status is Green")},
        ),
        _deploying,
        unknown("Elastic Beat status is unknown"),
    ),
    "logstash.k8s.elastic.co/Logstash": (
        by_field(
            "status.health",
            {
                "green": healthy("Logstash status is Green"),
                "yellow": progressing("Logstash status is Yellow"),
                "red": degraded("Logstash status is Red"),
            },
        ),
        progressing("Waiting for Logstash"),
    ),
}
