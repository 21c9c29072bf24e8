"""A kind that a sync defines is there for the objects of it that come next, however long the server takes."""

import pytest
import yaml

from plumbline.kernel.kinds import Kinds

from .test_ways_of_writing import CRD, WIDGET
from .town import config_map, story

CRDS = "apiextensions.k8s.io/v1/customresourcedefinitions"
SLOW = [
    (3, "Succeeded", "a moment"),
    (100, "Failed", "for good"),
]


@pytest.mark.parametrize(("looks", "phase", "why"), SLOW, ids=[each[2] for each in SLOW])
def test_objects_wait_for_their_kind_to_be_served(looks, phase, why, monkeypatch):
    catalog, left = Kinds.catalog, looks

    async def late(kinds):
        nonlocal left
        found = await catalog(kinds)
        if found.by_name("widgets") is None:
            return found
        left -= 1
        return found if left < 0 else type(found)([each for each in found.resources if each.kind != "Widget"], {})

    async def resource(kinds, gvk):
        return (await late(kinds)).by_kind(gvk)

    @story(files={"web/widget.yaml": WIDGET, "web/crd.yaml": CRD})
    async def main(town):
        monkeypatch.setattr(Kinds, "catalog", late)
        monkeypatch.setattr(Kinds, "resource", resource)
        await town.deploy(automated=False)
        await town.sync()
        await town.settle(30)
        assert (await town.app())["status"]["operationState"]["phase"] == phase, why

    main()


@story(files={"web/a.yaml": config_map("a")})
async def test_a_kind_that_went_and_came_again_is_followed_again_at_once(town):
    definition = yaml.safe_load(CRD)
    await town.create(CRDS, definition)
    await town.settle(5)
    town.repository.change(web__widget_yaml=WIDGET)
    await town.deploy(automated=False)
    await town.sync()
    await town.synced()
    await town.delete(CRDS, definition["metadata"]["name"], "")
    await town.settle(120)
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync"
    await town.create(CRDS, definition)
    await town.settle(1)
    await town.sync()
    await town.synced()
    await town.patch("shop.example.org/v1/widgets", "one", {"spec": {"size": 7}})
    await town.settle(5)
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync"


@story(files={"web/widget.yaml": WIDGET, "web/a.yaml": config_map("a")})
async def test_a_kind_that_went_unnoticed_keeps_nobody_waiting(town):
    definition = yaml.safe_load(CRD)
    await town.create(CRDS, definition)
    await town.settle(5)
    await town.delivery.destinations._own.discovery.catalog()
    await town.delete(CRDS, definition["metadata"]["name"], "")
    await town.settle(5)
    await town.deploy(automated=False)
    await town.settle(10)
    rows = (await town.app())["status"]["resources"]
    assert [(each["kind"], each["status"]) for each in rows] == [("ConfigMap", "OutOfSync"), ("Widget", "OutOfSync")]
