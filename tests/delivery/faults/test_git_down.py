"""Git away, slow or corrupt: what is live stays, the reason is shown, and it mends itself."""

import asyncio

from tests.delivery.town import config_map, story

from plumbline.base.errors import StorageFailed, TimedOut, Unreachable

FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")}
AWAY = Unreachable("Cannot fetch https://git.example.org/shop.git", why="connection refused")


def conditions(app):
    return {each["type"]: each["message"] for each in app["status"].get("conditions", ())}


async def touched(town, name="web"):
    """Somebody wants it looked at now."""
    note = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}}
    await town.patch("argoproj.io/v1alpha1/applications", name, note, "argocd")
    await town.settle()


@story(files=FILES)
async def test_while_git_is_away_the_last_good_revision_is_used_and_the_reason_is_shown(town):
    await town.deploy()
    before = (await town.synced())["status"]
    done = await town.effects()
    town.repository.broken = AWAY
    await touched(town)
    app = await town.app()
    assert "connection refused" in conditions(app)["RepositoryWarning"]
    assert app["status"]["sync"] == before["sync"]
    assert app["status"]["resources"] == before["resources"]
    assert await town.effects() == done
    await town.patch("v1/configmaps", "a", {"data": {"value": "drifted"}})
    await town.settle()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}


@story(files=FILES)
async def test_when_git_comes_back_the_warning_goes_with_the_next_look(town):
    await town.deploy()
    await town.synced()
    town.repository.broken = AWAY
    await touched(town)
    town.repository.broken = None
    town.repository.change(web__a_yaml=config_map("a", "2"))
    app = await town.synced()
    assert conditions(app) == {}


@story(files=FILES)
async def test_a_tree_that_cannot_be_read_deletes_nothing_and_says_why(town):
    await town.deploy()
    await town.synced()
    read = town.repository.tree
    town.repository.tree = damaged
    town.repository.change(web__b_yaml=None)
    await town.settle(60)
    app = await town.app()
    assert "is damaged" in conditions(app)["ComparisonError"]
    assert app["status"]["sync"]["status"] == "Unknown"
    assert await town.get("v1/configmaps", "b") is not None
    town.repository.tree = read
    await town.synced(within_s=300)
    assert await town.get("v1/configmaps", "b") is None


async def damaged(url, sha, *, project=""):
    raise StorageFailed("Cannot read the mirror of shop.git", why="object 3f786850 is damaged")


@story(files=FILES)
async def test_a_repository_that_was_never_there_is_named_with_its_reason(town):
    town.repository.broken, town.repository.head = AWAY, ""
    await town.deploy()
    await town.settle()
    app = await town.app()
    told = conditions(app)["ComparisonError"]
    assert "https://git.example.org/shop.git" in told
    assert "connection refused" in told
    assert app["status"]["sync"]["status"] == "Unknown"
    town.repository.broken = None
    town.repository.push(FILES)
    await town.synced(within_s=120)


@story(files=FILES)
async def test_questions_to_a_repository_that_is_away_grow_rarer(town):
    town.repository.broken, town.repository.head = AWAY, ""
    await town.deploy()
    await town.settle(60)
    asked = town.repository.asked
    await town.settle(600)
    assert 0 < town.repository.asked - asked <= 20


@story(files={**FILES, **{f"slow{n}/a.yaml": config_map(f"s{n}") for n in range(5)}})
async def test_a_repository_that_does_not_answer_keeps_no_other_application_waiting(town):
    answered = hangs(town)
    for n in range(5):
        await town.deploy(f"slow{n}", source={**source(f"slow{n}"), "repoURL": "https://slow.example.org/shop.git"})
    await town.settle(1)
    await town.deploy("web")
    await town.synced("web", within_s=30)
    assert await town.get("v1/configmaps", "s0") is None
    answered.set()
    await town.synced("slow4", within_s=600)


@story(files={**FILES, **{f"slow{n}/a.yaml": config_map(f"s{n}") for n in range(40)}}, workers=32)
async def test_more_looks_that_hang_than_there_are_workers_keep_no_other_application_waiting(town):
    """A server that takes connections and never answers, and more applications on it than can be looked at at once."""
    answered = hangs(town)
    for n in range(40):
        await town.deploy(f"slow{n}", source={**source(f"slow{n}"), "repoURL": "https://slow.example.org/shop.git"})
    await town.settle(0.5)
    await town.deploy("web")
    await town.synced("web", within_s=5)
    town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.synced("web", within_s=5)
    await town.patch("v1/configmaps", "a", {"data": {"value": "drifted"}})
    await town.settle(5)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "2"}
    assert await town.get("v1/configmaps", "s0") is None
    answered.set()
    await town.synced("slow39", within_s=600)


@story(files=FILES)
async def test_a_sync_under_way_goes_on_with_the_revision_that_it_began_with(town):
    await town.deploy(automated=False)
    await town.settle()
    first = town.repository.head
    await town.sync(revision=first)
    town.repository.change(web__a_yaml=config_map("a", "newer"))
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["syncResult"]["revision"]) == ("Succeeded", first)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}


@story(files=FILES)
async def test_an_operation_for_a_revision_that_cannot_be_had_ends_with_the_reason(town):
    await town.deploy(automated=False)
    await town.settle()
    await town.sync(revision="no-such-branch")
    await town.settle(5)
    app = await town.app()
    assert "no-such-branch" in str(app["status"].get("conditions")) + str(app["status"].get("operationState"))
    assert await town.get("v1/configmaps", "a") is None


def source(path):
    return {"repoURL": "https://git.example.org/shop.git", "path": path, "targetRevision": "main"}


def hangs(town):
    """Make one server not answer until it is let to: it gives up after a minute, as ours does."""
    answered, ask = asyncio.Event(), town.repository.resolved

    async def resolved(url, revision, **how):
        if "slow" in url and not answered.is_set():
            try:
                async with asyncio.timeout(60):
                    await answered.wait()
            except TimeoutError:
                raise TimedOut("The repository did not answer within 60 s") from None
        return await ask(url, revision, **how)

    town.repository.resolved = resolved
    return answered
