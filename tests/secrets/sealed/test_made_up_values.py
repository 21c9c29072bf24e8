"""What templates make up by chance or by the clock is made once for what is asked, and not at every look."""

import asyncio

import pytest
from tests.secrets.sealed.scene import SEALED, Scene, running, sealed, story

from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World

MADE_UP = {
    "chance": "{{ randAlphaNum 16 }}",
    "hash": '{{ htpasswd "ann" .password }}',
    "moment": "{{ now | unixEpoch }}",
}
TEMPLATE = {"data": {**MADE_UP, "url": "db://{{ .password }}"}}


async def _again(scene):
    """Another process, which knows nothing of what the first has done."""
    again = Scene(scene.client, World(scene.world.clock, scene.world.ids, Metrics()), scene.journal)
    async with running(again):
        await asyncio.sleep(30)


def test_a_restart_leaves_them_as_they_are():
    async def told(scene):
        await scene.apply(sealed(template=TEMPLATE))
        await scene.told("True")
        before, values = await scene.versions(), await scene.values()
        assert len(values["chance"]) == 16
        assert values["hash"].startswith("ann:$2a$10$")
        await _again(scene)
        assert await scene.versions() == before

    story(told)


@pytest.mark.parametrize("drift", [{"data": {"password": "b3RoZXI="}}, {"data": {"url": None}}])
def test_what_somebody_changes_beside_them_comes_back_without_them_changing(drift):
    async def told(scene):
        await scene.apply(sealed(template=TEMPLATE))
        await scene.told("True")
        before = await scene.values()
        await scene.patch(drift)
        await asyncio.sleep(5)
        assert await scene.values() == before

    story(told)


def test_they_are_made_anew_with_the_secret_and_when_something_else_is_asked_for():
    async def told(scene):
        await scene.apply(sealed(template=TEMPLATE))
        await scene.told("True")
        first = await scene.values()
        await scene.delete()
        second = await scene.until(scene.values)
        assert second["chance"] != first["chance"]
        await scene.apply(sealed(template={"data": {**TEMPLATE["data"], "more": "x"}}))
        await scene.until(lambda: _observed(scene, 2))
        third = await scene.values()
        assert third["chance"] != second["chance"]
        assert third["more"] == "x"

    story(told)


async def _observed(scene, generation):
    return (await scene.get(resource=SEALED))["status"]["observedGeneration"] == generation


def test_one_that_is_taken_away_by_hand_is_made_again():
    async def told(scene):
        await scene.apply(sealed(template=TEMPLATE))
        await scene.told("True")
        await scene.patch({"data": {"chance": None}})
        await asyncio.sleep(5)
        assert set(await scene.values()) == {"password", "url", *MADE_UP}

    story(told)
