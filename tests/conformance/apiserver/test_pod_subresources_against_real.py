"""Bindings, evictions and connections: request for request what the real server answers, and what it leaves behind."""

import itertools
from collections.abc import Iterator

import pytest
from tests.apiserver.scripts.steps import Script, Step, run
from tests.apiserver.webhooks.planes import HookedServer
from tests.conformance.real import RealCluster

from plumbline.base.json import Json, JsonObject

from .twins import RealServer, disagreements

pytestmark = pytest.mark.conformance

PODS = "/api/v1/namespaces/{ns}/pods"
BUDGETS = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
MERGE = "application/merge-patch+json"
_count = itertools.count(1)


def pod(name: str = "p", **spec: Json) -> Step:
    containers = spec.pop("containers", [{"name": "c", "image": "x"}])
    body = {"metadata": {"name": name, "labels": {"app": "x"}}, "spec": {"containers": containers, **spec}}
    return Step("POST", PODS, body, compared=False)


def state(name: str = "p", phase: str = "Running", ready: str = "True") -> Step:
    status = {"phase": phase, "conditions": [{"type": "Ready", "status": ready}]}
    return Step("PATCH", f"{PODS}/{name}/status", {"status": status}, type=MERGE, compared=False)


def running(name: str = "p", **status: str) -> list[Step]:
    return [pod(name, nodeName="n1"), state(name, **status)]


def bind(name: str = "p", query: str = "", **body: Json) -> Step:
    metadata = body.pop("metadata", {"name": name})
    return Step("POST", f"{PODS}/{name}/binding", {"metadata": metadata, "target": {"name": "n1"}, **body}, query)


def evict(name: str = "p", query: str = "", **body: Json) -> Step:
    return Step("POST", f"{PODS}/{name}/eviction", {"metadata": {"name": name}, **body}, query)


def budget(name: str = "b", status: JsonObject | None = None, **spec: Json) -> list[Step]:
    wanted = {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}, **spec}
    counts = {
        "observedGeneration": 1,
        "disruptionsAllowed": 0,
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
    }
    seen = {"status": {**counts, **(status or {})}}
    return [
        Step("POST", BUDGETS, {"metadata": {"name": name}, "spec": wanted}, compared=False),
        Step("PATCH", f"{BUDGETS}/{name}/status", seen, type=MERGE, compared=False),
    ]


def condition(reason: str, message: str) -> JsonObject:
    moment = "2020-01-01T00:00:00Z"
    fields = {"reason": reason, "message": message, "lastTransitionTime": moment}
    return {"type": "DisruptionAllowed", "status": "False", **fields}


THE_POD = Step("GET", f"{PODS}/p")
THE_BUDGET = Step("GET", f"{BUDGETS}/b")

SCRIPTS: dict[str, Script] = {
    "bound": [pod(), bind(metadata={"name": "p", "annotations": {"a": "b"}, "labels": {"l": "m"}}), THE_POD, bind()],
    "bound by the older resource": [
        pod(),
        Step("POST", "/api/v1/namespaces/{ns}/bindings", {"metadata": {"name": "p"}, "target": {"name": "n1"}}),
        Step("POST", "/api/v1/namespaces/{ns}/bindings", {"target": {"name": "n1"}}),
        THE_POD,
    ],
    "bound dry": [pod(), bind(query="dryRun=All"), bind(query="dryRun=Odd"), THE_POD],
    "bound wrongly": [
        pod(),
        bind(metadata={"name": "q"}),
        bind(metadata={}),
        bind(target={"name": ""}),
        bind(target={"kind": "Pod"}),
        bind(target={"kind": "Node", "name": "n2"}, metadata={"name": "p", "uid": "other"}),
        bind(metadata={"name": "p", "namespace": "other"}),
        bind("none"),
        bind(target=[]),
        bind(bogus=1),
        bind(query="fieldValidation=Strict", bogus=1),
        Step("GET", f"{PODS}/p/binding"),
        THE_POD,
    ],
    "bound behind gates": [pod(schedulingGates=[{"name": "example.com/g"}]), bind()],
    "evicted": [*running(), evict(), THE_POD, evict(deleteOptions={"gracePeriodSeconds": 0}), THE_POD],
    "evicted while pending": [pod(), evict(), THE_POD],
    "evicted after the end": [*running(phase="Succeeded"), evict(), THE_POD],
    "evicted dry": [*running(), evict(query="dryRun=All"), evict(deleteOptions={"dryRun": ["All"]}), THE_POD],
    "evicted wrongly": [
        *running(),
        evict("none"),
        Step("POST", f"{PODS}/p/eviction", {"metadata": {"name": "q"}}),
        Step("POST", f"{PODS}/p/eviction", {}),
        evict(apiVersion="v1", kind="Eviction"),
        evict(apiVersion="v1", kind="Pod"),
        evict(deleteOptions={"preconditions": {"resourceVersion": "1"}}),
        evict(deleteOptions={"preconditions": {"resourceVersion": "1"}, "dryRun": ["All"]}),
        evict(deleteOptions={"ignoreStoreReadErrorWithClusterBreakingPotential": True}),
        evict(deleteOptions={"gracePeriodSeconds": "x"}),
        evict(query="dryRun=All&dryRun=All", deleteOptions={"dryRun": ["All"]}),
    ],
    "evicted in the older version": [
        *running(),
        evict(apiVersion="policy/v1beta1", kind="Eviction", deleteOptions={"dryRun": ["All"]}),
    ],
    "a budget that is spent": [*running(), *budget(), evict(), evict(deleteOptions={"dryRun": ["All"]}), THE_POD],
    "a budget not looked at yet": [
        *running(),
        Step("POST", BUDGETS, {"metadata": {"name": "b"}, "spec": {"selector": {}, "minAvailable": 1}}, compared=False),
        evict(),
    ],
    "a budget that says why": [
        *running(),
        *budget(status={"currentHealthy": 2, "conditions": [condition("W", "m")]}),
        evict(),
    ],
    "a budget that failed": [*running(), *budget(status={"conditions": [condition("SyncFailed", "m")]}), evict()],
    "a budget that says nothing": [*running(), *budget(status={"currentHealthy": 2}), evict()],
    "a budget with some left": [
        *running(),
        *running("q"),
        *budget(status={"disruptionsAllowed": 1, "currentHealthy": 2}),
        evict(),
        THE_BUDGET,
        evict("q"),
    ],
    "a budget with more left": [
        *running(),
        *budget(status={"disruptionsAllowed": 2, "currentHealthy": 3}),
        evict(),
        THE_BUDGET,
    ],
    "two budgets": [*running(), *budget(), *budget("c"), evict()],
    "an unhealthy pod": [*running(ready="False"), *budget(), evict(), THE_POD],
    "an unhealthy pod too many": [*running(ready="False"), *budget(status={"currentHealthy": 0}), evict()],
    "an unhealthy pod that nobody minds": [
        *running(ready="False"),
        *budget(status={"currentHealthy": 0}, unhealthyPodEvictionPolicy="AlwaysAllow"),
        evict(),
    ],
    "nobody gets in": [
        pod(containers=[{"name": "a", "image": "x"}, {"name": "b", "image": "x"}]),
        Step("GET", f"{PODS}/p/exec", query="command=ls"),
        Step("GET", f"{PODS}/p/exec", query="command=ls&container=a"),
        Step("POST", f"{PODS}/p/attach", query="container=none"),
        Step("POST", f"{PODS}/p/portforward", query="ports=80"),
        Step("POST", f"{PODS}/none/exec"),
        Step("POST", f"{PODS}/p/exec", query="dryRun=All"),
        Step("PUT", f"{PODS}/p/exec"),
    ],
    "nobody is there": [pod(nodeName="n1"), Step("GET", f"{PODS}/p/exec"), Step("POST", f"{PODS}/p/portforward")],
    "nothing behind the proxy": [
        pod(),
        Step("GET", f"{PODS}/p/proxy/x"),
        Step("GET", f"{PODS}/none/proxy/x"),
        Step("GET", f"{PODS}/a:b:c:d/proxy/x"),
        Step("GET", "/api/v1/namespaces/{ns}/services/none/proxy/x"),
        Step("GET", "/api/v1/namespaces/{ns}/services/none:80/proxy/x"),
        Step("GET", "/api/v1/namespaces/{ns}/services/ftp:none:80/proxy/x"),
        Step("GET", "/api/v1/namespaces/{ns}/services/none/proxy/x", query="dryRun=All"),
        Step("GET", "/api/v1/nodes/none/proxy/x"),
        Step("GET", "/api/v1/nodes/a:b:c:d/proxy/x"),
    ],
}


@pytest.fixture(scope="module")
def ours() -> Iterator[HookedServer]:
    server = HookedServer()
    yield server
    server.close()


@pytest.mark.parametrize("name", SCRIPTS)
def test_answers_as_the_real_server(real_cluster: RealCluster, ours: HookedServer, name: str) -> None:
    script, space = SCRIPTS[name], f"below-{next(_count)}"
    real = RealServer(real_cluster)
    made = [Step("POST", "/api/v1/namespaces", {"metadata": {"name": space}})]
    for server in (real, ours):
        assert run(server, made, space)[0].status == 201
    wrong = disagreements(script, run(real, script, space), run(ours, script, space), (space, space))
    assert not wrong, "\n".join(wrong)
