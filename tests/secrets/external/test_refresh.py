"""When stores are asked again, and when they are not."""

import asyncio

import pytest
from tests.secrets.external.scene import EXTERNALS, HOME, HOUR, SECRETS, external, item, secret, store, story

from plumbline.base.json import encode
from plumbline.kube.client import Target


@story
async def test_a_secret_comes_from_the_store(place):
    await place.apply(store(), external())
    found = await place.ready(text="SecretSyncedsecret synced")
    assert await place.values() == {"user": "ann", "password": "s3cret"}
    status = found["status"]
    assert status["binding"] == {"name": "app"}
    assert status["refreshTime"]
    assert status["syncedResourceVersion"].startswith("1-")
    assert (await place.events())["Created", "secret created"] == 1


@story
async def test_nothing_is_asked_or_written_before_it_is_due(place):
    await place.apply(store(refreshInterval=86_400), external())
    await place.ready()
    await asyncio.sleep(30)
    assert await place.quietly(0.85 * HOUR) == (0, 0)
    assert place.vault.asked["check"] == 1


@story
async def test_a_rotated_value_arrives_with_the_next_refresh(place):
    await place.apply(store(), external())
    before = await place.ready()
    place.vault.kept["db"]["password"] = "n3w"
    await asyncio.sleep(HOUR)
    assert (await place.values())["password"] == "n3w"
    after = await place.ready()
    assert after["status"]["refreshTime"] > before["status"]["refreshTime"]
    assert (await place.events())["Updated", "secret updated"] == 1


@story
async def test_a_refresh_that_brings_nothing_new_writes_no_secret(place):
    await place.apply(store(), external(refreshInterval="10m"))
    await place.ready()
    await asyncio.sleep(30)
    version = (await place.get(resource=SECRETS))["metadata"]["resourceVersion"]
    place.wire.writes.clear()
    await asyncio.sleep(2 * HOUR)
    assert 12 <= place.vault.asked["entries"] <= 15
    assert place.wire.writes["secrets"] == 0
    assert (await place.get(resource=SECRETS))["metadata"]["resourceVersion"] == version


@story
async def test_those_made_together_are_not_refreshed_together(place):
    await place.apply(store(refreshInterval=86_400), *(external(f"app-{index}") for index in range(20)))
    for index in range(20):
        await place.ready(name=f"app-{index}")
    seconds = set()
    for _ in range(720):
        asked = place.vault.questions
        await asyncio.sleep(1)
        if place.vault.questions > asked:
            seconds.add(place.vault.questions - asked)
    await asyncio.sleep(0.88 * HOUR - 720)
    moments = []
    while len(moments) < 20:
        asked = place.vault.questions
        await asyncio.sleep(1)
        moments += [place.world.clock.now()] * (place.vault.questions - asked)
    assert not seconds
    assert len(set(moments)) > 15


@story
async def test_zero_means_once(place):
    await place.apply(store(refreshInterval=86_400), external(refreshInterval="0s"))
    await place.ready()
    await place.patch({"metadata": {"annotations": {"external-secrets.io/force-sync": "1"}}})
    await asyncio.sleep(30)
    assert await place.quietly(2 * HOUR) == (0, 0)
    assert place.vault.questions == 1


CHANGES = [
    ({"metadata": {"annotations": {"external-secrets.io/force-sync": "1"}}}, "force-sync"),
    ({"metadata": {"labels": {"team": "blue"}}}, "any metadata"),
    ({"spec": {"data": [item("user", "db", "user")]}}, "the spec"),
]


@pytest.mark.parametrize(("policy", "again"), [("Periodic", 1), ("OnChange", 1), ("CreatedOnce", 0)])
@pytest.mark.parametrize(("change", "why"), CHANGES, ids=[why for _, why in CHANGES])
def test_a_change_refreshes_at_once_unless_once_is_enough(policy, again, change, why):
    @story
    async def told(place):
        await place.apply(store(refreshInterval=86_400), external(refreshPolicy=policy))
        await place.ready()
        asked = place.vault.asked["entries"]
        await place.patch(change)
        await asyncio.sleep(10)
        assert place.vault.asked["entries"] - asked == again, why

    told()


@pytest.mark.parametrize("policy", ["OnChange", "CreatedOnce"])
def test_without_a_period_nothing_is_asked_again_by_itself(policy):
    @story
    async def told(place):
        await place.apply(store(refreshInterval=86_400), external(refreshPolicy=policy))
        await place.ready()
        await asyncio.sleep(30)
        assert await place.quietly(2 * HOUR) == (0, 0)

    told()


@story
async def test_a_refresh_in_the_future_is_made_now(place):
    await place.apply(store(), external())
    await place.ready()
    status = {"status": {"refreshTime": "2030-01-01T00:00:00Z"}}
    target = Target(EXTERNALS, HOME, "app", "status")
    await place.client.patch(target, encode(status), "merge")
    await asyncio.sleep(5)
    assert place.vault.questions == 2
    assert (await place.get())["status"]["refreshTime"] < "2030"


@story
async def test_outside_of_its_windows_nothing_is_refreshed(place):
    """The day begins at midnight."""
    windows = {"kind": "allow", "windows": [{"schedule": "0 3 * * *", "duration": "1h"}]}
    await place.apply(store(refreshInterval=86_400), external(refreshInterval="10m", syncWindows=windows))
    await place.ready()
    await asyncio.sleep(30)
    assert await place.quietly(2.5 * HOUR) == (0, 0)
    await asyncio.sleep(2 * HOUR)
    assert 5 <= place.vault.questions - 1 <= 8


@story
async def test_in_windows_that_deny_nothing_is_refreshed(place):
    windows = {"kind": "deny", "windows": [{"schedule": "0 0 * * *", "duration": "3h"}]}
    await place.apply(store(refreshInterval=86_400), external(refreshInterval="10m", syncWindows=windows))
    await place.ready()
    await asyncio.sleep(30)
    assert await place.quietly(2.9 * HOUR) == (0, 0)
    await asyncio.sleep(HOUR)
    assert place.vault.questions - 1 >= 5


@story
async def test_each_question_is_asked_once_in_a_look(place):
    wanted = [item(f"key{index}", "db", "user") for index in range(5)]
    await place.apply(store(), external(data=wanted, dataFrom=[{"extract": {"key": "db"}}, {"extract": {"key": "db"}}]))
    await place.ready()
    assert (place.vault.asked["value"], place.vault.asked["entries"]) == (1, 1)
    assert (await place.values())["key4"] == "ann"


@story
async def test_data_counts_where_data_from_has_the_same_key(place):
    place.vault.kept["other"] = {"user": "bob", "port": "1"}
    spec = {
        "dataFrom": [{"extract": {"key": "other"}}, {"extract": {"key": "db"}}],
        "data": [item("port", "db", "user")],
    }
    await place.apply(store(), external(**spec))
    await place.ready()
    assert await place.values() == {"user": "ann", "password": "s3cret", "port": "ann"}


@story
async def test_a_store_is_asked_only_so_much_at_a_time(place):
    place.vault.takes_s = 2.0
    wanted = [item(f"key{index}", f"many{index}") for index in range(30)]
    place.vault.kept |= {f"many{index}": "x" for index in range(30)}
    await place.apply(store(), *(external(f"app-{number}", data=wanted) for number in range(4)))
    for number in range(4):
        await place.ready(name=f"app-{number}")
    assert place.vault.busiest == 8


@story
async def test_entries_may_name_a_store_of_their_own(place):
    other = {**item("user", "db", "user"), "sourceRef": {"storeRef": {"name": "wide", "kind": "ClusterSecretStore"}}}
    await place.apply(store(), store("wide", cluster=True), external(data=[item("password", "db", "password"), other]))
    await place.ready()
    assert await place.values() == {"user": "ann", "password": "s3cret"}
    assert place.vault.opened['ClusterSecretStore "wide"'] == 2
    assert place.vault.opened['SecretStore "vault"'] == 2


@story
async def test_templates_are_read_from_where_they_are(place):
    template = {
        "templateFrom": [
            {"configMap": {"name": "shape", "items": [{"key": "url"}]}},
            {"secret": {"name": "hidden", "items": [{"key": "line"}]}},
        ]
    }
    shape = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "shape", "namespace": HOME},
        "data": {"url": "db://{{ .user }}:{{ .password }}@here"},
    }
    await place.apply(store(), external(target={"template": template}))
    await place.ready("False", "could not update secret: could not apply template")
    await place.apply(shape, secret("hidden", line="{{ .user }}!"))
    await place.ready()
    assert await place.values() == {"url": "db://ann:s3cret@here", "line": "ann!"}


@story(app1={"a": "1"}, app2={"b": "2"})
async def test_what_is_searched_for_is_found(place):
    await place.apply(
        store(), external(dataFrom=[{"find": {"path": "app", "name": {"regexp": ".*"}, "tags": {"x": "y"}}}])
    )
    await place.ready()
    assert await place.values() == {"app1": '{"a":"1"}', "app2": '{"b":"2"}'}
    assert place.vault.asked["search"] == 1
