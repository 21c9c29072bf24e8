"""Services, claims, jobs, autoscalers, aggregated APIs and workflows."""

import pytest

from plumbline.base.json import encode
from plumbline.kube.health import Status, assess


def obj(api_version, kind, **parts):
    return {"apiVersion": api_version, "kind": kind, **parts}


def conditions(*found):
    names = ("type", "status", "reason", "message")
    return {"conditions": [dict(zip(names, values, strict=False)) for values in found]}


def scaled_v1(annotation):
    annotations = {"autoscaling.alpha.kubernetes.io/conditions": annotation}
    return obj("autoscaling/v1", "HorizontalPodAutoscaler", metadata={"annotations": annotations})


def scaled_v2(*found):
    return obj("autoscaling/v2", "HorizontalPodAutoscaler", status=conditions(*found))


ADDRESS = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}
BALANCED = {"spec": {"type": "LoadBalancer"}}
NO_METRICS = ("ScalingActive", "False", "FailedGetPodsMetric", "no metrics")
ABLE = ("AbleToScale", "True", "ReadyForNewScale", "ready")
API = "apiregistration.k8s.io/v1"

CASES = [
    (obj("v1", "Service"), "Healthy", "", "no balancer is asked for"),
    (obj("v1", "Service", **BALANCED), "Progressing", "", "no address yet"),
    (obj("v1", "Service", **BALANCED, status=ADDRESS), "Healthy", "", "has an address"),
    (obj("networking.k8s.io/v1", "Ingress"), "Progressing", "", "no address yet"),
    (obj("networking.k8s.io/v1", "Ingress", status=ADDRESS), "Healthy", "", "has an address"),
    (obj("extensions/v1beta1", "Ingress", status=ADDRESS), "Healthy", "", "the old group too"),
    (obj("v1", "PersistentVolumeClaim", status={"phase": "Bound"}), "Healthy", "", "bound"),
    (obj("v1", "PersistentVolumeClaim", status={"phase": "Pending"}), "Progressing", "", "pending"),
    (obj("v1", "PersistentVolumeClaim", status={"phase": "Lost"}), "Degraded", "", "its volume is gone"),
    (obj("v1", "PersistentVolumeClaim"), "Unknown", "", "no phase"),
    (obj("batch/v1", "Job"), "Progressing", "", "nothing reported"),
    (obj("batch/v1", "Job", status=conditions(("Complete", "True", "", "done"))), "Healthy", "done", "done"),
    (
        obj("batch/v1", "Job", status=conditions(("Failed", "True", "", "boom"), ("Complete", "True"))),
        "Degraded",
        "boom",
        "failure outweighs",
    ),
    (obj("batch/v1", "Job", status=conditions(("Suspended", "True", "", "held"))), "Suspended", "", "held"),
    (
        obj("batch/v1", "Job", status=conditions(("Suspended", "False", "", "resumed"))),
        "Healthy",
        "resumed",
        "a suspension that was taken back counts as done",
    ),
    (obj("batch/v1", "CronJob", spec={"suspend": True}), "Healthy", "CronJob is Suspended", "as its author wants it"),
    (obj("batch/v1", "CronJob", spec={}), "Progressing", "Waiting for CronJob", "no status"),
    (obj("batch/v1", "CronJob", status={}), "Healthy", "CronJob has not been scheduled yet", "never ran"),
    (
        obj("batch/v1", "CronJob", status={"lastScheduleTime": "2026-01-02"}),
        "Healthy",
        "The CronJob never completed successfully. It may not be healthy",
        "ran, with unknown end",
    ),
    (
        obj(
            "batch/v1",
            "CronJob",
            status={"lastScheduleTime": "2026-01-02", "lastSuccessfulTime": "2026-01-01", "active": [{}]},
        ),
        "Healthy",
        "The job is running. Its last execution may not have been successful",
        "runs",
    ),
    (
        obj("batch/v1", "CronJob", status={"lastScheduleTime": "2026-01-02", "lastSuccessfulTime": "2026-01-01"}),
        "Degraded",
        "CronJob has not completed its last execution successfully",
        "the last run failed",
    ),
    (
        obj("batch/v1", "CronJob", status={"lastScheduleTime": "2026-01-02", "lastSuccessfulTime": "2026-01-03"}),
        "Healthy",
        "CronJob has completed its last execution successfully",
        "the last run succeeded",
    ),
    (scaled_v2(), "Progressing", "Waiting to Autoscale", "no conditions"),
    (scaled_v2(ABLE), "Healthy", "ready", "able"),
    (scaled_v2(ABLE, NO_METRICS), "Degraded", "no metrics", "failure outweighs"),
    (scaled_v2(("ScalingLimited", "True", "TooFewReplicas", "at the limit")), "Healthy", "at the limit", "limited"),
    (scaled_v1(encode(conditions(ABLE)["conditions"]).decode()), "Healthy", "ready", "conditions in an annotation"),
    (scaled_v1("[]"), "Progressing", "Waiting to Autoscale", "an empty annotation"),
    (obj("autoscaling/v1", "HorizontalPodAutoscaler"), "Progressing", "Waiting to Autoscale", "no annotation"),
    (
        obj("autoscaling/v2beta2", "HorizontalPodAutoscaler"),
        "Unknown",
        "unsupported HPA GVK: autoscaling/v2beta2, Kind=HorizontalPodAutoscaler",
        "a version of the past",
    ),
    (obj(API, "APIService"), "Progressing", "Waiting to be processed", "no conditions"),
    (
        obj(API, "APIService", status=conditions(("Available", "True", "Passed", "all checks passed"))),
        "Healthy",
        "Passed: all checks passed",
        "answers",
    ),
    (
        obj(API, "APIService", status=conditions(("Available", "False", "MissingEndpoints", "none"))),
        "Progressing",
        "MissingEndpoints: none",
        "does not answer",
    ),
    (obj("argoproj.io/v1alpha1", "Workflow"), "Progressing", "", "not begun"),
    (obj("argoproj.io/v1alpha1", "Workflow", status={"phase": ""}), "Progressing", "", "not begun"),
    (
        obj("argoproj.io/v1alpha1", "Workflow", status={"phase": "Running", "message": "step 2"}),
        "Progressing",
        "step 2",
        "runs",
    ),
    (obj("argoproj.io/v1alpha1", "Workflow", status={"phase": "Succeeded"}), "Healthy", "", "done"),
    (obj("argoproj.io/v1alpha1", "Workflow", status={"phase": "Error"}), "Degraded", "", "failed"),
    (obj("argoproj.io/v1alpha1", "Workflow", status={"phase": "Odd"}), "Unknown", "", "a phase nobody knows"),
]


@pytest.mark.parametrize(("found", "status", "message", "why"), CASES)
def test_a_built_in_kind_is_judged_by_its_own_rule(found, status, message, why):
    health = assess(found)
    assert (health.status, health.message) == (status, message), why


@pytest.mark.parametrize("annotation", ["no json", "{}", '["a"]', 7])
def test_an_autoscaler_whose_annotation_cannot_be_read_is_unknown(annotation):
    assert assess(scaled_v1(annotation)).status is Status.UNKNOWN
