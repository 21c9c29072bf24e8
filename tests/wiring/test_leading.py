"""Whoever leads looks after the rooms that were asked for, and no others."""

from types import SimpleNamespace

import pytest

from plumbline.kinds.mandate import MandateSpec
from plumbline.kinds.rooms import EVERY_ROOM, ROOMS
from plumbline.wiring.leading import Leading, Led

WORK = {"delivery": "_delivering", "composition": "_provisioning", "terraform": "_applying", "secrets": "_keeping_secrets"}  # fmt: skip


@pytest.mark.parametrize("only", [EVERY_ROOM, frozenset({"secrets"}), frozenset({"delivery", "terraform"})])
async def test_rooms_that_were_not_asked_for_stay_closed(only, monkeypatch):
    opened = set()
    for room, method in WORK.items():

        async def work(_, room=room):
            opened.add(room)

        monkeypatch.setattr(Leading, method, work)
    nothing = SimpleNamespace(client=None, world=SimpleNamespace(clock=None), journal=None, mandate=MandateSpec)
    await Leading(nothing, lambda: None, Led("argocd", None, None, None, None, only=only)).run()
    assert opened == only


def test_every_room_has_work():
    assert WORK.keys() == set(ROOMS)
