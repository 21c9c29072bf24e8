"""What we did ourselves is no reason to look again, whichever comes first: the answer, or the watch."""

import asyncio
from collections import Counter

import pytest

from plumbline.base.errors import NotFound
from plumbline.base.json import encode
from plumbline.delivery.live import LiveCluster
from plumbline.delivery.live.collection import Collection
from plumbline.kernel.cache import cached
from plumbline.kernel.world import real_world
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.ownership.learn.tracking import Tracking

from .town import config_map, story

GVK = GroupVersionKind("", "v1", "ConfigMap")
REF = Ref("", "ConfigMap", "shop", "a")
FILES = {f"web/{name}.yaml": config_map(name) for name in "abcde"} | {"warm/f.yaml": config_map("f")}


def version(number, value="1"):
    metadata = {"name": "a", "namespace": "shop", "uid": "u", "resourceVersion": str(number)}
    return encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": value}})


@pytest.fixture
async def live():
    return LiveCluster(None, Tracking, real_world())


@pytest.fixture
async def heard(live):
    """Versions that somebody was told of, and whether they were ours."""
    told = []
    live.subscribe(lambda event: told.append((event.after.meta.resource_version, event.ours)))
    return told


@pytest.fixture
async def collection(live):
    resource = Resource(group="", version="v1", name="configmaps", kind="ConfigMap", namespaced=True)
    return live._begin(GVK, Collection(None, resource, Tracking, real_world()))


@pytest.fixture
async def watched(collection):
    """The watch says something."""

    def says(raw):
        entry = cached(raw, collection.cache.relevance)
        collection.informer._keep(entry, collection.informer._tell)

    return says


async def test_the_watch_may_be_faster_than_the_answer(live, heard, watched):
    with live.writing(GVK, REF):
        watched(version(5))
        assert heard == []
        live.learn(GVK, version(5))
    assert heard == [("5", True)]


async def test_what_another_did_meanwhile_is_anothers(live, heard, watched):
    with live.writing(GVK, REF):
        watched(version(4, "by hand"))
        watched(version(5))
        watched(version(6, "by hand"))
        live.learn(GVK, version(5))
    assert heard == [("4", False), ("5", True), ("6", False)]


async def test_what_another_did_before_is_told_before_the_answer(live, heard, watched):
    with live.writing(GVK, REF):
        watched(version(4, "by hand"))
        live.learn(GVK, version(5))
    assert heard == [("4", False), ("5", True)]


async def test_a_write_that_fails_hides_nothing(live, heard, watched):
    def failing():
        with live.writing(GVK, REF):
            watched(version(5))
            raise TimeoutError

    with pytest.raises(TimeoutError):
        failing()
    assert heard == [("5", False)]


async def test_other_objects_are_told_at_once(live, heard, watched):
    with live.writing(GVK, REF._replace(name="b")):
        watched(version(5))
        assert heard == [("5", False)]


class Counted:
    """A way to the server that remembers what went over it, watches aside."""

    def __init__(self, client):
        self._transport = client._caller.transport
        self.sent = Counter()
        client._caller.transport = self

    async def send(self, request):
        if not request.stream_s:
            steps = request.path.split("/namespaces/")[-1].split("/")
            self.sent[request.method, steps[1] if len(steps) > 1 else "namespaces"] += 1
        return await self._transport.send(request)


@story(files=FILES)
async def test_a_first_sync_is_one_look_and_a_write_for_each_thing_that_comes_of_it(town):
    looks = []
    town.delivery.controller.looked = lambda key, took_s: looks.append(key)
    await town.deploy("warm")
    await town.settle()
    looks.clear()
    counted = Counted(town.client)
    await town.deploy()
    await town.settle()
    assert looks == [("argocd", "web")]
    by_us = counted.sent - Counter({("POST", "applications"): 1})
    assert by_us == {("PATCH", "configmaps"): 5, ("PUT", "applications"): 1, ("POST", "events"): 4}


async def test_an_object_that_many_want_at_once_is_asked_for_once(collection, monkeypatch):
    asked = []

    async def fetched(key):
        asked.append(key)
        await asyncio.sleep(0)
        return cached(version(5), collection.cache.relevance)

    monkeypatch.setattr(collection.informer, "fetched", fetched)
    collection.cache.put(cached(version(5), collection.cache.relevance))
    found = await asyncio.gather(*(collection.fetched(("shop", "a")) for _ in range(32)))
    assert asked == [("shop", "a")]
    assert {entry.raw for entry in found} == {version(5)}


async def test_a_question_that_failed_is_asked_again_by_the_next(collection, monkeypatch):
    async def unreachable(key):
        raise NotFound(f"{key} is gone")

    monkeypatch.setattr(collection.informer, "fetched", unreachable)
    collection.cache.put(cached(version(5), collection.cache.relevance))
    found = await asyncio.gather(*(collection.fetched(("shop", "a")) for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in found] == [NotFound] * 3


@story(files={**FILES, "other/c.yaml": config_map("z")})
async def test_a_push_that_touches_nothing_of_it_is_one_write_and_quiet_is_none(town):
    await town.deploy()
    await town.settle()
    counted = Counted(town.client)
    town.repository.change(other__c_yaml=config_map("z", "2"))
    await town.settle()
    assert counted.sent == {("PUT", "applications"): 1}
    await town.settle(600)
    assert counted.sent == {("PUT", "applications"): 1}


@story(files={**FILES, "other/c.yaml": config_map("z")})
async def test_what_neither_git_nor_anybody_else_has_changed_is_not_compared_again(town):
    await town.deploy()
    await town.settle()
    compared = comparisons(town)
    town.repository.change(other__c_yaml=config_map("z", "2"))
    await town.settle()
    assert compared == []
    town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.settle()
    assert compared == ["web", "web"]  # before and after the sync


def comparisons(town):
    """Grows with each comparison of an application."""
    comparing, done = town.delivery._steps.comparing, []
    compare = comparing._compare

    async def counted(run, at, target):
        done.append(at.facts.name)
        return await compare(run, at, target)

    comparing._compare = counted
    return done


DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {0}}}
spec:
  selector: {{matchLabels: {{app: {0}}}}}
  template:
    metadata: {{labels: {{app: {0}}}}}
    spec: {{containers: [{{name: {0}, image: nginx}}]}}
"""


@story(files={f"{name}/d.yaml": DEPLOYMENT.format(name) for name in ("a", "b", "c", "warm")})
async def test_what_becomes_well_in_a_moment_is_waited_for_unless_others_are_waiting(town):
    took_s = {}
    town.delivery.controller.looked = lambda key, seconds: took_s.setdefault(key[1], seconds)
    await town.deploy("warm")
    await town.settle()
    await asyncio.gather(*map(town.deploy, "abc"))
    await town.settle()
    assert took_s == {"warm": pytest.approx(0.05), "a": 0.0, "b": 0.0, "c": 0.0}


@pytest.mark.parametrize("later", [version(7, "newer"), None], ids=["changed", "gone"])
async def test_what_is_answered_late_does_not_take_the_place_of_what_the_watch_has_told_since(
    collection, watched, monkeypatch, later
):
    answer = asyncio.get_running_loop().create_future()

    async def fetched(key):
        del key
        return await answer

    monkeypatch.setattr(collection.informer, "fetched", fetched)
    watched(version(5))
    asking = asyncio.create_task(collection.fetched(("shop", "a")))
    await asyncio.sleep(0)
    if later is not None:
        watched(later)
    else:
        collection.informer._drop(("shop", "a"))
    answer.set_result(cached(version(6), collection.cache.relevance))
    found = await asking
    assert found is collection.cache.get(("shop", "a"))
    assert (None if found is None else found.raw) == later
