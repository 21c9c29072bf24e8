"""Values are pushed into Secrets of another namespace, beside what others have there and never over it."""

import pytest
from tests.secrets.stores.test_kubernetes import bank
from tests.secrets.stores.yard import SECRETS, yard

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.providers import FakeProvider
from plumbline.kube.client import Target
from plumbline.secrets.stores.fake import FakeStore
from plumbline.secrets.stores.pushing import Piece, sink_of
from plumbline.secrets.stores.store import Remote

VERBS = ("get", "list", "create", "update", "delete")
ENTRIES = {"user": Plaintext("ann"), "password": Plaintext("s3cret")}


def piece(part="user", chosen="user", key="db", *, ours=False, spec=None, **more):
    metadata = {"kind": "PushSecretMetadata", "spec": spec} if spec is not None else None
    return Piece(Remote(key, part), ENTRIES, chosen, metadata, ours, **more)


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


async def live(place, name="db"):
    return decode(await place.client.get(Target(SECRETS, "bank", name)))


async def sink_in(place):
    return sink_of(await bank(place, verbs=VERBS))


async def test_entries_come_and_go_one_by_one():
    async with yard() as place:
        sink = await sink_in(place)
        assert not await sink.exists(Remote("db"))
        assert await done(sink, piece(labels={"a": "b"}, type="example.org/login")) == "create"
        assert await done(sink, piece("password", "password")) == "update"
        assert await done(sink, piece()) is None
        found = await live(place)
        assert (found["type"], found["metadata"]["labels"]) == ("example.org/login", {"a": "b"})
        assert set(found["data"]) == {"user", "password"}
        assert await sink.exists(Remote("db", "user"))
        assert await gone(sink, "db", "absent") is None
        assert await gone(sink, "db", "user") == "delete"
        assert await gone(sink, "db", "password") == "delete"
        assert await gone(sink, "db", "password") is None


async def test_a_whole_secret_comes_and_goes_unless_others_have_written_to_it():
    async with yard() as place:
        sink = await sink_in(place)
        assert await done(sink, piece("", "")) == "create"
        assert set((await live(place))["data"]) == {"user", "password"}
        assert await done(sink, piece("all", "", "json")) == "create"
        assert await gone(sink, "db") == "delete"
        assert await gone(sink, "db") is None
        await place.secret("bank", "theirs", {"k": "v"})
        with pytest.raises(InvalidInput, match="others have written to it too"):
            await sink.withdrawing(Remote("theirs"))
        with pytest.raises(InvalidInput, match="requires property"):
            await sink.pushing(piece(""))


async def test_what_somebody_else_wrote_stays_and_ours_is_put_beside_it():
    async with yard() as place:
        await place.secret("bank", "db", {"user": "theirs", "k": "v"})
        sink = await sink_in(place)
        with pytest.raises(AlreadyExists, match="not managed by"):
            await sink.pushing(piece())
        assert await done(sink, piece(ours=True)) == "update"
        assert await done(sink, piece("password", "password")) == "update"
        assert set((await live(place))["data"]) == {"user", "k", "password"}


async def test_who_was_faster_is_not_overwritten():
    async with yard() as place:
        sink = await sink_in(place)
        effect = await sink.pushing(piece())
        await place.secret("bank", "db", {"user": "theirs"})
        with pytest.raises(Conflict):
            await effect.perform()
        late = await sink.pushing(piece("password", "password"))
        found = await live(place)
        await place.client.update(Target(SECRETS, "bank", "db"), encode({**found, "data": {}}))
        with pytest.raises(Conflict):
            await late.perform()


@pytest.mark.parametrize(
    ("spec", "labels", "why"),
    [
        ({"labels": {"x": "y"}}, {"old": "1", "src": "1", "x": "y"}, "all of them"),
        ({"labels": {"x": "y"}, "sourceMergePolicy": "Replace"}, {"old": "1", "x": "y"}, "not those of the source"),
        ({"labels": {"x": "y"}, "targetMergePolicy": "Replace"}, {"src": "1", "x": "y"}, "not those that are there"),
        ({"labels": {"x": "y"}, "targetMergePolicy": "Ignore"}, {"old": "1"}, "none of them"),
    ],
)
async def test_labels_are_merged_as_the_metadata_say(spec, labels, why):
    async with yard() as place:
        sink = await sink_in(place)
        await done(sink, piece(labels={"old": "1"}))
        await done(sink, piece("password", "password", labels={"src": "1"}, spec=spec))
        assert (await live(place))["metadata"].get("labels") == labels, why


@pytest.mark.parametrize("kind", ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"])
async def test_credentials_of_others_are_not_made(kind):
    async with yard() as place:
        sink = await sink_in(place)
        with pytest.raises(InvalidInput, match="becomes a credential"):
            await done(sink, piece(type=kind))
        with pytest.raises(InvalidInput, match="unknown field"):
            await sink.pushing(piece(spec={"remoteNamespace": "kube-system"}))
        with pytest.raises(InvalidInput, match="Its key is empty"):
            await sink.pushing(piece(key=""))


def test_a_fake_store_takes_nothing():
    with pytest.raises(InvalidInput, match="only read here"):
        sink_of(FakeStore(FakeProvider(data=())))
