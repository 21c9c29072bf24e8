"""Polls, refreshes, failures, and telling who is interested."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput, NotFound, Refused, ServerFault, Throttled, Transient, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.source import polls
from plumbline.source.charts import Moved, Pace
from plumbline.source.repository import Credentials
from plumbline.source.urls import mirror_key

from .archives import chart

EAGER = Pace(poll_s=0.01, jitter_s=0.01, deadline_s=20, quiet_s=5)
ONE = ("app", "1.0.0", chart("app", "1.0.0"))
TWO = ("app", "1.1.0", chart("app", "1.1.0"))
OTHER = ("other", "1.0.0", chart("other", "1.0.0"))


class Hand(SystemClock):
    """A clock that can be put forward."""

    def __init__(self):
        self.ahead_s = 0.0

    def monotonic(self):
        return super().monotonic() + self.ahead_s


@asynccontextmanager
async def _running(sources):
    async with task_group() as group:
        task = group.create_task(sources.run())
        try:
            yield
        finally:
            task.cancel()


async def _until(holds):
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - it waits for another thread, which knows no events of ours
            await asyncio.sleep(0.005)


def _listening(sources):
    told = []
    sources.subscribe(told.append)
    return told


async def test_a_shorter_period_counts_for_the_wait_that_has_begun(make, helm):
    helm.publish(ONE)
    sources = make()
    told = _listening(sources)
    await sources.tree(helm.base, "app", "1.0.0")
    async with _running(sources):
        helm.publish(ONE, TWO)
        sources.paced(0.01, 0.0)
        await _until(lambda: told)
    assert told[0].charts == {"app"}


async def test_a_poll_is_one_conditional_request_and_tells_nobody(make, helm):
    helm.publish(ONE, OTHER)
    sources = make(pace=EAGER)
    told = _listening(sources)
    await sources.tree(helm.base, "app", "1.0.0")
    helm.asked.clear()
    async with _running(sources):
        await _until(lambda: len(helm.asked) >= 5)
    assert set(helm.paths()) == {"/index.yaml"}
    assert all("if-none-match" in each.headers for each in helm.asked)
    assert told == []


async def test_a_poll_notices_what_was_published_and_which_charts_it_is_about(make, helm):
    helm.publish(ONE, OTHER)
    sources = make(pace=EAGER)
    told = _listening(sources)
    await sources.resolve(helm.base, "app", "1.x")
    async with _running(sources):
        helm.publish(ONE, TWO, OTHER)
        await _until(lambda: told)
        assert await sources.resolve(helm.base, "app", "1.x") == "1.1.0"
    assert told == [Moved(mirror_key(helm.base), frozenset({"app"}))]


async def test_a_refresh_is_one_request_and_many_are_a_few(make, helm):
    helm.publish(ONE)
    sources = make()
    await sources.resolve(helm.base, "app", "1.x")
    helm.asked.clear()
    async with _running(sources):
        for _ in range(1000):
            sources.refresh(helm.base)
        await _until(lambda: helm.asked and not sources._polls.queue.working)
    assert 1 <= len(helm.asked) <= 2


async def test_a_poll_of_a_registry_asks_for_what_is_used_and_tells_when_it_moved(make, registry, plain):
    registry.push_chart("charts/app", "1.0.0", ONE[2])
    url = f"oci://{registry.host}/charts"
    sources = make(pace=EAGER)
    told = _listening(sources)
    await sources.tree(url, "app", "1.0.0")
    registry.asked.clear()
    async with _running(sources):
        await _until(lambda: len(registry.asked) >= 3)
        assert {str(each) for each in registry.asked} == {"HEAD /v2/charts/app/manifests/1.0.0"}
        assert told == []
        registry.push_chart("charts/app", "1.0.0", TWO[2])
        await _until(lambda: told)
        assert b"1.1.0" in (await sources.tree(url, "app", "1.0.0")).read("Chart.yaml")
        told.clear()
        await sources.resolve(url, "app", "1.x")
        assert told == []
        registry.push_chart("charts/app", "1.2.0", TWO[2])
        await _until(lambda: told)
        assert await sources.resolve(url, "app", "1.x") == "1.2.0"
        told.clear()
        del registry.manifests["charts/app", "1.0.0"]
        await _until(lambda: told)
    assert told[0] == Moved(mirror_key(url), frozenset({"app"}))
    with pytest.raises(NotFound):
        await sources.tree(url, "app", "1.0.0")


async def test_what_is_known_stays_usable_while_the_server_fails(make, helm):
    helm.publish(ONE)
    sources = make()
    await sources.tree(helm.base, "app", "1.0.0")
    good, helm.status = helm.files["/index.yaml"], 500
    with pytest.raises(ServerFault):
        await sources.resolve(helm.base, "app", "1.x", fresh=True)
    helm.status, helm.files["/index.yaml"] = None, b"{not an index"
    with pytest.raises(Refused):
        await sources.resolve(helm.base, "app", "1.x", fresh=True)
    assert await sources.resolve(helm.base, "app", "1.x") == "1.0.0"
    assert await sources.tree(helm.base, "app", "1.0.0")
    state = sources.state(helm.base)
    assert (state.failures, state.known) == (2, 1)
    helm.files["/index.yaml"] = good
    await sources.resolve(helm.base, "app", "1.x", fresh=True)
    assert sources.state(helm.base).error is None
    assert sources.state("https://nobody.example/asked").succeeded_at is None


async def test_after_a_restart_what_is_on_disk_is_used_while_the_server_fails(make, helm):
    helm.publish(ONE)
    await make().tree(helm.base, "app", "1.0.0")
    helm.status = 503
    sources = make()
    assert await sources.resolve(helm.base, "app", "1.x") == "1.0.0"
    assert b"1.0.0" in (await sources.tree(helm.base, "app", "1.0.0")).read("Chart.yaml")


async def test_a_failure_has_one_schedule_for_all(make, helm):
    helm.status = 500
    clock = Hand()
    sources = make(clock=clock)
    for _ in range(50):
        with pytest.raises(Transient):
            await sources.resolve(helm.base, "app", "1.x")
    assert len(helm.asked) == 1
    clock.ahead_s += 5
    with pytest.raises(Transient):
        await sources.resolve(helm.base, "app", "1.x")
    assert len(helm.asked) == 2


async def test_a_server_that_asks_for_silence_gets_it(make, helm):
    helm.publish(ONE)
    clock = Hand()
    sources = make(clock=clock)
    await sources.resolve(helm.base, "app", "1.x")
    helm.status = 429
    with pytest.raises(Throttled):
        await sources.resolve(helm.base, "app", "1.x", fresh=True)
    helm.asked.clear()
    async with _running(sources):
        sources.refresh(helm.base)
        await _until(lambda: len(sources._polls.queue) == 0 and not sources._polls.queue.working)
        assert helm.asked == []
        helm.status = None
        clock.ahead_s += 700
        sources.refresh(helm.base)
        await _until(lambda: helm.asked)


async def test_polls_go_on_after_a_failure(make, helm):
    helm.publish(ONE)
    clock = Hand()
    sources = make(pace=EAGER, clock=clock)
    await sources.resolve(helm.base, "app", "1.x")
    async with _running(sources):
        helm.status = 502
        await _until(lambda: sources.state(helm.base).failures)
        helm.status = None
        helm.publish(ONE, TWO)
        clock.ahead_s += 60
        sources.refresh(helm.base)
        await _until(lambda: sources.state(helm.base).error is None)
    assert await sources.resolve(helm.base, "app", "1.x") == "1.1.0"


async def test_a_poll_that_breaks_does_not_end_the_others(make, helm, settings, monkeypatch):
    helm.publish(ONE)
    sources = make(pace=EAGER)
    await sources.resolve(helm.base, "app", "1.x")
    [followed] = sources._repositories.values()
    real, broken = followed.poll, []

    async def poll():
        if not broken:
            broken.append(1)
            raise RuntimeError("bug")
        await real()

    monkeypatch.setattr(followed, "poll", poll)
    helm.asked.clear()
    async with _running(sources):
        await _until(lambda: broken)
        sources.refresh(helm.base)
        await _until(lambda: helm.asked)


async def test_settings_that_refuse_show_in_the_state(make, helm, settings):
    helm.publish(ONE)
    sources = make(pace=EAGER)
    await sources.resolve(helm.base, "app", "1.x")
    settings.fault = InvalidInput("the repository is not used")
    async with _running(sources):
        await _until(lambda: sources.state(helm.base).error is not None)


async def test_a_server_that_is_not_there_is_unreachable(make, helm):
    with pytest.raises(Unreachable):
        await make().resolve("http://127.0.0.1:9", "app", "1.x")


async def test_a_version_that_is_not_known_is_looked_for_once_more(make, helm, registry, plain):
    helm.publish(ONE)
    registry.push_chart("charts/app", "1.0.0", ONE[2])
    url = f"oci://{registry.host}/charts"
    clock = Hand()
    sources = make(clock=clock)
    for each in (helm.base, url):
        assert await sources.resolve(each, "app", "1.x") == "1.0.0"
    helm.publish(ONE, ("app", "3.0.0", chart("app", "3.0.0")))
    registry.push_chart("charts/app", "3.0.0", chart("app", "3.0.0"))
    clock.ahead_s += 10
    for each in (helm.base, url):
        assert await sources.resolve(each, "app", "3.x") == "3.0.0"
        assert b"3.0.0" in (await sources.tree(each, "app", "3.0.0")).read("Chart.yaml")


async def test_a_repository_that_nobody_wants_is_forgotten(make, helm, registry, plain, monkeypatch):
    monkeypatch.setattr(polls, "UNUSED_S", 0.0)
    helm.publish(ONE)
    registry.push_chart("charts/app", "1.0.0", ONE[2])
    url = f"oci://{registry.host}/charts"
    sources = make()
    for each in (helm.base, url):
        await sources.tree(each, "app", "1.0.0")
        sources.refresh(each)
    sources.keep_while(lambda url: False)
    async with asyncio.timeout(20), _running(sources):
        while sources._repositories or sources._registries:  # noqa: ASYNC110 - nobody is told what is waited for
            await asyncio.sleep(0.005)
    assert len(sources._polls.queue) == 0
    assert sources.state(url).succeeded_at is None
    assert await sources.resolve(helm.base, "app", "1.x") == "1.0.0"


async def test_credentials_may_have_to_be_made_first(make, helm):
    helm.publish(ONE)
    helm.required = "Bearer made"

    async def authorised(repository):
        return Credentials(bearer_token=Plaintext("made"))

    assert await make(authorised=authorised).resolve(helm.base, "app", "1.x") == "1.0.0"
