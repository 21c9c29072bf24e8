"""What a new application begins with: whatever was pushed before somebody wrote it down."""

from plumbline.base.errors import Unreachable
from plumbline.source.git.values import Resolved

from .town import Repository, config_map, story

APPS = "argoproj.io/v1alpha1/applications"
FILES = {"web/a.yaml": config_map("a"), "db/a.yaml": config_map("b")}


class Polled(Repository):
    """What is known of it is what the last poll found, or whoever asked to know it as it is now."""

    def __init__(self):
        super().__init__()
        self.seen = ""
        self.questions = 0

    async def resolved(self, url, revision, *, project="", tag_prefix="", fresh=False):
        if fresh or not self.seen:
            self.questions += 1
            if self.broken is not None and fresh:
                raise self.broken
            self.seen = self.head
        return Resolved(self.seen) if revision == "main" else await super().resolved(url, revision, project=project)

    def push_unheard(self, files):
        """No webhook tells of it."""
        listeners, self._listeners = self._listeners, []
        sha = self.push(files)
        self._listeners = listeners
        return sha


@story(files=FILES, repository=Polled)
async def test_a_new_application_is_of_the_newest_commit_though_no_poll_has_seen_it(town):
    await town.deploy()
    await town.synced()
    sha = town.repository.push_unheard({**FILES, "db/a.yaml": config_map("b", "2")})
    await town.deploy("db")
    await town.synced("db", sha)
    assert (await town.get("v1/configmaps", "b"))["data"] == {"value": "2"}


@story(files=FILES, repository=Polled)
async def test_so_is_one_that_gets_another_source_and_nobody_asks_again_after_that(town):
    await town.deploy()
    await town.synced()
    sha = town.repository.push_unheard({**FILES, "db/a.yaml": config_map("b", "2")})
    questions = town.repository.questions
    await town.patch("v1/configmaps", "a", {"data": {"value": "drifted"}})
    await town.settle()
    assert town.repository.questions == questions
    await town.patch(APPS, "web", {"spec": {"source": {"path": "db"}}}, "argocd")
    await town.synced("web", sha)


class JustHeard(Polled):
    def lately(self, url):
        del url
        return bool(self.seen)


@story(files=FILES, repository=JustHeard)
async def test_what_was_said_just_now_is_good_enough_for_a_crowd(town):
    await town.deploy()
    await town.synced()
    questions = town.repository.questions
    await town.deploy("db")
    await town.synced("db")
    assert town.repository.questions == questions


@story(files=FILES, repository=Polled)
async def test_where_the_repository_cannot_be_reached_it_begins_with_what_is_known(town):
    await town.deploy()
    await town.synced()
    town.repository.broken = Unreachable("it does not answer")
    await town.deploy("db")
    await town.synced("db")
