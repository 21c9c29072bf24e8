"""DaemonSets: where their pods are, and how they are replaced."""

import pytest
from tests.apiserver.controllers.workloads.world import kinds, node, template, virtually, workload, world

from plumbline.apiserver import statuses
from plumbline.apiserver.controllers.workloads.daemonsets.placing import target_node, tolerations, verdict
from plumbline.apiserver.controllers.workloads.podviews import pod_from
from plumbline.apiserver.objects.admission import NoAdmission, Operation
from plumbline.kube.object import Object

WEB = kinds.DAEMON_SET, "web"
NODES = ("node-1", "node-2", "node-3")
NO_SCHEDULE = {"key": "special", "effect": "NoSchedule"}
NO_EXECUTE = {"key": "special", "effect": "NoExecute"}


def rolling(surge=0, unavailable=1):
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def nodes_of(at):
    return sorted(pod["spec"].get("nodeName", "") for pod in at.pods() if "deletionTimestamp" not in pod["metadata"])


def images(at):
    return sorted(pod["spec"]["containers"][0]["image"] for pod in at.pods())


async def taint(at, name, *taints):
    await at.cluster.edit(node(name), lambda live: {**live, "spec": {**live["spec"], "taints": list(taints)}})


@virtually
async def test_every_node_has_one_pod_and_so_has_one_that_comes_later():
    async with world(nodes=NODES) as at:
        await at.create(workload("DaemonSet"))
        await at.rest(1)
        assert nodes_of(at) == list(NODES)
        await at.create(node("node-4"))
        await at.rest(1)
        assert nodes_of(at) == [*NODES, "node-4"]
        assert at.get(*WEB)["status"] == {
            "observedGeneration": 1,
            "currentNumberScheduled": 4,
            "desiredNumberScheduled": 4,
            "numberMisscheduled": 0,
            "numberReady": 4,
            "updatedNumberScheduled": 4,
            "numberAvailable": 4,
        }
        (revision,) = at.all(kinds.REVISION)
        assert revision["data"]["spec"]["template"]["$patch"] == "replace"
        assert revision["metadata"]["annotations"] == {"deprecated.daemonset.template.generation": "1"}


@virtually
async def test_a_taint_keeps_new_pods_away_and_drives_old_ones_out():
    async with world(nodes=NODES) as at:
        await taint(at, "node-3", NO_SCHEDULE)
        await at.create(workload("DaemonSet"))
        await at.rest(1)
        assert nodes_of(at) == ["node-1", "node-2"]
        await taint(at, "node-2", NO_SCHEDULE)
        await at.rest(1)
        assert nodes_of(at) == ["node-1", "node-2"], "one that is there may stay"
        assert at.get(*WEB)["status"]["numberMisscheduled"] == 1
        await taint(at, "node-2", NO_EXECUTE)
        await at.rest(1)
        assert nodes_of(at) == ["node-1"]
        await taint(at, "node-3")
        await at.rest(1)
        assert nodes_of(at) == ["node-1", "node-3"]


@virtually
async def test_labels_of_nodes_decide():
    async with world(nodes=NODES) as at:
        await at.create(workload("DaemonSet", template=template(nodeSelector={"disk": "fast"})))
        await at.rest(1)
        assert at.pods() == []
        await at.label(kinds.NODE, "node-2", {"disk": "fast"})
        await at.rest(1)
        assert nodes_of(at) == ["node-2"]
        await at.label(kinds.NODE, "node-2", {})
        await at.rest(1)
        assert at.pods() == []


@virtually
async def test_a_pod_for_a_node_that_is_gone_is_not_waited_for():
    async with world(nodes=("node-1", "node-2")) as at:
        await at.create(workload("DaemonSet", template=template(behaviour="pend")))
        await at.rest(1)
        assert len(at.pods()) == 2
        await at.cluster.delete(node("node-2"), force_uid=False)
        await at.rest(1)
        assert len(at.pods()) == 1
        assert at.get(*WEB)["status"]["desiredNumberScheduled"] == 1


@virtually
async def test_an_update_replaces_one_at_a_time():
    async with world(nodes=NODES) as at:
        at.kubelet.ready_after_s = 5
        await at.create(workload("DaemonSet"))
        await at.rest(10)
        await at.spec(*WEB, template=template("nginx:2"))
        await at.rest(1)
        assert images(at) == ["nginx:1", "nginx:1", "nginx:2"]
        await at.rest(30)
        assert images(at) == ["nginx:2"] * 3
        assert at.get(*WEB)["status"]["updatedNumberScheduled"] == 3


@virtually
async def test_a_surge_starts_the_new_pod_before_the_old_one_goes():
    async with world(nodes=NODES) as at:
        at.kubelet.ready_after_s = 5
        await at.create(workload("DaemonSet", updateStrategy=rolling(surge=1, unavailable=0)))
        await at.rest(10)
        await at.spec(*WEB, template=template("nginx:2"))
        await at.rest(1)
        assert images(at) == ["nginx:1", "nginx:1", "nginx:1", "nginx:2"]
        await at.rest(60)
        assert images(at) == ["nginx:2"] * 3


@virtually
async def test_while_surging_a_node_that_repels_by_now_gets_no_new_pod():
    async with world(nodes=NODES) as at:
        await at.create(workload("DaemonSet", updateStrategy=rolling(surge=3, unavailable=0)))
        await at.rest(1)
        await taint(at, "node-3", NO_SCHEDULE)
        await at.spec(*WEB, template=template("nginx:2"))
        await at.rest(5)
        assert nodes_of(at) == ["node-1", "node-2"]
        assert images(at) == ["nginx:2"] * 2


@virtually
async def test_pods_that_do_not_work_are_replaced_without_regard_to_limits():
    async with world(nodes=NODES) as at:
        await at.create(workload("DaemonSet", template=template(behaviour="stall")))
        await at.rest(1)
        await at.spec(*WEB, template=template("nginx:2"))
        await at.rest(1)
        assert images(at) == ["nginx:2"] * 3


@virtually
async def test_on_delete_nothing_is_replaced_unasked():
    async with world() as at:
        await at.create(workload("DaemonSet", updateStrategy={"type": "OnDelete"}))
        await at.rest(1)
        await at.spec(*WEB, template=template("nginx:2"))
        await at.rest(1)
        assert images(at) == ["nginx:1"]
        assert "updatedNumberScheduled" not in at.get(*WEB)["status"]


@pytest.mark.parametrize(("phase", "reason"), [("Failed", "FailedDaemonPod"), ("Succeeded", "SucceededDaemonPod")])
@virtually
async def test_a_pod_that_ended_is_replaced_and_told(phase, reason):
    async with world() as at:
        await at.create(workload("DaemonSet"))
        await at.rest(1)
        (pod,) = at.pods()
        await at.status(pod, phase=phase)
        await at.rest(1)
        (new,) = at.pods()
        assert new["metadata"]["uid"] != pod["metadata"]["uid"]
        assert reason in [each for each, _ in at.events("DaemonSet")]


@virtually
async def test_a_pod_that_fails_again_and_again_is_replaced_ever_more_slowly():
    async with world() as at:
        await at.create(workload("DaemonSet", template=template(behaviour="fail")))
        await at.rest(60)
        created = [reason for reason, _ in at.events("DaemonSet")].count("SuccessfulCreate")
        assert 5 <= created <= 8, "after 1, 2, 4, 8 … seconds"


@virtually
async def test_a_set_with_a_surge_replaces_what_failed_without_waiting():
    async with world() as at:
        await at.create(workload("DaemonSet", updateStrategy=rolling(surge=1, unavailable=0)))
        await at.rest(1)
        (pod,) = at.pods()
        await at.status(pod, phase="Failed")
        await at.rest(1)
        (new,) = at.pods()
        assert new["metadata"]["uid"] != pod["metadata"]["uid"]


@virtually
async def test_one_pod_too_many_on_a_node_goes():
    async with world() as at:
        for name in ("a", "b"):
            spec = {**template()["spec"], "nodeName": "node-1"}
            await at.create(
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "web"}}, "spec": spec}
            )
        await at.create(workload("DaemonSet", updateStrategy=rolling(surge=1, unavailable=0)))
        await at.rest(5)
        assert len(at.pods()) == 1
        await at.create(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c", "labels": {"app": "web"}}, "spec": spec}
        )
        await at.rest(5)
        assert len(at.pods()) == 1


@virtually
async def test_going_back_takes_the_old_revision_again_and_spent_ones_are_forgotten():
    async with world() as at:
        await at.create(workload("DaemonSet", revisionHistoryLimit=1))
        for tag in ("1", "2", "3", "2"):
            await at.spec(*WEB, template=template(f"nginx:{tag}"))
            await at.rest(5)
        assert sorted(each["revision"] for each in at.all(kinds.REVISION)) == [3, 4]


@virtually
async def test_two_revisions_that_say_the_same_become_one():
    async with world() as at:
        await at.create(workload("DaemonSet"))
        await at.rest(1)
        (revision,) = at.all(kinds.REVISION)
        metadata = {"name": "web-double", "labels": {"app": "web"}}
        await at.create({**revision, "metadata": metadata, "revision": 5})
        await at.rest(1)
        (left,) = at.all(kinds.REVISION)
        assert (left["metadata"]["name"], left["revision"]) == ("web-double", 5)
        assert left["metadata"]["ownerReferences"][0]["name"] == "web"
        assert [pod["metadata"]["labels"]["controller-revision-hash"] for pod in at.pods()] == ["web-double"]


@virtually
async def test_a_revision_of_that_name_which_says_something_else_makes_the_hash_another():
    async with world() as at:
        await at.create(workload("DaemonSet"))
        await at.rest(1)
        (revision,) = at.all(kinds.REVISION)
        await at.delete(*WEB)
        await at.rest(1)
        await at.create({**revision, "metadata": {"name": revision["metadata"]["name"]}, "data": {"x": 1}})
        await at.create(workload("DaemonSet"))
        await at.rest(1)
        status = at.get(*WEB)["status"]
        assert (status["collisionCount"], status["numberReady"]) == (1, 1)


class NoPods(NoAdmission):
    refusing = True

    async def check(self, attributes):
        creates = attributes.operation is Operation.CREATE and attributes.scope.resource.plural == "pods"
        if self.refusing and creates:
            raise statuses.forbidden("", "pods", "", "no")


@virtually
async def test_a_refused_pod_is_told_and_tried_again():
    gate = NoPods()
    async with world(admission=gate) as at:
        await at.create(workload("DaemonSet"))
        await at.rest(1)
        assert at.events("DaemonSet") == [("FailedCreate", "Error creating: pods is forbidden: no")]
        assert at.get(*WEB)["status"]["numberUnavailable"] == 1
        gate.refusing = False
        await at.rest(120)
        assert at.get(*WEB)["status"]["numberReady"] == 1


@virtually
async def test_pods_are_available_once_they_were_ready_for_long_enough():
    async with world() as at:
        await at.create(workload("DaemonSet", minReadySeconds=20))
        await at.rest(15)
        assert at.get(*WEB)["status"]["numberUnavailable"] == 1
        await at.rest(10)
        assert at.get(*WEB)["status"]["numberAvailable"] == 1


def placed(spec, *taints, labels=None, name="n"):
    owner = Object({"spec": {"template": {"spec": spec}}})
    return verdict(
        owner, Object({"metadata": {"name": name, "labels": labels or {}}, "spec": {"taints": list(taints)}})
    )


def terms(*expressions, fields=()):
    term = {"matchExpressions": list(expressions), "matchFields": list(fields)}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"affinity": {"nodeAffinity": required}}


def expression(key, operator, *values):
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("spec", "labels", "taints", "expected", "why"),
    [
        ({}, {}, [], (True, True), "nothing said"),
        ({"nodeName": "n"}, {}, [], (True, True), "by name"),
        ({"nodeName": "m"}, {}, [], (False, False), "by another's name"),
        ({"nodeSelector": {"a": "b"}}, {"a": "b"}, [], (True, True), "by label"),
        ({"nodeSelector": {"a": "b"}}, {}, [], (False, False), "without the label"),
        (terms(expression("a", "In", "b")), {"a": "b"}, [], (True, True), "in"),
        (terms(expression("a", "NotIn", "b")), {"a": "b"}, [], (False, False), "not in"),
        (terms(expression("a", "Exists")), {"a": ""}, [], (True, True), "exists"),
        (terms(expression("a", "DoesNotExist")), {}, [], (True, True), "does not exist"),
        (terms(expression("a", "Gt", "1")), {"a": "2"}, [], (True, True), "greater"),
        (terms(expression("a", "Lt", "1")), {"a": "2"}, [], (False, False), "less"),
        (terms(expression("a", "Gt")), {"a": "2"}, [], (False, False), "greater than nothing"),
        (terms(expression("a", "Like", "1")), {"a": "1"}, [], (False, False), "no operator"),
        (terms(fields=[expression("metadata.name", "In", "n")]), {}, [], (True, True), "by field"),
        (terms(fields=[expression("metadata.name", "NotIn", "n")]), {}, [], (False, False), "not by field"),
        (terms(), {}, [], (False, False), "a term that says nothing"),
        ({}, {}, [NO_SCHEDULE], (False, True), "repelled, but one that is there stays"),
        ({}, {}, [NO_EXECUTE], (False, False), "driven out"),
        ({}, {}, [{"key": "x", "effect": "PreferNoSchedule"}], (True, True), "only a preference"),
        ({"tolerations": [{"operator": "Exists"}]}, {}, [NO_EXECUTE], (True, True), "everything is tolerated"),
        (
            {"tolerations": [{"key": "special", "value": "x"}]},
            {},
            [{**NO_SCHEDULE, "value": "x"}],
            (True, True),
            "by value",
        ),
        (
            {"tolerations": [{"key": "special", "value": "y"}]},
            {},
            [{**NO_SCHEDULE, "value": "x"}],
            (False, True),
            "value",
        ),
        (
            {"tolerations": [{"key": "special", "operator": "Exists", "effect": "NoExecute"}]},
            {},
            [NO_SCHEDULE],
            (False, True),
            "another effect",
        ),
        ({}, {}, [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}], (True, True), "daemons stay"),
        (
            {},
            {},
            [{"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}],
            (False, True),
            "needs a network",
        ),
        (
            {"hostNetwork": True},
            {},
            [{"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}],
            (True, True),
            "has the host's",
        ),
    ],
)
def test_a_node_is_for_a_daemon_or_not(spec, labels, taints, expected, why):
    assert placed(spec, *taints, labels=labels) == expected, why


def test_a_toleration_that_is_there_already_is_not_added_twice():
    own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
    assert tolerations({"tolerations": [own]}).count(own) == 1


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"nodeName": "n"}, "n"),
        ({}, ""),
        (terms(fields=[expression("metadata.name", "In", "n")]), "n"),
        (terms(fields=[expression("metadata.name", "In", "n", "m")]), ""),
        (terms(fields=[expression("metadata.name", "NotIn", "n")]), ""),
    ],
)
def test_a_pod_is_tied_to_its_node_before_it_is_bound(spec, expected):
    assert target_node(pod_from({"metadata": {"name": "p"}, "spec": spec})) == expected
