"""The same workloads on a real cluster and on ours end in the same objects and the same events."""

import asyncio

import pytest
from tests.apiserver.controllers.workloads.kubelet import NODE
from tests.apiserver.controllers.workloads.world import world
from tests.conformance.apiserver.workload_scenes import SCENES, Scene
from tests.conformance.apiserver.workload_sides import OurSide, RealSide, settled
from tests.conformance.apiserver.workload_snapshots import snapshot
from tests.conformance.real import MERGE_PATCH, RealCluster

from plumbline.base.json import Json
from plumbline.base.virtualtime import run_virtually

pytestmark = pytest.mark.conformance

Snapshot = dict[str, list[Json]]


async def _played(scene: Scene, side) -> Snapshot:
    await scene(side)
    await settled(side)
    return snapshot(side)


async def _played_at_once(cluster: RealCluster) -> dict[str, Snapshot | BaseException]:
    """All scenes side by side, each in a namespace of its own."""
    found = await asyncio.gather(*(_played(scene, RealSide(cluster)) for scene in SCENES), return_exceptions=True)
    return {scene.__name__: each for scene, each in zip(SCENES, found, strict=True)}


async def _played_on_ours(scene: Scene) -> Snapshot:
    async with world() as there:
        return await _played(scene, OurSide(there))


def prepare_node(cluster: RealCluster) -> None:
    answer = cluster.post("/api/v1/nodes", {"metadata": {"name": NODE, "labels": {"zone": "a"}}})
    assert answer.status in (201, 409), answer.body
    assert cluster.patch(f"/api/v1/nodes/{NODE}", {"spec": {"taints": None}}, MERGE_PATCH).fine


@pytest.fixture(scope="module")
def on_real(real_controllers):
    prepare_node(real_controllers)
    return asyncio.run(_played_at_once(real_controllers))


@pytest.mark.parametrize("scene", SCENES, ids=[scene.__name__ for scene in SCENES])
def test_a_workload_ends_as_on_the_real_cluster(on_real, real_controllers, scene):
    """Where many scenes are played at once on a busy machine, controllers there overtake each other: then it is played by itself."""
    theirs = on_real[scene.__name__]
    if isinstance(theirs, BaseException):
        raise theirs
    ours = run_virtually(lambda: _played_on_ours(scene))
    if ours != theirs:
        theirs = asyncio.run(_played(scene, RealSide(real_controllers)))
    assert ours == theirs
