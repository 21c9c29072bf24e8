"""Deployments from create to clean-up, on a plane with controllers and a fake kubelet."""

import pytest
from tests.apiserver.controllers.workloads.world import kinds, template, virtually, workload, world

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.admission import NoAdmission

CAREFUL = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
ROLLBACK_TO = "deprecated.deployment.rollback.to"


def conditions(obj):
    return {each["type"]: (each["status"], each["reason"]) for each in obj["status"].get("conditions", ())}


def revision(obj):
    return obj["metadata"]["annotations"]["deployment.kubernetes.io/revision"]


def sizes(at):
    return {revision(each): each["spec"]["replicas"] for each in at.all(kinds.REPLICA_SET)}


@virtually
async def test_a_deployment_runs_its_pods_through_a_replica_set():
    async with world() as at:
        await at.create(workload("Deployment", replicas=3))
        await at.rest()
        deployment = at.get(kinds.DEPLOYMENT, "web")
        assert deployment["status"] | {"conditions": ()} == {
            "observedGeneration": 1,
            "replicas": 3,
            "updatedReplicas": 3,
            "readyReplicas": 3,
            "availableReplicas": 3,
            "terminatingReplicas": 0,
            "conditions": (),
        }
        assert conditions(deployment) == {
            "Available": ("True", "MinimumReplicasAvailable"),
            "Progressing": ("True", "NewReplicaSetAvailable"),
        }
        (owned,) = at.all(kinds.REPLICA_SET)
        letters = owned["metadata"]["labels"]["pod-template-hash"]
        assert owned["metadata"]["name"] == f"web-{letters}"
        assert len(letters) == 10
        assert owned["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": letters}
        assert at.events("Deployment") == [("ScalingReplicaSet", f"Scaled up replica set web-{letters} from 0 to 3")]


@virtually
async def test_a_rollout_never_has_too_few_or_too_many_pods():
    async with world() as at:
        at.kubelet.ready_after_s = 2
        await at.create(workload("Deployment", replicas=4))
        await at.rest(5)
        await at.spec(kinds.DEPLOYMENT, "web", template=template("nginx:2"))
        for _ in range(40):
            await at.rest(0.5)
            active = [pod for pod in at.pods() if "deletionTimestamp" not in pod["metadata"]]
            ready = [
                pod for pod in active if any(each["type"] == "Ready" for each in pod["status"].get("conditions", ()))
            ]
            assert len(active) <= 5
            assert len(ready) >= 3
        assert sizes(at) == {"1": 0, "2": 4}


@virtually
async def test_going_back_takes_the_old_set_again_under_a_new_revision():
    async with world() as at:
        await at.create(workload("Deployment", replicas=1, strategy=CAREFUL))
        await at.rest(1)
        first = at.all(kinds.REPLICA_SET)[0]["metadata"]["name"]
        for tag in ("2", "1"):
            await at.spec(kinds.DEPLOYMENT, "web", template=template(f"nginx:{tag}"))
            await at.rest(1)
        again = at.get(kinds.REPLICA_SET, first)
        assert revision(again) == "3"
        assert again["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"] == "1"
        assert revision(at.get(kinds.DEPLOYMENT, "web")) == "3"
        assert sizes(at) == {"2": 0, "3": 1}


@pytest.mark.parametrize(
    ("asked", "reason", "image", "why"),
    [
        ("1", "DeploymentRollback", "nginx:1", "the revision is there and differs"),
        ("0", "DeploymentRollback", "nginx:1", "zero means the one before"),
        ("2", "DeploymentRollbackTemplateUnchanged", "nginx:2", "it is what is there"),
        ("9", "DeploymentRollbackRevisionNotFound", "nginx:2", "there is no such revision"),
    ],
)
@virtually
async def test_an_annotation_can_ask_for_an_earlier_revision(asked, reason, image, why):
    async with world() as at:
        await at.create(workload("Deployment", replicas=1, strategy=CAREFUL))
        await at.rest(1)
        await at.spec(kinds.DEPLOYMENT, "web", template=template("nginx:2"))
        await at.rest(1)
        await at.annotate(kinds.DEPLOYMENT, "web", {ROLLBACK_TO: asked})
        await at.rest(1)
        deployment = at.get(kinds.DEPLOYMENT, "web")
        assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == image, why
        assert ROLLBACK_TO not in deployment["metadata"]["annotations"]
        assert reason in [each for each, _ in at.events("Deployment")]


@virtually
async def test_the_first_revision_has_nothing_before_it_to_go_back_to():
    async with world() as at:
        await at.create(workload("Deployment", replicas=1))
        await at.rest(1)
        await at.annotate(kinds.DEPLOYMENT, "web", {ROLLBACK_TO: "0"})
        await at.rest(1)
        assert ("DeploymentRollbackRevisionNotFound", "Unable to find last revision.") in at.events("Deployment")


@virtually
async def test_a_rollout_that_stands_still_is_told_after_its_deadline_and_goes_on_when_it_can():
    async with world() as at:
        await at.create(
            workload("Deployment", replicas=1, progressDeadlineSeconds=30, template=template(behaviour="stall"))
        )
        await at.rest(29)
        assert conditions(at.get(kinds.DEPLOYMENT, "web"))["Progressing"] == ("True", "ReplicaSetUpdated")
        await at.rest(3)
        stuck = at.get(kinds.DEPLOYMENT, "web")
        assert conditions(stuck)["Progressing"] == ("False", "ProgressDeadlineExceeded")
        await at.spec(kinds.DEPLOYMENT, "web", template=template("nginx:2"))
        await at.rest(1)
        assert conditions(at.get(kinds.DEPLOYMENT, "web"))["Progressing"] == ("True", "NewReplicaSetAvailable")


@virtually
async def test_without_a_deadline_nobody_waits_for_progress():
    async with world() as at:
        await at.create(workload("Deployment", replicas=1, progressDeadlineSeconds=2**31 - 1))
        await at.rest(1)
        assert set(conditions(at.get(kinds.DEPLOYMENT, "web"))) == {"Available"}


@virtually
async def test_recreating_waits_until_the_last_old_pod_is_gone():
    async with world() as at:
        at.kubelet.linger_s = 20
        await at.create(workload("Deployment", replicas=2, strategy={"type": "Recreate"}))
        await at.rest(1)
        await at.spec(kinds.DEPLOYMENT, "web", template=template("nginx:2"))
        await at.rest(10)
        assert sizes(at) == {"1": 0}, "the old pods are still there, on their way out"
        assert at.get(kinds.DEPLOYMENT, "web")["status"]["terminatingReplicas"] == 2
        await at.rest(15)
        assert sizes(at) == {"1": 0, "2": 2}


@virtually
async def test_a_paused_deployment_is_scaled_but_not_rolled():
    async with world() as at:
        await at.create(workload("Deployment", replicas=1))
        await at.rest(1)
        await at.spec(kinds.DEPLOYMENT, "web", paused=True, replicas=3, template=template("nginx:2"))
        await at.rest(1)
        assert sizes(at) == {"1": 3}
        assert conditions(at.get(kinds.DEPLOYMENT, "web"))["Progressing"] == ("Unknown", "DeploymentPaused")


@virtually
async def test_old_sets_beyond_the_history_limit_are_deleted():
    async with world() as at:
        await at.create(workload("Deployment", replicas=1, revisionHistoryLimit=2))
        for tag in range(1, 6):
            await at.spec(kinds.DEPLOYMENT, "web", template=template(f"nginx:{tag}"))
            await at.rest(1)
        assert sizes(at) == {"3": 0, "4": 0, "5": 1}


@virtually
async def test_a_set_of_that_name_which_is_not_ours_makes_the_hash_another():
    async with world() as at:
        await at.create(workload("Deployment", replicas=1))
        await at.rest(1)
        (owned,) = at.all(kinds.REPLICA_SET)
        name = owned["metadata"]["name"]
        await at.delete(kinds.DEPLOYMENT, "web")
        await at.rest(1)
        await at.create(
            workload(
                "ReplicaSet",
                name,
                replicas=0,
                selector={"matchLabels": {"a": "b"}},
                template=template(labels={"a": "b"}),
            )
        )
        await at.create(workload("Deployment", replicas=1))
        await at.rest(5)
        deployment = at.get(kinds.DEPLOYMENT, "web")
        assert deployment["status"]["collisionCount"] == 1
        assert deployment["status"]["availableReplicas"] == 1


class NoReplicaSets(NoAdmission):
    refusing = True

    async def check(self, attributes):
        if self.refusing and attributes.scope.resource.plural == "replicasets" and not attributes.scope.subresource:
            raise statuses.forbidden("apps", "replicasets", "", "no")


@virtually
async def test_a_set_that_may_not_be_created_is_told_and_tried_again():
    gate = NoReplicaSets()
    async with world(admission=gate) as at:
        await at.create(workload("Deployment", replicas=1))
        await at.rest(1)
        deployment = at.get(kinds.DEPLOYMENT, "web")
        assert conditions(deployment)["Progressing"] == ("False", "ReplicaSetCreateError")
        ((reason, message),) = at.events("Deployment")
        assert reason == "ReplicaSetCreateError"
        assert message.startswith('Failed to create new replica set "web-')
        gate.refusing = False
        await at.rest(120)
        assert at.get(kinds.DEPLOYMENT, "web")["status"]["availableReplicas"] == 1


@virtually
async def test_a_deployment_that_is_going_only_tells_how_it_is():
    async with world() as at:
        await at.create(workload("Deployment", replicas=1) | {"metadata": {"name": "web", "finalizers": ["test/hold"]}})
        await at.rest(1)
        await at.delete(kinds.DEPLOYMENT, "web")
        await at.spec(kinds.DEPLOYMENT, "web", replicas=5)
        await at.rest(1)
        assert at.get(kinds.DEPLOYMENT, "web")["status"]["observedGeneration"] == 3
        assert sizes(at) in ({}, {"1": 1})


@virtually
async def test_a_deployment_takes_in_a_set_that_its_selector_matches():
    async with world() as at:
        await at.create(
            workload("ReplicaSet", "stray", replicas=1) | {"metadata": {"name": "stray", "labels": {"app": "web"}}}
        )
        await at.rest(1)
        await at.create(workload("Deployment", replicas=1))
        await at.rest(1)
        (owned,) = at.all(kinds.REPLICA_SET)
        assert owned["metadata"]["name"] == "stray"
        assert owned["metadata"]["ownerReferences"][0]["name"] == "web"
        assert conditions(at.get(kinds.DEPLOYMENT, "web"))["Progressing"][0] == "True"
