import pytest

from plumbline.apiserver.tables import cells
from plumbline.base.json import encode

from .objects import NOW, kind, made

NEW, OLD = (kind(f"autoscaling/{version}", "HorizontalPodAutoscaler") for version in ("v2", "v1"))
FIELDS = {"Resource": "resource", "ContainerResource": "containerResource"}


def spec(kind_, **target):
    return {"type": kind_, FIELDS.get(kind_, kind_.lower()): {"name": "cpu", "target": target}}


def status(kind_, **current):
    return {"type": kind_, FIELDS.get(kind_, kind_.lower()): {"name": "cpu", "current": current}}


def targets(metrics, current=(), version=NEW, **fields):
    obj = made(**{"spec": {"metrics": metrics}, "status": {"currentMetrics": list(current)}, **fields})
    return cells(version, obj, NOW)[2]


UTILISED = spec("Resource", averageUtilization=60)
CASES = [
    ([], [], "<none>", "nothing is measured"),
    ([UTILISED], [], "cpu: <unknown>/60%", "not yet"),
    ([UTILISED], [status("Resource", averageUtilization=5)], "cpu: 5%/60%", "a share"),
    ([spec("Resource")], [], "cpu: <unknown>/<auto>", "no target"),
    ([spec("Resource", averageValue="1024Mi")], [], "cpu: <unknown>/1Gi", "an amount, not yet"),
    ([spec("Resource", averageValue="2")], [status("Resource", averageValue="1")], "cpu: 1/2", "an amount"),
    ([spec("Resource", averageValue="2")], [status("Resource")], "cpu: <nil>/2", "no amount, told nonetheless"),
    ([spec("ContainerResource", averageUtilization=60)], [], "cpu: <unknown>/60%", "of one container"),
    ([spec("ContainerResource", averageValue="1")], [], "cpu: <unknown>/1", "an amount of one container"),
    ([spec("Pods", averageValue="1500m")], [status("Pods", averageValue="1")], "1/1500m", "of each pod"),
    ([spec("Pods", averageValue="1")], [], "<unknown>/1", "of each pod, not yet"),
    ([spec("Object", value="10")], [status("Object", value="5")], "5/10", "of an object"),
    ([spec("Object", averageValue="10")], [status("Object", averageValue="5")], "5/10 (avg)", "in the middle"),
    ([spec("External", value="10")], [], "<unknown>/10", "from elsewhere, not yet"),
    ([spec("External", averageValue="10")], [status("External", value="5")], "<unknown>/10 (avg)", "the wrong one"),
    ([{"type": "Guess"}], [], "<unknown type>", "of a kind that does not exist"),
    ([UTILISED, UTILISED, UTILISED], [], "cpu: <unknown>/60%, cpu: <unknown>/60% + 1 more...", "two are shown"),
]


@pytest.mark.parametrize(("metrics", "current", "shown", "why"), CASES, ids=[row[3] for row in CASES])
def test_targets_say_what_is_reached_and_what_is_wanted(metrics, current, shown, why):
    assert targets(metrics, current) == shown


def annotated(**texts):
    return {
        "metadata": {"annotations": {f"autoscaling.alpha.kubernetes.io/{key}": value for key, value in texts.items()}}
    }


PODS = encode([{"type": "Pods", "pods": {"metricName": "m", "targetAverageValue": "2"}}]).decode()
REACHED = encode([{"type": "Pods", "pods": {"metricName": "m", "currentAverageValue": "1"}}]).decode()
OLD_CASES = [
    ({"spec": {"targetCPUUtilizationPercentage": 50}}, "cpu: <unknown>/50%", "its one metric"),
    (
        {"spec": {"targetCPUUtilizationPercentage": 50}, "status": {"currentCPUUtilizationPercentage": 7}},
        "cpu: 7%/50%",
        "as far as it is reached",
    ),
    ({"spec": {"maxReplicas": 1}}, "cpu: <unknown>/80%", "what it was taken to mean"),
    ({}, "<none>", "a bookmark means nothing"),
    ({"spec": {"maxReplicas": 1}, **annotated(metrics=PODS)}, "<unknown>/2", "one of the others"),
    (
        {"spec": {"targetCPUUtilizationPercentage": 5}, **annotated(metrics=PODS, **{"current-metrics": REACHED})},
        "1/2, cpu: <unknown>/5%",
        "the others come first",
    ),
    ({"spec": {"maxReplicas": 1}, **annotated(metrics="{")}, "cpu: <unknown>/80%", "an annotation that says nothing"),
    ({"spec": {"maxReplicas": 1}, **annotated(metrics="[" * 100_000)}, "cpu: <unknown>/80%", "one that never ends"),
    (
        {"spec": {"maxReplicas": 1}, **annotated(metrics='[{"type":"Pods"}, 5]')},
        "<unknown>/<nil>, <unknown type>",
        "one that says little",
    ),
]


@pytest.mark.parametrize(("fields", "shown", "why"), OLD_CASES, ids=[row[2] for row in OLD_CASES])
def test_the_old_version_says_the_same_in_other_words(fields, shown, why):
    assert cells(OLD, made(**fields), NOW)[2] == shown


def test_replicas_may_have_no_lower_bound():
    reference = {"kind": "Deployment", "name": "d"}
    bare = made(spec={"scaleTargetRef": reference, "maxReplicas": 5}, status={"currentReplicas": 2})
    assert cells(NEW, bare, NOW) == ["x", "Deployment/d", "<none>", "<unset>", 5, 2, "5d"]
    assert cells(NEW, made(spec={"minReplicas": 1}), NOW)[3] == "1"
