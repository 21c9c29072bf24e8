"""Whatever the other side or the disk does: what is known stays, the reason is told, and one schedule tries again."""

import asyncio
import shutil

import pytest
from tests.source.git.conftest import URL
from tests.source.git.server import corrupted, crawling, hanging, truncated

from plumbline.base.errors import (
    Corrupted,
    GarbledReply,
    NotFound,
    PlumblineError,
    ServerFault,
    StorageFailed,
    TimedOut,
    Transient,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.plaintext import Plaintext
from plumbline.source.git import Pace
from plumbline.source.git.mirror import Mirror
from plumbline.source.repository import Credentials, Repository

PATIENT = Pace(poll_s=3600, jitter_s=0, deadline_s=20, first_deadline_s=20, stalled_s=1)
HASTY = Pace(poll_s=3600, jitter_s=0, deadline_s=0.5, first_deadline_s=20, stalled_s=30)


def _followed(sources):
    return next(iter(sources._followed.values()))


async def _known(make, origin, server, pace=PATIENT):
    sources = make(pace=pace)
    url = server.url("app.git")
    await sources.resolve(url, "main")
    second = origin.push({f"big/{number}": f"{number}" * 500 for number in range(50)})
    return sources, url, second


FAULTS = [
    ({"status": 500}, ServerFault, "the server fails"),
    ({"status": 503}, ServerFault, "the server is overloaded"),
    ({"status": 401}, Unauthenticated, "the credentials expired"),
    ({"status": 404}, NotFound, "the repository is gone, or hidden"),
    ({"spoil": {"fetch": truncated}}, GarbledReply, "the pack ends in the middle"),
    ({"spoil": {"fetch": corrupted}}, GarbledReply, "the pack is damaged"),
    ({"spoil": {"fetch": hanging}}, TimedOut, "the pack stops coming"),
    ({"spoil": {"fetch": crawling}}, TimedOut, "the pack comes more slowly than anybody can wait for"),
    ({"spoil": {"ls-refs": truncated}}, GarbledReply, "the listing ends in the middle"),
    ({"spoil": {"capabilities": hanging}}, TimedOut, "nothing is said at all"),
]


@pytest.mark.parametrize(("fault", "error", "why"), FAULTS, ids=[why for *_, why in FAULTS])
async def test_what_is_known_stays_usable_and_the_next_try_mends_it(make, origin, server, runs, fault, error, why):
    sources, url, second = await _known(make, origin, server)
    for name, value in fault.items():
        setattr(server, name, value)
    with pytest.raises(error):
        await sources.resolve(url, "main", fresh=True)
    state = sources.state(url)
    assert (type(state.error), state.failures) == (error, 1)
    assert state.next_try_at > state.failed_at
    assert await sources.resolve(url, "main") == origin.first
    assert (await sources.tree(url, origin.first)).read("README") == b"hello\n"
    server.status, server.spoil = None, {}
    server.released.set()
    before = len(runs)
    assert await sources.resolve(url, "main", fresh=True) == second
    assert len(runs) == before + 1
    assert sources.state(url).error is None
    assert list(_followed(sources).remote.mirror.path.glob("objects/pack/tmp_*")) == []


async def test_a_fetch_has_a_deadline_of_its_own(make, origin, server):
    sources, url, _ = await _known(make, origin, server, HASTY)
    server.spoil = {"fetch": hanging}
    with pytest.raises(TimedOut):
        await sources.resolve(url, "main", fresh=True)
    assert await sources.resolve(url, "main") == origin.first


async def test_a_server_that_is_gone_is_asked_on_one_schedule_whoever_waits(make, origin, server, runs):
    sources = make()
    url = server.url("app.git")
    server.status = 500
    results = await asyncio.gather(*(sources.resolve(url, "main") for _ in range(100)), return_exceptions=True)
    assert {type(each) for each in results} == {ServerFault}
    assert len(runs) == 1
    for _ in range(100):
        with pytest.raises(ServerFault):
            await sources.resolve(url, "main")
    assert len(runs) == 1
    assert sources.state(url).failures == 1


async def test_waits_grow_with_every_failure(make, origin, server):
    sources, url, _ = await _known(make, origin, server)
    server.status = 500
    waits = []
    for _ in range(4):
        await _followed(sources).poll()
        state = sources.state(url)
        waits.append((state.next_try_at - state.failed_at).total_seconds())
    assert sorted(waits) == waits
    assert waits[-1] > 4 * waits[0]


async def test_nobody_listens(make, origin, server, runs):
    sources = make()
    with pytest.raises(Unreachable):
        await sources.resolve("http://127.0.0.1:1/app.git", "main")
    with pytest.raises(Unreachable):
        await sources.resolve("http://127.0.0.1:1/app.git", "main")
    assert len(runs) == 1


async def test_a_force_push_in_the_middle_of_a_fetch_ends_where_the_branch_is(make, origin, server):
    sources, url, _ = await _known(make, origin, server)
    forced = []

    def force():
        if not forced:
            forced.append(origin.push({"README": "forced\n"}, parents=()))

    server.before = {"fetch": force}
    try:
        await sources.resolve(url, "main", fresh=True)
    except PlumblineError:
        assert await sources.resolve(url, "main") == origin.first
    assert await sources.resolve(url, "main", fresh=True) == forced[0]


async def test_what_is_on_disk_is_used_after_a_restart_without_the_server(make, origin, server):
    _, url, second = await _known(make, origin, server)
    server.status = 500
    restarted = make()
    assert await restarted.resolve(url, "main") == origin.first
    assert (await restarted.tree(url, origin.first)).read("README") == b"hello\n"
    assert isinstance(restarted.state(url).error, ServerFault)
    server.status = None
    assert await restarted.resolve(url, "main", fresh=True) == second


async def test_what_killed_processes_left_is_removed(make, origin, server, tmp_path):
    sources, url, second = await _known(make, origin, server)
    path = _followed(sources).remote.mirror.path
    left = [
        path / "packed-refs.lock",
        path / "refs/heads/main.lock",
        path / "shallow.lock",
        path / "objects/pack/tmp_pack_xyz",
        path.with_name(path.name + ".broken") / "x",
        path.with_name(path.name + ".rebuilt") / "x",
        tmp_path / "mirrors/plumbline-scratch-old" / "key",
    ]
    for each in left:
        each.parent.mkdir(parents=True, exist_ok=True)
        each.touch()
    assert await make().resolve(url, "main") == second
    assert [each for each in left if each.exists()] == []


async def test_a_lock_that_appears_meanwhile_delays_by_one_try(make, origin, server):
    sources, url, second = await _known(make, origin, server)
    lock = _followed(sources).remote.mirror.path / "refs/heads/main.lock"
    lock.touch()
    with pytest.raises(Transient):
        await sources.resolve(url, "main", fresh=True)
    assert await sources.resolve(url, "main", fresh=True) == second


async def test_whoever_gives_up_in_the_middle_of_a_fetch_leaves_it_to_the_next(make, origin, server):
    sources, url, second = await _known(make, origin, server)
    server.spoil = {"fetch": hanging}
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await sources.resolve(url, "main", fresh=True)
    server.spoil = {}
    # As of a git that did not even end itself in time.
    (_followed(sources).remote.mirror.path / "refs/heads/main.lock").touch()
    assert await sources.resolve(url, "main", fresh=True) == second


DAMAGE = [
    ("objects/pack/*.pack", b"", "a pack without content"),
    ("objects/pack/*.pack", b"garbage" * 100, "a pack with other content"),
    ("objects/pack/*.idx", b"garbage" * 100, "an index with other content"),
    ("refs/heads/main", b"garbage\n", "a ref that is none"),
    ("refs/heads/main", b"1" * 40 + b"\n", "a ref to nothing"),
    ("config", b"[garbage\n", "settings that cannot be read"),
    ("HEAD", b"", "a file that makes it a repository is empty"),
]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize(("pattern", "content", "why"), DAMAGE, ids=[why for *_, why in DAMAGE])
async def test_a_damaged_mirror_is_fetched_anew(make, origin, server, pattern, content, why, restarted):
    sources, url, second = await _known(make, origin, server)
    for path in _followed(sources).remote.mirror.path.glob(pattern):
        path.chmod(0o600)
        path.write_bytes(content)
    sources = make(pace=PATIENT) if restarted else sources
    sha, tries = "", 0
    while sha != second:
        tries += 1
        assert tries <= 8, why
        try:
            sha = await sources.resolve(url, "main", fresh=True)
            (await sources.tree(url, sha)).read("README")
        except PlumblineError:
            sha = ""
    third = origin.push({"README": "three\n"})
    assert await sources.resolve(url, "main", fresh=True) == third
    assert sorted(each.name for each in _followed(sources).remote.mirror.path.parent.glob("*.git*")) == [
        _followed(sources).remote.mirror.path.name
    ]


async def test_one_lost_object_is_noticed_by_whoever_reads_it_and_mended(make, origin, server, runs):
    sources, url, second = await _known(make, origin, server)
    followed = _followed(sources)
    tree = await sources.tree(url, origin.first)
    tree.entry("README")
    shutil.rmtree(followed.remote.mirror.path / "objects/pack")
    followed.remote.mirror.objects.reopen()
    with pytest.raises(Corrupted):
        tree.read("README")
    await asyncio.sleep(0)
    assert len(followed._shared.queue) == 1
    await followed.poll()
    assert any(".rebuilt" in run.argv[1] for run in runs)
    assert await sources.resolve(url, "main") == second
    assert (await sources.tree(url, second)).read("README") == b"hello\n"


@pytest.mark.parametrize("all_of_them", [False, True], ids=["one", "the folder of all"])
async def test_a_mirror_that_somebody_deletes_while_it_is_in_use_is_fetched_anew(make, origin, server, all_of_them):
    sources, url, second = await _known(make, origin, server)
    path = _followed(sources).remote.mirror.path
    shutil.rmtree(path.parent if all_of_them else path)
    assert await sources.resolve(url, "main", fresh=True) == second
    assert (await sources.tree(url, second)).read("README") == b"hello\n"


async def test_a_rebuild_that_fails_leaves_what_there_is(make, origin, server):
    sources, url, second = await _known(make, origin, server)
    followed = _followed(sources)
    followed.remote._exchange.damaged = True
    server.status = 500
    with pytest.raises(ServerFault):
        await sources.resolve(url, "main", fresh=True)
    assert (await sources.tree(url, origin.first)).read("README") == b"hello\n"
    server.status = None
    assert await sources.resolve(url, "main", fresh=True) == second


async def test_a_pack_that_is_always_broken_does_not_make_us_fetch_everything(make, origin, server, runs):
    sources, url, _ = await _known(make, origin, server)
    server.spoil = {"fetch": truncated}
    for _ in range(7):
        with pytest.raises(GarbledReply):
            await sources.resolve(url, "main", fresh=True)
    assert [run.argv[2] for run in runs].count("fsck") == 2
    assert not any(".rebuilt" in run.argv[1] for run in runs)
    assert await sources.resolve(url, "main") == origin.first


async def test_what_the_mirror_lost_is_found_once_transfers_keep_breaking(make, origin, server):
    sources, url, second = await _known(make, origin, server)
    followed = _followed(sources)
    deep = str(origin.repository[origin.first].tree["apps"].id)
    await sources.tree(url, origin.first)
    kept = {sha for sha in followed.remote.mirror.objects.repository if str(sha) != deep}
    _rewrite(followed.remote.mirror, kept)
    server.spoil = {"fetch": truncated}
    for _ in range(2):
        with pytest.raises(GarbledReply):
            await sources.resolve(url, "main", fresh=True)

    def mended():
        if followed.remote._exchange.damaged:
            server.spoil = {}

    server.before = {"capabilities": mended}
    assert await sources.resolve(url, "main", fresh=True) == second
    assert followed.remote.mirror.objects.holds(deep)


def _rewrite(mirror, kept):
    """Leave only these objects, each on its own."""
    repository = mirror.objects.repository
    contents = [(repository[sha].type, repository[sha].read_raw()) for sha in kept]
    for pack in mirror.path.glob("objects/pack/*"):
        pack.unlink()
    mirror.objects.reopen()
    for kind, content in contents:
        mirror.objects.repository.write(kind, content)
    mirror.objects.reopen()


def test_a_kill_between_the_two_renames_loses_nothing(tmp_path):
    mirror = Mirror(tmp_path / "x.git")
    mirror.open()
    mirror.begin_another()
    mirror.path.rename(tmp_path / "x.git.broken")
    marker = tmp_path / "x.git.rebuilt" / "marker"
    marker.touch()
    mirror.open()
    assert (mirror.path / "marker").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["x.git"]


async def test_a_disk_that_cannot_be_written_is_said(make, origin, local, tmp_path, monkeypatch):
    def full(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Mirror, "open", full)
    with pytest.raises(StorageFailed):
        await make(local).resolve(URL, "main")


async def test_credentials_that_stop_working_keep_what_they_fetched(make, origin, server):
    server.required = "Bearer first"
    token = "first"

    def connect(url, project):
        return Repository(url=url, credentials=Credentials(bearer_token=Plaintext(token)))

    sources = make(connect)
    url = server.url("app.git")
    await sources.resolve(url, "main")
    server.required = "Bearer second"
    with pytest.raises(Unauthenticated):
        await sources.resolve(url, "main", fresh=True)
    assert await sources.resolve(url, "main") == origin.first
    token = "second"
    second = origin.push({"README": "two\n"})
    await _followed(sources).poll()
    assert await sources.resolve(url, "main") == second


async def test_settings_that_refuse_a_repository_are_its_error(make, origin, server):
    sources, url, _ = await _known(make, origin, server)

    def refusing(url, project):
        raise NotFound("the Secret is gone")

    followed = _followed(sources)
    followed._shared = followed._shared._replace(connect=refusing)
    await followed.poll()
    assert sources.state(url).error.code == "not-found"
