"""Who writes what he likes into one namespace keeps nobody waiting in another one."""

import asyncio

import pytest
from tests.secrets.external.scene import AWAY, PUSHES, STORES, external, push, secret, store, story

from plumbline.base.errors import Unreachable

MANY = 200
FORCED = {"metadata": {"annotations": {"external-secrets.io/force-sync": "1"}}}


async def _soon(place, *, within_s, **what):
    async with asyncio.timeout(within_s):
        return await place.ready(**what)


@story
async def test_stores_that_hang_keep_no_external_secret_of_others_waiting(place):
    await place.apply(store(refreshInterval=86_400), store(namespace=AWAY, refreshInterval=86_400))
    await place.apply(*(external(f"slow{number}", namespace=AWAY) for number in range(MANY)))
    for number in range(MANY):
        await place.ready(name=f"slow{number}", namespace=AWAY)
    place.vault.hanging.add(AWAY)
    for number in range(MANY):
        await place.patch(FORCED, f"slow{number}", namespace=AWAY)
    await asyncio.sleep(5)
    await place.apply(external())
    await _soon(place, within_s=10)


@story
async def test_stores_that_hang_keep_no_store_of_others_waiting(place):
    place.vault.hanging.add(AWAY)
    await place.apply(*(store(f"slow{number}", namespace=AWAY) for number in range(MANY)))
    await asyncio.sleep(5)
    await place.apply(store())
    await _soon(place, within_s=30, name="vault", resource=STORES)


@pytest.mark.parametrize("same", [False, True])
def test_stores_that_hang_keep_no_push_of_others_waiting(same):
    @story
    async def told(place):
        await place.apply(store(), store(namespace=AWAY), secret(user="ann"), secret(user="eve", namespace=AWAY))
        await place.ready(name="vault", resource=STORES)
        await place.ready(name="vault", resource=STORES, namespace=AWAY)
        place.vault.hanging.add(AWAY)
        keys = ["db/new"] if same else [f"their/{number}" for number in range(40)]
        pushes = [push(f"slow{number}", "app", ("user", key), namespace=AWAY) for number, key in enumerate(keys)]
        await place.apply(*pushes)
        await asyncio.sleep(5)
        await place.apply(push("push", "app", ("user", "db/new")))
        await _soon(place, within_s=10, name="push", resource=PUSHES)

    told()


@story
async def test_what_becomes_of_a_store_stirs_no_push_of_others(place):
    await place.apply(store(refreshInterval=86_400), secret(user="ann"))
    await place.ready(name="vault", resource=STORES)
    place.vault.failing = Unreachable("down")
    await place.apply(push("push", "app", ("user", "db/new")))
    await place.ready("False", "down", "push", PUSHES)
    await asyncio.sleep(600)
    opened = place.vault.opened['SecretStore "vault"']
    for number in range(100):
        await place.apply(store("other", namespace=AWAY, retrySettings={"maxRetries": number}))
        await asyncio.sleep(0.5)
    assert place.vault.opened['SecretStore "vault"'] - opened <= 4
