"""Evictions: deletions that disruption budgets may postpone."""

import msgspec
import pytest

from plumbline.apiserver.calls import Call
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.plane import ADMIN
from plumbline.apiserver.requests.routes import route
from plumbline.apiserver.requests.subresources.eviction import serve_eviction
from plumbline.apiserver.storage.encoding import under_revision
from plumbline.base.errors import RequestRefused
from plumbline.base.json import encode

PODS = "/api/v1/namespaces/default/pods"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
MERGE = "application/merge-patch+json"


@pytest.fixture
def cluster(plane):
    return Cast(plane)


class Cast:
    """Pods on a node in the state wanted, and budgets for them."""

    def __init__(self, plane):
        self.plane = plane

    async def pod(self, name="p", phase="Running", *, ready=True, **metadata):
        labels = metadata.pop("labels", {"app": "x"})
        spec = {"nodeName": "n1", "containers": [{"name": "c", "image": "x"}]}
        await self.plane.make(PODS, {"metadata": {"name": name, "labels": labels, **metadata}, "spec": spec})
        conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
        status = {"status": {"phase": phase, "conditions": conditions}}
        reply = await self.plane.ask("PATCH", f"{PODS}/{name}/status", status, type_=MERGE)
        assert reply.status == 200, reply.body
        return reply.json

    async def budget(self, name="b", *, allowed=0, current=1, desired=1, observed=1, conditions=(), **spec):
        wanted = {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}, **spec}
        await self.plane.make(BUDGETS, {"metadata": {"name": name}, "spec": wanted})
        status = {
            "observedGeneration": observed,
            "disruptionsAllowed": allowed,
            "currentHealthy": current,
            "desiredHealthy": desired,
            "expectedPods": 1,
            "conditions": list(conditions),
        }
        reply = await self.plane.ask("PATCH", f"{BUDGETS}/{name}/status", {"status": status}, type_=MERGE)
        assert reply.status == 200, reply.body

    async def evict(self, name="p", query="", **extra):
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **extra}
        return await self.plane.ask("POST", f"{PODS}/{name}/eviction{query}", body)

    async def get(self, path):
        return await self.plane.ask("GET", path)


def condition(reason, message, status="False"):
    moment = "2020-01-01T00:00:00Z"
    return {
        "type": "DisruptionAllowed",
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": moment,
    }


async def test_a_pod_without_a_budget_goes_and_says_why(cluster):
    before = await cluster.pod()
    reply = await cluster.evict()
    assert (reply.status, reply.json["status"]) == (201, "Success")
    pod = (await cluster.get(f"{PODS}/p")).json
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 30
    target = pod["status"]["conditions"][-1]
    assert (target["type"], target["reason"], target["message"]) == (
        "DisruptionTarget",
        "EvictionByEvictionAPI",
        "Eviction API: evicting",
    )
    assert pod["metadata"]["managedFields"] == before["metadata"]["managedFields"]


async def test_the_grace_period_is_the_eviction_s(cluster):
    await cluster.pod()
    await cluster.evict(deleteOptions={"gracePeriodSeconds": 0})
    assert (await cluster.get(f"{PODS}/p")).status == 404


@pytest.mark.parametrize(
    ("budget", "message", "retry"),
    [
        ({}, "The disruption budget b needs 1 healthy pods and has 1 currently", ()),
        ({"observed": 0}, "The disruption budget b is still being processed by the server.", ("10",)),
        ({"current": 2}, "The disruption budget b does not allow evicting pods currently", ()),
        (
            {"current": 2, "conditions": [condition("Why", "because")]},
            "The disruption budget b does not allow evicting pods currently (Why): because",
            (),
        ),
        (
            {"current": 0, "conditions": [condition("SyncFailed", "because")]},
            "The disruption budget b does not allow evicting pods currently because it failed sync: because",
            (),
        ),
        (
            {"current": 2, "conditions": [condition("Why", "because", "True")]},
            "The disruption budget b does not allow evicting pods currently",
            (),
        ),
    ],
)
async def test_a_budget_that_is_spent_is_told(cluster, budget, message, retry):
    await cluster.pod()
    await cluster.budget(**budget)
    reply = await cluster.evict()
    assert reply.status == 429
    assert reply.json["reason"] == "TooManyRequests"
    assert reply.json["message"] == "Cannot evict pod as it would violate the pod's disruption budget."
    assert reply.json["details"]["causes"] == [{"reason": "DisruptionBudget", "message": message}]
    assert reply.headers.get("retry-after", ()) == retry
    assert "deletionTimestamp" not in (await cluster.get(f"{PODS}/p")).json["metadata"]


async def test_an_eviction_spends_the_budget(cluster):
    await cluster.pod("p")
    await cluster.pod("q")
    await cluster.budget(allowed=1, current=2)
    assert (await cluster.evict("p")).status == 201
    budget = (await cluster.get(f"{BUDGETS}/b")).json
    assert budget["status"]["disruptionsAllowed"] == 0
    assert list(budget["status"]["disruptedPods"]) == ["p"]
    (told,) = budget["status"]["conditions"]
    assert (told["status"], told["reason"], told["observedGeneration"]) == ("False", "InsufficientPods", 1)
    writers = {entry["manager"] for entry in budget["metadata"]["managedFields"]}
    assert "kube-apiserver" in writers
    assert (await cluster.evict("q")).status == 429


async def test_what_is_left_of_a_budget_stays_allowed(cluster):
    await cluster.pod()
    await cluster.budget(allowed=2, current=3, conditions=[condition("SufficientPods", "", "True")])
    assert (await cluster.evict()).status == 201
    status = (await cluster.get(f"{BUDGETS}/b")).json["status"]
    assert status["disruptionsAllowed"] == 1
    assert status["conditions"][0]["status"] == "True"


async def test_a_condition_that_said_no_before_keeps_its_time(cluster):
    await cluster.pod()
    await cluster.budget(allowed=1, current=2, conditions=[condition("Why", "because")])
    assert (await cluster.evict()).status == 201
    (told,) = (await cluster.get(f"{BUDGETS}/b")).json["status"]["conditions"]
    assert (told["lastTransitionTime"], told["message"]) == ("2020-01-01T00:00:00Z", "")


@pytest.mark.parametrize(
    ("pod", "budget", "status", "why"),
    [
        ({"phase": "Pending"}, {}, 201, "it never ran"),
        ({"phase": "Succeeded"}, {}, 201, "it has ended"),
        ({"phase": "Failed"}, {}, 201, "same"),
        ({"ready": False}, {}, 201, "it is not healthy, and the others are enough"),
        ({"ready": False}, {"current": 0}, 429, "it is not healthy, but the others are too few"),
        ({"ready": False}, {"desired": 0, "current": 0}, 429, "no budget to speak of"),
        (
            {"ready": False},
            {"current": 0, "unhealthyPodEvictionPolicy": "AlwaysAllow"},
            201,
            "the budget does not care about it",
        ),
        ({"labels": {"app": "y"}}, {}, 201, "the budget is for others"),
        ({}, {"selector": {}}, 429, "the budget is for all"),
    ],
)
async def test_what_a_budget_protects(cluster, pod, budget, status, why):
    await cluster.pod(**pod)
    await cluster.budget(**budget)
    assert (await cluster.evict()).status == status, why


async def test_a_pod_that_is_going_already_may_go_sooner(cluster):
    await cluster.pod()
    await cluster.plane.ask("DELETE", f"{PODS}/p")
    await cluster.budget()
    assert (await cluster.evict(deleteOptions={"gracePeriodSeconds": 0})).status == 201
    assert (await cluster.get(f"{PODS}/p")).status == 404


async def test_the_first_eviction_is_the_one_that_is_told(cluster):
    await cluster.pod(finalizers=["example.com/f"])
    await cluster.evict()
    before = (await cluster.get(f"{PODS}/p")).json["status"]["conditions"]
    await cluster.evict()
    assert (await cluster.get(f"{PODS}/p")).json["status"]["conditions"] == before


async def test_two_budgets_are_one_too_many(cluster):
    await cluster.pod()
    await cluster.budget("b")
    await cluster.budget("c")
    reply = await cluster.evict()
    assert (reply.status, reply.json["message"]) == (
        500,
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    )


@pytest.mark.parametrize(("extra", "query"), [({"deleteOptions": {"dryRun": ["All"]}}, ""), ({}, "?dryRun=All")])
async def test_a_dry_run_spends_nothing(cluster, extra, query):
    await cluster.pod()
    await cluster.budget(allowed=1, current=2)
    assert (await cluster.evict(query=query, **extra)).status == 201
    assert (await cluster.get(f"{BUDGETS}/b")).json["status"]["disruptionsAllowed"] == 1
    pod = (await cluster.get(f"{PODS}/p")).json
    assert "deletionTimestamp" not in pod["metadata"]
    assert len(pod["status"]["conditions"]) == 1


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({"metadata": {"name": "q"}}, 400, "name in URL does not match name in Eviction object"),
        ({}, 400, "name in URL does not match name in Eviction object"),
        ({"deleteOptions": {"preconditions": {"uid": "x"}}}, 409, "the UID in the precondition (x) does not match"),
        (
            {"deleteOptions": {"preconditions": {"resourceVersion": "1"}}},
            409,
            "the ResourceVersion in the precondition (1)",
        ),
        ({"deleteOptions": {"propagationPolicy": "Odd"}}, 422, 'propagationPolicy: Unsupported value: "Odd"'),
        ({"deleteOptions": {"dryRun": ["Odd"]}}, 422, "dryRun"),
        (
            {"deleteOptions": {"ignoreStoreReadErrorWithClusterBreakingPotential": True}},
            422,
            "can not be set for pod eviction, try after removing the option",
        ),
        ({"deleteOptions": []}, 400, "cannot unmarshal array"),
        ({"deleteOptions": {"preconditions": 1}}, 400, "cannot unmarshal number"),
        ({"kind": "Pod", "apiVersion": "v1"}, 400, "cannot be handled as a Eviction"),
    ],
)
async def test_what_is_wrong_with_an_eviction_is_told(cluster, body, code, message):
    await cluster.pod()
    reply = await cluster.plane.ask("POST", f"{PODS}/p/eviction", {"metadata": {"name": "p"}, **body} if body else {})
    assert reply.status == code
    assert message in reply.json["message"]
    assert "deletionTimestamp" not in (await cluster.get(f"{PODS}/p")).json["metadata"]


async def test_an_older_eviction_is_one_too(cluster):
    await cluster.pod()
    body = {"apiVersion": "policy/v1beta1", "kind": "Eviction", "metadata": {"name": "p"}}
    assert (await cluster.plane.ask("POST", f"{PODS}/p/eviction", body)).status == 201


async def test_a_pod_that_is_not_there(cluster):
    reply = await cluster.evict("none")
    assert (reply.status, reply.json["message"]) == (404, 'pods "none" not found')


async def test_preconditions_that_hold_are_no_hindrance(cluster):
    pod = await cluster.pod()
    metadata = pod["metadata"]
    held = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    assert (await cluster.evict(deleteOptions={"preconditions": held})).status == 201


async def test_two_opinions_about_a_dry_run_are_refused(cluster):
    await cluster.pod()
    reply = await cluster.evict(query="?dryRun=All&dryRun=All", deleteOptions={"dryRun": ["All"]})
    assert (reply.status, reply.json["message"]) == (
        500,
        "Non-matching dry-run options in request and content: [All All] and [All]",
    )


async def test_a_budget_that_owes_evictions_gives_no_more(cluster):
    await cluster.pod()
    await cluster.budget(allowed=1, current=2)
    disrupted = {"status": {"disruptedPods": {f"x{n}": "2020-01-01T00:00:00Z" for n in range(2001)}}}
    await cluster.plane.ask("PATCH", f"{BUDGETS}/b/status", disrupted, type_=MERGE)
    reply = await cluster.evict()
    assert reply.status == 403
    assert "DisruptedPods map too big" in reply.json["message"]


class Contested:
    """A store in which somebody else writes first, as often as told."""

    def __init__(self, plane, path, times):
        self.plane, self.path, self.left = plane, path, times
        self.put = plane.plane.store.put

    async def __call__(self, key, expected, body):
        if key.collection.resource == self.path.split("/")[-2] and self.left and expected is not None:
            self.left -= 1
            live = self.plane.plane.store.head(key)
            await self.put(
                key,
                live,
                lambda revision: live.body.replace(
                    f'"resourceVersion":"{live.revision}"'.encode(), f'"resourceVersion":"{revision}"'.encode()
                ),
            )
        return await self.put(key, expected, body)


@pytest.mark.parametrize(("times", "status", "why"), [(3, 201, "it is tried again"), (1000, 504, "but not for ever")])
async def test_a_budget_that_somebody_else_writes(cluster, monkeypatch, times, status, why):
    await cluster.pod()
    await cluster.budget(allowed=5, current=9)
    contested = Contested(cluster.plane, f"{BUDGETS}/b", times)
    monkeypatch.setattr(cluster.plane.plane.store, "put", contested)
    reply = await cluster.evict()
    assert reply.status == status, why
    if status == 504:
        assert reply.json["message"] == 'Timeout: couldn\'t update PodDisruptionBudget "b" due to conflicts'


@pytest.mark.parametrize("body", [b"{", b"[1]", b'["policy/v1beta1"]', b'{"policy/v1beta1":'])
async def test_what_is_no_eviction_at_all(cluster, body):
    await cluster.pod()
    reply = await cluster.plane.ask("POST", f"{PODS}/p/eviction", body)
    assert reply.status == 400


class Hasty:
    """Somebody else changes the pod just before each of the first writes to it."""

    def __init__(self, plane, times):
        self.plane, self.left = plane, times
        self.put = plane.plane.store.put

    async def __call__(self, key, expected, body):
        if key.collection.resource == "pods" and self.left:
            self.left -= 1
            live = self.plane.plane.store.head(key)
            pod = live.object()
            pod["metadata"]["annotations"] = {"turn": str(self.left)}
            await self.put(key, live, under_revision(pod))
        return await self.put(key, expected, body)


class NoPause:
    """Time that passes at once."""

    def __init__(self, clock):
        self.now, self.monotonic = clock.now, clock.monotonic
        self.slept = 0

    async def sleep(self, _):
        self.slept += 1


@pytest.mark.parametrize(
    ("pod", "budget", "times", "status", "why"),
    [
        ({"phase": "Pending"}, False, 1, 201, "a pod that never ran is looked at again"),
        ({"phase": "Pending"}, False, 1000, 409, "but not for ever"),
        ({"ready": False}, True, 1, 429, "one that may have recovered is left to the next eviction"),
    ],
)
async def test_a_pod_that_changes_while_it_is_evicted(cluster, monkeypatch, pod, budget, times, status, why):
    await cluster.pod(**pod)
    if budget:
        await cluster.budget()
    plane = cluster.plane
    clock = NoPause(plane.context.clock)
    patched = msgspec.structs.replace(plane.context, clock=clock)
    serve = serve_eviction(plane.cluster)
    monkeypatch.setattr(plane.plane.store, "put", Hasty(plane, times))
    scope = Scope(plane.plane.registry.find("", "v1", "pods"), ADMIN, "default", "p", "eviction")
    path = f"{PODS}/p/eviction"
    call = Call("POST", path, body=encode({"metadata": {"name": "p"}}))
    try:
        found = (await serve(patched, scope, call, route("POST", path))).status
    except RequestRefused as refused:
        found = refused.status["code"]
    assert found == status, why
