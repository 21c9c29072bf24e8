"""What annotations, scenarios and probes make of a container."""

import pytest
from tests.apiserver.nodes.objects import pod

from plumbline.apiserver.nodes import Rule, Scenario, Timing
from plumbline.apiserver.nodes.pods.behavior import Exit, behavior_of, misunderstood, stop_after_s
from plumbline.apiserver.nodes.pods.view import PodView


def behavior(obj, container="c", scenario=None):
    view = PodView(obj)
    found = next(each for each in view.containers if each.name == container)
    return behavior_of(view, found, scenario or Scenario(), Timing())


EXITS = [
    ({}, "Always", None, "a server runs until it is stopped"),
    ({}, "Never", Exit(0, "Completed", 1.0), "work ends well after a while"),
    ({}, "OnFailure", Exit(0, "Completed", 1.0), "work that may be repeated, too"),
    ({"behavior": "crash"}, "Always", Exit(1, "Error", 0.0), "a crash comes at once"),
    ({"behavior": "crash", "run-for": "5s"}, "Always", Exit(1, "Error", 5.0), "unless told to wait"),
    ({"behavior": "exit-3"}, "Never", Exit(3, "Error", 1.0), "a code of one's own"),
    ({"behavior": "exit-0"}, "Always", Exit(0, "Completed", 0.0), "a server that ends well, at once"),
    ({"behavior": "oom"}, "Always", Exit(137, "OOMKilled", 0.0), "out of memory"),
    ({"run-for": "2s"}, "Always", Exit(0, "Completed", 2.0), "a server with an end"),
    ({"behavior": "exit-999"}, "Always", None, "no such code"),
    ({"behavior.other": "crash"}, "Always", None, "meant for another container"),
    (
        {"behavior": "crash", "behavior.c": "exit-4"},
        "Always",
        Exit(4, "Error", 0.0),
        "what is meant for one goes first",
    ),
]


@pytest.mark.parametrize(("annotations", "policy", "wanted", "why"), EXITS)
def test_how_a_container_ends(annotations, policy, wanted, why):
    assert behavior(pod(annotations=annotations, restartPolicy=policy)).exit == wanted, why


COMMANDS = [
    ({}, "Always", "sleep 9", Exit(0, "Completed", 9.0), "a server whose command ends"),
    ({}, "Never", "exit 3", Exit(3, "Error", 0.0), "work ends as its command does"),
    ({}, "Never", "sleep inf", None, "a command without an end"),
    ({}, "Never", "migrate", Exit(0, "Completed", 1.0), "a command that nobody can foretell"),
    ({"behavior": "exit-4"}, "Never", "sleep 9", Exit(4, "Error", 1.0), "what it is told goes before its command"),
    ({"run-for": "2s"}, "Never", "sleep 9; exit 3", Exit(3, "Error", 2.0), "of which the code stays"),
    ({"behavior": "never-ready"}, "Never", "sleep 9", Exit(0, "Completed", 9.0), "unless that is about something else"),
]


@pytest.mark.parametrize(("annotations", "policy", "script", "wanted", "why"), COMMANDS)
def test_a_command_that_can_be_foretold_says_how_a_container_ends(annotations, policy, script, wanted, why):
    made = {"name": "c", "image": "x", "command": ["sh", "-c", script]}
    assert behavior(pod(annotations=annotations, restartPolicy=policy, containers=[made])).exit == wanted, why


def test_init_containers_end_at_once_and_heed_only_their_own_annotations():
    obj = pod(annotations={"behavior": "crash", "run-for.i": "2s"}, initContainers=[{"name": "i", "image": "x"}])
    assert behavior(obj, "i").exit == Exit(0, "Completed", 2.0)


PROBES = [
    ({}, 0.0, 0.0, "without probes it is ready at once"),
    ({"readinessProbe": {"initialDelaySeconds": 5}}, 0.0, 5.0, "after the first probe"),
    ({"readinessProbe": {"successThreshold": 3, "periodSeconds": 2}}, 0.0, 4.0, "after the third"),
    ({"startupProbe": {"initialDelaySeconds": 7}, "readinessProbe": {}}, 7.0, 7.0, "not before it is up"),
]


@pytest.mark.parametrize(("probes", "up", "ready", "why"), PROBES)
def test_when_a_container_gets_ready(probes, up, ready, why):
    made = behavior(pod(containers=[{"name": "c", "image": "x", **probes}]))
    assert (made.up_after_s, made.ready_after_s) == (up, ready), why


def test_readiness_can_be_told():
    assert behavior(pod(annotations={"ready-after": "9s"})).ready_after_s == 9.0
    assert behavior(pod(annotations={"behavior": "never-ready"})).ready_after_s is None


def test_a_scenario_speaks_where_annotations_are_silent():
    scenario = Scenario(rules=[Rule(says={"behavior": "crash", "log": "a\nb"}, pod="web-*", image="*nginx*")])
    assert behavior(pod("web-1"), scenario=scenario).exit == Exit(1, "Error", 0.0)
    assert behavior(pod("web-1"), scenario=scenario).log == ["a", "b"]
    assert behavior(pod("db-1"), scenario=scenario).exit is None
    assert behavior(pod("web-1", annotations={"behavior": "oom"}), scenario=scenario).exit == Exit(
        137, "OOMKilled", 0.0
    )


@pytest.mark.parametrize("image", ["nginx:does-not-exist", "invalid.example/x"])
def test_some_images_cannot_be_pulled(image):
    assert not behavior(pod(containers=[{"name": "c", "image": image}])).pulls
    everything = Scenario(unpullable=())
    assert behavior(pod(containers=[{"name": "c", "image": image}]), scenario=everything).pulls


def test_annotations_that_mean_nothing_are_named():
    told = {"behavior": "explode", "ready-after": "soon", "behavior.c": "crash", "run-for": "3s", "unknown": "x"}
    faults = misunderstood(PodView(pod(annotations=told)))
    assert [fault.split(" is ")[0] for fault in faults] == [
        "Annotation sim.plumbline.dev/behavior",
        "Annotation sim.plumbline.dev/ready-after",
    ]


def test_stopping_takes_no_longer_than_the_grace_period():
    obj = pod(annotations={"stop-after": "20s"})
    obj["metadata"]["deletionGracePeriodSeconds"] = 5
    assert stop_after_s(PodView(obj), Timing()) == 5.0
    obj["metadata"]["annotations"] = {}
    assert stop_after_s(PodView(obj), Timing()) == 1.0
