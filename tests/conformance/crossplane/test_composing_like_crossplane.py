"""The same definitions, compositions and claims, driven by the real Crossplane and by us: the same objects, field by field."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from . import estate
from .intended import TABLE, intended
from .kit import GADGETS
from .portrait import Portrait, differences
from .stage import staged

pytestmark = pytest.mark.conformance

_WITHIN_S = 60
_STAYS_S = 2
_CLAIM = "crossplane.io/claim-name"


def begin(stage):
    stage.apply(GADGETS, *estate.DEFINITIONS)
    stage.established(*estate.DEFINITIONS)
    stage.apply({**estate.OCCUPIED, "metadata": {**estate.OCCUPIED["metadata"], "ownerReferences": [another(stage)]}})
    stage.apply(*estate.COMPOSITIONS)
    stage.until(lambda: len(stage.list("CompositionRevision")) == len(estate.COMPOSITIONS), "revisions of all")
    stage.apply(*estate.MADE)


def another(stage):
    """Some controller, of a kind that is always there."""
    owner = stage.get("Namespace", "default")
    reference = {"apiVersion": "v1", "kind": "Namespace", "name": "default", "uid": owner["metadata"]["uid"]}
    return {**reference, "controller": True}


def revision(stage):
    """Which the claim has that is about to be paused."""
    return (stage.get("Thing", "pausing", "shop")["spec"].get("compositionRevisionRef") or {}).get("name")


def amend(stage):
    before = revision(stage)
    stage.apply(*estate.CHANGED)
    # What is paused keeps the revision that it has by then, which may be either.
    stage.until(lambda: revision(stage) != before, "the claim has the new revision")
    for kind, name, change in estate.AMENDED:
        stage.patch(kind, name, change, "" if kind.startswith("X") else "shop")
    for kind, name in estate.DELETED:
        stage.delete(kind, name, "" if kind.startswith("X") else "shop")
    (drifted,) = stage.list("Gadget", labelSelector=f"{_CLAIM}={estate.DRIFTED}")
    stage.patch("Gadget", drifted["metadata"]["name"], {"spec": {"which": "by hand", "added": "by hand"}})
    (lost,) = stage.list("Gadget", labelSelector=f"{_CLAIM}={estate.LOST}")
    stage.delete("Gadget", lost["metadata"]["name"])
    # We see that by ourselves. Crossplane looks when something of the claim changes.
    stage.patch("Thing", estate.LOST, {"metadata": {"annotations": {"looked": "at"}}}, "shop")


class Pair:
    """The real one and ours, side by side, each on a cluster of its own."""

    def __init__(self, theirs, ours):
        self.stages = theirs, ours
        self.met = set()
        """Differences that are meant, and were seen."""

    def both(self, deed):
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(deed, self.stages))

    def portraits(self):
        with ThreadPoolExecutor(2) as pool:
            return tuple(pool.map(lambda stage: Portrait(stage, estate.DEFINITIONS).objects, self.stages))

    def unmeant(self):
        found = [(each, intended(*each[0], each[1])) for each in differences(*self.portraits())]
        self.met |= {meant for _, meant in found if meant}
        return [each for each, meant in found if not meant]

    def settled(self):
        """What is different, and not meant to be, once nothing changes any more."""
        end = time.monotonic() + _WITHIN_S
        before = None
        while time.monotonic() < end:
            found = self.portraits()
            if found == before and all(map(_told, found)) and not self.unmeant():
                return []
            before = found
            time.sleep(_STAYS_S)
        return self.unmeant()


def _told(objects):
    """Whether everybody has said how it stands."""
    claims = [each for (kind, _), each in objects.items() if kind in {"Thing", "Store", "Enforced", "Manual"}]
    return claims and all("conditions" in (each.get("status") or {}) for each in claims)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crossplane")
    with ExitStack() as stack:
        theirs = stack.enter_context(staged(folder / "theirs"))
        ours = stack.enter_context(staged(folder / "ours", namespaces=("shop", "crossplane-system")))
        stack.enter_context(theirs.crossplane())
        stack.enter_context(ours.ours())
        yield Pair(theirs, ours)


def test_what_is_made_is_the_same(pair):
    pair.both(begin)
    assert pair.settled() == []
    theirs, ours = pair.portraits()
    assert (
        theirs["Thing", "patches"]["status"]["address"] == ours["Thing", "patches"]["status"]["address"] == "yes:small"
    )
    assert theirs["Secret", "details"]["data"] == ours["Secret", "details"]["data"]


def test_what_changes_changes_in_the_same_way(pair):
    pair.both(amend)
    assert pair.settled() == []
    theirs, ours = pair.portraits()
    for kind, name in estate.DELETED:
        assert (kind, name) not in theirs.keys() | ours.keys()


def test_whatever_is_meant_to_be_different_is(pair):
    assert [each for each in TABLE if each not in pair.met] == []
