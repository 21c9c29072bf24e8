"""Objects that go and come again under one name while the watch is behind: old news never passes for new."""

from plumbline.base.errors import Unreachable
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.informer import Informer
from plumbline.kube.client import Interrupted, Synced, Target, WatchEvent

from .sample import MIRROR

KEY = ("n", "a")


def event(kind, version, uid):
    raw = f'{{"metadata":{{"name":"a","namespace":"n","uid":"{uid}","resourceVersion":"{version}"}},"spec":{version}}}'
    return WatchEvent(kind, raw.encode(), "n", "a", uid, str(version))


def followed(*events):
    informer, heard = Informer(None, Target(MIRROR.resource), cache=Cache(Relevance())), []
    informer.subscribe(lambda before, after: heard.append((version(before), version(after))))
    for each in events:
        informer._take(each)
    return informer, heard


def version(entry):
    return entry and int(entry.meta.resource_version)


def test_an_object_that_we_made_anew_is_learned_over_the_one_that_is_still_in_the_copy():
    informer, heard = followed(event("ADDED", 1, "old"))
    informer.learn(event("ADDED", 5, "new").raw)
    assert informer.cache.get(KEY).meta.uid == "new"
    assert heard == [(None, 1), (1, None), (None, 5)]


def test_late_news_of_the_old_object_leaves_the_new_one_alone():
    informer, _ = followed(event("ADDED", 1, "old"))
    informer.learn(event("ADDED", 5, "new").raw)
    for late in (event("MODIFIED", 2, "old"), event("DELETED", 3, "old"), event("ADDED", 5, "new")):
        informer._take(late)
        assert informer.cache.get(KEY).meta.uid == "new"
    informer._take(event("DELETED", 7, "new"))
    assert informer.cache.get(KEY) is None


def test_what_we_deleted_is_gone_before_the_watch_says_so_and_does_not_come_back():
    informer, heard = followed(event("ADDED", 1, "old"))
    informer.learn_gone(KEY, "old")
    informer._take(event("MODIFIED", 2, "old"))
    assert informer.cache.get(KEY) is None
    informer._take(event("DELETED", 3, "old"))
    assert heard == [(None, 1), (1, None)]
    informer._take(event("ADDED", 5, "new"))
    assert informer.cache.get(KEY).meta.uid == "new"


def test_only_the_very_object_that_was_deleted_is_taken_for_gone():
    informer, heard = followed(event("ADDED", 5, "new"))
    told = []
    informer.learn_gone(KEY, "old", lambda before, after: told.append((before, after)))
    assert informer.cache.get(KEY).meta.uid == "new"
    informer.learn_gone(KEY, "new", lambda before, after: told.append((version(before), after)))
    assert told == [(5, None)]
    assert len(heard) == 1


AWAY = Interrupted(Unreachable("The watch broke off"), 1.0)


def synced(version, *present):
    return Synced(str(version), frozenset(present), again=True)


def test_a_state_that_is_told_anew_and_older_than_our_own_write_does_not_take_the_copy_back():
    informer, heard = followed(event("ADDED", 1, "a"), synced(1, KEY), AWAY)
    informer.learn(event("MODIFIED", 5, "a").raw)
    for late in (event("ADDED", 2, "a"), synced(2, KEY), event("MODIFIED", 3, "a"), event("MODIFIED", 4, "a")):
        informer._take(late)
        assert version(informer.cache.get(KEY)) == 5
    informer._take(event("MODIFIED", 5, "a"))
    informer._take(event("MODIFIED", 6, "a"))
    assert heard == [(None, 1), (1, 5), (5, 6)]


def test_what_we_made_after_the_state_that_is_told_anew_is_not_taken_for_gone():
    informer, heard = followed(synced(1), AWAY)
    informer.learn(event("ADDED", 5, "a").raw)
    informer._take(synced(2))
    assert version(informer.cache.get(KEY)) == 5
    informer._take(event("ADDED", 5, "a"))
    informer._take(event("DELETED", 6, "a"))
    assert heard == [(None, 5), (5, None)]


def test_what_we_wrote_before_a_server_lost_its_history_is_gone_with_it():
    informer, _ = followed(synced(1))
    informer.learn(event("ADDED", 50, "a").raw)
    informer._take(AWAY)
    informer._take(synced(2))
    assert informer.cache.get(KEY) is None
