"""What a Job died of is said in words that lead to what has to be done."""

import pytest

from plumbline.base.errors import Interrupted, TimedOut, ToolFailed
from plumbline.terraform.runs import ends


def pod(state=None, **status):
    named = {"containerStatuses": [{"name": "tf-runner", "state": state}]} if state is not None else {}
    return {"metadata": {"name": "p"}, "status": {**named, **status}}


def terminated(**said):
    return pod({"terminated": said})


def failed(reason="BackoffLimitExceeded", message=""):
    return {"status": {"conditions": [{"type": "Failed", "status": "True", "reason": reason, "message": message}]}}


PULLING = pod({"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}})
UNPLACED = pod(conditions=[{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}])
DEATHS = [
    (failed(), [terminated(reason="OOMKilled", exitCode=137)], Interrupted, "OOMKilled", "out of memory"),
    (failed(), [pod(reason="Evicted", message="low on disk")], Interrupted, "Evicted: low on disk", "evicted"),
    (failed("DeadlineExceeded"), [], TimedOut, "DeadlineExceeded", "too slow"),
    (failed(), [PULLING], ToolFailed, "ImagePullBackOff: no such image", "no image"),
    (failed(), [UNPLACED], ToolFailed, "Unschedulable: 0/3 nodes", "no node"),
    (failed(), [terminated(reason="Error", exitCode=3)], Interrupted, "Error, exit code 3", "it failed"),
    (failed(), [terminated(exitCode=137, signal=9)], Interrupted, "signal 9", "it was killed"),
    (failed(message="a pod was gone"), [], Interrupted, "BackoffLimitExceeded: a pod was gone", "pod gone"),
    ({}, [], Interrupted, "its pod is gone", "all gone"),
]


@pytest.mark.parametrize(("job", "pods", "error", "said", "why"), DEATHS, ids=[each[-1] for each in DEATHS])
def test_a_death_is_told_by_its_cause(job, pods, error, said, why):
    found = ends.death(job, pods, "apply")
    assert isinstance(found, error), why
    assert said in str(found)


@pytest.mark.parametrize(
    ("pods", "proven", "why"),
    [
        ([terminated(reason="Error", exitCode=137)], True, "its kubelet has seen it end"),
        ([], False, "a pod that is gone may still run on a node that nobody reaches"),
        ([pod({"running": {}})], False, "it lives"),
        ([pod(reason="NodeLost")], False, "nobody has seen it end"),
        ([terminated(exitCode=1), pod({"running": {}})], False, "one of them lives"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_only_an_end_that_was_seen_proves_a_death(pods, proven, why):
    assert bool(ends.proof(pods)) == proven, why


def test_what_is_about_to_start_is_waited_for_without_a_word():
    assert ends.waiting_for([pod({"waiting": {"reason": "ContainerCreating"}})]) == ""
    assert ends.waiting_for([]) == ""
    init = pod(initContainerStatuses=[{"name": "first", "state": {"waiting": {"reason": "ErrImagePull"}}}])
    assert ends.waiting_for([init]) == "ErrImagePull"
    assert len(ends.waiting_for([pod({"waiting": {"reason": "X", "message": "y" * 9999}})])) <= 500


def test_jobs_are_over_when_they_say_so():
    assert not ends.over({})
    assert ends.over(failed())
    assert ends.over({"status": {"conditions": [{"type": "Complete", "status": "True"}]}})
    assert ends.started([pod({"running": {}})])
    assert not ends.started([PULLING])
