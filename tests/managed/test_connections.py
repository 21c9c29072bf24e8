"""Connection Secrets, and passwords that are made up."""

import base64

from plumbline.managed.connection import CONNECTION_TYPE

from .town import conditions, story

TO_SHOP = {"writeConnectionSecretToRef": {"name": "orders-conn", "namespace": "shop"}}
PASSWORD = {"name": "orders-password", "key": "password", "namespace": "shop"}


def values(secret):
    return {key: base64.b64decode(value).decode() for key, value in (secret.get("data") or {}).items()}


@story()
async def test_connection_details_are_written_where_the_resource_says(town):
    made = await town.create("databases", "orders", spec=TO_SHOP)
    await town.ready("databases", "orders")
    secret = await town.get("secrets", "orders-conn", "shop")
    assert secret["type"] == CONNECTION_TYPE
    assert values(secret) == {"endpoint": "orders.db.example.org", "port": "5432"}
    (owner,) = secret["metadata"]["ownerReferences"]
    assert owner == {
        "apiVersion": "data.cloud.example.org/v1beta1", "kind": "Database", "name": "orders",
        "uid": made["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True,
    }  # fmt: skip


@story()
async def test_a_namespaced_resource_writes_to_its_own_namespace(town):
    await town.create("m.databases", "orders", "shop", spec={"writeConnectionSecretToRef": {"name": "conn"}})
    await town.ready("m.databases", "orders", "shop")
    assert values(await town.get("secrets", "conn", "shop"))["port"] == "5432"


@story()
async def test_keys_of_others_stay_and_lost_ones_come_back(town):
    await town.create("databases", "orders", spec=TO_SHOP)
    await town.ready("databases", "orders")
    await town.patch("secrets", "orders-conn", {"data": {"extra": "eA==", "port": None}}, "shop")
    await town.settle(1300)
    assert values(await town.get("secrets", "orders-conn", "shop")) == {"endpoint": "orders.db.example.org", "port": "5432", "extra": "x"}  # fmt: skip
    written = town.api.of("secrets")
    await town.settle(1300)
    assert town.api.of("secrets") == written
    await town.delete("secrets", "orders-conn", "shop")
    await town.settle(700)
    assert values(await town.get("secrets", "orders-conn", "shop"))["port"] == "5432"


@story()
async def test_a_secret_that_somebody_else_has_is_left_as_it_is(town):
    await town.create("secrets", "orders-conn", "shop", data={"port": "eA=="}, type="Opaque")
    await town.create("databases", "orders", spec=TO_SHOP)
    obj = await town.has("databases", "orders", Synced="ReconcileError")
    message = conditions(obj)["Synced"]["message"]
    assert 'refusing to modify uncontrolled secret of type "Opaque"' in message
    assert values(await town.get("secrets", "orders-conn", "shop")) == {"port": "x"}
    assert [reason for reason, _ in await town.events("orders")][-1] == "CannotPublishConnectionDetails"
    await town.create(
        "databases", "second", spec={"writeConnectionSecretToRef": {"name": "second", "namespace": "shop"}}
    )
    await town.ready("databases", "second")
    await town.create(
        "databases", "third", spec={"writeConnectionSecretToRef": {"name": "second", "namespace": "shop"}}
    )
    obj = await town.has("databases", "third", Synced="ReconcileError")
    assert "is not controlled by UID" in conditions(obj)["Synced"]["message"]
    assert "Database second" in conditions(obj)["Synced"]["message"]


@story()
async def test_an_abandoned_connection_secret_is_taken_over(town):
    await town.create("secrets", "orders-conn", "shop", type=CONNECTION_TYPE, data={"old": "eA=="})
    await town.create("databases", "orders", spec=TO_SHOP)
    await town.ready("databases", "orders")
    secret = await town.get("secrets", "orders-conn", "shop")
    assert values(secret)["old"] == "x"
    assert secret["metadata"]["ownerReferences"][0]["name"] == "orders"


@story()
async def test_a_password_is_made_up_before_the_thing_and_never_again(town):
    await town.create("databases", "orders", spec=TO_SHOP, autoGeneratePassword=True, passwordSecretRef=PASSWORD)
    await town.ready("databases", "orders")
    made = values(await town.get("secrets", "orders-password", "shop"))["password"]
    assert len(made) == 40
    assert values(await town.get("secrets", "orders-conn", "shop"))["password"] == made
    await town.settle(1300)
    assert values(await town.get("secrets", "orders-password", "shop"))["password"] == made
    told = str(await town.events("orders")) + str(await town.get("databases", "orders")) + str((await town.journal.page(limit=500)).entries)  # fmt: skip
    assert made not in told


@story()
async def test_a_password_that_is_there_is_used(town):
    await town.create("secrets", "orders-password", "shop", data={"password": "bWluZQ==", "other": "eA=="})
    await town.create("databases", "orders", autoGeneratePassword=True, passwordSecretRef=PASSWORD)
    await town.ready("databases", "orders")
    assert [each.reveal() for each in town.cloud.seen_passwords] == [b"mine"]
    assert values(await town.get("secrets", "orders-password", "shop")) == {"password": "mine", "other": "x"}


@story()
async def test_a_key_is_added_to_a_secret_that_lacks_it(town):
    await town.create("secrets", "orders-password", "shop", data={"other": "eA=="})
    await town.create("databases", "orders", autoGeneratePassword=True, passwordSecretRef=PASSWORD)
    await town.ready("databases", "orders")
    found = values(await town.get("secrets", "orders-password", "shop"))
    assert found["other"] == "x"
    assert len(found["password"]) == 40


@story()
async def test_one_secret_may_hold_the_password_and_the_connection(town):
    ref = {**PASSWORD, "name": "orders-conn"}
    await town.create("databases", "orders", spec=TO_SHOP, autoGeneratePassword=True, passwordSecretRef=ref)
    await town.ready("databases", "orders")
    secret = await town.get("secrets", "orders-conn", "shop")
    assert secret["type"] == CONNECTION_TYPE
    assert sorted(values(secret)) == ["endpoint", "password", "port"]


@story()
async def test_a_switch_without_a_place_says_what_is_missing(town):
    await town.create("databases", "orders", autoGeneratePassword=True)
    obj = await town.has("databases", "orders", Synced="ReconcileError")
    assert "spec.forProvider.passwordSecretRef does not name a Secret and a key" in conditions(obj)["Synced"]["message"]
    assert town.cloud.calls["create"] == 0


@story()
async def test_what_is_told_only_once_is_kept_until_it_is_written(town):
    await town.create("secrets", "key-conn", "shop", type="Opaque")
    await town.create("keys", "seal", spec={"writeConnectionSecretToRef": {"name": "key-conn", "namespace": "shop"}})
    await town.has("keys", "seal", Synced="ReconcileError")
    await town.delete("secrets", "key-conn", "shop")
    await town.ready("keys", "seal", within_s=200)
    assert values(await town.get("secrets", "key-conn", "shop")) == {"initial": "once"}
