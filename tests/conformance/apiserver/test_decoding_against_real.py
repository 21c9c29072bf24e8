"""Bodies of custom kinds, and bodies of built-in ones that chance made wrong: refused and warned of as the real server does."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.apiserver.scripts.decoding import DRY, HPA, INGRESS, ROLE, SERVICE, STRICT, TEXTS, WARN, YAML, schema
from tests.apiserver.scripts.ours import OurServer
from tests.apiserver.scripts.patchbodies import patches
from tests.apiserver.scripts.samples import (
    APPLY,
    CM,
    DEPLOY,
    JOB,
    JSON_PATCH,
    LEASE,
    MERGE,
    POD,
    SECRET,
    STRATEGIC,
    cm,
    deploy,
    pod,
)
from tests.conformance.real import RealCluster

from plumbline.apiserver.controllers.definitions import CustomResources
from plumbline.apiserver.crds.definition import Definition
from plumbline.base.clock import SystemClock
from plumbline.base.json import Json, JsonObject, decode, encode

from .conftest import Compare
from .twins import RealServer, Reply, Script, Server, Step, disagreements, run

pytestmark = pytest.mark.conformance

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
THINGS = "/apis/decoding.example.org/v1/namespaces/{ns}/things"
SPEC = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "object": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "items": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
    },
}
PATIENCE_S = 30.0


def definition() -> JsonObject:
    crd = schema(properties={"spec": SPEC})
    spec = {**crd["spec"], "group": "decoding.example.org"}
    return {**crd, "metadata": {"name": "things.decoding.example.org"}, "spec": spec}


def thing(**fields: Any) -> JsonObject:
    return {"apiVersion": "decoding.example.org/v1", "kind": "Thing", "metadata": {"name": "a"}, **fields}


async def _unconverted(_: Definition, __: str, objects: Sequence[JsonObject]) -> list[JsonObject]:
    return list(objects)


@pytest.fixture(scope="module")
def ours_with_things(real_cluster: RealCluster) -> Iterator[OurServer]:
    """Both serve the same definition: the one that the real server has accepted."""
    real = RealServer(real_cluster)
    run(real, [Step("POST", DEFINITIONS, definition())], "default")
    clock = SystemClock()
    until = clock.monotonic() + PATIENCE_S
    while run(real, [Step("GET", THINGS)], "default")[0].status != 200:
        assert clock.monotonic() < until, "the definition is not established"
    accepted = run(real, [Step("GET", f"{DEFINITIONS}/things.decoding.example.org")], "default")[0].json
    server = OurServer()
    CustomResources(server.plane.registry, _unconverted).offer(accepted, 1)
    yield server
    server.close()


BODIES: tuple[Json, ...] = (
    {}, {"kind": "Thing"}, {"apiVersion": "decoding.example.org/v1"}, thing(apiVersion="v1"), thing(apiVersion="decoding.example.org/v9"), thing(apiVersion="a/b/c"), thing(kind="Other"), thing(kind="Other", spec={"bogus": 1}), thing(kind=7), thing(kind=""),
    thing(metadata=7), thing(metadata=[]), thing(metadata=None), thing(metadata={"name": 7}), thing(metadata={"name": "a", "labels": {"a": 1}}), thing(metadata={"name": "a", "creationTimestamp": "x"}), thing(metadata={"name": "a", "generation": 1.5}),
    thing(metadata={"name": "a", "bogus": 1, "Labels": {}}, other=1, spec={"zeta": 1, "alpha": {"b": 1}, "items": [{"a": "x", "c": 1}, {"b": 2}]}), thing(spec={"object": {"apiVersion": 7}}), thing(spec={"object": {"apiVersion": "v1", "kind": "X", "metadata": 7}}),
    thing(spec={"object": {"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", "bogus": 1}}}), thing(spec={"text": 7}), thing(spec={"count": "x"}), thing(spec=7),
    b'{"apiVersion":"decoding.example.org/v1","kind":"Thing","metadata":{"name":"a","name":"b","labels":{"x":"1","x":"2"}},"spec":{"text":"x","text":"y","items":[{"a":"1","a":"2"}]},"spec":{"count":1}}',
    b'{"apiVersion":"decoding.example.org/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"share":1.0,"count":1e3}}', b'{"apiVersion":"decoding.example.org/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"share":1e400}}',
    b'{"apiVersion":"decoding.example.org/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"share":12345678901234567890123,"count":9223372036854775808}}', b'{"apiVersion":"decoding.example.org/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"text":"\xff\\ud800"}}',
    b'{"Kind":"Thing","apiVersion":"decoding.example.org/v1","metadata":{"name":"a"}}',
)  # fmt: skip
YAMLS = (
    b"", b"a: [", b"kind: Thing\n", b"apiVersion: decoding.example.org/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n  text: x\n  text: z\n  other: 1\n", b"apiVersion: decoding.example.org/v1\nkind: Thing\nmetadata: {name: 7}\n",
)  # fmt: skip
FIELDS = (
    {"spec": {"other": 1}}, {"spec": 7}, {"spec": {"text": 1}}, {"metadata": {"labels": 7}}, {"metadata": {"bogus": 1}}, {"kind": None}, {"kind": "Other"}, {"kind": 7}, {"metadata": {"name": "b"}}, {"spec": {"object": {"metadata": 7}}},
)  # fmt: skip
ALTERED = (
    [{"op": "add", "path": "/spec", "value": {"other": 1}}], [{"op": "replace", "path": "/kind", "value": 7}], [{"op": "remove", "path": "/metadata"}], [{"op": "add", "path": "/metadata/labels", "value": {"z": 1, "a": "b"}}],
)  # fmt: skip
SCRIPTS: dict[str, Script] = {
    "texts": [Step("POST", THINGS, text, DRY) for text in TEXTS],
    "bodies": [Step("POST", THINGS, body, query) for body in BODIES for query in (WARN, STRICT)],
    "bodies of updates": [Step("POST", THINGS, thing()), *(Step("PUT", f"{THINGS}/a", body, WARN) for body in BODIES)],
    "yaml": [Step("POST", THINGS, body, query, type=YAML) for body in YAMLS for query in (WARN, STRICT)],
    "patches": [
        Step("POST", THINGS, thing()),
        *(step for query in (WARN, STRICT) for step in patches(f"{THINGS}/a", FIELDS, MERGE, query)),
        *(step for query in (WARN, STRICT) for step in patches(f"{THINGS}/a", ALTERED, JSON_PATCH, query)),
        *patches(f"{THINGS}/a", ({},), STRATEGIC),
        *patches(f"{THINGS}/a", (thing(kind="Other"), thing(apiVersion="v1"), thing(metadata={"name": "b"})), APPLY, {**DRY, "fieldManager": "m"}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_bodies_of_custom_kinds_are_read_alike(
    real_cluster: RealCluster, ours_with_things: OurServer, name: str
) -> None:
    namespace = f"decoding-{list(SCRIPTS).index(name)}"
    script = SCRIPTS[name]
    real: Server = RealServer(real_cluster)
    for server in (real, ours_with_things):
        run(server, [Step("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})], namespace)
    theirs, ours = run(real, script, namespace), run(ours_with_things, script, namespace)
    found = disagreements(script, theirs, ours, (namespace, namespace))
    assert not found, "\n".join(found)


WRONG: tuple[Json, ...] = (
    1, -1, 1.5, 2**31, 2**63, "x", "", "1", "5Gi", "%%%", "aGk=", "2024-01-01T00:00:00Z", "2024-13-01T00:00:00Z", True, None, [], {}, [1], ["a"], [None], [{}], {"a": 1}, {"a": "b"}, {"a": None}, {"name": 7},
)  # fmt: skip
GOOD: dict[str, JsonObject] = {
    CM: cm(binaryData={"b": "aGk="}, immutable=True),
    DEPLOY: deploy(labels={"a": "b"}, annotations={"c": "d"}),
    HPA: {"metadata": {"name": "h"}, "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "minReplicas": 1, "maxReplicas": 3, "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]}},
    INGRESS: {"metadata": {"name": "i"}, "spec": {"rules": [{"host": "x.example", "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "s", "port": {"number": 80}}}}]}}]}},
    JOB: {"metadata": {"name": "j"}, "spec": {"backoffLimit": 1, "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x", "resources": {"limits": {"cpu": "1"}}}]}}}},
    LEASE: {"metadata": {"name": "l"}, "spec": {"holderIdentity": "x", "leaseDurationSeconds": 1, "renewTime": "2024-01-01T00:00:00.000000Z"}},
    POD: pod(volumes=[{"name": "v", "configMap": {"name": "c", "items": [{"key": "k", "path": "p", "mode": 256}]}}], tolerations=[{"key": "k", "operator": "Exists", "tolerationSeconds": 5}], nodeSelector={"a": "b"}),
    ROLE: {"metadata": {"name": "r"}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
    SECRET: {"metadata": {"name": "s"}, "type": "Opaque", "data": {"a": "aGk="}, "stringData": {"b": "c"}},
    SERVICE: {"metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}, "ports": [{"name": "http", "port": 80, "targetPort": "http"}], "type": "ClusterIP"}},
}  # fmt: skip


def places(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    for step, child in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield (*path, step)
        yield from places(child, (*path, step))


def spoilt(obj: JsonObject, chance: random.Random) -> JsonObject:
    """*obj* with one value of the wrong sort, one field too many, or both."""
    copy = decode(encode(obj))
    for _ in range(chance.randint(1, 2)):
        *path, last = chance.choice(list(places(copy)))
        within: Any = copy
        for step in path:
            within = within[step]
        if isinstance(within, dict) and chance.random() < 0.3:
            within[chance.choice(["bogus", str(last).upper()])] = chance.choice(WRONG)
        else:
            within[last] = chance.choice(WRONG)
    return copy


def refusal(reply: Reply) -> tuple[int, str, tuple[str, ...]]:
    """What decoding has to say; of what comes after it, nothing."""
    if reply.status == 400:
        return 400, reply.json["message"], ()
    return 0, "", tuple(each for each in reply.headers.get("warning", ()) if " field " in each)


@pytest.mark.parametrize("path", GOOD)
def test_what_chance_made_wrong_is_refused_alike(real_cluster: RealCluster, our_server: OurServer, path: str) -> None:
    chance = random.Random(path)  # noqa: S311 - the same bodies in each run
    bodies = [spoilt(GOOD[path], chance) for _ in range(40)]
    script = [Step("POST", path, body, chance.choice((WARN, STRICT))) for body in bodies]
    theirs, ours = run(RealServer(real_cluster), script, "default"), run(our_server, script, "default")
    found = [
        f"{body}\n  {mine}\n  {real}"
        for body, mine, real in zip(bodies, map(refusal, ours), map(refusal, theirs), strict=True)
        if mine != real
    ]
    assert not found, "\n".join(found)


def test_a_body_of_a_million_keys_is_answered(compared: Compare) -> None:
    keys = b",".join(b'"%d":"x"' % number for number in range(90_000))
    assert not compared([Step("POST", CM, b'{"metadata":{"name":"a"},"bogus":{%b},"data":{"a":1}}' % keys, DRY)])
