"""What people see who look at the events of an Application."""

from plumbline.base.json import decode
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

from .town import config_map, story

EVENTS = GroupVersionResource("", "v1", "events")
FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")}


async def told(town):
    page = await town.client.list(Target(EVENTS, "argocd"))
    return [(each["type"], each["reason"], each["message"]) for each in map(decode, page.items)]


@story(files=FILES)
async def test_the_end_of_a_sync_is_told_in_upstreams_words(town):
    await town.deploy()
    await town.synced()
    await town.settle()
    to = town.repository.head
    assert await told(town) == [("Normal", "OperationCompleted", f"Sync operation to {to} succeeded")]


@story(files=FILES)
async def test_a_sync_of_some_objects_is_called_partial_and_one_that_fails_says_why(town):
    await town.deploy(automated=False)
    await town.sync(resources=[{"kind": "ConfigMap", "name": "a"}])
    await town.settle()
    first = town.repository.head
    last = town.repository.change(web__b_yaml=config_map("Not_a_Name"))
    await town.sync()
    await town.settle()
    message = (await town.app())["status"]["operationState"]["message"]
    assert sorted(await told(town)) == [
        ("Normal", "OperationCompleted", f"Partial sync operation to {first} succeeded"),
        ("Warning", "OperationCompleted", f"Sync operation to {last} failed: {message}"),
    ]
