"""How applications fare, in the journal: once for each transition, and nothing for a look that finds what was there."""

from datetime import UTC, datetime

from plumbline.base.errors import StorageFailed
from plumbline.journal import Query
from plumbline.journal.folds import drift_timeline, lead_times
from plumbline.kinds.mandate import MandateSpec
from plumbline.source.git.objects import RawObject

from .town import config_map, story

FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")}
BY_HAND = {"automated": {"prune": False, "selfHeal": False}}
KINDS = frozenset({"healthy", "drifted", "healed"})
COMMITTED = 1_767_225_600


async def told(town):
    page = await town.journal.page(Query(kinds=KINDS), limit=100)
    return [(each.kind, each.subject.name) for each in sorted(page.entries, key=lambda entry: entry.seq)]


async def entries(town):
    return sorted((await town.journal.page(limit=500)).entries, key=lambda entry: entry.seq)


async def out_of_sync(town):
    async def arrived():
        status = (await town.app()).get("status", {})
        return status.get("sync", {}).get("status") == "OutOfSync"

    await town.until(arrived)


async def looked_again(town):
    change = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}}
    await town.patch("argoproj.io/v1alpha1/applications", "web", change, "argocd")
    await town.settle()


@story(files=FILES)
async def test_a_commit_that_comes_to_run_is_told_once_with_when_it_was_committed(town):
    async def raw(url, sha, *, project=None):
        return RawObject("commit", f"tree x\ncommitter A <a@b> {COMMITTED} +0200\n\ncommitter C <c@d> 1 +0000".encode())

    town.repository.raw = raw
    await town.deploy()
    await town.synced()
    await looked_again(town)
    assert await told(town) == [("healthy", "web")]
    sha = town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.synced(revision=sha)
    await town.settle()
    assert await told(town) == [("healthy", "web"), ("healthy", "web")]
    first, second = lead_times(await entries(town))
    assert (second.commit.sha, second.commit.committed_at) == (sha, datetime.fromtimestamp(COMMITTED, UTC))
    assert first.began == datetime.fromtimestamp(COMMITTED, UTC)


@story(files={**FILES, "other/c.yaml": config_map("c")})
async def test_a_commit_that_asks_for_nothing_else_is_not_told(town):
    await town.deploy()
    await town.synced()
    sha = town.repository.change(other__c_yaml=config_map("c", "2"))
    await town.synced(revision=sha)
    await town.settle()
    assert await told(town) == [("healthy", "web")]


@story(files=FILES)
async def test_what_somebody_changes_by_hand_drifts_and_is_healed_once(town):
    await town.deploy(automated=BY_HAND["automated"])
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"value": "mine"}})
    await out_of_sync(town)
    await looked_again(town)
    assert await told(town) == [("healthy", "web"), ("drifted", "a")]
    await town.patch("v1/configmaps", "a", {"data": {"value": "1"}})
    await town.synced()
    await looked_again(town)
    assert await told(town) == [("healthy", "web"), ("drifted", "a"), ("healed", "a")]
    (drift,) = drift_timeline(await entries(town))
    assert (drift.path, drift.manager, drift.healed is not None) == (".data.value", "kubectl", True)


@story(files=FILES)
async def test_what_is_healed_by_itself_and_what_is_gone_has_drifted_too(town):
    await town.deploy()
    await town.synced()
    await town.delete("v1/configmaps", "b")
    await town.until(lambda: town.get("v1/configmaps", "b"))
    await town.synced()
    await town.settle()
    drifts = drift_timeline(await entries(town))
    assert [(each.subject.name, each.path, each.healed is not None) for each in drifts] == [("b", "", True)]


@story(files=FILES)
async def test_what_a_commit_changes_has_not_drifted(town):
    await town.deploy(automated=False)
    await out_of_sync(town)
    await town.sync()
    await town.synced()
    sha = town.repository.change(web__a_yaml=config_map("a", "2"))
    await out_of_sync(town)
    await town.sync()
    await town.synced(revision=sha)
    assert await told(town) == [("healthy", "web"), ("healthy", "web")]


@story(files=FILES)
async def test_what_had_drifted_before_we_began_is_healed_and_what_had_not_is_not(town):
    """As after a restart: all that is known then is the status, and the journal."""
    await town.deploy(automated=BY_HAND["automated"])
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"value": "mine"}})
    await out_of_sync(town)
    steps = town.delivery._steps.recording
    steps._known.clear()
    await town.patch("v1/configmaps", "a", {"data": {"value": "1"}})
    await town.synced()
    await town.settle()
    assert [each for each in await told(town) if each[0] != "healthy"] == [("drifted", "a"), ("healed", "a")]
    steps._known.clear()
    await looked_again(town)
    assert [each for each in await told(town) if each[0] != "healthy"] == [("drifted", "a"), ("healed", "a")]


@story(files=FILES, mandate=MandateSpec())
async def test_an_observer_that_writes_no_status_tells_it_once_all_the_same(town):
    await town.deploy(automated=False)
    for name in "ab":
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "annotations": {
            "argocd.argoproj.io/tracking-id": f"web:/ConfigMap:shop/{name}"}}, "data": {"value": "1"}}  # fmt: skip
        await town.create("v1/configmaps", made, "shop")
    await town.settle(30)
    for _ in range(3):
        await looked_again(town)
    assert await told(town) == [("healthy", "web")]


@story(files=FILES)
async def test_what_was_told_twice_by_whoever_was_killed_in_between_counts_once(town):
    await town.deploy()
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"value": "mine"}})
    await town.settle(60)
    once = await entries(town)
    twice = [each for each in once for _ in range(2 if each.kind in KINDS else 1)]
    assert len(twice) > len(once)
    assert list(lead_times(twice)) == list(lead_times(once))
    assert drift_timeline(twice) == drift_timeline(once)


@story(files=FILES)
async def test_what_drifted_is_in_the_journal_before_the_intent_to_put_it_right(town):
    await town.deploy()
    await town.synced()
    await town.settle()
    begun = len(await entries(town))
    await town.patch("v1/configmaps", "a", {"data": {"value": "mine"}})
    await town.settle(30)
    kinds = [each.kind for each in (await entries(town))[begun:]]
    assert kinds == ["drifted", "intended", "performed", "healed"]


@story(files=FILES)
async def test_what_the_journal_could_not_take_is_told_again(town):
    await town.deploy(automated=BY_HAND["automated"])
    await town.synced()
    failures = [StorageFailed("the disk is full"), StorageFailed("the disk is full")]
    commit = town.journal.writer._commit

    async def failing(drafts):
        if failures:
            raise failures.pop()
        return await commit(drafts)

    async def is_told():
        return await told(town) == [("healthy", "web"), ("drifted", "a")]

    town.journal.writer._commit = failing
    await town.patch("v1/configmaps", "a", {"data": {"value": "mine"}})
    await town.until(is_told)
    assert not failures
