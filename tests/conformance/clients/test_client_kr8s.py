"""kr8s, the Python client with kubectl's words: objects that know how to change, wait and be watched."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import kr8s.asyncio
import pytest
from kr8s.asyncio.objects import ConfigMap, Deployment, Pod, new_class

from plumbline.base.documents import load_document

from .manifests import WEB, WIDGETS, config_map
from .plane import OurPlane

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.filterwarnings("ignore:Kubernetes version:UserWarning"),  # it knows versions up to its own release
]

_WITHIN_S = 30


@pytest.fixture
async def api(plane: OurPlane, space: str) -> AsyncIterator[Any]:
    api = await kr8s.asyncio.api(kubeconfig=str(plane.kubeconfig), namespace=space)
    yield api
    await api._session.aclose()


async def made(api: Any, name: str, **data: str) -> Any:
    found = await ConfigMap(config_map(name, **data), namespace=api.namespace, api=api)
    await found.create()
    return found


async def test_objects_are_made_changed_and_found(api: Any):
    one = await made(api, "a", key="1")
    await one.patch({"data": {"key": "2"}})
    await one.label({"tier": "front"})
    await one.annotate({"note": "mine"})
    found = [each async for each in api.get("configmaps", label_selector={"tier": "front"})]
    assert [(each.name, dict(each.data), dict(each.annotations)) for each in found] == [
        ("a", {"key": "2"}, {"note": "mine"})
    ]
    await one.delete()
    assert not await one.exists()


async def test_what_is_not_there_is_said_to_be_missing(api: Any):
    with pytest.raises(kr8s.NotFoundError):
        await ConfigMap.get("missing", namespace=api.namespace, api=api)


async def test_a_watch_tells_of_changes(api: Any):
    one = await made(api, "a")
    told = []
    async with asyncio.timeout(_WITHIN_S):
        async for kind, obj in api.watch("configmaps", field_selector="metadata.name=a"):
            told.append(kind)
            if kind == "DELETED":
                break
            await (one.patch({"data": {"a": "b"}}) if kind == "ADDED" else obj.delete())
    assert told == ["ADDED", "MODIFIED", "DELETED"]


async def test_custom_kinds_are_found_by_discovery(api: Any):
    group = f"{api.namespace}.example.com"
    definition = load_document(WIDGETS.replace("{ns}", api.namespace)).value
    crd = await kr8s.asyncio.objects.CustomResourceDefinition(definition, api=api)
    await crd.create()
    async with asyncio.timeout(_WITHIN_S):
        while not crd.status.get("conditions"):  # kr8s cannot wait for an object that has none yet
            await crd.refresh()
    await crd.wait("condition=Established", timeout=_WITHIN_S)
    kind = new_class("Widget", f"{group}/v1", namespaced=True, scalable=True, scalable_spec="size")
    widget = await kind({"metadata": {"name": "left"}, "spec": {"size": 3}}, namespace=api.namespace, api=api)
    await widget.create()
    await widget.scale(5)
    found = [each async for each in api.get(f"widgets.{group}")]
    assert [each.spec.to_dict() for each in found] == [{"size": 5, "colour": "blue"}]
    with pytest.raises(kr8s.ServerError, match="should be less than or equal to 9"):
        await widget.patch({"spec": {"size": 10}})
    await crd.delete()


async def test_a_workload_is_waited_for_scaled_and_read(api: Any):
    web = await Deployment(load_document(WEB).value, namespace=api.namespace, api=api)
    await web.create()
    await web.scale(2)
    async with asyncio.timeout(_WITHIN_S):
        await web.wait("condition=Available")
        async for _ in web.watch():
            if web.status.get("readyReplicas") == 2:
                break
        pods = await web.pods()
    assert [pod.status.phase for pod in pods] == ["Running", "Running"]
    assert all([await pod.ready() for pod in pods])
    await web.delete(propagation_policy="Foreground")
    await web.wait("delete", timeout=_WITHIN_S)
    assert [each async for each in api.get("pods")] == []


async def test_logs_are_followed_to_their_end(api: Any):
    annotations = {"sim.plumbline.dev/log": "one\ntwo"}
    spec = {"restartPolicy": "Never", "containers": [{"name": "work", "image": "work:1"}]}
    pod = await Pod(
        {"metadata": {"name": "work", "annotations": annotations}, "spec": spec}, namespace=api.namespace, api=api
    )
    await pod.create()
    async with asyncio.timeout(_WITHIN_S):
        await pod.wait("jsonpath='{.status.phase}'=Succeeded")
        said = [line async for line in pod.logs(follow=True)]
    assert said[1:3] == ["one", "two"]
