"""The informer keeps its copy true through everything that can happen to a watch."""

import asyncio

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import Forbidden, ServerFault, Transient, Unreachable
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.informer import Informer
from plumbline.kube.client import Interrupted, Synced, Target, WatchEvent

from .sample import MIRROR


def event(kind, name="a", version="1", uid="u", **more):
    raw = f'{{"metadata":{{"name":"{name}","namespace":"n","uid":"{uid}","resourceVersion":"{version}"}},"spec":"{version}"}}'
    return WatchEvent(kind, more.get("raw", raw.encode()), "n", name, uid, version)


def told(*events):
    """What listeners hear of *events*: the version before and after."""
    heard = []
    informer = Informer(None, Target(MIRROR.resource), cache=Cache(Relevance()))

    def version(entry):
        return entry and (entry.meta.name, entry.meta.resource_version)

    informer.subscribe(lambda before, after: heard.append((version(before), version(after))))
    for each in events:
        informer._take(each)
    return informer, heard


def test_comings_changes_and_goings_are_told():
    _, heard = told(event("ADDED"), event("MODIFIED", version="2"), event("DELETED", version="3"))
    assert heard == [(None, ("a", "1")), (("a", "1"), ("a", "2")), (("a", "2"), None)]


def test_what_is_known_already_is_not_told_again():
    _, heard = told(event("ADDED"), event("ADDED"), event("BOOKMARK", version="9"))
    assert heard == [(None, ("a", "1"))]


def test_an_object_that_was_made_anew_is_told_as_gone_and_come():
    _, heard = told(event("ADDED"), event("ADDED", version="5", uid="another"))
    assert heard[1:] == [(("a", "1"), None), (None, ("a", "5"))]


def test_what_vanished_while_nobody_looked_is_told_when_the_state_is_complete():
    informer, heard = told(event("ADDED"), event("ADDED", name="b"), Synced("9", frozenset({("n", "b")}), again=True))
    assert heard[-1] == (("a", "1"), None)
    assert [entry.meta.name for entry in informer.cache] == ["b"]


def test_an_object_that_cannot_be_read_is_left_out_and_the_rest_goes_on():
    _, heard = told(event("ADDED", raw=b'{"metadata":3}'), event("ADDED", name="b"))
    assert heard == [(None, ("b", "1"))]


def test_being_behind_is_known_until_something_is_heard():
    broken = Unreachable("gone")
    informer, _ = told(Interrupted(broken, 1.0))
    assert informer.interrupted is broken
    informer._take(event("ADDED"))
    assert informer.interrupted is None


async def test_it_is_synced_once_the_state_was_complete():
    informer, _ = told(Synced("1", frozenset(), again=False))
    async with asyncio.timeout(1):
        await informer.synced()


@pytest.mark.parametrize("why", [Forbidden("not by ada"), ServerFault("no conversion"), Unreachable("gone")], ids=str)
async def test_whoever_waits_for_what_cannot_be_read_is_told_so_until_it_can(why):
    informer, _ = told(Interrupted(why, 1.0))
    with pytest.raises(Transient, match=why.what):
        await informer.readable()
    informer._take(event("ADDED"))
    async with asyncio.timeout(1), asyncio.TaskGroup() as group:
        group.create_task(informer.readable())
        await asyncio.sleep(0)
        informer._take(Synced("1", frozenset(), again=False))


def test_the_answer_to_a_write_is_known_before_the_watch_tells_it():
    informer, heard = told(event("ADDED"))
    informer.learn(event("MODIFIED", version="3").raw)
    for late in (event("MODIFIED", version="2"), event("MODIFIED", version="3"), event("MODIFIED", version="4")):
        informer._take(late)
    assert [after for _, after in heard] == [("a", "1"), ("a", "3"), ("a", "4")]


def test_an_answer_that_comes_late_changes_nothing():
    informer, heard = told(event("ADDED"), event("MODIFIED", version="5"))
    assert informer.learn(event("MODIFIED", version="4").raw).meta.resource_version == "4"
    assert informer.cache.get(("n", "a")).meta.resource_version == "5"
    assert len(heard) == 2


def test_what_was_just_made_is_known_and_what_is_gone_does_not_come_back():
    informer, heard = told()
    informer.learn(event("ADDED", version="2").raw)
    informer._take(event("DELETED", version="3"))
    informer.learn(event("ADDED", version="2").raw)
    assert heard == [(None, ("a", "2")), (("a", "2"), None)]
    assert not list(informer.cache)


def test_after_the_server_lost_its_history_what_was_learned_no_longer_counts():
    informer, heard = told(event("ADDED", version="7"))
    informer.learn(event("MODIFIED", version="9").raw)
    informer._take(Synced("3", frozenset({("n", "a")}), again=True))
    informer._take(event("MODIFIED", version="4"))
    assert heard[-1][1] == ("a", "4")


async def test_the_age_of_a_copy_is_since_all_of_it_was_told_at_once():
    clock = VirtualClock()
    informer = Informer(None, Target(MIRROR.resource), cache=Cache(Relevance()), clock=clock)
    informer._take(event("ADDED"))
    assert informer.age_s is None
    informer._take(Synced("1", frozenset({("n", "a")}), again=False))
    await clock.advance(40)
    informer._take(event("MODIFIED", version="2"))
    assert informer.age_s == 40
    informer._take(Synced("3", frozenset({("n", "a")}), again=True))
    assert informer.age_s == 0


def test_versions_that_are_no_numbers_are_followed_all_the_same():
    """As servers behind the API server may have them: Calico's has `1200/`."""
    informer, heard = told(event("ADDED", version="1/2"))
    informer.learn(event("MODIFIED", version="1/3").raw)
    informer._take(event("MODIFIED", version="1/4"))
    informer._take(event("DELETED", version="1/5"))
    assert [after for _, after in heard] == [("a", "1/2"), ("a", "1/4"), None]
