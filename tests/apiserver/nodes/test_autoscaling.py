"""Autoscalers: numbers that somebody sets, and the truth where nobody does."""

import asyncio

import pytest
from tests.apiserver.nodes.objects import deployment
from tests.apiserver.nodes.stage import on_stage

from plumbline.apiserver.nodes.autoscaling.metrics import Failure, Reading, Target, read_metric
from plumbline.apiserver.nodes.autoscaling.pacing import Bounds, History, Moment, paced
from plumbline.kube.names import GroupKind

HPA = GroupKind("autoscaling", "HorizontalPodAutoscaler")
DEPLOYMENT = GroupKind("apps", "Deployment")
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
NO_METRICS = (
    "unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not "
    "find the requested resource (get pods.metrics.k8s.io)"
)


def autoscaler(target="web", *, annotations=None, **spec):
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": target}
    metadata = {"name": "h", "namespace": "default", "annotations": annotations or {}}
    made = {"minReplicas": 1, "maxReplicas": 10, "metrics": [CPU], "scaleTargetRef": reference, **spec}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": made}


def cpu(value):
    return {"sim.plumbline.dev/cpu": value}


def condition(stage, type_):
    return next(each for each in stage.get(HPA, "h")["status"]["conditions"] if each["type"] == type_)


def size(stage):
    return stage.get(DEPLOYMENT, "web")["spec"]["replicas"]


@on_stage()
async def test_without_metrics_it_says_so_as_a_real_one_does(stage):
    await stage.apply(deployment(requests={"cpu": "100m"}), autoscaler())
    await stage.settle()
    status = stage.get(HPA, "h")["status"]
    assert (status["currentReplicas"], status["desiredReplicas"]) == (2, 0)
    assert status["currentMetrics"] == [{"type": ""}]
    able = condition(stage, "AbleToScale")
    assert (able["status"], able["reason"]) == ("True", "SucceededGetScale")
    active = condition(stage, "ScalingActive")
    assert (active["status"], active["reason"]) == ("False", "FailedGetResourceMetric")
    told = f"failed to get cpu utilization: {NO_METRICS}"
    assert active["message"] == f"the HPA was unable to compute the replica count: {told}"
    computed = f"invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: {told}"
    assert stage.events("h") == [("FailedGetResourceMetric", told), ("FailedComputeMetricsReplicas", computed)]
    stage.observe_writes()
    await asyncio.sleep(600)
    assert stage.count("MODIFIED horizontalpodautoscalers") == 0, "saying it once is enough"


@on_stage()
async def test_a_number_scales_the_target_up(stage):
    await stage.apply(deployment(requests={"cpu": "100m"}), autoscaler(annotations=cpu("100")))
    await stage.settle()
    assert size(stage) == 4, "twice of what is wanted needs twice the pods, and no more than four at once"
    assert condition(stage, "AbleToScale")["reason"] == "SucceededRescale"
    assert condition(stage, "ScalingActive")["reason"] == "ValidMetricFound"
    told = "New size: 4; reason: cpu resource utilization (percentage of request) above target"
    assert ("SuccessfulRescale", told) in stage.events("h")
    (shown,) = stage.get(HPA, "h")["status"]["currentMetrics"]
    assert shown["resource"]["current"] == {"averageUtilization": 100, "averageValue": "100m"}
    await asyncio.sleep(60)
    assert size(stage) == 10, "as long as the number stays, so does the load of each pod"
    limited = condition(stage, "ScalingLimited")
    assert (limited["status"], limited["reason"]) == ("True", "TooManyReplicas")


@on_stage()
async def test_it_scales_down_only_after_five_quiet_minutes(stage):
    await stage.apply(deployment(replicas=6, annotations=cpu("50"), requests={"cpu": "100m"}), autoscaler())
    await stage.settle()
    assert size(stage) == 6
    assert condition(stage, "AbleToScale")["reason"] == "ReadyForNewScale"
    assert condition(stage, "ScalingLimited")["reason"] == "DesiredWithinRange"
    await stage.annotate(DEPLOYMENT, "web", cpu("10"))
    assert size(stage) == 6
    assert condition(stage, "AbleToScale")["reason"] == "ScaleDownStabilized"
    await asyncio.sleep(200)
    assert size(stage) == 6
    await asyncio.sleep(200)
    assert size(stage) == 2
    assert ("SuccessfulRescale", "New size: 2; reason: All metrics below target") in stage.events("h")


@on_stage()
async def test_bounds_are_kept_whatever_the_metrics_say(stage):
    await stage.apply(deployment(replicas=1), autoscaler(minReplicas=3))
    await stage.settle()
    assert size(stage) == 3
    told = "New size: 3; reason: Current number of replicas below Spec.MinReplicas"
    assert stage.events("h")[0] == ("SuccessfulRescale", told)


@on_stage()
async def test_a_target_above_the_bounds_is_cut(stage):
    await stage.apply(deployment(replicas=9), autoscaler(maxReplicas=4))
    await stage.settle()
    assert size(stage) == 4
    assert stage.events("h")[0][1] == "New size: 4; reason: Current number of replicas above Spec.MaxReplicas"


@on_stage()
async def test_a_target_of_zero_is_switched_off(stage):
    await stage.apply(deployment(replicas=0), autoscaler(annotations=cpu("100")))
    await stage.settle()
    active = condition(stage, "ScalingActive")
    assert (active["status"], active["reason"]) == ("False", "ScalingDisabled")
    assert size(stage) == 0


@on_stage()
async def test_a_target_that_is_not_there_is_named(stage):
    unknown = {"apiVersion": "x.y/v1", "kind": "Thing", "name": "t"}
    await stage.apply(autoscaler())
    await stage.settle()
    able = condition(stage, "AbleToScale")
    assert (able["status"], able["reason"]) == ("False", "FailedGetScale")
    assert able["message"].endswith('current scale: deployments.apps "web" not found')
    await stage.cluster.edit(
        stage.get(HPA, "h"), lambda live: {**live, "spec": {**live["spec"], "scaleTargetRef": unknown}}
    )
    await stage.settle()
    assert condition(stage, "AbleToScale")["message"].endswith('no matches for kind "Thing" in group "x.y"')
    unscalable = {"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "name": "c"}
    await stage.apply(
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "IngressClass",
            "metadata": {"name": "c"},
            "spec": {"controller": "x.y/z"},
        }
    )
    await stage.cluster.edit(
        stage.get(HPA, "h"), lambda live: {**live, "spec": {**live["spec"], "scaleTargetRef": unscalable}}
    )
    await stage.settle()
    assert condition(stage, "AbleToScale")["message"].endswith("the server could not find the requested resource")


@on_stage()
async def test_a_target_that_comes_later_is_found(stage):
    await stage.apply(autoscaler(annotations=cpu("100")))
    await stage.settle()
    await stage.apply(deployment(requests={"cpu": "100m"}))
    await asyncio.sleep(1)
    assert size(stage) == 4


POD = {
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "200m"}}}, {"name": "d"}]},
}
SOLO = {"metadata": {"name": "p"}, "spec": {"containers": [POD["spec"]["containers"][0]]}}


def read(metric, annotations, pods=(SOLO,)):
    told = {f"sim.plumbline.dev/{key}": value for key, value in annotations.items()}
    return read_metric(metric, Target(4, pods, told), (0.1, 0.1))


def metric(type_, **source):
    field = type_[0].lower() + type_[1:]
    return {"type": type_, field: source}


def rate(type_, **more):
    return metric(type_, metric={"name": "rps"}, target={"type": "AverageValue", "averageValue": "10"}, **more)


READINGS = [
    (CPU, {"cpu": "50"}, 4, "what is wanted"),
    (CPU, {"cpu": "54"}, 4, "nearly what is wanted"),
    (CPU, {"cpu": "60%"}, 5, "a little more"),
    (CPU, {"cpu": "10"}, 1, "much less"),
    (
        metric("Resource", name="memory", target={"averageValue": "100Mi"}),
        {"memory": "200Mi"},
        8,
        "an amount instead of a share",
    ),
    (
        metric("ContainerResource", name="cpu", container="c", target={"averageUtilization": 50}),
        {"cpu": "100"},
        8,
        "of one container",
    ),
    (rate("Pods"), {"metric.rps": "20"}, 8, "a metric of pods"),
    (rate("Object", describedObject={"kind": "Ingress", "name": "i"}), {"metric.rps": "5"}, 2, "of another object"),
    (metric("External", metric={"name": "q"}, target={"value": "30"}), {"metric.q": "60"}, 8, "of the world"),
]


@pytest.mark.parametrize(("spec", "annotations", "replicas", "why"), READINGS)
def test_reads_numbers(spec, annotations, replicas, why):
    found = read(spec, annotations)
    assert isinstance(found, Reading), why
    assert found.replicas == replicas, why
    assert found.status["type"] == spec["type"]


FAILURES = [
    (CPU, {}, (SOLO,), "FailedGetResourceMetric", NO_METRICS),
    (CPU, {"cpu": "50"}, (POD,), "FailedGetResourceMetric", "missing request for cpu in container d of Pod p"),
    (CPU, {"cpu": "50"}, (), "FailedGetResourceMetric", "did not receive metrics for targeted pods"),
    (CPU, {"cpu": "much"}, (SOLO,), "FailedGetResourceMetric", "is no percentage"),
    (rate("Pods"), {}, (SOLO,), "FailedGetPodsMetric", "no custom metrics API (custom.metrics.k8s.io) registered"),
    (rate("Object"), {}, (SOLO,), "FailedGetObjectMetric", "no custom metrics API"),
    (rate("External"), {}, (SOLO,), "FailedGetExternalMetric", "(get rps.external.metrics.k8s.io)"),
    (
        metric("ContainerResource", name="cpu", container="c", target={"averageUtilization": 50}),
        {},
        (SOLO,),
        "FailedGetContainerResourceMetric",
        NO_METRICS,
    ),
]


@pytest.mark.parametrize(("spec", "annotations", "pods", "reason", "message"), FAILURES)
def test_says_what_it_cannot_read(spec, annotations, pods, reason, message):
    found = read(spec, annotations, pods)
    assert isinstance(found, Failure)
    assert found.reason == reason
    assert message in found.error


def rules(**more):
    base = {"selectPolicy": "Max", "stabilizationWindowSeconds": 0}
    policies = [
        {"type": "Pods", "value": 2, "periodSeconds": 60},
        {"type": "Percent", "value": 10, "periodSeconds": 60},
    ]
    return {**base, "policies": policies, **more}


PACES = [
    (10, {"scaleUp": rules(), "scaleDown": rules()}, 6, "ScaleUpLimit", "two more at most"),
    (10, {"scaleUp": rules(selectPolicy="Min")}, 5, "ScaleUpLimit", "the smaller step"),
    (10, {"scaleUp": rules(selectPolicy="Disabled")}, 4, "ScaleUpLimit", "not at all"),
    (1, {"scaleDown": rules()}, 2, "ScaleDownLimit", "two less at most"),
    (1, {"scaleDown": rules(selectPolicy="Min")}, 3, "ScaleDownLimit", "the smaller step down"),
    (1, {"scaleDown": rules(selectPolicy="Disabled")}, 4, "ScaleDownLimit", "never down"),
    (99, {"scaleUp": {"stabilizationWindowSeconds": 0}}, 20, "TooManyReplicas", "without policies, to the end"),
    (0, {"scaleDown": {"stabilizationWindowSeconds": 0}}, 1, "TooFewReplicas", "and no further"),
    (4, {"scaleUp": rules()}, 4, "DesiredWithinRange", "nothing to do"),
]


@pytest.mark.parametrize(("wanted", "behavior", "desired", "reason", "why"), PACES)
def test_behaviors_set_the_pace(wanted, behavior, desired, reason, why):
    pace = paced(wanted, Bounds(4, 1, 20), behavior, History(), 1000.0)
    assert (pace.desired, pace.limited[0]) == (desired, reason), why


def test_what_was_added_lately_counts():
    history = History(ups=[Moment(990.0, 2)])
    pace = paced(10, Bounds(4, 1, 20), {"scaleUp": rules(selectPolicy="Max")}, history, 1000.0)
    assert pace.desired == 4, "two were added within the minute"


def test_recent_recommendations_hold_it_back():
    up = {"scaleUp": rules(stabilizationWindowSeconds=60)}
    pace = paced(8, Bounds(4, 1, 20), up, History([Moment(990.0, 5)]), 1000.0)
    assert (pace.desired, pace.able[0]) == (5, "ScaleUpStabilized")
    down = {"scaleDown": rules(stabilizationWindowSeconds=60)}
    pace = paced(1, Bounds(4, 1, 20), down, History([Moment(990.0, 3)]), 1000.0)
    assert (pace.desired, pace.able[0]) == (3, "ScaleDownStabilized")


def test_without_behaviors_it_at_most_doubles():
    assert paced(50, Bounds(10, 1, 100), None, History(), 0.0).limited[0] == "ScaleUpLimit"
    assert paced(50, Bounds(10, 1, 100), None, History(), 0.0).desired == 20
    assert paced(0, Bounds(10, 2, 100), None, History(), 0.0).limited[0] == "TooFewReplicas"
