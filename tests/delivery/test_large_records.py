"""An Application of thousands of objects has a record that no API server takes: what is done is done once, and the reason seen."""

import asyncio

import pytest

from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.delivery.fitting import SHORTENED, fitted
from plumbline.kube.client.transport import Response

from .founding import founded
from .town import config_map, on_plane

MANY = 60
ROOM_BYTES, LEAST_BYTES = 8_000, 4_000
ETCD = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "etcdserver: request is too large"}
WAVE = {"argocd.argoproj.io/sync-wave": "1"}


class Narrow:
    """A control plane whose etcd takes little, so that sixty objects are as good as five thousand."""

    def __init__(self, plane, room_bytes=ROOM_BYTES):
        self._plane = plane
        self.room_bytes = room_bytes
        self.refused_s = []
        self.applied = self.recorded = 0

    def __getattr__(self, name):
        return getattr(self._plane, name)

    def transport(self):
        return _Refusing(self, self._plane.transport())


class _Refusing:
    def __init__(self, narrow, inner):
        self._narrow, self._inner = narrow, inner

    async def send(self, request):
        narrow = self._narrow
        if request.method == "PUT" and "/applications/" in request.path:
            if len(request.body) > narrow.room_bytes:
                narrow.refused_s.append(asyncio.get_running_loop().time())
                return Response(500, {}, encode({**ETCD, "code": 500}))
            narrow.recorded += 1
        narrow.applied += request.method == "PATCH" and "/configmaps/" in request.path
        return await self._inner.send(request)

    async def close(self):
        await self._inner.close()


def conditions(app):
    return [each["type"] for each in app.get("status", {}).get("conditions", ())]


def results(app):
    return app["status"]["operationState"]["syncResult"].get("resources", [])


@pytest.fixture(autouse=True)
def least(monkeypatch):
    monkeypatch.setattr("plumbline.delivery.reconciler.LEAST_BYTES", LEAST_BYTES)


def narrow_story(files, room_bytes=ROOM_BYTES):
    def told(function):
        def test(*arguments, **named):
            async def main():
                clock, ids = LoopClock(), Ids(7)
                plane = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
                narrow = Narrow(plane, room_bytes)
                async with plane.running(), on_plane(narrow, clock, ids, files=files) as town:
                    await function(town, narrow, *arguments, **named)

            run_virtually(main)

        test.__name__ = function.__name__
        return test

    return told


PLAIN = {f"web/{n}.yaml": config_map(f"c{n}") for n in range(MANY)}
IN_WAVES = {f"web/{n}.yaml": config_map(f"c{n}", **(WAVE if n % 2 else {})) for n in range(MANY)}


@narrow_story(PLAIN)
async def test_a_sync_by_itself_is_recorded_with_less_in_it(town, narrow):
    await town.deploy()
    app = await town.synced(within_s=5)
    assert app["status"]["operationState"]["phase"] == "Succeeded"
    assert conditions(app) == [SHORTENED]
    await town.settle(600)
    assert narrow.applied == MANY
    assert len(narrow.refused_s) < 4
    assert narrow.recorded < 4


def test_no_server_is_asked_to_take_more_than_it_can(monkeypatch):
    monkeypatch.setattr("plumbline.delivery.reconciler.ROOM_BYTES", ROOM_BYTES - 1_000)

    @narrow_story(PLAIN)
    async def told(town, narrow):
        await town.deploy()
        assert conditions(await town.synced(within_s=5)) == [SHORTENED]
        await town.settle(600)
        assert (narrow.applied, narrow.refused_s) == (MANY, [])
        assert narrow.recorded < 4

    told()


@narrow_story(PLAIN)
async def test_a_sync_that_somebody_asked_for_is_done_once(town, narrow):
    await town.deploy(automated=False)
    await town.settle()
    await town.sync()
    app = await town.synced(within_s=5)
    assert "operation" not in app
    await town.settle(600)
    assert narrow.applied == MANY
    assert conditions(await town.app()) == [SHORTENED]


@narrow_story(IN_WAVES, room_bytes=12_000)
async def test_waves_are_gone_through_once(town, narrow):
    await town.deploy()
    await town.synced(within_s=30)
    await town.settle(600)
    assert narrow.applied == MANY


@narrow_story(PLAIN, room_bytes=6_000)
async def test_what_is_not_well_stays_in_the_record_and_one_of_each_kind(town, narrow):
    await town.deploy(automated={"prune": True, "selfHeal": False})
    await town.synced(within_s=5)
    await town.patch("v1/configmaps", "c7", {"data": {"value": "mine"}})
    await town.settle()
    rows = (await town.app())["status"]["resources"]
    assert [(each["name"], each["status"]) for each in rows if each["status"] != "Synced"] == [("c7", "OutOfSync")]
    assert len(rows) < 3


@narrow_story({**PLAIN, "web/last.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n"})
async def test_what_is_removed_from_git_is_pruned_though_the_record_does_not_name_it(town, narrow):
    await town.deploy()
    await town.synced(within_s=5)
    town.repository.change(web__last_yaml=None, web__7_yaml=None)
    await town.synced(within_s=5)
    assert await town.get("v1/serviceaccounts", "robot") is None
    assert await town.get("v1/configmaps", "c7") is None


@narrow_story(PLAIN)
async def test_once_there_is_room_the_next_sync_says_everything_again(town, narrow):
    await town.deploy()
    await town.synced(within_s=5)
    narrow.room_bytes = 1 << 20
    town.repository.change(web__7_yaml=config_map("c7", "2"))
    app = await town.synced(within_s=5)
    assert conditions(app) == []
    assert len(app["status"]["resources"]) == len(results(app)) == MANY
    assert all(each.get("message") for each in results(app))


@narrow_story(PLAIN, room_bytes=500)
async def test_a_server_that_takes_no_record_at_all_is_asked_more_and_more_seldom(town, narrow):
    await town.deploy()
    await town.settle(600)
    assert narrow.applied == MANY
    assert len(narrow.refused_s) < 2 * 20


def large(phase="Succeeded"):
    rows = [
        {
            "version": "v1",
            "kind": "ConfigMap",
            "namespace": "shop",
            "name": f"c{n}",
            "status": "Synced",
            "message": "m" * 50,
        }
        for n in range(MANY)
    ]
    failed = {**rows[0], "name": "wrong", "status": "SyncFailed"}
    state = {"phase": phase, "syncResult": {"revision": "a", "resources": [failed, *rows]}}
    listed = [{name: row[name] for name in ("version", "kind", "namespace", "name", "status")} for row in rows]
    return {"operationState": state, "resources": listed, "history": [{"id": n} for n in range(3)]}


def test_nothing_is_left_out_of_what_fits():
    assert fitted(large(), 1 << 20) is None


def test_messages_of_what_went_well_go_first():
    status = fitted(large(), 14_000)
    failed, *others = status["operationState"]["syncResult"]["resources"]
    assert failed["message"]
    assert len(others) == MANY
    assert not any("message" in each for each in others)
    assert len(status["resources"]) == MANY


def test_a_sync_that_runs_keeps_what_it_goes_by():
    assert len(fitted(large("Running"), 0)["operationState"]["syncResult"]["resources"]) == MANY + 1


def test_as_little_as_can_be_is_what_went_wrong_one_of_each_kind_and_the_last_sync():
    status = fitted(large(), 0)
    assert [each["name"] for each in status["operationState"]["syncResult"]["resources"]] == ["wrong"]
    assert [each["name"] for each in status["resources"]] == ["c0"]
    assert status["history"] == [{"id": 2}]
