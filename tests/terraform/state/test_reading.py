"""A state is found whichever tool wrote it, is whole or told to be damaged, and is never taken for another's."""

import asyncio
import gzip
from hashlib import sha256

import pytest

from plumbline.base.errors import Corrupted, InvalidInput, LimitExceeded
from plumbline.base.json import decode
from plumbline.kube.client import Target
from plumbline.terraform.state import Place, read, unmoved
from plumbline.terraform.state.packing import packed
from plumbline.terraform.state.place import SECRETS
from plumbline.terraform.state.reading import hidden

from .stage import PLACE, resource, state_text, virtually

TEXT = state_text(3, "one", [resource("a", {"attributes": {"id": "x", "input": "canary"}})])


async def offer(place):
    return f"A copy of {place} is at hand."


@virtually
async def test_where_nothing_was_written_there_is_no_state(stage):
    assert await read(stage.client, PLACE) is None
    assert await unmoved(stage.client, PLACE, None)


@virtually
async def test_a_secret_that_was_made_and_not_filled_is_no_state_yet(stage):
    await stage.put(PLACE.name, None)
    assert await read(stage.client, PLACE) is None


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (PLACE.labels, "as both tools write it"),
        ({**PLACE.labels, "app.kubernetes.io/managed-by": "opentf", "team": "x"}, "other labels beside"),
        ({}, "found by name alone, as OpenTofu does"),
    ],
)
@virtually
async def test_a_state_is_found(stage, labels, why):
    await stage.put_state(TEXT, labels=labels)
    state = await read(stage.client, PLACE)
    assert (state.serial, state.lineage, state.addresses) == (3, "one", frozenset({"terraform_data.a"})), why
    assert state.text.reveal() == TEXT
    assert "canary" not in repr(state)
    assert not state.vacant


@virtually
async def test_its_mark_changes_with_every_write_and_says_so_without_a_look_inside(stage):
    await stage.put_state(TEXT)
    first = (await read(stage.client, PLACE)).mark
    assert await unmoved(stage.client, PLACE, first)
    assert not await unmoved(stage.client, PLACE, None)
    await stage.put_state(state_text(4, "one"))
    assert not await unmoved(stage.client, PLACE, first)
    second = (await read(stage.client, PLACE)).mark
    assert (second.serial, second.lineage) == (4, "one")
    assert await unmoved(stage.client, PLACE, second)


@virtually
async def test_pieces_are_joined_by_number_and_not_by_name(stage):
    content = packed(TEXT)
    size = len(content) // 11
    cut = [content[at : at + size] for at in range(0, len(content), size)]
    assert len(cut) > 10
    for number, piece in enumerate(cut):
        await stage.put(PLACE.part(number), piece)
    await stage.put("tfstate-default-other", packed(state_text(9, "other")), Place("shop", "default", "other").labels)
    state = await read(stage.client, PLACE)
    assert state.text.reveal() == TEXT
    assert len(state.parts) == len(cut)
    assert len(state.mark.versions) == len(cut)


@pytest.mark.parametrize(
    ("parts", "named", "why"),
    [
        ({0: b"no gzip"}, "tfstate-default-network", "not packed"),
        ({0: packed(TEXT)[:-9]}, "tfstate-default-network", "half of it"),
        ({0: packed(TEXT)[:40], 2: packed(TEXT)[40:]}, "tfstate-default-network-part-1 is missing", "a gap"),
        ({1: packed(TEXT)}, "tfstate-default-network is missing", "no beginning"),
        ({0: packed(TEXT)[:40], 1: None}, "tfstate-default-network-part-1 is empty", "a part that was not filled"),
        ({0: packed(b"{}")}, "tfstate-default-network", "no state"),
        ({0: packed(TEXT)[:40], 1: packed(state_text(4))[40:]}, "tfstate-default-network-part-1", "half old, half new"),
    ],
)
@virtually
async def test_a_damaged_state_names_its_secrets_and_what_can_be_had_instead(stage, parts, named, why):
    for number, content in parts.items():
        await stage.put(PLACE.part(number), content)
    with pytest.raises(Corrupted) as damaged:
        await read(stage.client, PLACE, offer)
    assert named in damaged.value.why, why
    assert "A copy of shop/tfstate-default-network is at hand." in damaged.value.hint
    assert "canary" not in str(damaged.value)


@virtually
async def test_without_copies_the_damage_is_told_all_the_same(stage):
    await stage.put(PLACE.name, b"broken")
    with pytest.raises(Corrupted) as damaged:
        await read(stage.client, PLACE)
    assert "No copy" in damaged.value.hint


@virtually
async def test_leftovers_of_a_larger_state_do_not_harm(stage):
    await stage.put_state(TEXT)
    await stage.put(PLACE.part(1), b"the second part of what was there before")
    assert (await read(stage.client, PLACE)).text.reveal() == TEXT


@virtually
async def test_a_large_state_is_read_elsewhere(stage, monkeypatch):
    noise = "".join(sha256(str(number).encode()).hexdigest() for number in range(15_000))
    moved = []

    async def here(function, *args):
        moved.append(function)
        return function(*args)

    monkeypatch.setattr(asyncio, "to_thread", here)
    text = state_text(5, "one", [resource("a", {"attributes": {"input": noise}})])
    await stage.put_state(text)
    assert (await read(stage.client, PLACE)).text.reveal() == text
    assert moved


@virtually
async def test_the_state_of_another_workspace_under_the_same_name_is_not_taken(stage):
    other = Place("shop", "default-net", "work")
    mine = Place("shop", "default", "net-work")
    assert other.name == mine.name
    await stage.put_state(TEXT, other, other.labels)
    with pytest.raises(InvalidInput) as refused:
        await read(stage.client, mine)
    assert "workspace default-net with suffix work" in refused.value.why
    assert (await read(stage.client, other)).serial == 3


@virtually
async def test_more_secrets_than_a_state_can_have_are_not_read(stage):
    for number in range(70):
        await stage.put(f"look-alike-{number}", b"x")
    with pytest.raises(LimitExceeded):
        await read(stage.client, PLACE)


@virtually
async def test_what_terraform_would_not_find_is_told_before_it_writes_an_empty_state_over_it(stage):
    await stage.put_state(TEXT)
    assert hidden(await read(stage.client, PLACE)) == ""
    labelled = Place("shop", "default", "network", (("team", "platform"),))
    assert "team=platform" in hidden(await read(stage.client, labelled))
    await stage.put("my-backup", gzip.compress(TEXT))
    state = await read(stage.client, PLACE)
    assert state.strangers == ("my-backup",)
    assert "my-backup" in hidden(state)
    assert decode(await stage.client.get(Target(SECRETS, "shop", "my-backup")))["metadata"]["labels"] == PLACE.labels
