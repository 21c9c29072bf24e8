"""How simulated pods come up, seen through the API."""

import asyncio
import re

from tests.apiserver.nodes.objects import container, pod, secret
from tests.apiserver.nodes.stage import on_stage, staged, virtually

from plumbline.apiserver.nodes import Capacity, NodeSettings

ORDER = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]


@on_stage()
async def test_a_pod_is_placed_and_runs_at_once(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    status = stage.status("web")
    assert status["phase"] == "Running"
    assert [each["type"] for each in status["conditions"]] == ORDER
    assert {each["status"] for each in status["conditions"]} == {"True"}
    assert {each["observedGeneration"] for each in status["conditions"]} == {1}
    assert status["podIPs"] == [{"ip": "10.244.0.2"}]
    assert status["hostIPs"] == [{"ip": "192.0.2.10"}]
    assert status["observedGeneration"] == 1
    assert stage.pod("web")["spec"]["nodeName"] == "plumbline"


@on_stage()
async def test_the_container_says_what_a_kubelet_says(stage):
    resources = {"requests": {"cpu": "100m"}, "limits": {"memory": "64Mi"}}
    mounts = [{"name": "e", "mountPath": "/e", "readOnly": True}]
    spec = container("b", resources=resources, volumeMounts=mounts, securityContext={"runAsUser": 7})
    await stage.apply(
        pod(
            "web",
            containers=[spec, container("a")],
            volumes=[{"name": "e", "emptyDir": {}}],
            securityContext={"fsGroup": 9, "supplementalGroups": [5]},
        )
    )
    await stage.settle()
    first, second = stage.status("web")["containerStatuses"]
    assert [first["name"], second["name"]] == ["a", "b"], "sorted by name"
    assert re.fullmatch("containerd://[0-9a-f]{64}", second["containerID"])
    assert second["allocatedResources"] == {"cpu": "100m", "memory": "64Mi"}
    assert second["volumeMounts"][0] == {
        "name": "e",
        "mountPath": "/e",
        "readOnly": True,
        "recursiveReadOnly": "Disabled",
    }
    assert second["user"] == {"linux": {"uid": 7, "gid": 0, "supplementalGroups": [0, 5, 9]}}
    assert first["resources"] == {}
    assert "allocatedResources" not in first
    assert stage.status("web")["resources"]["requests"] == {"cpu": "100m", "memory": "64Mi"}


@on_stage()
async def test_the_events_are_a_kubelets(stage):
    await stage.apply(pod("web", containers=[container(image="nginx:1.27")]))
    await stage.apply(pod("again", containers=[container(image="nginx:1.27")]))
    await stage.settle()
    assert [reason for reason, _ in stage.events("web")] == ["Scheduled", "Pulling", "Pulled", "Created", "Started"]
    present = 'Container image "nginx:1.27" already present on machine and can be accessed by the pod'
    assert ("Pulled", present) in stage.events("again")
    event = next(each for each in stage.cluster.objects(stage.EVENT) if each["reason"] == "Started")
    assert event["source"] == {"component": "simulated-kubelet", "host": "plumbline"}
    assert event["involvedObject"]["fieldPath"] == "spec.containers{c}"


@on_stage()
async def test_init_containers_run_one_after_the_other(stage):
    initial = [container("i1"), container("side", restartPolicy="Always"), container("i2")]
    await stage.apply(pod("web", initContainers=initial, annotations={"run-for.i1": "2s", "run-for.i2": "3s"}))
    await stage.settle()
    assert stage.state("web", "i1").keys() == {"running"}
    assert stage.state("web", "side") == {"waiting": {"reason": "PodInitializing"}}
    initialized = stage.condition("web", "Initialized")
    assert initialized["message"] == "containers with incomplete status: [i1 side i2]"
    assert stage.condition("web", "Ready")["message"] == "containers with unready status: [side c]"
    assert stage.status("web")["phase"] == "Pending"
    await asyncio.sleep(2)
    assert stage.state("web", "i1")["terminated"]["reason"] == "Completed"
    assert stage.state("web", "side").keys() == stage.state("web", "i2").keys() == {"running"}
    assert stage.state("web", "c") == {"waiting": {"reason": "PodInitializing"}}
    await asyncio.sleep(3)
    assert stage.status("web")["phase"] == "Running"
    assert stage.condition("web", "Ready")["status"] == "True"
    assert stage.container("web", "i1")["ready"] is True


@on_stage()
async def test_a_sidecar_that_ends_is_started_again_and_stops_nobody(stage):
    initial = [container("side", restartPolicy="Always")]
    await stage.apply(pod("web", initContainers=initial, annotations={"run-for.side": "2s"}))
    await asyncio.sleep(2.5)
    assert stage.state("web", "side").keys() == {"terminated"}
    assert stage.state("web", "c").keys() == {"running"}
    assert stage.status("web")["phase"] == "Running"
    await asyncio.sleep(1)
    assert stage.container("web", "side")["restartCount"] == 1


@on_stage()
async def test_sidecars_stop_when_the_work_is_done(stage):
    initial = [container("side", restartPolicy="Always")]
    await stage.apply(pod("job", initContainers=initial, restartPolicy="Never"))
    await stage.settle()
    assert stage.status("job")["phase"] == "Running"
    await asyncio.sleep(2)
    assert stage.status("job")["phase"] == "Succeeded"
    assert stage.state("job", "side")["terminated"]["exitCode"] == 0
    assert stage.condition("job", "Initialized")["reason"] == "PodCompleted"
    assert stage.condition("job", "PodReadyToStartContainers")["status"] == "False"


@on_stage()
async def test_readiness_follows_the_probes(stage):
    probed = container(startupProbe={"tcpSocket": {"port": 1}, "initialDelaySeconds": 2})
    probed["readinessProbe"] = {"tcpSocket": {"port": 1}, "initialDelaySeconds": 5}
    await stage.apply(pod("web", containers=[probed]))
    await stage.settle()
    assert not stage.container("web")["started"]
    await asyncio.sleep(3)
    assert stage.container("web")["started"]
    assert not stage.container("web")["ready"]
    await asyncio.sleep(3)
    assert stage.container("web")["ready"]
    assert stage.condition("web", "Ready")["lastTransitionTime"] == "2026-01-01T00:00:05Z"


@on_stage()
async def test_what_never_gets_ready_complains_once(stage):
    probed = container(readinessProbe={"httpGet": {"port": 80}})
    await stage.apply(pod("web", containers=[probed], annotations={"behavior": "never-ready"}))
    await asyncio.sleep(60)
    assert stage.condition("web", "Ready")["status"] == "False"
    assert [reason for reason, _ in stage.events("web")].count("Unhealthy") == 1


@on_stage()
async def test_readiness_gates_are_for_others_to_open(stage):
    await stage.apply(pod("web", readinessGates=[{"conditionType": "x.y/r"}]))
    await stage.settle()
    ready = stage.condition("web", "Ready")
    assert ready["reason"] == "ReadinessGatesNotReady"
    assert ready["message"] == 'corresponding condition of pod readiness gate "x.y/r" does not exist.'
    await stage.add_condition("web", {"type": "x.y/r", "status": "False"})
    told = 'the status of pod readiness gate "x.y/r" is not "True", but False'
    assert stage.condition("web", "Ready")["message"] == told
    await stage.add_condition("web", {"type": "x.y/r", "status": "True"})
    assert stage.condition("web", "Ready")["status"] == "True"
    assert stage.condition("web", "x.y/r")["status"] == "True", "what others wrote stays"


@on_stage()
async def test_pods_on_the_hosts_network_have_its_address(stage):
    await stage.apply(pod("web", hostNetwork=True))
    await stage.settle()
    assert stage.status("web")["podIP"] == "192.0.2.10"


@on_stage()
async def test_what_is_misunderstood_is_told(stage):
    await stage.apply(pod("web", annotations={"behavior": "explode"}))
    await stage.settle()
    assert stage.status("web")["phase"] == "Running"
    assert [reason for reason, _ in stage.events("web")].count("SimulationIgnored") == 1


@on_stage()
async def test_a_container_can_be_given_another_image(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    await stage.change("web", lambda spec: {**spec, "containers": [{**spec["containers"][0], "image": "nginx:2"}]})
    assert stage.container("web")["restartCount"] == 1
    assert stage.container("web")["image"] == "docker.io/library/nginx:2"
    assert ("Killing", "Container c definition changed, will be restarted") in stage.events("web")


@on_stage()
async def test_ephemeral_containers_run_beside_the_others(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    debug = {"name": "debug", "image": "busybox"}
    await stage.change("web", lambda spec: {**spec, "ephemeralContainers": [debug]}, "ephemeralcontainers")
    (status,) = stage.status("web")["ephemeralContainerStatuses"]
    assert status["state"].keys() == {"running"}


@on_stage(settings=NodeSettings(capacity=Capacity(pods=500)))
async def test_many_pods_cost_two_writes_each(stage):
    stage.observe_writes()
    for number in range(100):
        await stage.apply(pod(f"p{number}"))
    await stage.settle()
    assert stage.count("MODIFIED pods") == 200, "one binding and one status each"
    addresses = {stage.status(f"p{number}")["podIP"] for number in range(100)}
    assert len(addresses) == 100


@on_stage()
async def test_an_idle_plane_renews_a_lease_and_writes_nothing_else(stage):
    await stage.apply(pod("web"), pod("job", restartPolicy="Never"))
    await asyncio.sleep(5)
    stage.observe_writes()
    await asyncio.sleep(3500)
    assert stage.writes == ["MODIFIED leases.coordination.k8s.io kube-node-lease/plumbline"]


@virtually
async def test_what_runs_is_known_again_after_a_restart():
    async with staged() as stage:
        await stage.apply(
            pod("web"), pod("crash", annotations={"behavior": "crash"}), pod("late", restartPolicy="Never")
        )
        await stage.settle()
        before = stage.status("web")
        stage.observe_writes()
        await stage.restart()
        await asyncio.sleep(0.5)
        assert stage.status("web") == before
        assert stage.count("MODIFIED pods default/web") == 0
        await stage.apply(pod("next"))
        await stage.settle()
        assert stage.status("next")["podIP"] not in {before["podIP"], stage.status("crash")["podIP"]}
        await asyncio.sleep(2)
        assert stage.status("late")["phase"] == "Succeeded"
        assert stage.state("crash")["waiting"]["reason"] == "CrashLoopBackOff"


@virtually
async def test_pods_wait_for_a_node_that_begins_to_be_simulated():
    async with staged() as stage:
        await stage.apply(pod("web", nodeName="other"), secret("unrelated", a="b"))
        await stage.settle()
        assert "podIP" not in stage.status("web")
        node = {"metadata": {"name": "other", "annotations": {"plumbline.dev/simulated": "true"}}}
        await stage.apply({"apiVersion": "v1", "kind": "Node", **node})
        await stage.settle()
        assert stage.status("web")["phase"] == "Running"
        assert stage.status("web")["podIP"].startswith("10.244.1.")
