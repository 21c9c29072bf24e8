"""Values are pushed to Vault under a mark of ours; what others wrote stays, also where they were faster."""

import pytest
from tests.secrets.stores.vault.scene import scene

from plumbline.base.errors import AlreadyExists, Conflict, Forbidden, InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.pushing import Piece, sink_of
from plumbline.secrets.stores.store import Remote

ENTRIES = {"user": Plaintext("ann"), "password": Plaintext("s3cret"), "json": Plaintext('{"a": "b"}')}


def piece(key, part="", chosen="user", *, ours=False, **entries):
    held = {name: Plaintext(value) for name, value in entries.items()} or ENTRIES
    return Piece(Remote(key, part), held, chosen, ours=ours)


async def done(sink, one):
    effect = await sink.pushing(one)
    if effect is not None:
        await effect.perform()
    return effect and effect.verb


async def gone(sink, *where):
    effect = await sink.withdrawing(Remote(*where))
    if effect is not None:
        await effect.perform()
    return effect and effect.verb


async def held(place, key, **fields):
    store = await place.store(**fields)
    return (await store.value(Remote(key))).reveal().decode()


V1 = {"path": "kv", "version": "v1"}


@pytest.mark.parametrize("fields", [{}, V1], ids=["v2", "v1"])
async def test_properties_come_and_go(fields):
    async with scene() as place:
        sink = sink_of(await place.store(**fields))
        assert not await sink.exists(Remote("db"))
        assert await done(sink, piece("db", "user")) == "create"
        assert await done(sink, piece("db", "password", "password")) == "update"
        assert await done(sink, piece("db", "user")) is None
        assert await sink.exists(Remote("db", "user"))
        assert not await sink.exists(Remote("db", "absent"))
        assert await done(sink, piece("db", "user", user="bob")) == "update"
        assert '"user":"bob"' in await held(place, "db", **fields)
        assert await gone(sink, "db", "absent") is None
        assert await gone(sink, "db", "user") == "delete"
        assert await gone(sink, "db", "password") == "delete"
        assert await gone(sink, "db", "password") is None
        assert not await sink.exists(Remote("db"))


@pytest.mark.parametrize("fields", [{}, V1], ids=["v2", "v1"])
async def test_whole_secrets_are_entries(fields):
    async with scene() as place:
        sink = sink_of(await place.store(**fields))
        assert await done(sink, piece("all", chosen="", user="ann")) == "create"
        assert await done(sink, piece("all", chosen="", user="ann")) is None
        assert await done(sink, piece("one", chosen="json")) == "create"
        assert '"a":"b"' in await held(place, "one", **fields)
        assert await gone(sink, "all") == "delete"
        with pytest.raises(InvalidInput, match="no JSON object"):
            await sink.pushing(piece("text"))


@pytest.mark.parametrize("fields", [{}, V1], ids=["v2", "v1"])
async def test_what_somebody_else_wrote_stays(fields):
    async with scene() as place:
        place.server.write(f"{fields.get('path', 'secret')}/db", {"user": "theirs"})
        sink = sink_of(await place.store(**fields))
        with pytest.raises(AlreadyExists, match="not managed by external-secrets"):
            await sink.pushing(piece("db", "user"))
        with pytest.raises(AlreadyExists):
            await sink.pushing(piece("db", "user", ours=True))
        assert await gone(sink, "db", "user") is None


async def test_who_was_faster_is_not_overwritten():
    async with scene() as place:
        sink = sink_of(await place.store())
        first = await sink.pushing(piece("db", "user"))
        place.server.write("secret/db", {"user": "theirs"})
        with pytest.raises(Conflict):
            await first.perform()
        with pytest.raises(AlreadyExists):
            await sink.pushing(piece("db", "user"))
        await done(sink, piece("mine", "user"))
        late = await sink.pushing(piece("mine", "user", user="late"))
        assert await done(sink, piece("mine", "user", user="early")) == "update"
        with pytest.raises(Conflict):
            await late.perform()


async def test_what_was_written_and_not_marked_is_ours_if_it_is_on_record():
    async with scene() as place:
        place.server.write("secret/db", {"user": "ann"})
        sink = sink_of(await place.store())
        with pytest.raises(AlreadyExists):
            await sink.pushing(piece("db", "user"))
        assert await done(sink, piece("db", "user", ours=True)) == "update"
        assert await done(sink, piece("db", "user", user="bob")) == "update"


async def test_after_a_deletion_of_the_last_version_it_is_written_again():
    async with scene() as place:
        sink = sink_of(await place.store())
        await done(sink, piece("db", "user"))
        place.server.delete("secret/db")
        assert await done(sink, piece("db", "user")) == "create"
        assert "ann" in await held(place, "db")


async def test_who_may_only_read_is_told_so():
    async with scene() as place:
        sink = sink_of(await place.approle_store())
        effect = await sink.pushing(piece("db", "user"))
        with pytest.raises(Forbidden):
            await effect.perform()
