"""A kind that a sync defines is there for the objects of it that come next, however long the server takes."""

import pytest

from plumbline.kernel.kinds import Kinds

from .test_ways_of_writing import CRD, WIDGET
from .town import story

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
