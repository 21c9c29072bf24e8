"""Lists: Argo CD's whole one, and pages that cost the cluster nothing."""

import pytest
from tests.web.api.yard import REPO, until

from plumbline.base.errors import TimedOut, Unreachable
from plumbline.base.tasks import task_group
from plumbline.kernel.metrics import Metrics
from plumbline.kube.client import Client
from plumbline.web.board import Board

ALL = "/api/v1/applications"
SERVED = {"status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "summary": {}}}


def names(told):
    return [each["metadata"]["name"] for each in told.json["items"]]


async def test_somebody_sees_what_they_may_get_and_counts_nothing_else(place):
    await place.deploy("a", "b", metadata={"labels": {"team": "a"}})
    await place.deploy("secret", project="bank")
    assert names(await place.ask("GET", ALL, who="dev")) == ["a", "b"]
    page = await place.ask("GET", f"{ALL}?q=&limit=1", who="dev")
    assert (names(page), page.json["counts"]["total"], page.json["next"]) == (["a"], 2, 1)
    assert page.json["counts"]["project"] == {"shop": 2}
    assert names(await place.ask("GET", ALL, who="ada")) == ["a", "b", "secret"]
    assert names(await place.ask("GET", ALL, who="nobody")) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("name=b", ["b"]),
        ("projects=bank&projects=none", ["c"]),
        ("project=bank", ["c"]),
        ("selector=team%3Da", ["a"]),
        (f"repo={REPO}", ["a", "b", "c"]),
        ("repo=https://x", []),
        ("appNamespace=team", []),
    ],
)
async def test_argo_cds_parameters_choose(place, query, expected):
    await place.deploy("a", metadata={"labels": {"team": "a"}})
    await place.deploy("b")
    await place.deploy("c", project="bank")
    assert names(await place.ask("GET", f"{ALL}?{query}")) == expected


async def test_a_selector_that_cannot_be_read_is_said(place):
    assert (await place.ask("GET", f"{ALL}?selector=a%3D%3D%3D")).status == 400
    assert (await place.ask("GET", f"{ALL}?q=colour:red")).status == 400
    assert (await place.ask("GET", f"{ALL}?limit=-1")).status == 400
    assert (await place.ask("GET", f"{ALL}?limit=99999")).status == 400


async def test_a_page_costs_the_cluster_nothing(place):
    await place.deploy("a", "b")
    place.transport.asked.clear()
    told = await place.ask("GET", f"{ALL}?q=health:unknown&sort=-name&limit=1&offset=1")
    narrow = await place.ask("GET", f"{ALL}?limit=5&fields=items.metadata.name,items.spec.project")
    assert (names(told), "next" in told.json) == (["a"], False)
    assert narrow.json["items"][0] == {"metadata": {"name": "a"}, "spec": {"project": "shop"}}
    assert place.transport.asked == []


async def test_fields_that_rows_do_not_have_are_fetched_for_the_page_alone(place):
    await place.deploy("a", "b", "c", metadata={"annotations": {"note": "x"}})
    place.transport.asked.clear()
    told = await place.ask("GET", f"{ALL}?limit=2&fields=items.metadata.name,items.metadata.annotations")
    assert told.json["items"][0] == {"metadata": {"name": "a", "annotations": {"note": "x"}}}
    assert len(place.transport.asked) == 2


async def test_fields_are_narrowed_as_argo_cd_narrows_them(place):
    await place.deploy("a", metadata={"annotations": {"note": "x"}})
    only = await place.ask("GET", f"{ALL}?fields=items.metadata.annotations,items.spec,metadata.resourceVersion")
    assert set(only.json["items"][0]) == {"metadata", "spec"}
    assert only.json["items"][0]["metadata"] == {"annotations": {"note": "x"}}
    others = (await place.ask("GET", f"{ALL}?fields=-items.spec,items.spec.source")).json["items"][0]
    assert set(others["spec"]) == {"destination", "project"}
    small = await place.ask("GET", f"{ALL}?fields=items.metadata.name")
    assert small.json["items"] == [{"metadata": {"name": "a"}}]


async def test_a_long_list_goes_out_as_it_comes_in(place):
    wanted = [f"a{number:02}" for number in range(55)]
    await place.deploy(*wanted)
    await place.patch("a01", SERVED)
    await place.deploy("z", project="bank")
    told = await place.whole("GET", ALL, who="dev")
    assert told.stream is not None
    assert names(told) == wanted
    assert all("sync" in each["status"] for each in told.json["items"])
    narrow = await place.whole("GET", f"{ALL}?fields=items.spec", who="dev")
    assert set(narrow.json["items"][0]) == {"spec"}
    page = await place.ask("GET", f"{ALL}?limit=60&fields=items.metadata.name,items.spec", who="dev")
    assert names(page) == wanted


async def test_one_that_is_gone_by_now_is_left_out(place):
    await place.deploy("a", "b")
    await place.ask("DELETE", f"{ALL}/a?cascade=false")
    assert names(await place.ask("GET", ALL)) in (["b"], ["a", "b"])
    await until(lambda: place.desk.board.row(("argocd", "a")) is None)
    assert names(await place.ask("GET", ALL)) == ["b"]


async def test_a_first_page_of_fifty_is_small(place):
    await place.deploy(*(f"a{number:02}" for number in range(50)))
    told = await place.ask("GET", f"{ALL}?limit=50")
    assert len(told.json["items"]) == 50
    assert len(told.body) < 100_000


async def test_clusters_are_searched_and_counted_by_their_names(place):
    await place.secret("eu", "cluster", name="eu", server="https://eu.example.org", config="{}")
    await place.deploy("a", spec={"destination": {"server": "https://eu.example.org", "namespace": "x"}})
    await place.deploy("b")
    told = await place.ask("GET", f"{ALL}?q=cluster:eu")
    assert (names(told), told.json["counts"]["cluster"]) == (["a"], {"eu": 1, "in-cluster": 1})


async def test_a_cluster_that_cannot_be_read_is_said_and_not_waited_for():
    class Broken:
        async def send(self, request):
            raise Unreachable("the cluster is away")

        async def close(self): ...

    board = Board(Client(Broken()), Metrics(), patience_s=0.05)
    async with task_group() as group:
        running = group.create_task(board.run())
        with pytest.raises(TimedOut):
            await board.rows()
        running.cancel()
    board.learn(b"{}")
    assert board.count(lambda row: True) == 0
