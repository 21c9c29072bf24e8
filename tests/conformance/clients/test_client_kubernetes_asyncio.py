"""The Python client for asyncio: verbs, and watches that end, break and go on."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import kubernetes_asyncio
import pytest
from kubernetes_asyncio.client import ApiException, CoreV1Api
from kubernetes_asyncio.watch import Watch

from .manifests import config_map
from .plane import OurPlane

pytestmark = pytest.mark.conformance

_WITHIN_S = 30
_GONE = 410


@pytest.fixture
async def core(plane: OurPlane) -> AsyncIterator[CoreV1Api]:
    async with await kubernetes_asyncio.config.new_client_from_config(str(plane.kubeconfig)) as client:
        yield CoreV1Api(client)


async def followed(core: CoreV1Api, namespace: str, names: set[str]) -> AsyncIterator[set[str]]:
    """As careful users follow: a list, then a watch from its version; again from a list when that has expired."""
    version = ""
    while True:
        try:
            if not version:
                listed = await core.list_namespaced_config_map(namespace, label_selector="of=test")
                version = listed.metadata.resource_version
                names.clear()
                names.update(each.metadata.name for each in listed.items)
                yield names
            async with Watch() as watch:
                async for event in watch.stream(
                    core.list_namespaced_config_map, namespace, label_selector="of=test", resource_version=version
                ):
                    metadata = event["object"].metadata
                    version = metadata.resource_version
                    names.discard(metadata.name) if event["type"] == "DELETED" else names.add(metadata.name)
                    yield names
        except ApiException as refused:
            if refused.status != _GONE:
                raise
            version = ""
        except aiohttp.ClientError:
            await asyncio.sleep(0.05)


async def test_verbs_and_their_errors(core: CoreV1Api, space: str):
    await core.create_namespaced_config_map(space, config_map("a", key="1"))
    with pytest.raises(ApiException) as taken:
        await core.create_namespaced_config_map(space, config_map("a"))
    assert (taken.value.status, taken.value.reason) == (409, "Conflict")
    merged = "application/merge-patch+json"
    await core.patch_namespaced_config_map("a", space, {"data": {"key": None}}, _content_type=merged)
    assert not (await core.read_namespaced_config_map("a", space)).data
    wanted = kubernetes_asyncio.client.V1TokenRequestSpec(audiences=[], expiration_seconds=600)
    request = kubernetes_asyncio.client.AuthenticationV1TokenRequest(spec=wanted)
    issued = await core.create_namespaced_service_account_token("default", space, request)
    assert issued.status.token.count(".") == 2


async def test_a_watch_ends_at_its_timeout(core: CoreV1Api, space: str):
    await core.create_namespaced_config_map(space, config_map("a"))
    async with asyncio.timeout(_WITHIN_S), Watch() as watch:
        heard = [
            (event["type"], event["object"].metadata.name)
            async for event in watch.stream(
                core.list_namespaced_config_map, space, label_selector="of=test", timeout_seconds=1
            )
        ]
    assert heard == [("ADDED", "a")]


async def test_a_watch_goes_on_until_it_is_left(core: CoreV1Api, space: str):
    await core.create_namespaced_config_map(space, config_map("a"))
    heard = []
    async with asyncio.timeout(_WITHIN_S), Watch() as watch:
        async for event in watch.stream(core.list_namespaced_config_map, space, label_selector="of=test"):
            heard.append((event["type"], event["object"].metadata.name))
            if event["type"] == "ADDED":
                await core.patch_namespaced_config_map("a", space, {"data": {"a": "b"}})
            elif event["type"] == "MODIFIED":
                await core.delete_namespaced_config_map("a", space)
            else:
                break
    assert heard == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


async def test_a_follower_catches_up_with_a_plane_that_was_away(own_plane: OurPlane):
    async with await kubernetes_asyncio.config.new_client_from_config(str(own_plane.kubeconfig)) as client:
        core = CoreV1Api(client)
        for name in ("stays", "goes"):
            await core.create_namespaced_config_map("default", config_map(name))
        names: set[str] = set()
        following = followed(core, "default", names)
        async with asyncio.timeout(_WITHIN_S):
            assert await anext(following) == {"stays", "goes"}
            with own_plane.away():
                pass
            await core.delete_namespaced_config_map("goes", "default")
            await core.create_namespaced_config_map("default", config_map("comes"))
            async for held in following:
                if held == {"stays", "comes"}:
                    break
        await following.aclose()


async def test_a_version_from_before_a_restart_is_gone_and_not_silence(own_plane: OurPlane):
    async with await kubernetes_asyncio.config.new_client_from_config(str(own_plane.kubeconfig)) as client:
        core = CoreV1Api(client)
        version = (await core.create_namespaced_config_map("default", config_map("a"))).metadata.resource_version
        await core.delete_namespaced_config_map("a", "default")
        with own_plane.away():
            pass
        async with asyncio.timeout(_WITHIN_S), Watch() as watch:
            stream = watch.stream(core.list_namespaced_config_map, "default", resource_version=version)
            with pytest.raises(ApiException) as expired:
                await anext(stream)
    assert expired.value.status == _GONE
