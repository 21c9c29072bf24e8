"""The first password: made once, hard to guess, and gone for good when it is removed."""

import base64

import pytest

from plumbline.access.administrator import INITIAL, SETTINGS, initial_password
from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

SECRETS = Target(GroupVersionResource("", "v1", "secrets"), "default")


def on_a_plane(test):
    def run():
        async def main():
            clock, ids = LoopClock(), Ids(1)
            plane = Plane(clock, ids, controllers=False)
            async with plane.running():
                await test(Client(plane.transport(), clock=clock, ids=ids))

        run_virtually(main)

    run.__name__ = test.__name__
    return run


async def password(client):
    secret = decode(await client.get(SECRETS._replace(name=INITIAL)))
    return base64.b64decode(secret["data"]["password"])


@on_a_plane
async def test_it_is_made_once_and_stays(client):
    await initial_password(client, "default")
    first = await password(client)
    assert len(first) >= 16
    await initial_password(client, "default")
    assert await password(client) == first


@on_a_plane
async def test_no_two_installations_have_the_same_whatever_the_seed_of_their_names(client):
    await initial_password(client, "default")
    first = await password(client)
    for name in (INITIAL, SETTINGS):
        await client.delete(SECRETS._replace(name=name))
    await initial_password(client, "default")
    assert await password(client) != first


@on_a_plane
async def test_once_it_was_removed_there_is_no_other(client):
    await initial_password(client, "default")
    await client.delete(SECRETS._replace(name=INITIAL))
    await initial_password(client, "default")
    with pytest.raises(NotFound):
        await password(client)


@on_a_plane
async def test_one_who_was_killed_half_way_keeps_the_password_that_somebody_may_have_seen(client):
    await initial_password(client, "default")
    first = await password(client)
    await client.delete(SECRETS._replace(name=SETTINGS))
    await initial_password(client, "default")
    assert await password(client) == first
    assert decode(await client.get(SECRETS._replace(name=SETTINGS)))["metadata"]["labels"]
