"""What goes wrong with simulated pods, in the words and rhythms of a kubelet."""

import asyncio
import itertools

import pytest
from tests.apiserver.nodes.objects import config_map, container, pod, secret
from tests.apiserver.nodes.stage import on_stage, staged, virtually

from plumbline.apiserver.nodes import Rule, Scenario
from plumbline.kube.names import GroupKind


@on_stage()
async def test_a_crash_is_repeated_with_longer_and_longer_waits(stage):
    await stage.apply(pod("web", annotations={"behavior": "crash"}))
    await stage.settle()
    assert stage.state("web")["terminated"]["exitCode"] == 1
    starts = []
    restarts = 0
    for _ in range(900):
        await asyncio.sleep(1)
        if stage.container("web")["restartCount"] != restarts:
            restarts = stage.container("web")["restartCount"]
            starts.append(round(stage.clock.monotonic()))
    waits = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert waits == [10, 20, 40, 80, 160, 300], "doubling up to five minutes"


@on_stage()
async def test_a_crash_looks_like_one(stage):
    await stage.apply(pod("web", annotations={"behavior": "crash"}))
    await asyncio.sleep(3)
    status = stage.container("web")
    uid = stage.pod("web")["metadata"]["uid"]
    assert status["state"]["waiting"] == {
        "reason": "CrashLoopBackOff",
        "message": f"back-off 10s restarting failed container=c pod=web_default({uid})",
    }
    assert status["lastState"]["terminated"]["reason"] == "Error"
    assert status["restartCount"] == 1
    assert stage.status("web")["phase"] == "Running"
    assert ("BackOff", f"Back-off restarting failed container c in pod web_default({uid})") in stage.events("web")


@on_stage()
async def test_a_long_life_is_forgiven(stage):
    await stage.apply(pod("web", annotations={"behavior": "crash", "run-for": "700s"}))
    await asyncio.sleep(702)
    assert stage.container("web")["restartCount"] == 1
    await asyncio.sleep(702)
    assert stage.container("web")["restartCount"] == 2, "no waiting after eleven good minutes"


ENDS = [
    ("Never", {"behavior": "exit-3"}, "Failed", "one failure is the end"),
    ("Never", {}, "Succeeded", "work that is done"),
    ("OnFailure", {}, "Succeeded", "work that is done and need not be repeated"),
    ("OnFailure", {"behavior": "exit-3"}, "Running", "work that is tried again"),
    ("Never", {"behavior": "oom"}, "Failed", "killed"),
]


@pytest.mark.parametrize(("policy", "annotations", "phase", "why"), ENDS)
def test_how_work_ends(policy, annotations, phase, why):
    @virtually
    async def story():
        async with staged() as stage:
            await stage.apply(pod("job", restartPolicy=policy, annotations=annotations))
            await asyncio.sleep(1.5)
            assert stage.status("job")["phase"] == phase, why

    story()


@on_stage()
async def test_a_container_may_have_a_restart_policy_of_its_own(stage):
    rules = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [7]}}]
    own = container(restartPolicy="Never", restartPolicyRules=rules)
    await stage.apply(pod("a", restartPolicy="Never", containers=[own], annotations={"behavior": "exit-7"}))
    await stage.apply(pod("b", restartPolicy="Never", containers=[own], annotations={"behavior": "exit-8"}))
    await asyncio.sleep(3.5)
    assert stage.container("a")["restartCount"] == 1
    assert stage.status("b")["phase"] == "Failed"


@on_stage()
async def test_an_init_container_that_fails_keeps_the_others_waiting(stage):
    initial = [container("i")]
    await stage.apply(pod("web", initContainers=initial, annotations={"behavior.i": "crash"}))
    await stage.apply(pod("job", initContainers=initial, annotations={"behavior.i": "crash"}, restartPolicy="Never"))
    await asyncio.sleep(3)
    assert stage.state("web", "i")["waiting"]["reason"] == "CrashLoopBackOff"
    assert stage.state("web", "c") == {"waiting": {"reason": "PodInitializing"}}
    assert stage.status("web")["phase"] == "Pending"
    assert stage.status("job")["phase"] == "Failed"


@on_stage()
async def test_an_image_that_cannot_be_pulled_is_tried_again(stage):
    await stage.apply(pod("web", containers=[container(image="nginx:does-not-exist")]))
    await stage.settle()
    assert stage.state("web")["waiting"]["reason"] == "ErrImagePull"
    await asyncio.sleep(2)
    waiting = stage.state("web")["waiting"]
    assert waiting["reason"] == "ImagePullBackOff"
    assert waiting["message"].startswith('Back-off pulling image "nginx:does-not-exist": ErrImagePull: rpc error')
    await asyncio.sleep(600)
    pulls = next(each for each in stage.cluster.objects(stage.EVENT) if each["reason"] == "Pulling")
    assert pulls["count"] == 6, "at 0, 10, 30, 70, 150 and 310 seconds"
    assert stage.status("web")["phase"] == "Pending"


@on_stage()
async def test_a_better_image_helps_at_once(stage):
    await stage.apply(pod("web", containers=[container(image="nginx:does-not-exist")]))
    await asyncio.sleep(5)
    await stage.change("web", lambda spec: {**spec, "containers": [{**spec["containers"][0], "image": "nginx"}]})
    assert stage.status("web")["phase"] == "Running"
    assert stage.container("web")["restartCount"] == 0


IMAGES = [
    ("NGINX:::x", "IfNotPresent", "InvalidImageName", "InspectFailed"),
    ("nginx:does-not-exist", "Never", "ErrImageNeverPull", "ErrImageNeverPull"),
]


@pytest.mark.parametrize(("image", "policy", "reason", "event"), IMAGES)
def test_some_images_are_hopeless(image, policy, reason, event):
    @virtually
    async def story():
        async with staged() as stage:
            await stage.apply(pod("web", containers=[container(image=image, imagePullPolicy=policy)]))
            await asyncio.sleep(100)
            assert stage.state("web")["waiting"]["reason"] == reason
            assert [found for found, _ in stage.events("web")] == ["Scheduled", event, "Failed"]

    story()


@on_stage()
async def test_an_image_that_is_never_pulled_is_there_unless_told_otherwise(stage):
    await stage.apply(pod("web", containers=[container(image="mine:1", imagePullPolicy="Never")]))
    await stage.settle()
    assert stage.status("web")["phase"] == "Running"


ENVIRONMENTS = [
    ({"envFrom": [{"secretRef": {"name": "x"}}]}, 'secret "x" not found'),
    ({"envFrom": [{"configMapRef": {"name": "x"}}]}, 'configmap "x" not found'),
    (
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "x", "key": "k"}}}]},
        'secret "x" not found',
    ),
    (
        {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "x", "key": "k"}}}]},
        'configmap "x" not found',
    ),
]


@pytest.mark.parametrize(("environment", "message"), ENVIRONMENTS)
def test_a_container_waits_for_its_environment(environment, message):
    @virtually
    async def story():
        async with staged() as stage:
            await stage.apply(pod("web", containers=[container(**environment)]))
            await stage.settle()
            assert stage.state("web")["waiting"] == {"reason": "CreateContainerConfigError", "message": message}
            assert ("Failed", f"Error: {message}") in stage.events("web")
            stage.observe_writes()
            await asyncio.sleep(600)
            assert stage.count("MODIFIED pods") == 0, "waiting costs nothing"
            await stage.apply(secret("x", k="v"), config_map("x", k="v"))
            await stage.settle()
            assert stage.status("web")["phase"] == "Running"

    story()


@on_stage()
async def test_a_key_that_is_missing_is_named(stage):
    env = [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "x", "key": "k"}}}]
    await stage.apply(secret("x", other="v"), pod("web", containers=[container(env=env)]))
    await stage.settle()
    assert stage.state("web")["waiting"]["message"] == "couldn't find key k in Secret default/x"
    await stage.cluster.edit(stage.get("Secret", "x"), lambda live: {**live, "data": {**live["data"], "k": "dg=="}})
    await stage.settle()
    assert stage.status("web")["phase"] == "Running"


@on_stage()
async def test_what_is_optional_may_be_missing(stage):
    env = [
        {"name": "A", "valueFrom": {"secretKeyRef": {"name": "x", "key": "k", "optional": True}}},
        {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "there", "key": "k", "optional": True}}},
    ]
    from_ = [{"secretRef": {"name": "x", "optional": True}}]
    volumes = [{"name": "v", "secret": {"secretName": "x", "optional": True}}]
    await stage.apply(config_map("there"), pod("web", containers=[container(env=env, envFrom=from_)], volumes=volumes))
    await stage.settle()
    assert stage.status("web")["phase"] == "Running"


VOLUMES = [
    ({"secret": {"secretName": "x"}}, 'secret "x" not found'),
    ({"configMap": {"name": "x"}}, 'configmap "x" not found'),
    ({"projected": {"sources": [{"secret": {"name": "x"}}]}}, 'secret "x" not found'),
    ({"projected": {"sources": [{"configMap": {"name": "x"}}]}}, 'configmap "x" not found'),
    (
        {"secret": {"secretName": "there", "items": [{"key": "k", "path": "k"}]}},
        "references non-existent secret key: k",
    ),
    (
        {"configMap": {"name": "there", "items": [{"key": "k", "path": "k"}]}},
        "configmap references non-existent config key: k",
    ),
]


@pytest.mark.parametrize(("volume", "message"), VOLUMES)
def test_a_pod_waits_for_its_volumes(volume, message):
    @virtually
    async def story():
        async with staged() as stage:
            await stage.apply(secret("there", a="b"), config_map("there", a="b"))
            await stage.apply(pod("web", volumes=[{"name": "v", **volume}]))
            await stage.settle()
            assert stage.state("web") == {"waiting": {"reason": "ContainerCreating"}}
            assert "podIP" not in stage.status("web")
            assert stage.condition("web", "PodReadyToStartContainers")["status"] == "False"
            failed = f'MountVolume.SetUp failed for volume "v" : {message}'
            assert ("FailedMount", failed) in stage.events("web")
            await stage.apply(secret("x"), config_map("x"))
            for kind in ("Secret", "ConfigMap"):
                await stage.cluster.edit(
                    stage.get(kind, "there"), lambda live: {**live, "data": {**live["data"], "k": "dg=="}}
                )
            await stage.settle()
            assert stage.status("web")["phase"] == "Running"

    story()


@on_stage()
async def test_a_pod_that_was_placed_by_hand_waits_for_its_claim(stage):
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]
    await stage.apply(pod("web", nodeName="plumbline", volumes=volumes))
    await stage.settle()
    (message,) = [message for reason, message in stage.events("web") if reason == "FailedMount"]
    assert message.endswith("error processing PVC default/none: PVC is not bound")


@on_stage()
async def test_a_pod_that_is_late_fails(stage):
    await stage.apply(pod("web", activeDeadlineSeconds=5))
    await asyncio.sleep(4)
    assert stage.status("web")["phase"] == "Running"
    await asyncio.sleep(2)
    status = stage.status("web")
    assert (status["phase"], status["reason"]) == ("Failed", "DeadlineExceeded")
    assert status["message"] == "Pod was active on the node longer than the specified deadline"
    assert stage.condition("web", "Ready")["reason"] == "PodFailed"
    assert ("DeadlineExceeded", status["message"]) in stage.events("web")


@on_stage(scenario=Scenario(rules=[Rule(says={"behavior": "exit-5"}, pod="job-*")]))
async def test_a_scenario_needs_no_annotations(stage):
    await stage.apply(pod("job-1", restartPolicy="Never"), pod("web"))
    await asyncio.sleep(2)
    assert stage.state("job-1")["terminated"]["exitCode"] == 5
    assert stage.status("web")["phase"] == "Running"


def scripted(text, name="c"):
    return container(name, command=["sh", "-c", text])


COMMANDS = [
    ("Never", "sleep 3; exit 4", 2.0, "Running", "for as long as its command takes"),
    ("Never", "sleep 3; exit 4", 3.5, "Failed", "and not longer"),
    ("Never", "sleep 3", 3.5, "Succeeded", "well, if that does"),
    ("OnFailure", "false", 1.5, "Running", "tried again"),
    ("Always", "true", 1.5, "Running", "begun again"),
]


@pytest.mark.parametrize(("policy", "text", "after_s", "phase", "why"), COMMANDS)
def test_a_pod_ends_as_its_command_does(policy, text, after_s, phase, why):
    @virtually
    async def story():
        async with staged() as stage:
            await stage.apply(pod("job", restartPolicy=policy, containers=[scripted(text)]))
            await asyncio.sleep(after_s)
            assert stage.status("job")["phase"] == phase, why

    story()


@on_stage()
async def test_a_command_that_fails_is_repeated_with_longer_and_longer_waits(stage):
    await stage.apply(pod("job", restartPolicy="OnFailure", containers=[container(command=["false"])]))
    await asyncio.sleep(3)
    assert stage.state("job")["waiting"]["reason"] == "CrashLoopBackOff"
    assert stage.container("job")["lastState"]["terminated"]["exitCode"] == 1
    await asyncio.sleep(30)
    assert stage.container("job")["restartCount"] == 3


@on_stage()
async def test_an_init_container_whose_command_fails_ends_its_pod(stage):
    first = scripted("sleep 2; exit 5", "first")
    await stage.apply(pod("job", restartPolicy="Never", initContainers=[first]))
    await asyncio.sleep(1)
    assert "running" in stage.state("job", "first")
    await asyncio.sleep(1.5)
    assert stage.state("job", "first")["terminated"]["exitCode"] == 5
    assert stage.status("job")["phase"] == "Failed"


@on_stage()
async def test_a_job_whose_command_fails_is_tried_as_often_as_it_says(stage):
    template = {"spec": {"restartPolicy": "Never", "containers": [scripted("sleep 1; false")]}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate", "namespace": "default"}}
    await stage.apply({**job, "spec": {"backoffLimit": 1, "template": template}})
    await asyncio.sleep(60)
    status = stage.get(GroupKind("batch", "Job"), "migrate")["status"]
    assert status["failed"] == 2
    assert {each["type"]: each["reason"] for each in status["conditions"]}["Failed"] == "BackoffLimitExceeded"
