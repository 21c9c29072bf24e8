"""Disruption budgets: how many pods may go."""

import asyncio

import pytest
from tests.apiserver.nodes.objects import deployment, pod
from tests.apiserver.nodes.stage import on_stage

from plumbline.apiserver.nodes.disruption.budget import budget_status, disrupted, expected_pods, failed_status
from plumbline.kube.names import GroupKind

PDB = GroupKind("policy", "PodDisruptionBudget")


def budget(**spec):
    metadata = {"name": "b", "namespace": "default"}
    made = {"selector": {"matchLabels": {"app": "web"}}, **spec}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": made}


def status(stage):
    return stage.get(PDB, "b")["status"]


COUNTS = [
    ({"minAvailable": 1}, 3, 1, 2, "a number"),
    ({"minAvailable": "50%"}, 3, 2, 1, "a share, rounded up"),
    ({"maxUnavailable": 1}, 3, 2, 1, "the other way round"),
    ({"maxUnavailable": "100%"}, 3, 0, 3, "all of them"),
    ({"minAvailable": 3}, 3, 3, 0, "none of them"),
]


@pytest.mark.parametrize(("spec", "expected", "desired", "allowed", "why"), COUNTS)
def test_counts_what_may_go(spec, expected, desired, allowed, why):
    @on_stage()
    async def story(stage):
        await stage.apply(deployment(replicas=3), budget(**spec))
        await asyncio.sleep(1)
        found = status(stage)
        assert found["currentHealthy"] == 3
        assert (found["expectedPods"], found["desiredHealthy"]) == (expected, desired), why
        assert found["disruptionsAllowed"] == allowed, why
        (condition,) = found["conditions"]
        assert condition["type"] == "DisruptionAllowed"
        assert condition["reason"] == ("SufficientPods" if allowed else "InsufficientPods")
        assert condition["message"] == ""
        assert found["observedGeneration"] == condition["observedGeneration"] == 1

    story()


@on_stage()
async def test_follows_its_pods(stage):
    await stage.apply(budget(minAvailable=1))
    await stage.settle()
    assert status(stage)["expectedPods"] == 0
    assert ("NoPods", "No matching pods found") in stage.events("b")
    await stage.apply(pod("a", labels={"app": "web"}), pod("b", labels={"app": "web"}))
    await stage.settle()
    assert status(stage)["disruptionsAllowed"] == 1
    stage.observe_writes()
    await stage.apply(pod("other"))
    await stage.settle()
    assert stage.count("MODIFIED poddisruptionbudgets") == 0
    await stage.delete(GroupKind("", "Pod"), "a")
    assert status(stage)["disruptionsAllowed"] == 0, "one that is going does not count"


@on_stage()
async def test_pods_without_a_workload_cannot_be_a_share(stage):
    await stage.apply(pod("a", labels={"app": "web"}), budget(maxUnavailable=1))
    await stage.settle()
    assert (status(stage)["expectedPods"], status(stage)["disruptionsAllowed"]) == (0, 0)


@on_stage()
async def test_pods_of_an_unknown_workload_are_an_error(stage):
    orphan = pod("a", labels={"app": "web"})
    owner = {"apiVersion": "x.y/v1", "kind": "Thing", "name": "t", "uid": "u", "controller": True}
    orphan["metadata"]["ownerReferences"] = [owner]
    await stage.apply(budget(maxUnavailable=1), orphan)
    await stage.settle()
    (condition,) = status(stage)["conditions"]
    assert (condition["reason"], condition["message"]) == ("SyncFailed", 'found no controllers for pod "a"')
    failed = 'Failed to calculate the number of expected pods: found no controllers for pod "a"'
    assert ("CalculateExpectedPodCountFailed", failed) in stage.events("b")


def ready(name: str, **metadata):
    conditions = [{"type": "Ready", "status": "True"}]
    return {"metadata": {"name": name, "namespace": "default", **metadata}, "status": {"conditions": conditions}}


def test_pods_that_were_evicted_a_moment_ago_do_not_count():
    listed = {"a": "2026-01-01T00:00:00Z", "gone": "2026-01-01T00:00:00Z", "old": "2025-01-01T00:00:00Z"}
    held = {**budget(minAvailable=1), "status": {"disruptedPods": listed}}
    pods = [ready("a"), ready("b"), ready("old")]
    going = disrupted(held, pods, 1767225600.0 + 60)
    assert going == {"a": "2026-01-01T00:00:00Z"}
    found = budget_status(held, pods, expected_pods(held, pods, lambda *_: None), going, "now")
    assert (found["currentHealthy"], found["disruptionsAllowed"]) == (2, 1)
    assert found["disruptedPods"] == going


def test_what_is_not_said_allows_nothing():
    nothing = expected_pods(budget(), [ready("a")], lambda *_: 1)
    assert (nothing.pods, nothing.healthy) == (0, 0)
    assert expected_pods(budget(minAvailable="much"), [], lambda *_: 1).fault
    assert failed_status(budget(), "why", "now")["disruptionsAllowed"] == 0
