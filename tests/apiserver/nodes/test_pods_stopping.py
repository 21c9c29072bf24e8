"""How simulated pods go."""

import asyncio

from tests.apiserver.nodes.objects import container, pod
from tests.apiserver.nodes.stage import POD, on_stage

from plumbline.apiserver.nodes import NodeSettings, Timing


@on_stage()
async def test_a_pod_stops_gracefully_and_is_gone(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    stage.observe_writes()
    await stage.delete(POD, "web")
    assert stage.pod("web")["metadata"]["deletionGracePeriodSeconds"] == 30
    assert stage.condition("web", "Ready")["status"] == "True", "it serves until it is stopped"
    assert ("Killing", "Stopping container c") in stage.events("web")
    await asyncio.sleep(1.1)
    assert stage.find(POD, "web") is None
    assert stage.count("MODIFIED pods") == 3, "marked, over, and without any grace left"


@on_stage()
async def test_its_last_status_says_how_it_ended(stage):
    await stage.apply(pod("web"), pod("job", restartPolicy="Never", annotations={"run-for": "60s"}))
    await stage.settle()
    last = {}
    stage.store.listen(lambda change: last.update({change.entry.key.name: change.entry.object()}))
    await stage.delete(POD, "web")
    await stage.delete(POD, "job")
    await asyncio.sleep(2)
    web, job = last["web"]["status"], last["job"]["status"]
    assert web["phase"] == "Succeeded", "a server that obeys ends well"
    assert job["phase"] == "Failed", "work that is interrupted has failed"
    assert job["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 143
    assert {each["type"]: each["status"] for each in web["conditions"]} == {
        "PodReadyToStartContainers": "False",
        "Initialized": "True",
        "Ready": "False",
        "ContainersReady": "False",
        "PodScheduled": "True",
    }


@on_stage()
async def test_a_pod_that_never_ran_goes_at_once_and_has_failed(stage):
    volumes = [{"name": "v", "secret": {"secretName": "none"}}]
    await stage.apply(pod("web", volumes=volumes), pod("init", initContainers=[container("i1"), container("i2")]))
    await stage.apply(
        pod("stuck", initContainers=[container("i1"), container("i2")], annotations={"behavior.i1": "crash"})
    )
    await asyncio.sleep(3)
    last = {}
    stage.store.listen(lambda change: last.update({change.entry.key.name: change.entry.object()}))
    await stage.delete(POD, "web")
    await stage.delete(POD, "stuck")
    assert stage.find(POD, "web") is None
    (status,) = last["web"]["status"]["containerStatuses"]
    assert status["state"]["terminated"] == {
        "exitCode": 137,
        "reason": "ContainerStatusUnknown",
        "message": "The container could not be located when the pod was terminated",
        "startedAt": None,
        "finishedAt": None,
    }
    assert last["web"]["status"]["phase"] == "Failed"
    stuck = last["stuck"]["status"]
    assert stuck["phase"] == "Failed"
    assert stuck["initContainerStatuses"][0]["state"]["terminated"]["exitCode"] == 1
    assert stuck["initContainerStatuses"][1]["state"] == {"waiting": {"reason": "PodInitializing"}}


@on_stage()
async def test_a_short_grace_period_is_kept(stage):
    await stage.apply(pod("web", annotations={"stop-after": "20s"}, terminationGracePeriodSeconds=3))
    await stage.settle()
    await stage.delete(POD, "web")
    await asyncio.sleep(2.5)
    assert stage.find(POD, "web") is not None
    await asyncio.sleep(1)
    assert stage.find(POD, "web") is None


@on_stage(settings=NodeSettings(timing=Timing(stop_s=10)))
async def test_stopping_takes_as_long_as_the_settings_say(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    await stage.delete(POD, "web")
    await asyncio.sleep(9)
    assert stage.find(POD, "web") is not None
    await asyncio.sleep(2)
    assert stage.find(POD, "web") is None


@on_stage()
async def test_finalizers_keep_a_pod_that_is_over(stage):
    obj = pod("web")
    obj["metadata"]["finalizers"] = ["x.y/z"]
    await stage.apply(obj)
    await stage.settle()
    await stage.delete(POD, "web")
    await asyncio.sleep(5)
    assert stage.status("web")["phase"] == "Succeeded"
    assert stage.pod("web")["metadata"]["deletionGracePeriodSeconds"] == 0
    stage.observe_writes()
    await asyncio.sleep(60)
    assert stage.count("MODIFIED pods") == 0
    await stage.cluster.edit(
        stage.pod("web"), lambda live: {**live, "metadata": {**live["metadata"], "finalizers": []}}
    )
    assert stage.find(POD, "web") is None


@on_stage()
async def test_a_finished_pod_goes_at_once(stage):
    await stage.apply(pod("job", restartPolicy="Never"))
    await asyncio.sleep(2)
    await stage.delete(POD, "job")
    assert stage.find(POD, "job") is None


@on_stage()
async def test_addresses_come_back(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    first = stage.status("web")["podIP"]
    for number in range(300):
        await stage.delete(POD, "web")
        await asyncio.sleep(2)
        await stage.apply(pod("web"))
        await stage.settle()
        if number and stage.status("web")["podIP"] == first:
            return
    raise AssertionError("the first address was never used again")
