"""Two resources that stand for the same thing: the older one has it."""

from .town import conditions, story

NAMED = {"annotations": {"crossplane.io/external-name": "photos"}}


@story()
async def test_the_second_with_the_same_name_waits_and_names_the_first(town):
    await town.create("stores", "first", metadata=NAMED, size=1)
    await town.ready("stores", "first")
    await town.settle(2)
    await town.create("stores", "second", metadata=NAMED, size=2)
    obj = await town.has("stores", "second", Synced="OwnedElsewhere")
    assert "Store.data.cloud.example.org/first" in conditions(obj)["Synced"]["message"]
    assert "finalizers" not in obj["metadata"]
    await town.settle(1300)
    assert town.cloud.live()[0].fields["size"] == 1
    await town.delete("stores", "second")
    await town.gone("stores", "second")
    assert len(town.cloud.live()) == 1


@story()
async def test_when_the_first_goes_the_second_goes_on(town):
    await town.create("stores", "first", metadata=NAMED, spec={"deletionPolicy": "Orphan"})
    await town.ready("stores", "first")
    await town.settle(2)
    await town.create("stores", "second", metadata=NAMED, size=2)
    await town.has("stores", "second", Synced="OwnedElsewhere")
    await town.delete("stores", "first")
    await town.ready("stores", "second", within_s=5)
    assert town.cloud.live()[0].fields["size"] == 2


@story()
async def test_whoever_only_looks_takes_nothing_away(town):
    await town.create("stores", "first", metadata=NAMED)
    await town.ready("stores", "first")
    await town.settle(2)
    await town.create("stores", "watcher", metadata=NAMED, spec={"managementPolicies": ["Observe"]})
    await town.ready("stores", "watcher")


@story()
async def test_other_regions_and_other_configs_are_other_things(town):
    await town.create("configs", "other", spec={"credentials": {"source": "None"}})
    await town.create("stores", "first", metadata=NAMED)
    await town.create("stores", "south", metadata=NAMED, region="south")
    await town.create("stores", "other", metadata=NAMED, spec={"providerConfigRef": {"name": "other"}})
    for name in ("first", "south", "other"):
        await town.ready("stores", name)


@story()
async def test_the_second_that_held_on_to_it_once_deletes_nothing_of_the_first(town):
    await town.create("stores", "first", metadata=NAMED)
    await town.ready("stores", "first")
    await town.settle(2)
    held = {**NAMED, "finalizers": ["finalizer.managedresource.crossplane.io"]}
    await town.create("stores", "second", metadata=held)
    await town.has("stores", "second", Synced="OwnedElsewhere")
    await town.delete("stores", "second")
    await town.gone("stores", "second")
    assert len(town.cloud.live()) == 1
