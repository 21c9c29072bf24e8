"""Kinds that are served in two versions: there and back without a loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.versions.conversion import converted
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

CORE = GroupVersionKind("", "v1", "Event")
EVENTS = GroupVersionKind("events.k8s.io", "v1", "Event")
FIRST = GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler")
SECOND = GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler")

EVENT: JsonObject = {
    "kind": "Event",
    "apiVersion": "v1",
    "metadata": {"name": "e"},
    "involvedObject": {"kind": "Pod"},
    "reason": "R",
    "message": "m",
    "source": {"component": "c"},
    "firstTimestamp": "2026-01-01T00:00:00Z",
    "lastTimestamp": None,
    "count": 2,
    "type": "Normal",
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}


def test_an_event_has_other_names_in_its_own_group() -> None:
    shown = converted(EVENT, EVENTS)
    assert shown == {
        "kind": "Event",
        "apiVersion": "events.k8s.io/v1",
        "metadata": {"name": "e"},
        "regarding": {"kind": "Pod"},
        "reason": "R",
        "note": "m",
        "deprecatedSource": {"component": "c"},
        "deprecatedFirstTimestamp": "2026-01-01T00:00:00Z",
        "deprecatedLastTimestamp": None,
        "deprecatedCount": 2,
        "type": "Normal",
        "eventTime": None,
    }
    assert converted(shown, CORE) == EVENT


@given(st.dictionaries(st.sampled_from(sorted(EVENT.keys() - {"kind", "apiVersion", "metadata"})), st.text(min_size=1)))
def test_events_survive_the_way_there_and_back(said: JsonObject) -> None:
    event = {**EVENT, **said}
    assert converted(converted(event, EVENTS), CORE) == event


def test_what_has_that_version_already_is_the_same_object() -> None:
    assert converted(EVENT, CORE) is EVENT


def test_what_nobody_converts_only_changes_its_version() -> None:
    other = GroupVersionKind("apps", "v9", "Deployment")
    assert converted({"apiVersion": "apps/v1", "kind": "Deployment"}, other)["apiVersion"] == "apps/v9"


TARGET = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
MEMORY = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}}


def autoscaler(*metrics: JsonObject, **status: object) -> JsonObject:
    return {
        "kind": "HorizontalPodAutoscaler",
        "apiVersion": "autoscaling/v2",
        "metadata": {"name": "h"},
        "spec": {"scaleTargetRef": TARGET, "minReplicas": 1, "maxReplicas": 3, "metrics": list(metrics)},
        "status": {"desiredReplicas": 0, "currentMetrics": None, **status},
    }


def test_the_first_version_has_a_field_for_processors_only() -> None:
    shown = converted(autoscaler(MEMORY, CPU), FIRST)
    assert shown["spec"]["targetCPUUtilizationPercentage"] == 50
    assert list(shown["metadata"]["annotations"]) == ["autoscaling.alpha.kubernetes.io/metrics"]
    assert converted(shown, SECOND) == autoscaler(MEMORY, CPU)


NOTES = [
    ("metrics", "bogus", "what cannot be read is ignored"),
    ("metrics", "{}", "and what is no list"),
    ("behavior", "[1]", "or no object"),
    ("conditions", "[[[", "or broken off"),
    ("current-metrics", "null", "or nothing"),
]


@pytest.mark.parametrize(("note", "value", "why"), NOTES)
def test_notes_that_say_nothing_are_dropped(note: str, value: str, why: str) -> None:
    first = converted(autoscaler(CPU), FIRST)
    noted = {
        **first,
        "metadata": {**first["metadata"], "annotations": {f"autoscaling.alpha.kubernetes.io/{note}": value}},
    }
    assert converted(noted, SECOND) == autoscaler(CPU), why


def test_what_a_status_measured_is_shown_in_both() -> None:
    reading = {
        "type": "Resource",
        "resource": {"name": "cpu", "current": {"averageUtilization": 7, "averageValue": "1"}},
    }
    first = converted(autoscaler(CPU, currentMetrics=[reading], currentReplicas=2), FIRST)
    assert first["status"] == {"currentReplicas": 2, "desiredReplicas": 0, "currentCPUUtilizationPercentage": 7}
    assert converted(first, SECOND)["status"]["currentMetrics"] == [reading]
    unnoted = {**first, "metadata": {"name": "h"}}
    assert converted(unnoted, SECOND)["status"]["currentMetrics"] == [
        {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 7}}}
    ]
