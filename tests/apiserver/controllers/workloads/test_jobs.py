"""Jobs: every pod is counted once, and the end is told."""

import pytest
from tests.apiserver.controllers.workloads.world import job, kinds, template, virtually, world

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.admission import NoAdmission, Operation

WORK = kinds.JOB, "work"
FINALIZER = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"


def pods_that(behaviour, **spec):
    return template(labels={"x": "y"}, behaviour=behaviour, **{"restartPolicy": "Never", **spec})


def status(at, name="work"):
    return at.get(kinds.JOB, name)["status"]


def ended(at, name="work"):
    """How it ended: the last condition, its reason and its message."""
    last = status(at, name)["conditions"][-1]
    return last["type"], last["reason"], last["message"]


def types(at):
    return [each["type"] for each in status(at).get("conditions", ())]


def indexes(at):
    return sorted(pod["metadata"]["annotations"][INDEX] for pod in at.pods())


@virtually
async def test_a_job_runs_as_many_pods_at_a_time_as_it_may_until_enough_succeeded():
    async with world() as at:
        at.kubelet.ready_after_s = 5
        await at.create(job(completions=5, parallelism=2))
        await at.rest(1)
        assert status(at)["active"] == 2
        assert all(FINALIZER in pod["metadata"]["finalizers"] for pod in at.pods())
        await at.rest(30)
        told = status(at)
        assert (told["succeeded"], told["ready"], told["terminating"]) == (5, 0, 0)
        assert "active" not in told
        assert told["uncountedTerminatedPods"] == {}
        assert told["completionTime"] > told["startTime"]
        assert types(at) == ["SuccessCriteriaMet", "Complete"]
        assert ended(at) == ("Complete", "CompletionsReached", "Reached expected number of succeeded pods")
        assert len(at.pods()) == 5, "nobody started one too many"
        assert all("finalizers" not in pod["metadata"] for pod in at.pods())
        assert at.events("Job")[-1] == ("Completed", "Job completed")


@virtually
async def test_failures_are_tried_again_ever_more_slowly_until_the_limit():
    async with world() as at:
        await at.create(job(backoffLimit=3, template=pods_that("fail")))
        await at.rest(9)
        assert status(at)["failed"] == 1
        await at.rest(2)
        assert status(at)["failed"] == 2, "after 10 s"
        await at.rest(18)
        assert status(at)["failed"] == 2
        await at.rest(3)
        assert status(at)["failed"] == 3, "after 20 s more"
        await at.rest(60)
        assert status(at)["failed"] == 4
        assert types(at) == ["FailureTarget", "Failed"]
        message = "Job has reached the specified backoff limit"
        assert ended(at) == ("Failed", "BackoffLimitExceeded", message)
        assert at.events("Job")[-1] == ("BackoffLimitExceeded", message)
        assert "completionTime" not in status(at)


@virtually
async def test_restarts_in_place_count_towards_the_limit():
    async with world() as at:
        await at.create(job(backoffLimit=2, template=pods_that("run", restartPolicy="OnFailure")))
        await at.rest(1)
        (pod,) = at.pods()
        restarted = [{**each, "restartCount": 2} for each in pod["status"]["containerStatuses"]]
        await at.status(pod, containerStatuses=restarted)
        await at.rest(5)
        assert ended(at)[1] == "BackoffLimitExceeded"
        assert at.pods() == []


@virtually
async def test_without_retries_one_restart_is_too_many():
    async with world() as at:
        await at.create(job(backoffLimit=0, template=pods_that("run", restartPolicy="OnFailure")))
        await at.rest(1)
        assert types(at) == []
        (pod,) = at.pods()
        await at.status(
            pod, containerStatuses=[{**each, "restartCount": 1} for each in pod["status"]["containerStatuses"]]
        )
        await at.rest(5)
        assert ended(at)[1] == "BackoffLimitExceeded"


@virtually
async def test_a_job_that_takes_too_long_is_ended_and_finished_when_its_pods_are_gone():
    async with world() as at:
        at.kubelet.linger_s = 10
        await at.create(job(activeDeadlineSeconds=30, parallelism=2, completions=2, template=pods_that("run")))
        await at.rest(29)
        assert status(at)["active"] == 2
        await at.rest(3)
        assert types(at) == ["FailureTarget"]
        assert status(at)["terminating"] == 2
        await at.rest(10)
        assert ended(at) == ("Failed", "DeadlineExceeded", "Job was active longer than specified deadline")
        assert status(at)["failed"] == 2
        assert at.pods() == []


@virtually
async def test_a_deadline_that_is_changed_counts_from_the_start():
    async with world() as at:
        await at.create(job(activeDeadlineSeconds=1000, template=pods_that("run")))
        await at.rest(50)
        await at.spec(*WORK, activeDeadlineSeconds=60)
        await at.rest(9)
        assert types(at) == []
        await at.rest(5)
        assert ended(at)[1] == "DeadlineExceeded"


@virtually
async def test_each_index_has_to_succeed_once():
    async with world() as at:
        await at.create(job(completions=4, parallelism=2, completionMode="Indexed"))
        await at.rest(5)
        assert indexes(at) == ["0", "1", "2", "3"]
        assert status(at)["completedIndexes"] == "0-3"
        pod = at.pods()[0]
        index = pod["metadata"]["annotations"][INDEX]
        assert pod["metadata"]["labels"][INDEX] == index
        assert pod["metadata"]["generateName"] == f"work-{index}-"
        assert pod["spec"]["hostname"] == f"work-{index}"
        (variable,) = pod["spec"]["containers"][0]["env"]
        assert variable["name"] == "JOB_COMPLETION_INDEX"
        assert variable["valueFrom"]["fieldRef"]["fieldPath"] == f"metadata.labels['{INDEX}']"


@virtually
async def test_a_double_of_an_index_and_one_without_index_are_removed():
    async with world() as at:
        await at.create(job(completions=2, parallelism=2, completionMode="Indexed", template=pods_that("run")))
        await at.rest(1)
        model = at.pods()[0]
        labels = model["metadata"]["labels"]
        for name, notes in (("double", {INDEX: "1"}), ("lost", {}), ("beyond", {INDEX: "7"})):
            await at.create(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {"name": name, "labels": labels, "annotations": notes},
                    "spec": {**template()["spec"], "restartPolicy": "Never"},
                }
            )
        await at.rest(2)
        assert indexes(at) == ["0", "1"]


@virtually
async def test_indexes_fail_one_by_one_and_their_failures_are_remembered():
    async with world() as at:
        spec = {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 1}
        await at.create(job(**spec, template=pods_that("fail")))
        await at.rest(5)
        assert indexes(at) == ["0", "1"]
        assert all(FINALIZER in pod["metadata"]["finalizers"] for pod in at.pods()), "kept until its successor is there"
        await at.rest(8)
        counts = sorted(
            pod["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] for pod in at.pods()
        )
        assert counts == ["0", "0", "1", "1"]
        await at.rest(30)
        assert status(at)["failedIndexes"] == "0,1"
        assert ended(at) == ("Failed", "FailedIndexes", "Job has failed indexes")
        assert status(at)["failed"] == 4


@virtually
async def test_too_many_failed_indexes_end_the_job():
    async with world() as at:
        spec = {"completions": 3, "parallelism": 1, "completionMode": "Indexed", "backoffLimitPerIndex": 0}
        await at.create(job(**spec, maxFailedIndexes=1, template=pods_that("fail")))
        await at.rest(60)
        assert ended(at)[1] == "MaxFailedIndexesExceeded"
        assert status(at)["failedIndexes"] == "0,1"


@pytest.mark.parametrize(
    ("action", "expected", "why"),
    [
        ("FailJob", ("Failed", "PodFailurePolicy"), "the whole Job fails at once"),
        ("Count", ("Failed", "BackoffLimitExceeded"), "like any failure"),
    ],
)
@virtually
async def test_a_failure_policy_judges_exit_codes(action, expected, why):
    async with world() as at:
        rules = [{"action": action, "onExitCodes": {"operator": "In", "values": [3]}}]
        await at.create(job(backoffLimit=0, podFailurePolicy={"rules": rules}, template=pods_that("fail")))
        await at.rest(5)
        assert ended(at)[:2] == expected, why
        assert status(at)["failed"] == 1


@virtually
async def test_an_ignored_failure_does_not_count():
    async with world() as at:
        rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
        await at.create(job(backoffLimit=0, podFailurePolicy={"rules": rules}, template=pods_that("run")))
        await at.rest(1)
        (pod,) = at.pods()
        await at.status(pod, phase="Failed", conditions=[{"type": "DisruptionTarget", "status": "True"}])
        await at.rest(60)
        assert "failed" not in status(at)
        assert status(at)["active"] == 1


@virtually
async def test_a_failed_index_can_be_given_up_by_policy():
    async with world() as at:
        rules = [{"action": "FailIndex", "onExitCodes": {"operator": "NotIn", "values": [0, 7]}}]
        spec = {"completions": 1, "parallelism": 1, "completionMode": "Indexed", "backoffLimitPerIndex": 5}
        await at.create(job(**spec, podFailurePolicy={"rules": rules}, template=pods_that("fail")))
        await at.rest(5)
        assert ended(at)[1] == "FailedIndexes"


@virtually
async def test_an_early_success_ends_those_who_still_run():
    async with world() as at:
        policy = {"rules": [{"succeededIndexes": "1-2", "succeededCount": 1}]}
        spec = {"completions": 3, "parallelism": 3, "completionMode": "Indexed", "successPolicy": policy}
        await at.create(job(**spec, template=pods_that("run")))
        await at.rest(1)
        chosen = next(pod for pod in at.pods() if pod["metadata"]["annotations"][INDEX] == "2")
        await at.status(chosen, phase="Succeeded")
        await at.rest(5)
        assert ended(at) == ("Complete", "SuccessPolicy", "Matched rules at index 0")
        assert (status(at)["succeeded"], status(at)["completedIndexes"]) == (1, "2")
        assert "failed" not in status(at), "those who were stopped did not fail"
        assert indexes(at) == ["2"]


@virtually
async def test_a_suspended_job_has_no_pods_and_starts_its_time_when_it_goes_on():
    async with world() as at:
        await at.create(job(suspend=True, activeDeadlineSeconds=30, template=pods_that("run")))
        await at.rest(60)
        assert at.pods() == []
        assert types(at) == ["Suspended"]
        assert "startTime" not in status(at)
        await at.spec(*WORK, suspend=False)
        await at.rest(20)
        assert status(at)["active"] == 1
        assert status(at)["conditions"][0] | {"lastProbeTime": 0, "lastTransitionTime": 0} == {
            "type": "Suspended",
            "status": "False",
            "reason": "JobResumed",
            "message": "Job resumed",
            "lastProbeTime": 0,
            "lastTransitionTime": 0,
        }
        await at.spec(*WORK, suspend=True)
        await at.rest(1)
        assert at.pods() == []
        assert "failed" not in status(at), "pods that a suspension stopped did not fail"
        reasons = [reason for reason, _ in at.events("Job")]
        assert reasons.count("Suspended") == 1  # the same event again only counts up
        assert "Resumed" in reasons


@virtually
async def test_whoever_is_still_terminating_keeps_its_place_if_the_job_says_so():
    async with world() as at:
        at.kubelet.linger_s = 20
        await at.create(job(podReplacementPolicy="Failed", template=pods_that("run")))
        await at.rest(1)
        await at.delete(kinds.POD, at.pods()[0]["metadata"]["name"])
        await at.rest(5)
        assert len(at.pods()) == 1
        assert status(at)["terminating"] == 1
        await at.status(at.pods()[0], phase="Failed")
        await at.rest(15)
        assert status(at)["failed"] == 1
        assert status(at)["active"] == 1


@virtually
async def test_a_queue_is_worked_off_when_one_succeeded_and_all_have_ended():
    async with world() as at:
        await at.create(job(completions=None, parallelism=3, template=pods_that("run")))
        await at.rest(1)
        first, *others = at.pods()
        await at.status(first, phase="Succeeded")
        await at.rest(5)
        assert types(at) == []
        assert status(at)["active"] == 2, "nobody new is started"
        for pod in others:
            await at.status(pod, phase="Succeeded")
        await at.rest(5)
        assert ended(at)[0] == "Complete"
        assert status(at)["succeeded"] == 3


@virtually
async def test_one_success_too_many_is_told():
    async with world() as at:
        await at.create(job(completions=2, parallelism=2, template=pods_that("run")))
        await at.rest(1)
        model = at.pods()[0]["metadata"]["labels"]
        await at.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "extra", "labels": model},
                "spec": {**template()["spec"], "restartPolicy": "Never"},
            }
        )
        for pod in at.pods():
            await at.status(pod, phase="Succeeded")
        await at.rest(5)
        assert "TooManySucceededPods" in [reason for reason, _ in at.events("Job")]


@virtually
async def test_a_job_of_another_controller_is_left_to_it():
    async with world() as at:
        await at.create(job(managedBy="example.com/other"))
        await at.rest(5)
        assert at.pods() == []
        assert "status" not in at.get(*WORK) or at.get(*WORK)["status"] == {}


@virtually
async def test_a_finished_job_is_deleted_after_its_time_to_live():
    async with world() as at:
        await at.create(job(ttlSecondsAfterFinished=100))
        await at.rest(90)
        assert ended(at)[0] == "Complete"
        await at.rest(15)
        assert at.all(kinds.JOB) == []
        assert at.pods() == []


@virtually
async def test_pods_of_a_deleted_job_lose_their_finalizer():
    async with world() as at:
        await at.create(job(parallelism=2, completions=2, template=pods_that("run")))
        await at.rest(1)
        await at.delete(*WORK, propagation="Orphan")
        await at.rest(2)
        assert len(at.pods()) == 2
        assert all("finalizers" not in pod["metadata"] for pod in at.pods())


@virtually
async def test_a_stray_pod_with_the_finalizer_is_freed():
    async with world() as at:
        metadata = {"name": "stray", "finalizers": [FINALIZER]}
        await at.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template()["spec"]})
        other = {"apiVersion": "other/v1", "kind": "Job", "name": "x", "uid": "1", "controller": True}
        theirs = {"name": "theirs", "finalizers": [FINALIZER, "test/hold"], "ownerReferences": [other]}
        await at.create({"apiVersion": "v1", "kind": "Pod", "metadata": theirs, "spec": template()["spec"]})
        await at.rest(1)
        assert "finalizers" not in at.get(kinds.POD, "stray")["metadata"]
        assert FINALIZER in at.get(kinds.POD, "theirs")["metadata"]["finalizers"], "another kind of Job uses it too"


@virtually
async def test_a_pod_that_keeps_its_finalizer_after_the_job_finished_is_freed_when_it_is_seen():
    async with world() as at:
        await at.create(job())
        await at.rest(5)
        (pod,) = at.pods()
        await at.cluster.edit(pod, lambda live: {**live, "metadata": {**live["metadata"], "finalizers": [FINALIZER]}})
        await at.rest(1)
        assert "finalizers" not in at.pods()[0]["metadata"]


@virtually
async def test_a_job_takes_in_a_pod_that_its_selector_matches_and_counts_it():
    async with world() as at:
        labels = {"task": "one"}
        spec = {
            "manualSelector": True,
            "selector": {"matchLabels": labels},
            "template": template(labels=labels, behaviour="run", restartPolicy="Never"),
        }
        metadata = {"name": "mine", "labels": labels, "annotations": {"test/behaviour": "run"}}
        await at.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": metadata,
                "spec": {**template()["spec"], "restartPolicy": "Never"},
            }
        )
        await at.create(job(**spec))
        await at.rest(1)
        (pod,) = at.pods()
        assert pod["metadata"]["finalizers"] == [FINALIZER]
        await at.status(pod, phase="Succeeded")
        await at.rest(5)
        assert ended(at)[0] == "Complete"


class Gate(NoAdmission):
    """Refuses some operation on pods."""

    def __init__(self, operation):
        self.operation = operation
        self.refusing = True

    async def check(self, attributes):
        scope = attributes.scope
        if (
            self.refusing
            and scope.resource.plural == "pods"
            and not scope.subresource
            and attributes.operation is self.operation
        ):
            raise statuses.forbidden("", "pods", "", "no")


@virtually
async def test_a_refused_pod_is_told_and_tried_again():
    gate = Gate(Operation.CREATE)
    async with world(admission=gate) as at:
        await at.create(job())
        await at.rest(1)
        assert ("FailedCreate", "Error creating: pods is forbidden: no") in at.events("Job")
        gate.refusing = False
        await at.rest(120)
        assert ended(at)[0] == "Complete"


@virtually
async def test_a_pod_that_cannot_be_let_go_is_counted_when_it_can():
    gate = Gate(Operation.UPDATE)
    async with world(admission=gate) as at:
        await at.create(job())
        await at.rest(5)
        (pod,) = at.pods()
        assert status(at)["uncountedTerminatedPods"] == {"succeeded": [pod["metadata"]["uid"]]}
        assert types(at) == ["SuccessCriteriaMet"]
        gate.refusing = False
        await at.rest(120)
        assert status(at)["succeeded"] == 1
        assert ended(at)[0] == "Complete"


@virtually
async def test_pods_that_cannot_be_stopped_keep_the_job_from_ending():
    gate = Gate(Operation.DELETE)
    async with world(admission=gate) as at:
        await at.create(job(activeDeadlineSeconds=5, template=pods_that("run")))
        await at.rest(10)
        assert types(at) == []
        gate.operation = Operation.UPDATE
        await at.spec(*WORK, activeDeadlineSeconds=None, suspend=True)
        await at.rest(5)
        assert status(at)["active"] == 1, "its finalizer could not be taken off"
        gate.refusing = False
        await at.rest(120)
        assert at.pods() == []
