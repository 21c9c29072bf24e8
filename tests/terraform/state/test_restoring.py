"""A copy becomes the state again: in upstream's form, under the lock, and never over something newer unasked."""

import asyncio
import base64
import gzip
from contextlib import suppress
from hashlib import sha256

import pytest

from plumbline.base.errors import AlreadyExists, InvalidInput, StateLocked, Transient
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.kernel.faults.transport import Tally
from plumbline.kernel.faults.weather import Weather
from plumbline.kube.client import Selection, Target
from plumbline.terraform.state import Copies, Place, Restorer, packing, read, restoring
from plumbline.terraform.state.place import SECRETS
from plumbline.terraform.state.reading import hidden

from .stage import PLACE, REF, resource, run_of, state_text, virtually

RUN = run_of(1, "restore")
PLAIN = state_text(5, "one", [resource("a")])
NOISE = "".join(sha256(str(number).encode()).hexdigest() for number in range(2_000))
LARGE = state_text(6, "one", [resource("a", {"attributes": {"input": NOISE}})])


async def here(function):
    return function()


def copies_of(stage, tmp_path):
    return Copies(tmp_path, Plaintext(bytes(32)), stage.clock, elsewhere=here)


async def prepared(stage, tmp_path, text=PLAIN, tally=None):
    copies = copies_of(stage, tmp_path)
    version = await copies.keep(PLACE, Plaintext(text))
    replica = stage.replica(tally)
    return Restorer(replica.client, replica.writer, replica.locks, copies), version, replica


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(packing, "PIECE_BYTES", 20_000)


async def secrets(stage):
    page = await stage.client.list(Target(SECRETS, "shop"), Selection(labels="tfstate=true"))
    return {each["metadata"]["name"]: each for each in map(decode, page.items)}


@virtually
async def test_on_an_empty_cluster_it_is_as_the_tool_would_have_written_it(stage, tmp_path):
    restorer, version, _ = await prepared(stage, tmp_path)
    restored = await restorer.restore(PLACE, version, RUN)
    assert restored == (5, "one", 1, ("tfstate-default-network",), True)
    found = await secrets(stage)
    (secret,) = found.values()
    assert secret["metadata"]["labels"] == PLACE.labels
    assert secret["metadata"]["annotations"] == {"encoding": "gzip"}
    assert secret["type"] == "Opaque"
    assert gzip.decompress(base64.b64decode(secret["data"]["tfstate"])) == PLAIN
    assert await stage.holder() is None
    state = await read(stage.client, PLACE)
    assert state.text.reveal() == PLAIN
    assert hidden(state) == ""
    assert await stage.recorded() == ["create: Restore the state from the copy of 2026-01-01T00:00:00Z, serial 5"]


@virtually
async def test_twice_is_once(stage, tmp_path):
    restorer, version, _ = await prepared(stage, tmp_path)
    await restorer.restore(PLACE, version, RUN)
    before = (await read(stage.client, PLACE)).mark
    assert not (await restorer.restore(PLACE, version, RUN)).written
    assert (await read(stage.client, PLACE)).mark == before


@virtually
async def test_a_large_one_takes_several_secrets_and_what_is_too_many_goes(stage, tmp_path, small_pieces):
    restorer, large, _ = await prepared(stage, tmp_path, LARGE)
    restored = await restorer.restore(PLACE, large, RUN)
    assert len(restored.secrets) == 4
    assert restored.secrets[1] == "tfstate-default-network-part-1"
    assert (await read(stage.client, PLACE)).text.reveal() == LARGE
    later = await copies_of(stage, tmp_path).keep(PLACE, Plaintext(state_text(7, "one")))
    await restorer.restore(PLACE, later, RUN)
    assert list(await secrets(stage)) == ["tfstate-default-network"]


@pytest.mark.parametrize(
    ("there", "told", "why"),
    [
        (state_text(6, "one", [resource("b")]), "serial 6", "newer"),
        (state_text(5, "one", [resource("b")]), "serial 5", "as new, and another"),
        (state_text(1, "two", [resource("b")]), "lineage two", "another"),
        (state_text(1, "two", outputs={"a": {"value": 1}}), "lineage two", "outputs are something"),
        (state_text(9, "one"), "serial 9", "all was destroyed since"),
    ],
)
@virtually
async def test_what_would_be_lost_is_told_and_given_up_only_if_somebody_says_so(stage, tmp_path, there, told, why):
    restorer, version, _ = await prepared(stage, tmp_path)
    await stage.put_state(there)
    with pytest.raises(InvalidInput) as refused:
        await restorer.restore(PLACE, version, RUN)
    assert told in refused.value.why, why
    assert (await read(stage.client, PLACE)).text.reveal() == there
    assert await stage.holder() is None
    assert (await restorer.restore(PLACE, version, RUN, over=True)).written
    assert (await read(stage.client, PLACE)).text.reveal() == PLAIN


@pytest.mark.parametrize(
    ("there", "why"),
    [(state_text(4, "one", [resource("b")]), "older"), (state_text(1, "two"), "made by `init`, with nothing in it")],
)
@virtually
async def test_what_is_older_or_has_nothing_in_it_may_go(stage, tmp_path, there, why):
    restorer, version, _ = await prepared(stage, tmp_path)
    await stage.put_state(there)
    assert (await restorer.restore(PLACE, version, RUN)).written, why


@virtually
async def test_what_is_damaged_may_go(stage, tmp_path):
    restorer, version, _ = await prepared(stage, tmp_path)
    await stage.put(PLACE.name, b"broken")
    await stage.put(PLACE.part(3), b"broken too")
    await restorer.restore(PLACE, version, RUN)
    assert list(await secrets(stage)) == [PLACE.name]


@virtually
async def test_while_somebody_is_at_work_nothing_is_restored(stage, tmp_path):
    restorer, version, _ = await prepared(stage, tmp_path)
    await stage.foreign("by-hand")
    with pytest.raises(StateLocked):
        await restorer.restore(PLACE, version, RUN)
    assert await secrets(stage) == {}


@virtually
async def test_labels_of_the_configuration_are_put_back_so_that_terraform_finds_it(stage, tmp_path):
    place = Place("shop", "default", "network", (("team", "platform"),))
    restorer, version, _ = await prepared(stage, tmp_path)
    await restorer.restore(place, version, RUN)
    assert (await secrets(stage))[place.name]["metadata"]["labels"]["team"] == "platform"


@virtually
async def test_more_than_a_state_can_take_is_refused(stage, tmp_path, monkeypatch):
    restorer, version, _ = await prepared(stage, tmp_path)
    monkeypatch.setattr(restoring, "MOST_PARTS", 0)
    with pytest.raises(InvalidInput):
        await restorer.restore(PLACE, version, RUN)


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("number", range(1, 7))
@virtually
async def test_whoever_is_killed_at_any_write_leaves_what_the_next_one_completes(
    stage, tmp_path, small_pieces, number, side
):
    """Writes: the lock, four Secrets, the lock. In between the state is damaged, and says so."""
    restorer, version, replica = await prepared(stage, tmp_path, LARGE, Tally((number, side)))
    async with task_group() as group:
        running = group.create_task(restorer.restore(PLACE, version, RUN))
        replica.process.on_death = running.cancel
        await asyncio.wait([running])
    assert replica.tally.writes >= number
    again, _, other = await prepared(stage, tmp_path, LARGE)
    held = await stage.holder()
    if held:
        await other.locks.force(PLACE, held, REF)
    await again.restore(PLACE, version, RUN)
    assert (await read(stage.client, PLACE)).text.reveal() == LARGE
    assert await stage.holder() is None


@virtually
async def test_whatever_is_lost_on_the_way_trying_again_completes_it(stage, tmp_path, small_pieces):
    restorer, version, replica = await prepared(stage, tmp_path, LARGE)
    replica.transport.weather = Weather(lost_reply=0.3, server_error=0.2, conflict=0.1)
    for _ in range(50):
        with suppress(Transient, AlreadyExists):
            await restorer.restore(PLACE, version, RUN)
            break
    else:
        pytest.fail("it never came through")
    assert (await read(stage.client, PLACE)).text.reveal() == LARGE
