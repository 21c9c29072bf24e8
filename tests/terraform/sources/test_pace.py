"""How often a repository is asked: at the pace of whoever is in the greatest hurry, and once for all of them."""

import asyncio
import itertools

from tests.terraform.sources.scene import NAMESPACES, condition, in_memory, repository, state

from plumbline.base.errors import Unreachable
from plumbline.base.json import encode
from plumbline.base.virtualtime import run_virtually
from plumbline.kube.client import Target


def virtually(story):
    """Run *story* on a virtual loop, with a folder that is really there."""

    def test(tmp_path):
        async def main():
            async with in_memory(tmp_path) as scene:
                await story(scene)

        run_virtually(main)

    test.__name__ = story.__name__
    return test


@virtually
async def test_an_unchanged_repository_is_asked_once_an_interval_and_nothing_is_written(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(interval="1m"))
    await scene.ready()
    await asyncio.sleep(5)
    asked, version = len(scene.git.asked), await scene.version()
    await asyncio.sleep(600)
    assert len(scene.git.asked) - asked == 10
    assert await scene.version() == version


@virtually
async def test_a_clock_that_is_set_back_by_an_hour_keeps_nobody_from_asking(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(interval="1m"))
    await scene.ready()
    asked = len(scene.git.asked)
    scene.world.clock.jump(-3600)
    await asyncio.sleep(600)
    assert len(scene.git.asked) - asked == 10
    scene.git.error = Unreachable("Cannot reach forge.example")
    await asyncio.sleep(60)
    scene.world.clock.jump(-3600)
    scene.git.error = None
    sha = scene.git.push({"main.tf": "# 2\n"})
    await asyncio.sleep(300)
    assert (await scene.get())["status"]["artifact"]["revision"].endswith(sha)


@virtually
async def test_many_objects_share_one_question(scene):
    scene.git.push({"main.tf": "# 1\n"})
    for n in range(20):
        await scene.apply(repository(f"app-{n}", interval="1m"))
        await asyncio.sleep(1)
    asked = len(scene.git.asked)
    await asyncio.sleep(600)
    assert len(scene.git.asked) - asked in {10, 11}


@virtually
async def test_the_shared_poll_does_for_whoever_asks_less_often(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(interval="10m"))
    await scene.ready()
    asked = len(scene.git.asked)
    for _ in range(20):
        await asyncio.sleep(120)
        scene.git.poll()
    assert len(scene.git.asked) - asked == 20


@virtually
async def test_what_moves_is_looked_at_when_it_moves(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(interval="24h"))
    await scene.ready()
    sha = scene.git.push({"main.tf": "# 2\n"})
    scene.git.poll()
    await asyncio.sleep(1)
    assert (await scene.get())["status"]["artifact"]["revision"] == f"main@sha1:{sha}"


@virtually
async def test_what_stays_wrong_is_tried_less_and_less_often(scene):
    await scene.apply(repository(secretRef={"name": "nope"}))
    await scene.failing("AuthenticationFailed")
    looks = []
    scene.room.controller.looked = lambda key, took_s: looks.append(scene.world.clock.monotonic())
    await asyncio.sleep(6 * 3600)
    gaps = [round(later - sooner, 3) for sooner, later in itertools.pairwise(looks)]
    assert gaps == sorted(gaps)
    assert 895 < gaps[-1] < 905
    assert len(looks) < 50


@virtually
async def test_a_repository_that_is_away_is_asked_at_its_own_pace_and_what_was_there_stays(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(interval="1m"))
    before = await scene.ready()
    scene.git.error = Unreachable("Cannot fetch it", why="there is no connection to it")
    found = await scene.until(lambda: failing(scene), within_s=300)
    assert found["status"]["artifact"] == before["status"]["artifact"]
    assert "there is no connection to it" in condition(found, "FetchFailed")["message"]
    await asyncio.sleep(15)  # events are written once nobody is looked at
    version, asked = await scene.version(), len(scene.git.asked)
    await asyncio.sleep(600)
    assert len(scene.git.asked) - asked <= 20  # once in 30 s, which is when the mirror allows it
    assert await scene.version() == version
    scene.git.error = None
    scene.git.push({"main.tf": "# 2\n"})
    await asyncio.sleep(1000)
    assert state(await scene.get(), "Ready") == "True"
    assert ("Succeeded", condition(await scene.get(), "Ready")["message"]) in await scene.events()


async def failing(scene):
    found = await scene.get()
    return found if state(found, "FetchFailed") == "True" else None


@virtually
async def test_a_repository_that_does_not_answer_is_given_up_after_its_timeout(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(interval="1m", timeout="20s"))
    await scene.ready()
    resolved = scene.git.resolved

    async def stuck(*args, fresh=False, **kwargs):
        if fresh:
            await asyncio.sleep(3600)
        return await resolved(*args, **kwargs)

    scene.git.resolved = stuck
    found = await scene.until(lambda: failing(scene), within_s=300)
    assert "longer than 20 s" in condition(found, "Ready")["message"]


@virtually
async def test_who_asks_by_annotation_is_heard_between_two_intervals(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(interval="24h"))
    await scene.ready()
    await asyncio.sleep(60)
    asked = len(scene.git.asked)
    await scene.apply(repository(interval="24h", annotations={"reconcile.fluxcd.io/requestedAt": "1"}))
    await asyncio.sleep(5)
    assert len(scene.git.asked) - asked == 1
    assert (await scene.get())["status"]["lastHandledReconcileAt"] == "1"
    await asyncio.sleep(3600)
    assert len(scene.git.asked) - asked == 1


@virtually
async def test_files_that_come_from_elsewhere_are_told_by_their_url(scene):
    """An artifact that another controller made is made here once more, under our own address."""
    sha = scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(suspend=True))
    theirs = {
        "path": "gitrepository/shop/app/x.tar.gz", "url": "http://source-controller/x.tar.gz",
        "revision": f"main@sha1:{sha}", "digest": "sha256:" + "0" * 64, "lastUpdateTime": "2026-01-01T00:00:00Z",
        "metadata": {"a": "b"},
    }  # fmt: skip
    await scene.write_status({"artifact": theirs, "observedGeneration": 1})
    await scene.apply(repository())
    found = (await scene.ready())["status"]["artifact"]
    assert found["url"].startswith("http://plumbline.example/artifacts/gitrepository/shop/app/")
    assert "metadata" not in found


@virtually
async def test_an_object_that_cannot_be_read_is_stalled_and_says_where(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository(interval="999999h"))
    await scene.ready()
    await scene.apply(repository(interval="99999999999h"))
    found = await scene.failing("InvalidSpec")
    assert state(found, "Stalled") == "True"
    assert "spec.interval" in condition(found, "Ready")["message"]


@virtually
async def test_an_include_without_files_is_waited_for(scene):
    scene.git.push({"main.tf": "# 1\n"})
    await scene.apply(repository("lib", suspend=True))
    await scene.apply(repository(include=[{"repository": {"name": "lib"}}]))
    found = await scene.failing("NoArtifact")
    assert condition(found, "IncludeUnavailable")["message"] == "no artifact available for include 'lib'"
    await scene.apply(repository("lib"))
    await scene.ready()


@virtually
async def test_a_commit_that_cannot_be_read_again_is_named_by_its_hash(scene):
    sha = scene.git.push({"main.tf": "# 1\n"})

    async def away(*args, **kwargs):
        raise Unreachable("Cannot read it")

    scene.git.raw = away
    await scene.apply(repository())
    await scene.ready()
    assert ("NewArtifact", f"stored artifact for commit 'main@sha1:{sha}'") in await scene.events()


@virtually
async def test_conditions_of_others_stay(scene):
    scene.git.push({"main.tf": "# 1\n"})
    theirs = {
        "type": "Watched", "status": "True", "reason": "Theirs", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    await scene.apply(repository(suspend=True))
    await scene.write_status({"conditions": [theirs]})
    await scene.apply(repository())
    assert theirs in (await scene.ready())["status"]["conditions"]


@virtually
async def test_repositories_of_one_namespace_that_hang_keep_those_of_no_other_waiting(scene):
    scene.git.push({"main.tf": "# 1\n"})
    resolved = scene.git.resolved

    async def stuck(url, *args, **kwargs):
        if "hangs" in url:
            await asyncio.sleep(86_400)
        return await resolved(url, *args, **kwargs)

    scene.git.resolved = stuck
    other = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}}
    await scene.client.create(Target(NAMESPACES), encode(other))
    for number in range(130):
        await scene.apply(repository(f"app-{number}", "other", url="https://hangs.example/team/app.git"))
    await asyncio.sleep(300)
    await scene.apply(repository())
    await scene.ready()
