"""Pods that end as soon as they begin change what is said of their Deployment several times a second."""

from plumbline.base.clock import VirtualClock
from plumbline.base.json import encode
from plumbline.delivery.flapping import PAUSE_S, Flapping
from plumbline.kernel.cache import Relevance, cached
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

from .town import BY_HAND, story

SERVICE = """apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.example.org}
spec: {group: example.org, version: v1, groupPriorityMinimum: 100, versionPriority: 100, service: {name: a, namespace: b}}
"""
APIS = GroupVersionResource("apiregistration.k8s.io", "v1", "apiservices")


async def says(town, message):
    condition = {"type": "Available", "status": "False", "reason": "Flaps", "message": message}
    target = Target(APIS, "", "v1.example.org", subresource="status")
    await town.client.patch(target, encode({"status": {"conditions": [condition]}}), "merge", BY_HAND)


async def versions(town):
    return (await town.app())["metadata"]["resourceVersion"]


async def flapped(town, times, every_s=0.125):
    """How many records that was."""
    seen = set()
    for number in range(times):
        await says(town, f"it has failed {number} times")
        await town.settle(every_s)
        seen.add(await versions(town))
    return len(seen)


@story(files={"web/a.yaml": SERVICE})
async def test_the_first_changes_are_on_record_at_once_and_later_ones_once_a_second(town):
    await town.deploy()
    await town.synced()
    await town.settle()
    assert await flapped(town, 8) == 8
    assert await flapped(town, 80) <= 12
    await says(town, "this is the last word")
    await town.settle(1.5)
    app = await town.app()
    assert "this is the last word" in app["status"]["health"]["message"]


@story(files={"web/a.yaml": SERVICE})
async def test_after_a_calm_while_a_change_is_on_record_at_once_again(town):
    await town.deploy()
    await town.synced()
    await flapped(town, 40)
    await town.settle(20)
    assert await flapped(town, 4) == 4


def application(**more):
    metadata = {"name": "web", "namespace": "argocd", "uid": "u", "resourceVersion": "1"}
    return cached(encode({"metadata": metadata, **more}), Relevance())


def paused(app, times=20):
    flapping = Flapping(VirtualClock())
    return [flapping.pause_s(app) for _ in range(times)]


def test_what_moves_a_sync_is_never_put_off():
    assert paused(application())[-1] == PAUSE_S
    assert not any(paused(application(operation={"sync": {}})))
    assert not any(paused(application(status={"operationState": {"phase": "Running"}})))
    assert paused(application(status={"operationState": {"phase": "Failed"}}))[-1] == PAUSE_S


def test_an_application_whose_status_nobody_can_read_is_not_put_off():
    assert not any(paused(application(status={"operationState": "odd"})))


async def test_each_application_flaps_for_itself_and_is_forgotten():
    flapping = Flapping(VirtualClock())
    for _ in range(20):
        flapping.pause_s(application())
    flapping.forget(("argocd", "web"))
    assert flapping.pause_s(application()) == 0
