"""Objects of kinds that are served in two versions."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import CORE, made, patched

from plumbline.base.json import JsonObject

AUTOSCALER: JsonObject = {
    "metadata": {"name": "h", "annotations": {"x": "y"}},
    "spec": {
        "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"},
        "maxReplicas": 5,
        "metrics": [
            {
                "type": "Resource",
                "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}},
            },
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
            },
            {
                "type": "Pods",
                "pods": {
                    "metric": {"name": "p<q", "selector": {"matchLabels": {"b": "1", "a": "2"}}},
                    "target": {"type": "AverageValue", "averageValue": "10"},
                },
            },
            {
                "type": "Object",
                "object": {
                    "metric": {"name": "o"},
                    "describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"},
                    "target": {"type": "Value", "value": "10"},
                },
            },
            {
                "type": "Object",
                "object": {
                    "metric": {"name": "o"},
                    "describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"},
                    "target": {"type": "AverageValue", "averageValue": "10"},
                },
            },
            {"type": "External", "external": {"metric": {"name": "e"}, "target": {"type": "Value", "value": "3"}}},
            {
                "type": "External",
                "external": {"metric": {"name": "f"}, "target": {"type": "AverageValue", "averageValue": "3"}},
            },
            {
                "type": "ContainerResource",
                "containerResource": {
                    "name": "cpu",
                    "container": "c",
                    "target": {"type": "Utilization", "averageUtilization": 60},
                },
            },
        ],
        "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}},
    },
}
MEASURED: JsonObject = {
    "currentReplicas": 2,
    "desiredReplicas": 3,
    "lastScaleTime": "2026-01-01T00:00:00Z",
    "observedGeneration": 1,
    "currentMetrics": [
        {
            "type": "Resource",
            "resource": {"name": "cpu", "current": {"averageUtilization": 40, "averageValue": "100m"}},
        },
        {"type": "Pods", "pods": {"metric": {"name": "p"}, "current": {"averageValue": "5"}}},
        {
            "type": "Object",
            "object": {
                "metric": {"name": "o"},
                "describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"},
                "current": {"value": "4"},
            },
        },
        {"type": "External", "external": {"metric": {"name": "e"}, "current": {"value": "3", "averageValue": "1"}}},
        {
            "type": "ContainerResource",
            "containerResource": {
                "name": "cpu",
                "container": "c",
                "current": {"averageUtilization": 6, "averageValue": "1"},
            },
        },
    ],
    "conditions": [
        {
            "type": "AbleToScale",
            "status": "True",
            "reason": "x",
            "message": "y",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ],
}

SCRIPTS: Mapping[str, Script] = {
    "autoscalers in both versions": [
        made("/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", AUTOSCALER),
        Step("GET", "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/h"),
        patched("/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/h/status", {"status": MEASURED}),
        Step("GET", "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/h"),
        patched(
            "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/h",
            {"spec": {"targetCPUUtilizationPercentage": 70}},
        ),
        Step("GET", "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/h"),
        patched(
            "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/h",
            {
                "metadata": {
                    "annotations": {
                        "autoscaling.alpha.kubernetes.io/conditions": None,
                        "autoscaling.alpha.kubernetes.io/metrics": "bogus",
                    }
                }
            },
        ),
        Step("GET", "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/h"),
        patched(
            "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/h/status",
            {"status": {"currentCPUUtilizationPercentage": 7, "currentReplicas": 3}},
        ),
        Step("GET", "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/h"),
        made(
            "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers",
            {
                "metadata": {"name": "i"},
                "spec": {
                    "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"},
                    "maxReplicas": 5,
                },
            },
        ),
        Step("GET", "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/i"),
    ],
    "events in both groups": [
        made(
            f"{CORE}/events",
            {
                "metadata": {"name": "a"},
                "involvedObject": {"namespace": "{ns}", "kind": "Pod", "name": "x"},
                "message": "m",
                "count": 3,
                "source": {"component": "c"},
                "firstTimestamp": "2026-01-01T00:00:00Z",
                "reason": "R",
                "type": "Normal",
            },
        ),
        Step("GET", "/apis/events.k8s.io/v1/namespaces/{ns}/events/a"),
        made(
            "/apis/events.k8s.io/v1/namespaces/{ns}/events",
            {
                "metadata": {"name": "b"},
                "regarding": {"namespace": "{ns}", "kind": "Pod", "name": "x"},
                "note": "n",
                "eventTime": "2026-01-01T00:00:00.000001Z",
                "reportingController": "x.io/y",
                "reportingInstance": "i",
                "action": "A",
                "reason": "R",
                "type": "Normal",
                "series": {"count": 2, "lastObservedTime": "2026-01-01T00:00:00.000002Z"},
            },
        ),
        Step("GET", f"{CORE}/events/b"),
        Step("GET", "/apis/events.k8s.io/v1/namespaces/{ns}/events"),
        patched("/apis/events.k8s.io/v1/namespaces/{ns}/events/a", {"metadata": {"labels": {"x": "y"}}}),
    ],
}
