"""Polls, refreshes, and telling who is interested."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.source.git.conftest import URL
from tests.source.git.server import truncated

from plumbline.base.errors import NotFound, Transient
from plumbline.base.tasks import task_group
from plumbline.source import followed as followed_module
from plumbline.source import polls
from plumbline.source.git import Moved, Pace
from plumbline.source.git import remote as remote_module
from plumbline.source.repository import Repository
from plumbline.source.urls import mirror_key

EAGER = Pace(poll_s=0.01, jitter_s=0.01, deadline_s=30, first_deadline_s=30)


@asynccontextmanager
async def _running(sources):
    async with task_group() as group:
        task = group.create_task(sources.run())
        try:
            yield
        finally:
            task.cancel()


class Told(list):
    """What was told, and waiting for it."""

    def __init__(self, sources):
        self._event = asyncio.Event()
        sources.subscribe(self._hear)

    def _hear(self, moved):
        self.append(moved)
        self._event.set()

    async def more(self):
        await self._event.wait()
        self._event.clear()
        return self[-1]


async def _until(holds):
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - what is waited for is counted elsewhere
            await asyncio.sleep(0.005)


async def test_a_refresh_is_one_process_and_one_listing(make, origin, server, runs):
    sources = make()
    url = server.url("app.git")
    await sources.resolve(url, "main")
    told = Told(sources)
    async with _running(sources):
        second = origin.push({"README": "two\n"})
        runs.clear()
        server.forget()
        sources.refresh(url)
        await told.more()
        assert await sources.resolve(url, "main") == second
        assert (await sources.tree(url, second)).read("README") == b"two\n"
    assert len(runs) == 1
    assert server.asked == ["capabilities", "ls-refs", "fetch"]


async def test_many_refreshes_are_one_or_two(make, origin, server, runs):
    sources = make()
    url = server.url("app.git")
    await sources.resolve(url, "main")
    runs.clear()
    told = Told(sources)
    async with _running(sources):
        origin.push({"README": "two\n"})
        for _ in range(1000):
            sources.refresh(url)
        await told.more()
        for _ in range(1000):
            sources.refresh(url)
        await _until(lambda: len(sources._polls.queue) == 0 and not sources._polls.queue.working)
    assert 1 <= len(runs) <= 3
    assert len(told) == 1


async def test_a_poll_that_finds_nothing_new_fetches_nothing(make, origin, server, runs):
    sources = make(pace=EAGER)
    url = server.url("app.git")
    await sources.resolve(url, "main")
    server.forget()
    told = Told(sources)
    async with _running(sources):
        await _until(lambda: len(server.asked) >= 6)
    assert "fetch" not in server.asked
    assert told == []


async def test_a_poll_notices_what_nobody_announced(make, origin, server):
    sources = make(pace=EAGER)
    url = server.url("app.git")
    await sources.resolve(url, "main")
    told = Told(sources)
    async with _running(sources):
        second = origin.push({"README": "two\n"})
        moved = await told.more()
    assert moved == Moved(
        mirror_key(url),
        {"HEAD": origin.first, "refs/heads/main": origin.first},
        {"HEAD": second, "refs/heads/main": second},
    )
    assert moved.refs() == {"HEAD", "refs/heads/main"}


async def test_who_answered_just_now_is_asked_once_more_for_what_came_since(make, origin, server, runs, monkeypatch):
    monkeypatch.setattr(followed_module, "_LATELY_S", 0.3)
    sources = make()
    url = server.url("app.git")
    assert not sources.lately(url)
    await sources.resolve(url, "main")
    runs.clear()
    told = Told(sources)
    async with _running(sources):
        second = origin.push({"README": "two\n"})
        assert all(sources.lately(url) for _ in range(1000))
        await told.more()
    assert await sources.resolve(url, "main") == second
    assert len(runs) == 1


async def test_polls_are_per_repository_whoever_uses_it(make, origin, server, runs):
    sources = make()
    url = server.url("app.git")
    await asyncio.gather(*(sources.resolve(url, "main") for _ in range(200)))
    await asyncio.gather(*(sources.resolve(url.removesuffix(".git"), "main") for _ in range(200)))
    assert len(runs) == 1
    assert len(sources._followed) == 1


async def test_the_next_poll_is_due_after_the_period_and_some_of_the_jitter(make, origin, local):
    sources = make(local, pace=Pace(poll_s=120, jitter_s=60))
    await sources.resolve(URL, "main")
    state = sources.state(URL)
    assert 120 <= (state.next_try_at - state.succeeded_at).total_seconds() <= 180


async def test_a_shorter_period_counts_for_the_wait_that_has_begun(make, origin, local):
    sources = make(local)
    await sources.resolve(URL, "main")
    told = Told(sources)
    async with _running(sources):
        second = origin.push({"README": "two\n"})
        sources.paced(0.01, 0.0)
        async with asyncio.timeout(20):
            moved = await told.more()
    assert moved.after["refs/heads/main"] == second


async def test_a_longer_period_counts_from_the_next_answer_on(make, origin, local):
    sources = make(local, pace=Pace(poll_s=120, jitter_s=0))
    await sources.resolve(URL, "main")
    sources.paced(600, 0.0)
    await sources.resolve(URL, "main", fresh=True)
    state = sources.state(URL)
    assert (state.next_try_at - state.succeeded_at).total_seconds() == 600


async def test_the_first_look_is_no_news(make, origin, local):
    sources = make(local)
    told = Told(sources)
    await sources.resolve(URL, "main")
    again = make(local)
    retold = Told(again)
    origin.push({"README": "two\n"})
    await again.resolve(URL, "main")
    assert told == retold == []


async def test_new_and_deleted_refs_are_news_and_told_once(make, origin, local):
    sources = make(local)
    await sources.resolve(URL, "main")
    told = Told(sources)
    origin.push({"x": "y"}, "other")
    origin.tag("v1", origin.first)
    await sources.resolve(URL, "main", fresh=True)
    origin.delete("refs/heads/other")
    await sources.resolve(URL, "main", fresh=True)
    await sources.resolve(URL, "main", fresh=True)
    assert [moved.refs() for moved in told] == [{"refs/heads/other", "refs/tags/v1"}, {"refs/heads/other"}]


async def test_a_branch_may_make_way_for_a_folder_of_branches(make, origin, local):
    origin.push({"x": "y"}, "topic")
    sources = make(local)
    await sources.resolve(URL, "topic")
    origin.delete("refs/heads/topic")
    below = origin.push({"x": "z"}, "topic/one")
    assert await sources.resolve(URL, "topic/one", fresh=True) == below


async def test_those_who_ask_at_once_share_one_answer(make, origin, local, runs):
    sources = make(local)
    await sources.resolve(URL, "main")
    runs.clear()
    second = origin.push({"README": "two\n"})
    answers = await asyncio.gather(*(sources.resolve(URL, "main", fresh=True) for _ in range(50)))
    assert set(answers) == {second}
    assert len(runs) <= 2


async def test_refreshing_what_nobody_uses_does_nothing(make, runs):
    sources = make()
    sources.refresh(URL)
    assert len(sources._polls.queue) == 0
    assert sources.state(URL).succeeded_at is None


async def test_a_repository_that_nobody_wants_any_more_is_not_asked_and_leaves_nothing(
    make, origin, local, runs, tmp_path, monkeypatch
):
    monkeypatch.setattr(polls, "UNUSED_S", 0.0)
    sources = make(local, pace=EAGER)
    await sources.resolve(URL, "main")
    asked = []
    sources.keep_while(lambda url: asked.append(url) or len(asked) < 3)
    async with _running(sources):
        await _until(lambda: not sources._followed)
        runs.clear()
        await asyncio.sleep(0.05)
    assert asked == [URL] * 3
    assert runs == []
    assert list((tmp_path / "mirrors").glob("*.git")) == []
    assert await sources.resolve(URL, "main") == origin.first


async def test_what_was_used_lately_is_asked_on_whoever_wants_it(make, origin, local, runs):
    sources = make(local, pace=EAGER)
    await sources.resolve(URL, "main")
    sources.keep_while(lambda url: False)
    runs.clear()
    async with _running(sources):
        await _until(lambda: len(runs) > 2)
    assert sources._followed


async def test_who_wants_a_repository_that_just_goes_begins_anew(make, origin, local, monkeypatch):
    monkeypatch.setattr(polls, "UNUSED_S", 0.0)
    sources = make(local, pace=EAGER)
    await sources.resolve(URL, "main")
    (followed,) = sources._followed.values()
    removed, goes_on = asyncio.Event(), asyncio.Event()

    async def slowly():
        removed.set()
        await goes_on.wait()
        await asyncio.to_thread(followed.remote.mirror.remove)

    monkeypatch.setattr(followed.remote, "leave", slowly)
    sources.keep_while(lambda url: False)
    async with _running(sources):
        await removed.wait()
        again = asyncio.create_task(sources.resolve(URL, "main"))
        await asyncio.sleep(0.02)
        assert not again.done()
        monkeypatch.setattr(polls, "UNUSED_S", 900.0)
        goes_on.set()
        assert await again == origin.first


async def test_exchanges_are_counted_as_upstream_counts_them(make, origin, server):
    sources = make()
    url = server.url("app.git")
    await sources.resolve(url, "main")
    await sources.resolve(url, "main", fresh=True)
    server.status = 500
    with pytest.raises(Transient):
        await sources.resolve(url, "main", fresh=True)
    sample = sources._shared.world.metrics.registry.get_sample_value
    assert sample("argocd_git_request_total", {"repo": url, "request_type": "fetch"}) == 1
    assert sample("argocd_git_request_total", {"repo": url, "request_type": "ls-remote"}) == 2
    assert sample("argocd_git_request_duration_seconds_count", {"repo": url, "request_type": "ls-remote"}) == 2
    assert sample("argocd_git_lsremote_fail_total", {"repo": url, "revision": ""}) == 1
    assert sample("argocd_git_fetch_fail_total", {"repo": url, "revision": ""}) is None


async def test_what_fails_after_the_door_has_opened_is_a_fetch(make, origin, server):
    sources = make()
    url = server.url("app.git")
    await sources.resolve(url, "main")
    origin.push({"README": "two\n"})
    server.spoil["fetch"] = truncated
    with pytest.raises(Transient):
        await sources.resolve(url, "main", fresh=True)
    server.spoil.clear()
    with pytest.raises(NotFound):
        await sources.tree(url, "0123456789" * 4)
    sample = sources._shared.world.metrics.registry.get_sample_value
    assert sample("argocd_git_fetch_fail_total", {"repo": url, "revision": ""}) == 1
    assert sample("argocd_git_fetch_fail_total", {"repo": url, "revision": "0123456789" * 4}) == 1
    assert sample("argocd_git_lsremote_fail_total", {"repo": url, "revision": ""}) is None
    (followed,) = sources._followed.values()
    await followed.remote.leave()
    assert sample("argocd_git_fetch_fail_total", {"repo": url, "revision": ""}) is None
    assert sample("argocd_git_request_total", {"repo": url, "request_type": "fetch"}) is None


async def test_a_mirror_is_tidied_up_now_and_then(make, origin, local, runs, monkeypatch):
    monkeypatch.setattr(remote_module, "_TEND_AFTER", 8)
    sources = make(local)
    await sources.resolve(URL, "main")
    tree = await sources.tree(URL, origin.first)
    followed = next(iter(sources._followed.values()))
    for number in range(9):
        last = origin.push({"README": f"{number}\n"})
        await followed.poll()
        await followed.remote.tend()
    assert [run.argv[2] for run in runs if "fetch" not in run.argv] == ["pack-refs", "repack"]
    assert len(list(followed.remote.mirror.path.glob("objects/pack/*.pack"))) < 4
    assert tree.read("README") == b"hello\n"
    assert (await sources.tree(URL, last)).read("README") == b"8\n"


async def test_trouble_while_tidying_up_is_no_trouble(make, origin, local, monkeypatch):
    sources = make(local)
    await sources.resolve(URL, "main")
    followed = next(iter(sources._followed.values()))
    followed.remote._moves = 1000

    async def failing():
        raise Transient("no")

    monkeypatch.setattr(followed.remote._exchange, "tend", failing)
    await followed.remote.tend()
    assert await sources.resolve(URL, "main") == origin.first


async def test_a_bug_in_one_poll_stops_neither_it_nor_others(make, origin, local, monkeypatch):
    sources = make(local, pace=EAGER)
    await sources.resolve(URL, "main")
    followed = next(iter(sources._followed.values()))
    polls = []

    async def broken():
        polls.append(1)
        raise RuntimeError("a bug")

    monkeypatch.setattr(followed, "poll", broken)
    async with _running(sources):
        await _until(lambda: len(polls) >= 1)
        sources.refresh(URL)
        await _until(lambda: len(polls) >= 2)


async def test_thousands_of_refs_are_a_table_like_any_other(make, origin, local):
    lines = "".join(f"{origin.first} refs/heads/f/{number % 100}/b{number}\n" for number in range(2_000))
    (origin.path / "packed-refs").write_text("# pack-refs with: peeled fully-peeled sorted \n" + "".join(
        sorted(lines.splitlines(keepends=True), key=lambda line: line[41:])
    ))  # fmt: skip
    sources = make(local)
    assert await sources.resolve(URL, "f/99/b1999") == origin.first
    assert sources.state(URL).known == 2_002
    await next(iter(sources._followed.values())).remote.tend()
    second = origin.push({"README": "two\n"}, "f/99/b1999")
    assert await sources.resolve(URL, "f/99/b1999", fresh=True) == second


async def test_only_as_much_history_comes_as_is_wanted(make, origin, server):
    for number in range(5):
        last = origin.push({"README": f"{number}\n"})
    depth = 2

    def connect(url, project):
        return Repository(url=url, depth=depth)

    sources = make(connect)
    url = server.url("app.git")
    assert await sources.resolve(url, "main") == last
    objects = next(iter(sources._followed.values())).remote.mirror.objects
    assert objects.repository.is_shallow
    assert not objects.holds(origin.first)
    newest = origin.push({"README": "new\n"})
    assert await sources.resolve(url, "main", fresh=True) == newest
    assert await sources.touched(url, last, newest) == {"README"}
    depth = 0
    await sources.resolve(url, "main")
    await sources.resolve(url, "main", fresh=True)
    assert objects.holds(origin.first), "once the setting is gone all of it comes"
