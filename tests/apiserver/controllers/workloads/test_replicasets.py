"""ReplicaSets and ReplicationControllers: how many, whose, and what is told."""

import pytest
from tests.apiserver.controllers.workloads.world import kinds, template, virtually, workload, world

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.admission import NoAdmission, Operation


def pod(name, labels, **metadata):
    spec = template()["spec"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels, **metadata}, "spec": spec}


def status(at, name="web"):
    return at.get(kinds.REPLICA_SET, name)["status"]


@virtually
async def test_a_set_has_as_many_pods_as_it_asks_for():
    async with world() as at:
        await at.create(workload("ReplicaSet", replicas=9))
        await at.rest()
        assert status(at) == {
            "observedGeneration": 1,
            "replicas": 9,
            "fullyLabeledReplicas": 9,
            "readyReplicas": 9,
            "availableReplicas": 9,
            "terminatingReplicas": 0,
        }
        await at.spec(kinds.REPLICA_SET, "web", replicas=2)
        await at.rest()
        assert len(at.pods()) == 2
        told = [reason for reason, _ in at.events("ReplicaSet")]
        assert (told.count("SuccessfulCreate"), told.count("SuccessfulDelete")) == (9, 7)


@virtually
async def test_pods_on_their_way_out_are_counted_apart_and_replaced_at_once():
    async with world() as at:
        at.kubelet.linger_s = 10
        await at.create(workload("ReplicaSet", replicas=2))
        await at.rest(1)
        await at.delete(kinds.POD, at.pods()[0]["metadata"]["name"])
        await at.rest(1)
        assert (status(at)["replicas"], status(at)["terminatingReplicas"]) == (2, 1)
        await at.rest(10)
        assert (status(at)["replicas"], status(at)["terminatingReplicas"]) == (2, 0)


@virtually
async def test_a_pod_is_available_once_it_was_ready_for_long_enough():
    async with world() as at:
        await at.create(workload("ReplicaSet", replicas=1, minReadySeconds=30))
        await at.rest(29)
        assert "availableReplicas" not in status(at)
        await at.rest(2)
        assert status(at)["availableReplicas"] == 1


@virtually
async def test_pods_that_match_are_taken_in_and_pods_that_no_longer_match_are_let_go():
    async with world() as at:
        await at.create(pod("mine", {"app": "web"}))
        await at.create(pod("other", {"app": "other"}))
        await at.create(workload("ReplicaSet", replicas=2))
        await at.rest(1)
        owner = at.get(kinds.POD, "mine")["metadata"]["ownerReferences"]
        assert [each["name"] for each in owner] == ["web"]
        assert len(at.pods(app="web")) == 2
        await at.label(kinds.POD, "mine", {"app": "free"})
        await at.rest(1)
        assert "ownerReferences" not in at.get(kinds.POD, "mine")["metadata"]
        assert len(at.pods(app="web")) == 2, "another took its place"
        await at.create(pod("late", {"app": "web"}))
        await at.rest(1)
        assert len(at.pods(app="web")) == 2, "one that came later is one too many"


@virtually
async def test_a_pod_of_another_controller_is_never_taken():
    async with world() as at:
        theirs = {"apiVersion": "v1", "kind": "Thing", "name": "x", "uid": "1", "controller": True}
        await at.create(pod("theirs", {"app": "web"}, ownerReferences=[theirs]))
        await at.create(workload("ReplicaSet", replicas=1))
        await at.rest(0)
        assert len(at.all(kinds.POD)) in (1, 2)
        found = [each for each in at.all(kinds.POD) if each["metadata"]["name"] == "theirs"]
        assert all(each["metadata"]["ownerReferences"] == [theirs] for each in found)


@virtually
async def test_a_set_that_is_going_takes_nobody_in_and_creates_nothing():
    async with world() as at:
        held = workload("ReplicaSet", replicas=1)
        await at.create(held | {"metadata": {"name": "web", "finalizers": ["test/hold"]}})
        await at.rest(1)
        await at.delete(kinds.REPLICA_SET, "web", propagation="Orphan")
        await at.create(pod("stray", {"app": "web"}))
        await at.rest(1)
        assert "ownerReferences" not in at.get(kinds.POD, "stray")["metadata"]


class NoPods(NoAdmission):
    refusing = True
    why = "exceeded quota"
    terminating = False

    async def check(self, attributes):
        if (
            not self.refusing
            or attributes.scope.resource.plural != "pods"
            or attributes.operation is not Operation.CREATE
        ):
            return
        refused = statuses.forbidden("", "pods", "web-", self.why)
        if self.terminating:
            refused.status["details"]["causes"] = [{"reason": "NamespaceTerminating"}]
        raise refused


@virtually
async def test_a_refused_pod_is_told_until_one_is_created():
    gate = NoPods()
    async with world(admission=gate) as at:
        await at.create(workload("ReplicaSet", replicas=3))
        await at.rest(1)
        (failure,) = status(at)["conditions"]
        assert (failure["type"], failure["status"], failure["reason"]) == ("ReplicaFailure", "True", "FailedCreate")
        assert failure["message"] == 'pods "web-" is forbidden: exceeded quota'
        assert at.events("ReplicaSet") == [("FailedCreate", 'Error creating: pods "web-" is forbidden: exceeded quota')]
        gate.why = "something else"
        await at.rest(5)
        assert status(at)["conditions"] == [failure], "the first reason is kept"
        gate.refusing = False
        await at.rest(120)
        assert "conditions" not in status(at)
        assert status(at)["readyReplicas"] == 3


@virtually
async def test_a_deployment_tells_the_failure_of_its_set():
    gate = NoPods()
    async with world(admission=gate) as at:
        await at.create(workload("Deployment", replicas=1))
        await at.rest(5)
        told = {each["type"]: each["reason"] for each in at.get(kinds.DEPLOYMENT, "web")["status"]["conditions"]}
        assert told["ReplicaFailure"] == "FailedCreate"
        gate.refusing = False
        await at.rest(120)
        told = {each["type"]: each["reason"] for each in at.get(kinds.DEPLOYMENT, "web")["status"]["conditions"]}
        assert "ReplicaFailure" not in told


@virtually
async def test_a_namespace_that_is_going_takes_no_pods_and_that_is_no_failure():
    gate = NoPods()
    gate.terminating = True
    async with world(admission=gate) as at:
        await at.create(workload("ReplicaSet", replicas=1))
        await at.rest(5)
        assert "conditions" not in status(at)
        assert at.events("ReplicaSet") == []


class NoDeletes(NoAdmission):
    async def check(self, attributes):
        if attributes.operation is Operation.DELETE:
            raise statuses.forbidden("", "pods", "", "keep it")


@virtually
async def test_a_pod_that_may_not_be_deleted_is_told():
    async with world(admission=NoDeletes()) as at:
        await at.create(workload("ReplicaSet", replicas=1))
        await at.rest(1)
        await at.spec(kinds.REPLICA_SET, "web", replicas=0)
        await at.rest(1)
        assert [each["reason"] for each in status(at)["conditions"]] == ["FailedDelete"]
        assert ("FailedDelete", "Error deleting: pods is forbidden: keep it") in at.events("ReplicaSet")


@pytest.mark.parametrize("selector", [{"app": "web"}, None])
@virtually
async def test_a_replication_controller_selects_by_plain_labels(selector):
    async with world() as at:
        spec = {"replicas": 2, "template": template()} | ({"selector": selector} if selector else {})
        await at.create({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "rc"}, "spec": spec})
        await at.rest()
        told = at.get(kinds.REPLICATION_CONTROLLER, "rc")["status"]
        assert (told["replicas"], told["availableReplicas"]) == (2, 2)
        assert "terminatingReplicas" not in told, "only ReplicaSets count those"
