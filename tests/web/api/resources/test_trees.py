"""The tree of an application: what it delivers, what stands behind that, and nothing that is somebody else's."""

import asyncio

import pytest
from tests.web.api.resources.scene import config_map, deployment, secret, told

from plumbline.base.errors import NotFound, TimedOut, Unreachable
from plumbline.base.json import encode
from plumbline.delivery.tree import Node, Reach, tree_of
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.web.api.resources import groves

FILES = {"web/a.yaml": deployment(replicas=2), "web/b.yaml": secret(), "web/c.yaml": config_map("web")}


def by_kind(nodes, kind):
    return [each for each in nodes if each["kind"] == kind]


@told(files=FILES)
async def test_what_is_owned_hangs_beneath_its_owner(scene):
    tree = await scene.json("resource-tree", who="rita")
    (workload,) = by_kind(tree["nodes"], "Deployment")
    (replicas,) = by_kind(tree["nodes"], "ReplicaSet")
    pods = by_kind(tree["nodes"], "Pod")
    assert len(pods) == 2
    assert {each["parentRefs"][0]["uid"] for each in pods} == {replicas["uid"]}
    assert replicas["parentRefs"] == [
        {
            "group": "apps",
            "version": "v1",
            "kind": "Deployment",
            "namespace": "shop",
            "name": "web",
            "uid": workload["uid"],
        }
    ]
    assert workload["health"] == {"status": "Healthy"}
    assert "parentRefs" not in workload
    assert set(tree) == {"nodes", "hosts"}


@told(files=FILES)
async def test_a_pod_says_what_it_runs_and_where(scene):
    pod = (await scene.pods())[0]
    assert pod["images"] == ["nginx:1"]
    said = {each["name"]: each.get("value") for each in pod["info"]}
    assert said["Status Reason"] == "Running"
    assert said["Containers"] == "1/1"
    assert said["Node"]
    assert pod["networkingInfo"]["labels"]["app"] == "web"
    assert pod["createdAt"].endswith("Z")
    (host,) = (await scene.json("resource-tree"))["hosts"]
    assert host["name"] == said["Node"]
    assert {each["resourceName"] for each in host["resourcesInfo"]} >= {"cpu", "memory"}
    assert host["systemInfo"]["architecture"]


@told(files=FILES)
async def test_no_value_of_a_secret_is_in_a_tree(scene):
    answered = await scene.ask("GET", "resource-tree?infrastructure=true")
    assert answered.status == 200
    assert b"hunter2" not in answered.body
    assert b"aHVudGVyMg" not in answered.body
    assert by_kind(answered.json["nodes"], "Secret")[0]["name"] == "key"


@told(files=FILES)
async def test_what_git_names_and_is_not_there_is_missing(scene):
    await scene.place.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"syncPolicy": None}}, "argocd")
    await scene.place.delete("v1/configmaps", "web")
    await scene.place.settle(5)
    (node,) = by_kind((await scene.json("resource-tree"))["nodes"], "ConfigMap")
    assert node == {
        "version": "v1",
        "kind": "ConfigMap",
        "namespace": "shop",
        "name": "web",
        "health": {"status": "Missing"},
    }


@told(files=FILES)
async def test_what_the_project_does_not_permit_is_not_shown(scene):
    await scene.project(namespaceResourceBlacklist=[{"group": "", "kind": "Pod"}])
    nodes = (await scene.json("resource-tree"))["nodes"]
    assert by_kind(nodes, "ReplicaSet")
    assert not by_kind(nodes, "Pod")


@told(files=FILES)
async def test_an_owner_in_another_namespace_is_not_believed(scene):
    (workload,) = by_kind((await scene.json("resource-tree"))["nodes"], "Deployment")
    forged = {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "name": "forged",
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": workload["uid"]}],
        },
    }
    await scene.client.create(Target(GroupVersionResource("", "v1", "configmaps"), "argocd"), encode(forged))
    await scene.place.settle(5)
    nodes = (await scene.json("resource-tree"))["nodes"]
    assert [each["name"] for each in by_kind(nodes, "ConfigMap")] == ["web"]


@told(files=FILES)
async def test_orphans_are_told_where_the_project_wants_to_know(scene):
    await scene.place.create(
        "v1/configmaps", {"metadata": {"name": "lost"}, "kind": "ConfigMap", "apiVersion": "v1"}, "shop"
    )
    assert "orphanedNodes" not in await scene.json("resource-tree")
    await scene.project(orphanedResources={"ignore": [{"group": "", "kind": "ServiceAccount"}]})
    await scene.place.settle(5)
    orphans = (await scene.json("resource-tree"))["orphanedNodes"]
    assert [(each["kind"], each["name"]) for each in orphans] == [("ConfigMap", "lost")]


@told(files=FILES)
async def test_many_who_ask_at_once_cost_one_look(scene):
    looks = []

    async def counted(*arguments, **more):
        looks.append(arguments)
        return await tree_of(*arguments, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groves, "tree_of", counted)
        answers = await asyncio.gather(*(scene.json("resource-tree") for _ in range(8)))
        assert all(each == answers[0] for each in answers)
        assert len(looks) == 1
        await scene.place.settle(5)
        await scene.json("resource-tree")
        assert len(looks) == 2


@told(files=FILES)
async def test_a_look_that_fails_fails_for_all_and_is_not_remembered(scene):
    async def failing(*_, **__):
        await asyncio.sleep(0)
        raise Unreachable("the cluster is away")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groves, "tree_of", failing)
        answers = await asyncio.gather(*(scene.ask("GET", "resource-tree") for _ in range(2)))
        assert [each.status for each in answers] == [503, 503]
    assert await scene.json("resource-tree")


@told(files=FILES)
async def test_who_leaves_in_the_middle_takes_nobody_along(scene):
    await scene.place.settle(5)
    first = asyncio.create_task(scene.json("resource-tree"))
    second = asyncio.create_task(scene.json("resource-tree"))
    for _ in range(5):
        await asyncio.sleep(0)
    first.cancel()
    assert (await second)["nodes"]


@told(files=FILES, deploy=False)
async def test_who_may_not_read_learns_nothing(scene):
    await scene.place.deploy("web")
    await scene.healthy()
    for app in ("web", "nothing", "we%2Fb"):
        answered = await scene.ask("GET", "resource-tree", who="nobody", app=app)
        assert (answered.status, answered.json) == (
            403,
            {"error": "permission denied", "code": 7, "message": "permission denied"},
        )
    assert (await scene.ask("GET", "resource-tree", who="")).status == 401


@told(files=FILES)
async def test_a_tree_ends_where_it_is_too_large(scene):
    tree = await tree_of(scene.client, await scene.place.app(), reach=Reach(most=4))
    assert tree.cut
    assert len(tree.nodes()) <= 4


class Counting:
    def __init__(self, transport):
        self._transport, self.paths = transport, []

    async def send(self, request):
        self.paths.append(request.path)
        return await self._transport.send(request)

    async def close(self): ...


@told(files={"web/a.yaml": "\n---\n".join(config_map(f"m{at}") for at in range(12))})
async def test_many_objects_of_a_kind_are_listed_and_not_asked_for_one_by_one(scene):
    transport = Counting(scene.place.plane.transport())
    tree = await tree_of(Client(transport, clock=scene.place.world.clock), await scene.place.app())
    assert len(tree.roots) == 12
    assert all(each.uid for each in tree.roots)
    assert not [path for path in transport.paths if "/configmaps/m" in path]


STATEFUL = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: postgres}]}
  volumeClaimTemplates:
  - metadata: {name: files}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""


@told(files={"web/a.yaml": STATEFUL}, deploy=False)
async def test_volumes_of_a_stateful_set_hang_beneath_it_though_nobody_owns_them(scene):
    await scene.place.deploy("web")

    async def made():
        return await scene.place.get("v1/persistentvolumeclaims", "files-db-0")

    await scene.place.until(made)
    await scene.place.settle(5)
    (claim,) = by_kind((await scene.json("resource-tree"))["nodes"], "PersistentVolumeClaim")
    assert [each["kind"] for each in claim["parentRefs"]] == ["StatefulSet"]


SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: front}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""


@told(files={"web/a.yaml": SERVICE})
async def test_endpoints_are_those_of_the_service_of_their_name_and_nobodys_orphans(scene):
    stray = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "stray"}}
    await scene.place.create("v1/endpoints", stray, "shop")
    await scene.place.settle(5)
    tree = await tree_of(scene.client, await scene.place.app(), reach=Reach(strangers="shop"))
    (service,) = tree.roots
    assert ("Endpoints", "front") in [(each.kind, each.name) for each in tree.children[service.uid]]
    assert by_kind([each._asdict() for each in tree.strangers], "Endpoints") == []


@told(files=FILES)
async def test_what_could_not_be_read_or_listed_is_told_and_not_taken_for_missing(scene):
    await scene.place.settle(5)
    pages, get = Client.pages, Client.get

    def refusing(client, target, *more, **options):
        if target.resource.resource in {"pods", "configmaps"}:
            raise Unreachable("GET /x failed", why=f"{target.resource.resource} are away")
        if target.resource.resource == "jobs":
            raise NotFound("there is no such kind any more")
        return pages(client, target, *more, **options)

    async def failing(client, target, **more):
        if target.name == "web" and target.resource.resource == "configmaps":
            raise TimedOut("GET /y took too long")
        return await get(client, target, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "pages", refusing)
        patch.setattr(Client, "get", failing)
        tree = await scene.json("resource-tree")
    (unread,) = by_kind(tree["nodes"], "ConfigMap")
    assert unread["health"] == {"status": "Unknown", "message": "It cannot be read: GET /y took too long"}
    assert tree["unseen"] == [
        {"kind": "ConfigMap", "namespace": "shop", "why": "configmaps are away"},
        {"kind": "Pod", "namespace": "shop", "why": "pods are away"},
    ]
    assert by_kind(tree["nodes"], "Pod") == []


@told(files=FILES)
async def test_a_host_that_has_gone_takes_no_other_along(scene):
    pods = await scene.pods()
    (name,) = {each["value"] for pod in pods for each in pod["info"] if each["name"] == "Node"}
    get = Client.get

    async def gone(client, target, **more):
        if target.resource.resource == "nodes" and target.name == "a-gone-one":
            raise NotFound("it is no more")
        return await get(client, target, **more)

    tree = await tree_of(scene.client, await scene.place.app("web"))
    stray = Node("", "Pod", "shop", "stray", "u", {"spec": {"nodeName": "a-gone-one"}}, "v1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "get", gone)
        hosts = await groves._hosts(scene.client, tree._replace(roots=(*tree.roots, stray)), ())
    assert [each["name"] for each in hosts] == [name]
