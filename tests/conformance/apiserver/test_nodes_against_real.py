"""Endpoints, slices, budgets, autoscalers and volumes: what kube-controller-manager makes of the same objects."""

import asyncio
import time

import pytest
from tests.apiserver.nodes.stage import staged
from tests.conformance.apiserver import node_scenes as scenes
from tests.conformance.real import MERGE_PATCH, RealCluster

from plumbline.base.json import JsonObject, encode_sorted
from plumbline.base.virtualtime import run_virtually
from plumbline.kube.names import GroupKind, GroupVersion

pytestmark = pytest.mark.conformance

PLURALS = {
    "Deployment": "deployments",
    "Endpoints": "endpoints",
    "EndpointSlice": "endpointslices",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    "Node": "nodes",
    "PersistentVolume": "persistentvolumes",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Pod": "pods",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "Service": "services",
    "StorageClass": "storageclasses",
}
CLUSTER_WIDE = {"Node", "PersistentVolume", "StorageClass"}
ODD = [f"odd-{number}" for number in range(len(scenes.ODD_AUTOSCALERS))]
HOME = "around"
NAMESPACES = [HOME, *ODD]
SHOWN = [
    ("v1", "Endpoints"),
    ("discovery.k8s.io/v1", "EndpointSlice"),
    ("policy/v1", "PodDisruptionBudget"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("v1", "PersistentVolumeClaim"),
]
EVENTFUL = {"HorizontalPodAutoscaler", "PersistentVolumeClaim"}
Snapshot = dict[str, list[JsonObject]]


class RealSide:
    def __init__(self, cluster: RealCluster) -> None:
        self._cluster = cluster

    async def create(self, obj: JsonObject, namespace: str) -> None:
        status = obj.get("status")
        answer = self._cluster.post(self._path(obj, namespace), obj)
        assert answer.status in (201, 409), answer.body
        if status:
            path = f"{self._path(obj, namespace)}/{obj['metadata']['name']}/status"
            assert self._cluster.patch(path, {"status": status}, MERGE_PATCH).fine

    async def delete(self, kind: str, name: str, namespace: str) -> None:
        path = self._path({"apiVersion": "v1", "kind": kind}, namespace)
        assert self._cluster.send("DELETE", f"{path}/{name}").fine

    async def objects(self, api_version: str, kind: str, namespace: str) -> list[JsonObject]:
        answer = self._cluster.get(self._path({"apiVersion": api_version, "kind": kind}, namespace))
        return answer.body["items"]

    async def events(self, namespace: str) -> list[JsonObject]:
        return self._cluster.get(f"/api/v1/namespaces/{namespace}/events").body["items"]

    async def wait(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 - nothing else runs on this side

    @staticmethod
    def _path(obj: JsonObject, namespace: str) -> str:
        version = obj["apiVersion"]
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        place = "" if obj["kind"] in CLUSTER_WIDE else f"/namespaces/{namespace}"
        return f"{base}{place}/{PLURALS[obj['kind']]}"


class OurSide:
    def __init__(self, stage) -> None:
        self._stage = stage

    async def create(self, obj: JsonObject, namespace: str) -> None:
        wide = obj["kind"] in CLUSTER_WIDE
        metadata = obj["metadata"] if wide else {**obj["metadata"], "namespace": namespace}
        if obj["kind"] == "Pod":
            obj = {**obj, "spec": {**obj["spec"], "automountServiceAccountToken": False}}
        status = obj.get("status")
        made = await self._stage.cluster.create({**obj, "metadata": metadata, "status": {}})
        if status:
            await self._stage.cluster.set_status(made, {**made.get("status", {}), **status})

    async def delete(self, kind: str, name: str, namespace: str) -> None:
        await self._stage.cluster.delete(self._stage.get(kind, name, namespace))

    async def objects(self, api_version: str, kind: str, namespace: str) -> list[JsonObject]:
        group = GroupVersion.parse(api_version).group
        return self._stage.cluster.objects(GroupKind(group, kind), "" if kind in CLUSTER_WIDE else namespace)

    async def events(self, namespace: str) -> list[JsonObject]:
        return self._stage.cluster.objects(GroupKind("", "Event"), namespace)

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def played(side) -> Snapshot:
    for obj in (scenes.NODE, *scenes.CLASSES, *scenes.volumes(HOME)):
        await side.create(obj, "")
    await side.wait(2)
    for obj in (*scenes.PODS, *scenes.SERVICES, *scenes.DEPLOYMENTS, *scenes.CLAIMS):
        await side.create(obj, HOME)
    for namespace, obj in zip(ODD, scenes.ODD_AUTOSCALERS, strict=True):
        await side.create(scenes.DEPLOYMENTS[0], namespace)
        await side.create(obj, namespace)
    await side.delete("Pod", scenes.GOING, HOME)
    await side.wait(3)
    for obj in (*scenes.BUDGETS, *scenes.AUTOSCALERS, *scenes.LATER):
        await side.create(obj, HOME)
    await side.wait(2)
    await side.delete("PersistentVolumeClaim", scenes.RELEASED, HOME)
    await side.wait(22)
    return await snapshot(side)


async def snapshot(side) -> Snapshot:
    found: Snapshot = {}
    for namespace in NAMESPACES:
        for api_version, kind in SHOWN:
            for obj in await side.objects(api_version, kind, namespace):
                found.setdefault(kind, []).append(shown(kind, obj))
        for event in await side.events(namespace):
            if event["involvedObject"]["kind"] in EVENTFUL:
                told = {field: event[field] for field in ("reason", "message", "type")}
                found.setdefault("Event", []).append({**told, "about": event["involvedObject"]["name"]})
    for obj in await side.objects("v1", "PersistentVolume", ""):
        if obj["metadata"]["name"].startswith("n-"):
            found.setdefault("PersistentVolume", []).append(shown("PersistentVolume", obj))
    return {kind: sorted(objects, key=encode_sorted) for kind, objects in found.items()}


def shown(kind: str, obj: JsonObject) -> JsonObject:
    """What of an object is the same on both sides."""
    metadata = obj["metadata"]
    name = metadata.get("generateName") or metadata["name"]
    annotations = {
        key: value for key, value in (metadata.get("annotations") or {}).items() if "last-change-trigger" not in key
    }
    kept = {
        "name": name,
        "labels": metadata.get("labels"),
        "annotations": annotations or None,
        "finalizers": metadata.get("finalizers"),
        "owners": [owner["kind"] for owner in metadata.get("ownerReferences") or ()],
    }
    rest = {field: obj.get(field) for field in ("status", "subsets", "endpoints", "ports", "addressType")}
    if kind.startswith("PersistentVolume"):
        rest["spec"] = obj["spec"]
    return {"metadata": kept, **bare(rest)}


def bare(value):
    """Without ids, times and revisions, and with lists whose order means nothing in one order."""
    if isinstance(value, dict):
        hidden = ("uid", "resourceVersion", "lastTransitionTime", "lastPhaseTransitionTime", "lastScaleTime")
        return {field: bare(inner) for field, inner in value.items() if field not in hidden}
    if isinstance(value, list):
        return sorted((bare(each) for each in value), key=encode_sorted)
    return value


@pytest.fixture(scope="module")
def on_real(real_controllers) -> Snapshot:
    for namespace in NAMESPACES:
        assert real_controllers.post("/api/v1/namespaces", {"metadata": {"name": namespace}}).status == 201
    return asyncio.run(played(RealSide(real_controllers)))


@pytest.fixture(scope="module")
def on_ours() -> Snapshot:
    async def story() -> Snapshot:
        async with staged() as stage:
            # Nothing runs, as on the real side: whatever is to be seen of pods is written by hand.
            await stage.cluster.delete(stage.get("Node", "plumbline", ""))
            for namespace in NAMESPACES:
                await stage.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
            await stage.settle()
            return await played(OurSide(stage))

    return run_virtually(story)


@pytest.mark.parametrize("kind", [*(kind for _, kind in SHOWN), "PersistentVolume", "Event"])
def test_the_same_objects_end_as_on_the_real_cluster(on_real, on_ours, kind):
    assert on_ours.get(kind) == on_real.get(kind)
