"""What stands behind claims, Terraform and sealed secrets, in the same tree, and nothing that only says it does."""

import asyncio

from tests.delivery.founding import CRDS
from tests.web.api.resources.scene import config_map, told

from plumbline.base.errors import Forbidden, TimedOut
from plumbline.base.json import decode, encode
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
CLAIM = """
apiVersion: example.org/v1
kind: Database
metadata: {name: orders}
spec: {resourceRef: {apiVersion: example.org/v1, kind: XDatabase, name: orders-x}}
"""
TERRAFORM = """
apiVersion: infra.contrib.fluxcd.io/v1
kind: Terraform
metadata: {name: net}
spec: {writeOutputsToSecret: {name: outputs}}
"""
SEALED = """
apiVersion: bitnami.com/v1
kind: SealedSecret
metadata: {name: sealed}
spec: {}
"""
FILES = {"web/a.yaml": CLAIM, "web/b.yaml": TERRAFORM, "web/c.yaml": SEALED, "web/d.yaml": config_map("web")}
KINDS = [
    ("example.org", "Database", "databases", "Namespaced"),
    ("example.org", "XDatabase", "xdatabases", "Cluster"),
    ("example.org", "Instance", "instances", "Cluster"),
    ("infra.contrib.fluxcd.io", "Terraform", "terraforms", "Namespaced"),
    ("bitnami.com", "SealedSecret", "sealedsecrets", "Namespaced"),
]
SECRETS = GroupVersionResource("", "v1", "secrets")


def resource(plural, group="example.org"):
    return GroupVersionResource(group, "v1", plural)


async def define(scene):
    for group, kind, plural, scope in KINDS:
        names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": OPEN}}
        body = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "names": names, "scope": scope, "versions": [version]},
        }
        await scene.client.create(Target(CRDS), encode(body))
    await asyncio.sleep(3)
    scene.client.discovery.forget()


async def make(scene, where, kind, name, namespace="", uid="", **more):
    owner = {"apiVersion": "example.org/v1", "kind": "XDatabase", "name": "orders-x", "uid": uid}
    metadata = {"name": name, **({"ownerReferences": [owner]} if uid else {}), **more.pop("metadata", {})}
    body = {"apiVersion": where.api_version, "kind": kind, "metadata": metadata, **more}
    return decode(await scene.client.create(Target(where, namespace), encode(body)))


def node(tree, kind, name):
    return next((each for each in tree["nodes"] if (each["kind"], each["name"]) == (kind, name)), None)


async def estate(scene, claimed="orders"):
    await define(scene)
    await scene.place.deploy("web")
    await scene.place.synced("web")
    claim = {"apiVersion": "example.org/v1", "kind": "Database", "namespace": "shop", "name": claimed}
    refs = [{"apiVersion": "example.org/v1", "kind": "Instance", "name": "orders-i"},
            {"apiVersion": "example.org/v1", "kind": "Instance", "name": "theirs"},
            {"apiVersion": "example.org/v1", "kind": "Instance", "name": "coming"}]  # fmt: skip
    composite = await make(
        scene, resource("xdatabases"), "XDatabase", "orders-x", spec={"claimRef": claim, "resourceRefs": refs}
    )
    status = {"conditions": [{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "quota exceeded"},
                             {"type": "Ready", "status": "False", "reason": "Creating"}]}  # fmt: skip
    uid = composite["metadata"]["uid"]
    external = {"annotations": {"crossplane.io/external-name": "db-4711"}}
    spec = {"forProvider": {}, "writeConnectionSecretToRef": {"name": "conn", "namespace": "shop"}}
    await make(
        scene, resource("instances"), "Instance", "orders-i", uid=uid, metadata=external, spec=spec, status=status
    )
    await make(scene, resource("instances"), "Instance", "theirs", spec={"forProvider": {"secret": "other team"}})
    for name in ("outputs", "sealed", "conn"):
        await make(scene, SECRETS, "Secret", name, "shop", stringData={"password": "hunter2"})


@told(files=FILES, deploy=False)
async def test_what_is_behind_a_claim_is_in_its_tree(scene):
    await estate(scene)
    plain = await scene.json("resource-tree")
    assert node(plain, "Instance", "orders-i") is None
    tree = await scene.json("resource-tree?infrastructure=true")
    composite, instance = node(tree, "XDatabase", "orders-x"), node(tree, "Instance", "orders-i")
    assert [each["kind"] for each in composite["parentRefs"]] == ["Database"]
    assert [each["kind"] for each in instance["parentRefs"]] == ["XDatabase"]
    said = {each["name"]: each["value"] for each in instance["info"]}
    assert said == {"External name": "db-4711", "Synced": "False", "Ready": "False"}
    assert node(tree, "Instance", "coming")["health"] == {"status": "Missing"}
    assert [each["kind"] for each in node(tree, "Secret", "conn")["parentRefs"]] == ["Instance"]


@told(files=FILES, deploy=False)
async def test_what_cannot_be_read_is_shown_with_the_reason(scene):
    await estate(scene)
    get = scene.client.get

    async def failing(target, **more):
        if target.name == "orders-i":
            raise Forbidden("GET /x failed", why="instances is forbidden")
        if target.name == "sealed" and target.resource == SECRETS:
            raise TimedOut("GET /y took too long")
        return await get(target, **more)

    scene.client.get = failing
    tree = await scene.json("resource-tree?infrastructure=true")
    instance, secret = node(tree, "Instance", "orders-i"), node(tree, "Secret", "sealed")
    assert instance["health"] == {"status": "Unknown", "message": "It cannot be read: instances is forbidden"}
    assert [each["kind"] for each in instance["parentRefs"]] == ["XDatabase"]
    assert "uid" not in instance
    assert secret["health"] == {"status": "Unknown", "message": "It cannot be read: GET /y took too long"}
    assert [each["kind"] for each in secret["parentRefs"]] == ["SealedSecret"]
    assert node(tree, "Secret", "conn") is None, "what is behind it is not known"


@told(files=FILES, deploy=False)
async def test_a_kind_that_nobody_serves_any_more_is_shown_with_the_reason(scene):
    await estate(scene)
    await scene.client.delete(Target(CRDS, name="instances.example.org"))
    await asyncio.sleep(3)
    scene.client.discovery.forget()
    tree = await scene.json("resource-tree?infrastructure=true")
    health = node(tree, "Instance", "orders-i")["health"]
    assert health["status"] == "Unknown"
    assert health["message"].startswith("It cannot be read: ")


@told(files=FILES, deploy=False)
async def test_what_only_is_named_is_not_shown(scene):
    """Row 20: whoever writes a reference can write any name."""
    await estate(scene)
    tree = await scene.json("resource-tree?infrastructure=true")
    assert node(tree, "Instance", "theirs") is None


@told(files=FILES, deploy=False)
async def test_a_composite_of_another_claim_is_not_shown(scene):
    await estate(scene, claimed="somebody-elses")
    tree = await scene.json("resource-tree?infrastructure=true")
    assert node(tree, "XDatabase", "orders-x") is None


@told(files=FILES, deploy=False)
async def test_secrets_that_are_written_hang_beneath_who_writes_them(scene):
    await estate(scene)
    answered = await scene.ask("GET", "resource-tree?infrastructure=true")
    assert b"hunter2" not in answered.body
    assert b"aHVudGVyMg" not in answered.body
    tree = answered.json
    assert [each["kind"] for each in node(tree, "Secret", "outputs")["parentRefs"]] == ["Terraform"]
    assert [each["kind"] for each in node(tree, "Secret", "sealed")["parentRefs"]] == ["SealedSecret"]


@told(files=FILES, deploy=False)
async def test_what_a_claim_is_made_of_can_be_opened_where_the_project_permits_its_kind(scene):
    await estate(scene)
    where = "resource?group=example.org&version=v1&kind={}&resourceName={}"
    assert (await scene.ask("GET", where.format("Instance", "orders-i"))).status == 200
    assert (await scene.ask("GET", where.format("XDatabase", "orders-x"))).status == 200
    assert (await scene.ask("GET", where.format("Instance", "theirs"))).status == 403
    await scene.project(clusterResourceWhitelist=[])
    assert (await scene.ask("GET", where.format("Instance", "orders-i"))).status == 403


@told(files=FILES, deploy=False)
async def test_a_composite_that_another_claim_made_is_not_opened(scene):
    await estate(scene, claimed="somebody-elses")
    where = "resource?group=example.org&version=v1&kind=XDatabase&resourceName=orders-x"
    assert (await scene.ask("GET", where)).status == 403
