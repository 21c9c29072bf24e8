"""How providers are reached: configs and credentials that are missing, wrong, changed, in use."""

import base64

from plumbline.base.errors import Throttled

from .town import conditions, story


def secret(value, key="token"):
    return {"data": {key: base64.b64encode(value.encode()).decode()}}


def by_secret(name="cloud-token", namespace="platform"):
    return {"credentials": {"source": "Secret", "secretRef": {"name": name, "namespace": namespace, "key": "token"}}}


@story()
async def test_a_config_that_is_missing_is_named_and_awaited(town):
    await town.create("stores", "photos", spec={"providerConfigRef": {"name": "prod"}})
    obj = await town.has("stores", "photos", Synced="ReconcileError")
    message = conditions(obj)["Synced"]["message"]
    assert message.startswith(
        'connect failed: cannot get referenced ProviderConfig: ProviderConfig.cloud.example.org "prod" not found'
    )
    assert "Create a ProviderConfig named prod" in message
    assert [reason for reason, _ in await town.events("photos")] == ["CannotConnectToProvider"]
    await town.create("configs", "prod", spec={"credentials": {"source": "None"}})
    await town.ready("stores", "photos", within_s=5)


@story()
async def test_credentials_that_are_missing_wrong_and_right_at_last(town):
    await town.create("configs", "prod", spec=by_secret())
    await town.create("stores", "photos", spec={"providerConfigRef": {"name": "prod"}})
    obj = await town.has("stores", "photos", Synced="ReconcileError")
    assert "connect failed: Secret platform/cloud-token not found" in conditions(obj)["Synced"]["message"]
    await town.create("secrets", "cloud-token", "platform", **secret("wrong"))

    async def told(text):
        async def so():
            said = conditions(await town.get("stores", "photos"))["Synced"].get("message", "")
            return text in said

        await town.until(so)

    await told("The cloud does not know these credentials")
    await town.patch(
        "secrets",
        "cloud-token",
        secret("right", "other") | {"data": {**secret("x")["data"], "token": None}},
        "platform",
    )
    await told("has no key 'token'")
    await town.patch("secrets", "cloud-token", secret("right"), "platform")
    await town.ready("stores", "photos")
    assert "right" not in str(await town.events("photos"))


@story()
async def test_connections_are_told_apart_by_version_and_a_rotated_secret_is_another(town):
    await town.create("secrets", "cloud-token", "platform", **secret("right"))
    await town.create("configs", "prod", spec=by_secret())
    await town.create("stores", "photos", spec={"providerConfigRef": {"name": "prod"}})
    await town.ready("stores", "photos")
    versions = []
    kind = next(
        each for each in town.managed._parts.catalogue.kinds.values() if each.kind == "Store" and not each.namespaced
    )
    connect = kind.connector.connect

    async def remembered(managed, config):
        versions.append(config.version)
        return await connect(managed, config)

    kind.connector.connect = remembered
    await town.settle(1300)
    await town.patch("secrets", "cloud-token", {"metadata": {"labels": {"rotated": "yes"}}}, "platform")
    await town.settle(1300)
    assert len(versions) >= 3
    assert len(set(versions)) == 2


@story()
async def test_a_namespaced_config_reads_secrets_of_its_namespace_only(town):
    await town.create("secrets", "cloud-token", "platform", **secret("right"))
    await town.create("m.configs", "own", "shop", spec=by_secret())
    await town.create(
        "m.stores", "photos", "shop", spec={"providerConfigRef": {"kind": "ProviderConfig", "name": "own"}}
    )
    obj = await town.has("m.stores", "photos", "shop", Synced="ReconcileError")
    assert "Secrets of its own namespace only" in conditions(obj)["Synced"]["message"]
    await town.create("secrets", "cloud-token", "shop", **secret("right"))
    await town.patch("m.configs", "own", {"spec": {"credentials": {"secretRef": {"namespace": "shop"}}}}, "shop")
    await town.ready("m.stores", "photos", "shop")


@story()
async def test_a_config_says_how_many_use_it_and_stays_while_any_does(town):
    for name in ("a", "b", "c"):
        await town.create("stores", name)
        await town.ready("stores", name)
    await town.settle(10)
    config = await town.get("configs", "default")
    assert config["status"]["users"] == 3
    assert config["metadata"]["finalizers"] == ["in-use.crossplane.io"]
    await town.delete("configs", "default")
    config = await town.has("configs", "default", Terminating="InUse")
    assert conditions(config)["Terminating"]["message"] == "Blocking deletion while usages still exist"
    for name in ("a", "b", "c"):
        await town.delete("stores", name)
    await town.gone("configs", "default")
    assert town.cloud.live() == []


@story()
async def test_a_thousand_users_cost_few_counts(town):
    before = town.api.of("providerconfigs")
    for index in range(40):
        await town.create("networks", f"n{index}")
    await town.settle(30)
    assert (await town.get("configs", "default"))["status"]["users"] == 40
    assert town.api.of("providerconfigs") - before <= 4


@story()
async def test_a_cloud_that_asks_to_slow_down_is_left_alone_by_all_who_use_the_same_config(town):
    for index in range(10):
        await town.create("networks", f"n{index}")
        await town.ready("networks", f"n{index}")
    said = {name: conditions(await town.get("networks", name))["Synced"] for name in ("n0", "n5")}
    town.cloud.refuses["observe"] = [Throttled("Rate exceeded", after_s=30.0)]
    await town.patch("networks", "n0", {"spec": {"forProvider": {"size": 2}}})
    await town.settle(1)
    asked = town.cloud.calls["observe"]
    for index in range(1, 10):
        await town.patch("networks", f"n{index}", {"spec": {"forProvider": {"size": 2}}})
    await town.settle(28)
    assert town.cloud.calls["observe"] == asked
    assert conditions(await town.get("networks", "n0"))["Synced"] == said["n0"]
    assert conditions(await town.get("networks", "n5"))["Synced"] == said["n5"]
    await town.settle(60)
    assert {each.fields["size"] for each in town.cloud.live()} == {2}
