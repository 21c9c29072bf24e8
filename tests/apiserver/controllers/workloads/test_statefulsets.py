"""StatefulSets: order, identity, claims, revisions."""

import pytest
from tests.apiserver.controllers.workloads.world import kinds, template, virtually, workload, world

from plumbline.apiserver import statuses
from plumbline.apiserver.controllers.workloads.statefulsets.identity import identity_of
from plumbline.apiserver.objects.admission import NoAdmission, Operation

CLAIMS = [
    {
        "metadata": {"name": "disk", "labels": {"tier": "slow"}, "annotations": {"note": "x"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
]
WEB = kinds.STATEFUL_SET, "web"
NO_CLAIMS = "persistentvolumeclaims is forbidden: no"


def stateful(**spec):
    return workload("StatefulSet", **{"serviceName": "web", **spec})


def names(objects):
    return sorted(each["metadata"]["name"] for each in objects)


def image_of(pod):
    return pod["spec"]["containers"][0]["image"]


def images(at):
    return {pod["metadata"]["name"]: image_of(pod) for pod in at.pods()}


@virtually
async def test_pods_are_created_one_after_the_other_and_deleted_from_the_last():
    async with world() as at:
        at.kubelet.ready_after_s = 10
        await at.create(stateful(replicas=3))
        await at.rest(5)
        assert names(at.pods()) == ["web-0"]
        await at.rest(10)
        assert names(at.pods()) == ["web-0", "web-1"]
        await at.rest(30)
        assert names(at.pods()) == ["web-0", "web-1", "web-2"]
        await at.spec(*WEB, replicas=1)
        await at.rest(1)
        assert names(at.pods()) == ["web-0"]
        deleted = [message for reason, message in at.events("StatefulSet") if reason == "SuccessfulDelete"]
        assert deleted == [f"Delete Pod web-{n} in StatefulSet web successful" for n in (2, 1)]


@virtually
async def test_in_parallel_nobody_waits():
    async with world() as at:
        at.kubelet.ready_after_s = 10
        await at.create(stateful(replicas=4, podManagementPolicy="Parallel"))
        await at.rest(1)
        assert len(at.pods()) == 4
        await at.spec(*WEB, replicas=0)
        await at.rest(1)
        assert at.pods() == []
        assert at.get(*WEB)["status"]["replicas"] == 0


@virtually
async def test_each_pod_is_somebody():
    async with world() as at:
        await at.create(stateful(replicas=1, ordinals={"start": 7}, volumeClaimTemplates=CLAIMS))
        await at.rest(1)
        (pod,) = at.pods()
        revision = at.get(*WEB)["status"]["currentRevision"]
        assert pod["metadata"]["name"] == "web-7"
        assert pod["metadata"]["labels"] == {
            "app": "web",
            "apps.kubernetes.io/pod-index": "7",
            "statefulset.kubernetes.io/pod-name": "web-7",
            "controller-revision-hash": revision,
        }
        assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("web-7", "web")
        assert pod["spec"]["volumes"] == [{"name": "disk", "persistentVolumeClaim": {"claimName": "disk-web-7"}}]
        claim = at.get(kinds.CLAIM, "disk-web-7")
        assert claim["metadata"]["labels"] == {"tier": "slow", "app": "web"}
        assert claim["metadata"]["annotations"] == {"note": "x"}


@virtually
async def test_an_update_goes_from_the_last_pod_down_to_the_partition():
    async with world() as at:
        at.kubelet.ready_after_s = 5
        await at.create(stateful(replicas=3, podManagementPolicy="Parallel"))
        await at.rest(10)
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
        await at.spec(*WEB, template=template("nginx:2"), updateStrategy=rolling)
        await at.rest(2)
        assert images(at) == {"web-0": "nginx:1", "web-1": "nginx:1", "web-2": "nginx:2"}
        await at.rest(30)
        assert images(at) == {"web-0": "nginx:1", "web-1": "nginx:2", "web-2": "nginx:2"}
        status = at.get(*WEB)["status"]
        assert (status["currentReplicas"], status["updatedReplicas"]) == (1, 2)
        assert status["currentRevision"] != status["updateRevision"]
        await at.delete(kinds.POD, "web-0")
        await at.rest(10)
        assert images(at)["web-0"] == "nginx:1", "below the partition the old template counts"


@virtually
async def test_a_set_that_went_back_uses_the_old_revision_again():
    async with world() as at:
        await at.create(stateful(replicas=1))
        await at.rest(1)
        first = at.get(*WEB)["status"]["currentRevision"]
        for tag in ("2", "1"):
            await at.spec(*WEB, template=template(f"nginx:{tag}"))
            await at.rest(1)
        assert at.get(*WEB)["status"]["currentRevision"] == first
        numbers = {each["metadata"]["name"]: each["revision"] for each in at.all(kinds.REVISION)}
        assert numbers[first] == 3
        data = at.get(kinds.REVISION, first)["data"]
        assert data["spec"]["template"]["$patch"] == "replace"


@virtually
async def test_revisions_beyond_the_limit_are_forgotten():
    async with world() as at:
        await at.create(stateful(replicas=1, revisionHistoryLimit=1))
        for tag in range(1, 5):
            await at.spec(*WEB, template=template(f"nginx:{tag}"))
            await at.rest(1)
        assert sorted(each["revision"] for each in at.all(kinds.REVISION)) == [3, 4]


@virtually
async def test_on_delete_nothing_is_replaced_unasked():
    async with world() as at:
        await at.create(stateful(replicas=2, updateStrategy={"type": "OnDelete"}))
        await at.rest(1)
        await at.spec(*WEB, template=template("nginx:2"))
        await at.rest(1)
        assert set(images(at).values()) == {"nginx:1"}
        await at.delete(kinds.POD, "web-0")
        await at.rest(1)
        assert images(at)["web-0"] == "nginx:2"


@virtually
async def test_a_pod_that_ended_is_replaced():
    async with world() as at:
        await at.create(stateful(replicas=2))
        await at.rest(1)
        uid = at.get(kinds.POD, "web-0")["metadata"]["uid"]
        await at.status(at.get(kinds.POD, "web-0"), phase="Failed")
        await at.rest(1)
        assert at.get(kinds.POD, "web-0")["metadata"]["uid"] != uid


@virtually
async def test_the_next_waits_until_the_last_was_ready_for_long_enough():
    async with world() as at:
        await at.create(stateful(replicas=2, minReadySeconds=20))
        await at.rest(15)
        assert names(at.pods()) == ["web-0"]
        assert at.get(*WEB)["status"]["availableReplicas"] == 0
        await at.rest(10)
        assert names(at.pods()) == ["web-0", "web-1"]


@virtually
async def test_of_several_sick_pods_the_first_has_to_be_well_before_the_last_goes():
    async with world() as at:
        await at.create(stateful(replicas=3))
        await at.rest(1)
        for name in ("web-1", "web-2"):
            await at.status(at.get(kinds.POD, name), conditions=[])
        await at.spec(*WEB, replicas=1)
        await at.rest(1)
        assert names(at.pods()) == ["web-0", "web-1", "web-2"]
        await at.status(at.get(kinds.POD, "web-2"), conditions=[{"type": "Ready", "status": "True"}])
        await at.rest(1)
        assert names(at.pods()) == ["web-0"], "the first sick one itself does not wait"


@virtually
async def test_claims_stay_when_pods_go_unless_the_policy_says_otherwise():
    async with world() as at:
        await at.create(stateful(replicas=2, volumeClaimTemplates=CLAIMS))
        await at.rest(1)
        await at.spec(*WEB, replicas=1)
        await at.rest(1)
        assert names(at.all(kinds.CLAIM)) == ["disk-web-0", "disk-web-1"]
        policy = {"whenScaled": "Delete", "whenDeleted": "Delete"}
        await at.spec(*WEB, persistentVolumeClaimRetentionPolicy=policy, replicas=2)
        await at.rest(1)
        owners = at.get(kinds.CLAIM, "disk-web-1")["metadata"]["ownerReferences"]
        assert [each["kind"] for each in owners] == ["StatefulSet"]
        await at.spec(*WEB, replicas=1)
        await at.rest(1)
        assert names(at.all(kinds.CLAIM)) == ["disk-web-0"]
        await at.delete(*WEB)
        await at.rest(1)
        assert at.all(kinds.CLAIM) == []


@virtually
async def test_a_claim_that_disappeared_is_created_again_for_a_pod_that_waits_for_it():
    async with world() as at:
        await at.create(stateful(replicas=1, volumeClaimTemplates=CLAIMS, template=template(behaviour="pend")))
        await at.rest(1)
        await at.delete(kinds.CLAIM, "disk-web-0")
        await at.annotate(kinds.POD, "web-0", {"touched": "yes"})
        await at.rest(1)
        assert names(at.all(kinds.CLAIM)) == ["disk-web-0"]


@virtually
async def test_a_pod_waits_for_a_claim_that_is_on_its_way_out():
    async with world() as at:
        claim = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "disk-web-0", "finalizers": ["test/hold"]},
            "spec": CLAIMS[0]["spec"],
        }
        await at.create(claim)
        await at.delete(kinds.CLAIM, "disk-web-0")
        await at.create(stateful(replicas=1, volumeClaimTemplates=CLAIMS))
        await at.rest(1)
        assert at.pods() == []
        failed = "Create Pod web-0 in StatefulSet web failed error: pvc disk-web-0 is being deleted"
        assert ("FailedCreate", failed) in at.events("StatefulSet")


@virtually
async def test_a_pod_that_lost_its_name_label_gets_it_back():
    async with world() as at:
        await at.create(stateful(replicas=1))
        await at.rest(1)
        labels = at.get(kinds.POD, "web-0")["metadata"]["labels"]
        kept = {name: value for name, value in labels.items() if "pod-name" not in name}
        await at.label(kinds.POD, "web-0", kept)
        await at.rest(1)
        assert at.get(kinds.POD, "web-0")["metadata"]["labels"] == labels
        assert ("SuccessfulUpdate", "Update Pod web-0 in StatefulSet web successful") in at.events("StatefulSet")


@virtually
async def test_a_claim_of_another_controller_is_left_to_it():
    async with world() as at:
        owner = await at.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "boss"}})
        reference = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": "boss",
            "uid": owner["metadata"]["uid"],
            "controller": True,
        }
        await at.create(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": "disk-web-0", "ownerReferences": [reference]},
                "spec": CLAIMS[0]["spec"],
            }
        )
        policy = {"whenScaled": "Delete", "whenDeleted": "Delete"}
        await at.create(stateful(replicas=1, volumeClaimTemplates=CLAIMS, persistentVolumeClaimRetentionPolicy=policy))
        await at.rest(1)
        assert at.get(kinds.CLAIM, "disk-web-0")["metadata"]["ownerReferences"] == [reference]
        assert "ConflictingController" in [reason for reason, _ in at.events("StatefulSet")]


class Refusing(NoAdmission):
    def __init__(self, plural, operation=Operation.CREATE):
        self.plural, self.operation = plural, operation

    async def check(self, attributes):
        if attributes.scope.resource.plural == self.plural and attributes.operation is self.operation:
            raise statuses.forbidden("", self.plural, "", "no")


@pytest.mark.parametrize(
    ("plural", "told"),
    [
        ("pods", {"Create Pod web-0 in StatefulSet web failed error: pods is forbidden: no"}),
        (
            "persistentvolumeclaims",
            {
                f"Create Claim disk-web-0 for Pod web-0 in StatefulSet web failed error: {NO_CLAIMS}",
                f"Create Pod web-0 in StatefulSet web failed error: failed to create PVC disk-web-0: {NO_CLAIMS}",
            },
        ),
    ],
)
@pytest.mark.parametrize("policy", ["OrderedReady", "Parallel"])
@virtually
async def test_what_may_not_be_created_is_told(plural, told, policy):
    async with world(admission=Refusing(plural)) as at:
        await at.create(stateful(replicas=1, volumeClaimTemplates=CLAIMS, podManagementPolicy=policy))
        await at.rest(1)
        assert {message for reason, message in at.events("StatefulSet") if reason == "FailedCreate"} == told


@pytest.mark.parametrize(
    ("operation", "told"), [(Operation.DELETE, "FailedDelete"), (Operation.UPDATE, "FailedUpdate")]
)
@virtually
async def test_what_may_not_be_changed_is_told(operation, told):
    gate = Refusing("nothing", operation)
    async with world(admission=gate) as at:
        await at.create(stateful(replicas=2))
        await at.rest(1)
        await at.label(kinds.POD, "web-0", {"app": "web"})
        gate.plural = "pods"
        await at.spec(*WEB, replicas=1)
        await at.rest(1)
        assert told in [reason for reason, _ in at.events("StatefulSet")]


@virtually
async def test_a_revision_of_that_name_which_says_something_else_makes_the_hash_another():
    async with world() as at:
        await at.create(stateful(replicas=1))
        await at.rest(1)
        name = at.get(*WEB)["status"]["currentRevision"]
        await at.delete(*WEB)
        await at.rest(1)
        other = {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {"name": name},
            "revision": 1,
            "data": {"x": 1},
        }
        await at.create(other)
        await at.create(stateful(replicas=1))
        await at.rest(1)
        status = at.get(*WEB)["status"]
        assert (status["collisionCount"], status["readyReplicas"]) == (1, 1)
        assert status["currentRevision"] != name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("web-0", ("web", 0)),
        ("a-b-12", ("a-b", 12)),
        ("web", ("", -1)),
        ("web-x", ("", -1)),
        ("web-2147483648", ("web", -1)),
        ("web-99999999999999999999", ("web", -1)),
        ("web-007", ("web", 7)),
    ],
)
def test_an_ordinal_is_the_number_at_the_end(name, expected):
    assert identity_of(name) == expected
