"""Who waits for a provider that hangs keeps nobody else waiting, and what was refused is tried again."""

from .town import created, story


@story()
async def test_a_namespace_whose_provider_hangs_keeps_no_other_waiting(town):
    town.cloud.hangs_in.add("platform")
    for at in range(150):
        await created(town.client, "m.stores", f"hangs-{at}", "platform")
    await town.settle(90)
    await created(town.client, "m.stores", "orders", "shop")
    await town.ready("m.stores", "orders", "shop", within_s=10)


@story()
async def test_a_namespace_for_connection_details_may_come_late(town):
    await town.create(
        "databases", "orders", spec={"writeConnectionSecretToRef": {"name": "conn", "namespace": "later"}}
    )
    await town.has("databases", "orders", Synced="ReconcileError")
    await town.settle(300)
    await town.create("namespaces", "later")
    await town.ready("databases", "orders")
    assert await town.get("secrets", "conn", "later")
