"""Where pods go, and why they go nowhere; the sentences are those of kube-scheduler 1.36."""

import asyncio

import pytest
from tests.apiserver.nodes.objects import claim, container, mounting, pod, storage_class, volume
from tests.apiserver.nodes.stage import NODE, POD, on_stage, staged, virtually

from plumbline.apiserver.nodes import Capacity, NodeSettings
from plumbline.apiserver.nodes.scheduling.affinity import Term, node_matches, selector_of
from plumbline.apiserver.nodes.scheduling.filters import Refusal
from plumbline.apiserver.nodes.scheduling.placement import Candidate, Place
from plumbline.apiserver.nodes.scheduling.tainting import tolerates
from plumbline.apiserver.nodes.scheduling.volumes import PodClaims
from plumbline.apiserver.nodes.scheduling.wording import misfit
from plumbline.kube.names import GroupKind

SMALL = NodeSettings(capacity=Capacity(cpu="1", memory="1Gi", pods=3))
HELPLESS = (
    "no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
)
NO_VICTIMS = (
    "no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
)
CLASS = GroupKind("storage.k8s.io", "StorageClass")
PRIORITY_CLASS = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "meek"},
    "value": 5,
    "preemptionPolicy": "Never",
}


def asking(**requests):
    return {"containers": [container(resources={"requests": requests})]}


def required(*terms):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def near(field: str, **labels):
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels}}
    return {field: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


AFFINITY = "1 node(s) didn't match Pod's node affinity/selector."
REFUSED = [
    ({"nodeSelector": {"a": "b"}}, f"{AFFINITY} {HELPLESS}", "a label that no node has"),
    (
        {"affinity": required({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["x"]}]})},
        f"{AFFINITY} {HELPLESS}",
        "another node by name",
    ),
    ({"affinity": required({})}, f"{AFFINITY} {HELPLESS}", "a term that says nothing matches nothing"),
    (asking(cpu="900m"), f"1 Insufficient cpu. {NO_VICTIMS}", "too little is left"),
    (asking(cpu="5"), f"1 Insufficient cpu. {HELPLESS}", "more than there ever was"),
    (
        asking(cpu="5", memory="9Gi"),
        f"1 Insufficient cpu, 1 Insufficient memory. {HELPLESS}",
        "too much of everything",
    ),
    (
        {**asking(cpu="5"), "priorityClassName": "meek"},
        "1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
        "who does not want to preempt",
    ),
    (
        {"affinity": near("podAffinity", no="such")},
        f"1 node(s) didn't match pod affinity rules. {HELPLESS}",
        "near somebody who is not there",
    ),
    (
        {"affinity": near("podAntiAffinity", app="first")},
        f"1 node(s) didn't match pod anti-affinity rules. {NO_VICTIMS}",
        "far from somebody who is there",
    ),
    (
        {"containers": [container(ports=[{"containerPort": 80, "hostPort": 80}])]},
        f"1 node(s) didn't have free ports for the requested pod ports. {NO_VICTIMS}",
        "a port that is taken",
    ),
    (
        {
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": "zone",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchLabels": {"a": "b"}},
                }
            ]
        },
        f"1 node(s) didn't match pod topology spread constraints (missing required label). {HELPLESS}",
        "a topology that the node has not",
    ),
    (
        {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]},
        'persistentvolumeclaim "none" not found. not found',
        "a claim that is not there",
    ),
]


@pytest.mark.parametrize(("spec", "message", "why"), REFUSED)
def test_says_why_a_pod_fits_nowhere(spec, message, why):
    @virtually
    async def story():
        async with staged(SMALL) as stage:
            taken = container(ports=[{"containerPort": 80, "hostPort": 80}], resources={"requests": {"cpu": "200m"}})
            await stage.apply(PRIORITY_CLASS, pod("first", labels={"app": "first"}, containers=[taken]))
            await stage.settle()
            await stage.apply(pod("web", **spec))
            await stage.settle()
            condition = stage.condition("web", "PodScheduled")
            assert (condition["status"], condition["reason"]) == ("False", "Unschedulable")
            assert condition["message"] == f"0/1 nodes are available: {message}", why
            assert stage.events("web") == [("FailedScheduling", condition["message"])]

    story()


PLACED = [
    ({"nodeSelector": {"kubernetes.io/os": "linux"}}, "a label that the node has"),
    (
        {
            "affinity": required(
                {"matchExpressions": [{"key": "kubernetes.io/arch", "operator": "NotIn", "values": ["arm64"]}]}
            )
        },
        "an expression that holds",
    ),
    ({"affinity": required({}, {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "Exists"}]})}, "or"),
    ({"affinity": near("podAffinity", app="web")}, "the first of its kind may be near itself"),
    ({"affinity": near("podAntiAffinity", app="web")}, "nobody of its kind is there yet"),
    ({"tolerations": [{"operator": "Exists"}]}, "it tolerates everything"),
]


@pytest.mark.parametrize(("spec", "why"), PLACED)
def test_places_what_fits(spec, why):
    @virtually
    async def story():
        async with staged() as stage:
            await stage.apply(pod("web", labels={"app": "web"}, **spec))
            await stage.settle()
            assert stage.pod("web")["spec"].get("nodeName") == "plumbline", why

    story()


@on_stage()
async def test_taints_keep_pods_away_unless_they_tolerate_them(stage):
    taints = [{"key": "k", "value": "v", "effect": "NoSchedule"}, {"key": "soft", "effect": "PreferNoSchedule"}]
    await stage.cluster.edit(
        stage.get(NODE, "plumbline", ""), lambda live: {**live, "spec": {**live["spec"], "taints": taints}}
    )
    await stage.settle()
    tolerant = [{"key": "k", "value": "v", "effect": "NoSchedule"}]
    await stage.apply(pod("a"), pod("b", tolerations=tolerant), pod("c", tolerations=[{"key": "k", "value": "x"}]))
    await stage.settle()
    message = stage.condition("a", "PodScheduled")["message"]
    assert message == f"0/1 nodes are available: 1 node(s) had untolerated taint(s). {HELPLESS}"
    assert stage.status("b")["phase"] == "Running"
    assert stage.condition("c", "PodScheduled")["status"] == "False"


@on_stage()
async def test_gated_pods_wait_without_an_event(stage):
    await stage.apply(pod("web", schedulingGates=[{"name": "x.y/gate"}]))
    await stage.settle()
    condition = stage.condition("web", "PodScheduled")
    assert condition["reason"] == "SchedulingGated"
    assert condition["message"] == "Scheduling is blocked due to non-empty scheduling gates"
    assert stage.events("web") == []
    await stage.change("web", lambda spec: {**spec, "schedulingGates": []})
    assert stage.status("web")["phase"] == "Running"


@on_stage()
async def test_pods_of_another_scheduler_are_left_alone(stage):
    await stage.apply(pod("web", schedulerName="mine"))
    await stage.settle()
    assert "conditions" not in stage.status("web")


@on_stage(settings=SMALL)
async def test_who_did_not_fit_is_tried_again_when_somebody_leaves(stage):
    await stage.apply(*(pod(f"p{number}") for number in range(4)))
    await stage.settle()
    full = [name for name in ("p0", "p1", "p2", "p3") if stage.status(name)["phase"] == "Pending"]
    assert len(full) == 1
    message = stage.condition(full[0], "PodScheduled")["message"]
    assert message == f"0/1 nodes are available: 1 Too many pods. {NO_VICTIMS}"
    await stage.delete(POD, "p0")
    await asyncio.sleep(2)
    assert stage.status(full[0])["phase"] == "Running"


@on_stage(settings=SMALL)
async def test_finished_pods_take_no_room(stage):
    done = pod("job", restartPolicy="Never", **asking(cpu="1"))
    await stage.apply(done, pod("web", **asking(cpu="1")))
    await stage.settle()
    assert stage.status("web")["phase"] == "Pending"
    await asyncio.sleep(2)
    assert stage.status("web")["phase"] == "Running"


@on_stage(settings=SMALL)
async def test_telling_the_same_again_costs_nothing(stage):
    await stage.apply(pod("web", nodeSelector={"a": "b"}))
    await stage.settle()
    stage.observe_writes()
    for number in range(3):
        await stage.apply(pod(f"p{number}"))
        await stage.delete(POD, f"p{number}")
        await asyncio.sleep(2)
    assert not [write for write in stage.writes if "default/web" in write]


@on_stage()
async def test_labels_of_a_node_may_change_its_mind(stage):
    await stage.apply(pod("web", nodeSelector={"disk": "ssd"}))
    await stage.settle()
    node = stage.get(NODE, "plumbline", "")
    labels = {**node["metadata"]["labels"], "disk": "ssd"}
    await stage.cluster.edit(node, lambda live: {**live, "metadata": {**live["metadata"], "labels": labels}})
    await stage.settle()
    assert stage.status("web")["phase"] == "Running"


@on_stage()
async def test_nobody_is_placed_beside_one_who_minds(stage):
    await stage.apply(pod("first", labels={"app": "first"}, affinity=near("podAntiAffinity", app="web")))
    await stage.settle()
    await stage.apply(pod("web", labels={"app": "web"}))
    await stage.settle()
    message = stage.condition("web", "PodScheduled")["message"]
    assert (
        message == f"0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. {NO_VICTIMS}"
    )


@on_stage()
async def test_without_nodes_there_is_no_place(stage):
    await stage.cluster.delete(stage.get(NODE, "plumbline", ""))
    await stage.apply(pod("web"))
    await stage.settle()
    assert stage.condition("web", "PodScheduled")["message"] == "no nodes available to schedule pods"


def spread(**more):
    constraint = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **more}
    return {"topologySpreadConstraints": [{"labelSelector": {"matchLabels": {"app": "web"}}, **constraint}]}


def simulated(name: str, **labels):
    metadata = {"name": name, "labels": labels, "annotations": {"plumbline.dev/simulated": "true"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


@virtually
async def test_pods_are_spread_over_zones():
    async with staged(NodeSettings(labels={"zone": "a"})) as stage:
        await stage.apply(simulated("n2", zone="b"))
        await stage.settle()
        for number in range(4):
            await stage.apply(pod(f"p{number}", labels={"app": "web", "rev": "1"}, **spread(matchLabelKeys=["rev"])))
            await stage.settle()
        places = [stage.pod(f"p{number}")["spec"]["nodeName"] for number in range(4)]
        assert sorted(places) == ["n2", "n2", "plumbline", "plumbline"]
        lonely = {"nodeSelector": {"zone": "a"}, **spread(nodeAffinityPolicy="Ignore")}
        await stage.apply(pod("p4", labels={"app": "web", "rev": "1"}, **lonely))
        await stage.settle()
        await stage.apply(pod("p5", labels={"app": "web", "rev": "1"}, **lonely))
        await stage.settle()
        message = stage.condition("p5", "PodScheduled")["message"]
        assert "1 node(s) didn't match Pod's node affinity/selector" in message
        assert "1 node(s) didn't match pod topology spread constraints" in message
        assert message.startswith("0/2 nodes are available: ")


@virtually
async def test_the_emptier_node_is_taken():
    async with staged() as stage:
        await stage.apply(pod("first", **asking(cpu="4")))
        await stage.settle()
        await stage.apply(simulated("n2"))
        await stage.settle()
        await stage.apply(pod("web", **asking(cpu="1")))
        await stage.settle()
        assert stage.pod("web")["spec"]["nodeName"] == "n2"


@virtually
async def test_affinity_knows_namespaces():
    async with staged() as stage:
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other", "labels": {"team": "x"}}}
        await stage.apply(space)
        await stage.settle()
        friend = pod("friend", labels={"app": "friend"})
        friend["metadata"]["namespace"] = "other"
        await stage.apply(friend)
        await stage.settle()
        term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "friend"}}}
        cases = {
            "own": ({}, "Pending"),
            "named": ({"namespaces": ["other"]}, "Running"),
            "chosen": ({"namespaceSelector": {"matchLabels": {"team": "x"}}}, "Running"),
            "unchosen": ({"namespaceSelector": {"matchLabels": {"team": "y"}}}, "Pending"),
        }
        for name, (more, phase) in cases.items():
            affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{**term, **more}]}}
            await stage.apply(pod(name, affinity=affinity))
            await stage.settle()
            assert stage.status(name)["phase"] == phase, name


@on_stage()
async def test_a_pod_waits_for_its_claim(stage):
    await stage.apply(claim("late", class_="none"), mounting("late", "web"))
    await stage.settle()
    message = stage.condition("web", "PodScheduled")["message"]
    assert message == "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    await stage.apply(storage_class("none", provisioner="x.y/z"))
    await stage.settle()
    assert stage.status("web")["phase"] == "Running"


@on_stage()
async def test_a_claim_may_wait_for_its_pod(stage):
    await stage.apply(storage_class("lazy", provisioner="x.y/z", volumeBindingMode="WaitForFirstConsumer"))
    await stage.apply(claim("data", class_="lazy"))
    await stage.settle()
    assert stage.get("PersistentVolumeClaim", "data")["status"]["phase"] == "Pending"
    await stage.apply(mounting("data", "web"))
    await stage.settle()
    assert stage.get("PersistentVolumeClaim", "data")["status"]["phase"] == "Bound"
    assert stage.status("web")["phase"] == "Running"


@on_stage()
async def test_a_volume_may_be_bound_to_another_node(stage):
    elsewhere = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["other"]}]}
    local = {"required": {"nodeSelectorTerms": [elsewhere]}}
    await stage.apply(volume("local", nodeAffinity=local), claim("data", class_="manual"), mounting("data", "web"))
    await stage.settle()
    message = stage.condition("web", "PodScheduled")["message"]
    assert message.startswith("0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity. ")


OBSTACLES = [
    ({"metadata": {"deletionTimestamp": "x"}}, 'persistentvolumeclaim "data" is being deleted'),
    (
        {"status": {"phase": "Lost"}, "spec": {"volumeName": "v"}},
        'persistentvolumeclaim "data" bound to non-existent persistentvolume "v"',
    ),
]


@pytest.mark.parametrize(("found", "message"), OBSTACLES)
def test_a_claim_may_be_in_the_way(found, message):
    class Stores:
        def claim(self, namespace, name):
            return found

        def volume(self, name):
            return None

        def waits_for_consumer(self, claim):
            return False

    assert PodClaims(Candidate(mounting("data")), Stores()).obstacle == message


def test_reasons_are_counted_over_all_nodes():
    refusals = {"a": Refusal(["Too many pods"], preemptable=True), "b": Refusal(["Too many pods"]), "c": Refusal(["x"])}
    assert misfit(refusals, preempts=True) == (
        "0/3 nodes are available: 1 x, 2 Too many pods. no new claims to deallocate, preemption: 0/3 nodes are "
        "available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
    )


def place(**labels):
    return Place({"metadata": {"name": "n", "labels": labels}}, [])


EXPRESSIONS = [
    ("In", ["a", "b"], True, "one of them"),
    ("NotIn", ["a"], False, "none of them"),
    ("Exists", [], True, "there"),
    ("DoesNotExist", [], False, "not there"),
    ("Near", ["a"], False, "no such operator"),
    ("Gt", [], False, "more than nothing in particular"),
]


@pytest.mark.parametrize(("operator", "values", "matches", "why"), EXPRESSIONS)
def test_expressions_about_nodes(operator, values, matches, why):
    term = {"matchExpressions": [{"key": "k", "operator": operator, "values": values}]}
    assert node_matches({"nodeSelectorTerms": [term]}, place(k="a")) is matches, why


@pytest.mark.parametrize(("operator", "value", "matches"), [("Gt", "3", True), ("Lt", "3", False), ("Gt", "x", False)])
def test_labels_can_be_numbers(operator, value, matches):
    term = {"matchExpressions": [{"key": "k", "operator": operator, "values": [value]}]}
    assert node_matches({"nodeSelectorTerms": [term]}, place(k="5")) is matches


def test_terms_may_match_by_the_values_of_their_owner():
    owner = Candidate(pod("p", labels={"rev": "2"}))
    same, other = (
        Candidate(pod("a", labels={"app": "x", "rev": "2"})),
        Candidate(pod("b", labels={"app": "x", "rev": "1"})),
    )
    base = {"topologyKey": "h", "labelSelector": {"matchLabels": {"app": "x"}}}
    alike = Term(owner, {**base, "matchLabelKeys": ["rev"]}, lambda _: {})
    unlike = Term(owner, {**base, "mismatchLabelKeys": ["rev"]}, lambda _: {})
    nothing = Term(owner, {"topologyKey": "h"}, lambda _: {})
    assert (alike.matches(same), alike.matches(other)) == (True, False)
    assert (unlike.matches(same), unlike.matches(other)) == (False, True)
    assert not nothing.matches(same)
    assert not selector_of({"matchExpressions": [{"key": "", "operator": "?"}]}).matches({})


TOLERATIONS = [
    ({"key": "k", "operator": "Exists"}, True, "whatever the value"),
    ({"key": "k", "value": "v"}, True, "the same value"),
    ({"key": "k", "value": "w"}, False, "another value"),
    ({"key": "other", "operator": "Exists"}, False, "another key"),
    ({"key": "k", "operator": "Exists", "effect": "NoExecute"}, False, "another effect"),
    ({"operator": "Exists"}, True, "everything"),
    ({}, False, "nothing"),
]


@pytest.mark.parametrize(("toleration", "tolerated", "why"), TOLERATIONS)
def test_tolerations(toleration, tolerated, why):
    taint = {"key": "k", "value": "v", "effect": "NoSchedule"}
    assert tolerates(Candidate(pod("p", tolerations=[toleration])), taint) is tolerated, why


@on_stage()
async def test_the_same_refusal_again_is_counted(stage):
    for label in ("a", "b"):
        await stage.cluster.edit(
            stage.get(NODE, "plumbline", ""), lambda live: {**live, "spec": {**live["spec"], "unschedulable": False}}
        )
        await stage.apply(pod("web", nodeSelector={"a": label})) if label == "a" else None
        await stage.settle()
        await stage.cluster.edit(
            stage.get(NODE, "plumbline", ""), lambda live: {**live, "spec": {**live["spec"], "unschedulable": True}}
        )
        await stage.settle()
    counted = [
        each.get("series", {}).get("count", 1)
        for each in stage.cluster.objects(stage.EVENT)
        if each["reason"] == "FailedScheduling"
    ]
    assert sorted(counted) == [2, 2]
