"""Generators are run once for each refresh, and what they make ends in the Secret and nowhere else."""

import asyncio
import re

from tests.secrets.external.scene import (
    HOME,
    SECRETS,
    condition,
    external,
    generated,
    generator,
    item,
    running,
    store,
    story,
)


@story
async def test_a_password_is_made_once_and_anew_with_each_refresh(place):
    await place.apply(
        generator("Password", length=12), external(dataFrom=[generated("Password")], refreshInterval="1h")
    )
    await place.ready()
    first = await place.values()
    assert len(first["password"]) == 12
    assert await place.quietly(1800) == (0, 0)
    assert await place.values() == first
    await asyncio.sleep(3600)
    assert (await place.values())["password"] != first["password"]


@story
async def test_a_restart_and_a_change_of_the_generator_make_nothing_new(place):
    await place.apply(generator("UUID"), external(dataFrom=[generated("UUID")], refreshInterval="0s"))
    await place.ready()
    first = await place.values()
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", first["uuid"])
    async with running(place):
        assert await place.quietly(7200) == (0, 0)
    assert await place.values() == first


@story
async def test_each_entry_has_values_of_its_own_and_they_stand_beside_those_of_stores(place):
    renamed = {"rewrite": [{"regexp": {"source": "^", "target": "other_"}}]}
    entries = [generated("Password"), generated("Password", **renamed)]
    wanted = external(dataFrom=entries, data=[item("user", "db", "user")])
    await place.apply(store(), generator("Password"), wanted)
    await place.ready()
    values = await place.values()
    assert set(values) == {"password", "other_password", "user"}
    assert values["password"] != values["other_password"]


@story
async def test_templates_see_what_was_made(place):
    target = {"template": {"data": {"entry": '{{ htpasswd "ann" .password }}', "raw": "{{ .password }}"}}}
    await place.apply(generator("Password"), external(dataFrom=[generated("Password")], target=target))
    await place.ready()
    values = await place.values()
    assert values["entry"].startswith("ann:$2a$10$")
    assert len(values["raw"]) == 24


@story
async def test_a_generator_of_the_cluster_stands_for_one_in_every_namespace(place):
    cluster = generator("ClusterGenerator", kind="Fake", generator={"fakeSpec": {"data": {"k": "v"}}})
    await place.apply(cluster, external(dataFrom=[generated("ClusterGenerator")]))
    await place.ready()
    assert await place.values() == {"k": "v"}


@story
async def test_what_is_wrong_with_a_generator_is_said(place):
    await place.apply(
        external("absent", dataFrom=[generated("Password", "nowhere")]),
        external("unspoken", dataFrom=[generated("ECRAuthorizationToken")]),
        generator("Password", "greedy", length=4, digits=5),
        external("greedy", dataFrom=[generated("Password", "greedy")]),
        generator("ClusterGenerator", "lame", kind="UUID", generator={"fakeSpec": {}}),
        external("lame", dataFrom=[generated("ClusterGenerator", "lame")]),
        generator("ClusterGenerator", "cloud", kind="GCRAccessToken", generator={"gcrAccessTokenSpec": {}}),
        external("cloud", dataFrom=[generated("ClusterGenerator", "cloud")]),
        external("mute", dataFrom=[{"sourceRef": {"storeRef": {"name": "vault"}}}]),
    )
    await place.ready("False", "unable to get generator Password nowhere", name="absent")
    await place.ready("False", "ECRAuthorizationToken are not run here", name="unspoken")
    await place.ready("False", "number of digits and symbols must be less", name="greedy")
    await place.ready("False", "has no uuidSpec", name="lame")
    await place.ready("False", "GCRAccessToken are not run here", name="cloud")
    await place.ready("False", "neither extract nor find", name="mute")
    await place.apply(generator("Password", "nowhere"))
    await place.ready(name="absent")


@story
async def test_a_failing_store_beside_it_leaves_the_secret_as_it_is(place):
    wanted = external(dataFrom=[generated("Password"), {"extract": {"key": "db"}}], refreshInterval="5m")
    await place.apply(store(), generator("Password"), wanted)
    await place.ready()
    before = await place.get("app", SECRETS)
    del place.vault.kept["db"]
    await place.ready("False")
    await asyncio.sleep(600)
    assert (await place.get("app", SECRETS))["data"] == before["data"]
    assert condition(await place.get())["reason"] == "SecretSyncedError"
    assert before["metadata"]["namespace"] == HOME
