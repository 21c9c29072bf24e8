"""Objects that go and come again under one name while the watch is behind: old news never passes for new."""

from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.informer import Informer
from plumbline.kube.client import Target, WatchEvent

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
