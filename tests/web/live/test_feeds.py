"""Feeds of things that call back, and of things that are asked."""

import asyncio

from tests.web.live.pages import virtually

from plumbline.base.virtualtime import LoopClock
from plumbline.web.board.board import Seen
from plumbline.web.board.rows import Row
from plumbline.web.live import Change, Kind, Listened, Polled, Together
from plumbline.web.live.applications import ApplicationFeed


async def test_what_calls_back_is_a_feed_from_entering_to_leaving():
    listening = []

    def listen(topic, tell):
        listening.append((topic, tell))
        return lambda: listening.remove((topic, tell))

    told = []
    async with Listened(listen).following("applications", told.append):
        ((topic, tell),) = listening
        tell(Change(topic, Kind.ADDED))
    assert listening == []
    assert told == [Change("applications", Kind.ADDED)]


@virtually
async def test_what_is_asked_is_told_of_when_it_is_another():
    answers = iter(["well", "well", "ill", "ill", "well"])
    told = []

    async def ask(topic):
        return next(answers)

    async with Polled(ask, LoopClock(), every_s=5, scope="server").following("health", told.append):
        await asyncio.sleep(21)
    assert told == [Change("health", Kind.MODIFIED, state, "server") for state in ("ill", "well")]


async def test_several_feeds_of_one_topic_open_and_close_together():
    listening, told = [], []

    def listen(name):
        def begin(topic, tell):
            listening.append(name)
            tell(Change(name, Kind.ADDED))
            return lambda: listening.remove(name)

        return Listened(begin)

    async with Together(listen("object"), listen("tree")).following("application:a/x", told.append):
        assert listening == ["object", "tree"]
    assert listening == []
    assert [change.key for change in told] == ["object", "tree"]


class Board:
    """As much of it as the feed uses."""

    def __init__(self):
        self.followers = []
        self.read = 0

    async def rows(self):
        self.read += 1
        return ()

    def follow(self, follower):
        self.followers.append(follower)
        return lambda: self.followers.remove(follower)

    def tell(self, before, after):
        for follower in self.followers:
            follower(Seen(before, after, b""))


def row(name="shop", namespace="argocd", **said):
    return Row(name=name, namespace=namespace, uid="u", **{"version": "1", **said})


async def test_applications_are_told_of_as_rows_and_as_themselves():
    board, rows, one = Board(), [], []
    feed = ApplicationFeed(board, lambda project, _, name: f"{project}/{name}", lambda namespace: namespace != "other")
    async with (
        feed.following("applications", rows.append),
        feed.following("application:argocd/shop", one.append),
    ):
        assert len(board.followers) == 1
        board.tell(None, row(health="Missing"))
        board.tell(row(health="Missing"), row(version="2", health="Healthy", project="p"))
        board.tell(row(version="2"), row(version="3"))
        board.tell(row(), None)
        board.tell(None, row("cart"))
        board.tell(None, row(namespace="other"))
    assert board.followers == []
    assert board.read == 2
    assert [(change.key, change.kind, change.scope, change.was) for change in rows] == [
        ("argocd/shop", "ADDED", "default/shop", None),
        ("argocd/shop", "MODIFIED", "p/shop", "default/shop"),
        ("argocd/shop", "DELETED", "default/shop", None),
        ("argocd/cart", "ADDED", "default/cart", None),
    ]
    assert rows[1].payload["status"]["health"]["status"] == "Healthy"
    assert [change.payload for change in one] == [
        {"resourceVersion": "1"},
        {"resourceVersion": "2"},
        {"resourceVersion": "3"},
        None,
    ]


async def test_what_nobody_has_open_is_not_put_together():
    board, told = Board(), []

    def named(*_):
        raise AssertionError

    feed = ApplicationFeed(board, named, lambda _: True)
    async with feed.following("application:argocd/shop", told.append):
        board.tell(None, row("cart"))
    assert told == []
