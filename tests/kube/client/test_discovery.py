import asyncio

import pytest

from plumbline.base.errors import ServerFault, UnknownKind, Unreachable
from plumbline.base.tasks import task_group
from plumbline.kube.client import Target
from plumbline.kube.names import GroupKind, GroupVersionKind, GroupVersionResource

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def resource(name, kind, *, scope="Namespaced", short=(), subresources=(), verbs=("get", "list")):
    return {
        "resource": name,
        "responseKind": {"group": "", "version": "", "kind": kind},
        "scope": scope,
        "singularResource": kind.lower(),
        "verbs": list(verbs),
        "shortNames": list(short),
        "categories": ["all"],
        "subresources": [{"subresource": each, "verbs": ["get"]} for each in subresources],
    }


def group(name, **versions):
    listed = [{"version": version, "freshness": "Current", "resources": found} for version, found in versions.items()]
    return {"metadata": {"name": name}, "versions": listed}


CORE = {
    "items": [group("", v1=[resource("pods", "Pod", short=["po"], subresources=["log"]), resource("events", "Event")])]
}
GROUPS = {
    "items": [
        group("apps", v1=[resource("deployments", "Deployment", short=["deploy"])]),
        group("events.k8s.io", v1=[resource("events", "Event")]),
        group("batch", v2=[resource("jobs", "Job")], v1=[resource("jobs", "Job"), resource("cronjobs", "CronJob")]),
        group("x.io", v1=[resource("things", "Thing", scope="Cluster"), {"resource": "half", "scope": "Cluster"}]),
        {"metadata": {"name": "empty.io"}},
    ]
}


@pytest.fixture
def aggregated(scripted):
    scripted.says(CORE, content_type=AGGREGATED, etag='"c1"').says(GROUPS, content_type=AGGREGATED, etag='"g1"')
    return scripted


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (GroupVersionKind("apps", "v1", "Deployment"), ("apps", "v1", "deployments")),
        (GroupVersionKind("batch", "v1", "Job"), ("batch", "v1", "jobs")),
        (GroupKind("batch", "Job"), ("batch", "v2", "jobs")),
        (GroupKind("batch", "CronJob"), ("batch", "v1", "cronjobs")),
        ("po", ("", "v1", "pods")),
        ("Pod", ("", "v1", "pods")),
        ("pods", ("", "v1", "pods")),
        ("deploy", ("apps", "v1", "deployments")),
        ("events", ("", "v1", "events")),
        ("events.events.k8s.io", ("events.k8s.io", "v1", "events")),
        ("jobs.v1.batch", ("batch", "v1", "jobs")),
        ("jobs.batch", ("batch", "v2", "jobs")),
        ("pods.v1.", ("", "v1", "pods")),
    ],
)
async def test_kinds_and_names_lead_to_resources(client, aggregated, asked, expected):
    assert (await client.discovery.resource(asked)).gvr == GroupVersionResource(*expected)


async def test_a_resource_knows_its_scope_verbs_and_subresources(client, aggregated):
    pods = await client.discovery.resource("po")
    things = await client.discovery.resource("things")
    assert (pods.namespaced, pods.verbs, pods.subresources) == (True, {"get", "list"}, {"log"})
    assert (pods.singular, pods.short_names, pods.categories) == ("pod", ("po",), ("all",))
    assert pods.target("a", "web", "log") == Target(pods.gvr, "a", "web", "log")
    assert things.target("a", "x") == Target(things.gvr, "", "x"), "a kind without namespaces is never in one"
    assert things.gvk == GroupVersionKind("x.io", "v1", "Thing")


async def test_what_is_known_is_not_asked_again(client, aggregated):
    for _ in range(5):
        await client.discovery.resource("po")
    assert [request.path for request in aggregated.requests] == ["/api", "/apis"]
    assert dict(aggregated.requests[0].headers)["Accept"].startswith(AGGREGATED)


async def test_many_who_ask_at_once_ask_once(client, aggregated):
    async with task_group() as tasks:
        for _ in range(20):
            tasks.create_task(client.discovery.resource("po"))
    assert len(aggregated.requests) == 2


async def test_an_unknown_kind_is_asked_for_once_more_by_its_tag(client, aggregated, clock):
    await client.discovery.resource("po")
    await clock.advance(3)
    aggregated.says(b"", 304).says(
        {"items": [group("new.io", v1=[resource("news", "New")])]}, content_type=AGGREGATED, etag='"g2"'
    )
    found = await client.discovery.resource(GroupVersionKind("new.io", "v1", "New"))
    assert found.name == "news"
    assert [dict(request.headers).get("If-None-Match") for request in aggregated.requests[2:]] == ['"c1"', '"g1"']
    assert (await client.discovery.resource("po")).kind == "Pod", "what was not modified is still known"


async def test_a_thousand_unknown_kinds_cost_one_question(client, aggregated, clock):
    await client.discovery.resource("po")
    await clock.advance(3)
    aggregated.says(b"", 304).says(b"", 304)
    for number in range(1000):
        with pytest.raises(UnknownKind):
            await client.discovery.resource(GroupKind("x.io", f"Missing{number}"))
    assert len(aggregated.requests) == 4


async def test_what_was_learnt_grows_old(client, aggregated, clock):
    await client.discovery.catalog()
    await clock.advance(601)
    aggregated.says(b"", 304).says(b"", 304)
    await client.discovery.catalog()
    assert len(aggregated.requests) == 4


async def test_it_can_be_told_to_forget(client, aggregated):
    await client.discovery.catalog()
    client.discovery.forget()
    aggregated.says(b"", 304).says(b"", 304)
    await client.discovery.catalog()
    assert len(aggregated.requests) == 4


async def test_what_is_forgotten_while_it_is_asked_for_is_asked_for_again(client, aggregated, monkeypatch):
    send = aggregated.send

    async def late(request):
        client.discovery.forget()
        return await send(request)

    monkeypatch.setattr(aggregated, "send", late)
    await client.discovery.catalog()
    monkeypatch.undo()
    aggregated.says(b"", 304).says(
        {"items": [group("new.io", v1=[resource("news", "New")])]}, content_type=AGGREGATED, etag='"g2"'
    )
    assert (await client.discovery.resource(GroupKind("new.io", "New"))).name == "news"


async def test_a_kind_of_a_group_that_is_down_is_not_called_unknown(client, scripted):
    """Pruning on such an answer would delete what is only out of sight."""
    stale = {"items": [{"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1", "freshness": "Stale"}]}]}
    scripted.says(CORE, content_type=AGGREGATED).says(stale, content_type=AGGREGATED)
    with pytest.raises(ServerFault):
        await client.discovery.resource(GroupKind("metrics.k8s.io", "PodMetrics"))
    with pytest.raises(UnknownKind):
        await client.discovery.resource(GroupKind("other.io", "Thing"))


LEGACY_CORE = {
    "resources": [
        {
            "name": "pods",
            "kind": "Pod",
            "namespaced": True,
            "singularName": "pod",
            "verbs": ["get"],
            "shortNames": ["po"],
        },
        {"name": "pods/log", "kind": "Pod", "namespaced": True, "verbs": ["get"]},
        {"name": "pods/eviction", "kind": "Eviction", "namespaced": True, "verbs": ["create"]},
    ]
}
LEGACY_GROUPS = {
    "groups": [
        {
            "name": "batch",
            "versions": [{"version": "v1", "groupVersion": "batch/v1"}, {"version": "v2", "groupVersion": "batch/v2"}],
            "preferredVersion": {"version": "v2"},
        },
        {"name": "down.io", "versions": [{"version": "v1", "groupVersion": "down.io/v1"}]},
    ]
}
JOBS = {"resources": [{"name": "jobs", "kind": "Job", "namespaced": True}]}


async def test_a_server_without_aggregation_is_asked_group_by_group(client, scripted):
    scripted.says({"versions": ["v1"]}).says(LEGACY_CORE).says(LEGACY_GROUPS).says(JOBS).says(JOBS)
    scripted.says({"kind": "Status", "code": 503, "message": "the group is down"}, 503)
    catalog = await client.discovery.catalog()
    assert [request.path for request in scripted.requests] == [
        "/api",
        "/api/v1",
        "/apis",
        "/apis/batch/v2",
        "/apis/batch/v1",
        "/apis/down.io/v1",
    ]
    pods = catalog.by_name("po")
    assert (pods.subresources, pods.verbs, pods.kind) == ({"log", "eviction"}, {"get"}, "Pod")
    assert catalog.by_kind(GroupKind("batch", "Job")).version == "v2"
    with pytest.raises(ServerFault) as caught:
        await client.discovery.resource(GroupKind("down.io", "Thing"))
    assert "the group is down" in caught.value.why
    assert len(scripted.requests) == 6, "a miss is not worth asking everything again at once"


async def test_a_server_that_cannot_be_asked_is_not_remembered_as_empty(client, scripted, clock):
    scripted.script.extend([Unreachable("no", sent=True)] * 4)
    task = asyncio.gather(client.discovery.catalog(), return_exceptions=True)
    await clock.advance(10)
    assert isinstance((await task)[0], Unreachable)
    scripted.says(CORE, content_type=AGGREGATED).says(GROUPS, content_type=AGGREGATED)
    assert (await client.discovery.resource("po")).kind == "Pod"
