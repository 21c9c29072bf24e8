"""Generated CRDs meet the real API server, and upstream's own CRDs as they are published."""

import time
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, field

from plumbline.base.json import decode, encode
from plumbline.kinds import fields
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.crd import Create, Leave, Update, crd_manifest, plan_crd
from plumbline.kinds.duration import Duration
from plumbline.kinds.fields import DEFAULTED, Fields, FreeObject, Int32, Int64, IntOrString
from plumbline.kinds.kind import Column, Kind, Scale, Version
from plumbline.kinds.read import read
from plumbline.kinds.timestamp import Time
from plumbline.kinds.values import written

from .real import _run

pytestmark = pytest.mark.conformance

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
UPSTREAM = {"argoproj.io": ("github.com/argoproj/argo-cd/v3@v3.5.6", "manifests/crds")}
ESTABLISHED_S = 20


class Port(Fields):
    """One door."""

    number: Int32
    name: str = ""


class Spec(Fields):
    """One of each thing that a schema can say."""

    text: Annotated[str, Meta(min_length=1, max_length=63, pattern="^[a-z]+$")] = "a"
    """Some text."""
    count: Annotated[int, Meta(ge=0, lt=10, multiple_of=2)] = 0
    ratio: Annotated[float, Meta(gt=0, le=1)] = 0.5
    wide: Int64 = 0
    mode: Annotated[Literal["fast", "slow"], DEFAULTED] = "slow"
    either: IntOrString = 0
    names: Annotated[tuple[str, ...], fields.DISTINCT, Meta(max_length=10)] = ()
    ports: Annotated[tuple[Port, ...], fields.keyed_by("number")] = ()
    labels: dict[str, str] = field(default_factory=dict)
    by_name: dict[str, Port] = field(default_factory=dict)
    free: FreeObject = field(default_factory=dict)
    anything: Any = None
    inner: Annotated[FreeObject | None, fields.EMBEDDED] = None
    blob: bytes = b""
    every: Annotated[Duration, DEFAULTED] = Duration.of_seconds(180)
    at: Time | None = None
    empty: Annotated[str | None, fields.NULLABLE] = None
    fixed: Annotated[int, fields.ruled(("self == oldSelf", "Fixed cannot change"))] = 0


class Status(Fields):
    replicas: Int32 = 0
    selector: str = ""


THING = Kind(
    group="conformance.plumbline.dev",
    kind="Thing",
    plural="things",
    short_names=("th",),
    categories=("conformance",),
    description="Everything that our schemas can say.",
    versions=(
        Version(
            name="v1",
            spec=Spec,
            status=Status,
            columns=(Column(name="Mode", path=".spec.mode"), Column(name="Wide", path=".spec.wide", type="integer")),
            selectable=(".spec.mode",),
            scale=Scale(spec_replicas=".spec.count", status_replicas=".status.replicas", selector=".status.selector"),
        ),
        Version(name="v1beta1", spec=Spec, status=Status, deprecation="Use v1", selectable=(".spec.mode",)),
    ),
)


@pytest.fixture(scope="module")
def installed(real_cluster):
    """Every kind's CRD on the real server, as the server answers it once it serves the kind."""
    return {kind.crd_name: _established(real_cluster, crd_manifest(kind)) for kind in (*KINDS, THING)}


def _established(cluster, manifest):
    created = cluster.post(CRDS, manifest, fieldValidation="Strict")
    assert created.status == 201, created.body.get("message")
    deadline = time.monotonic() + ESTABLISHED_S
    while time.monotonic() < deadline:
        crd = cluster.get(f"{CRDS}/{manifest['metadata']['name']}").body
        states = {c["type"]: c["status"] for c in (crd["status"]["conditions"] or ())}
        assert states.get("NonStructuralSchema") != "True", crd["status"]
        if states.get("Established") == "True":
            return crd
        time.sleep(0.05)
    pytest.fail(f"not established: {crd['status']}")


@pytest.mark.parametrize("kind", [*KINDS, THING], ids=lambda kind: kind.crd_name)
def test_the_real_server_serves_what_we_generate(installed, kind):
    crd = installed[kind.crd_name]
    assert crd["spec"]["names"]["kind"] == kind.kind
    assert plan_crd(crd_manifest(kind), crd) == Leave("It is up to date")


def test_a_changed_schema_of_ours_is_accepted_as_an_update_and_keeps_its_stored_version(real_cluster):
    first = Kind(
        group="conformance.plumbline.dev",
        kind="Mover",
        plural="movers",
        description="It moves from one version to the next.",
        versions=(Version(name="v1alpha1", spec=Port, status=Status),),
    )
    then = Kind(
        group="conformance.plumbline.dev",
        kind="Mover",
        plural="movers",
        description="It has moved.",
        versions=(Version(name="v1", spec=Port, status=Status),),
    )
    live = _established(real_cluster, crd_manifest(first))
    decision = plan_crd(crd_manifest(then), live)
    assert isinstance(decision, Update)
    updated = real_cluster.put(f"{CRDS}/{then.crd_name}", decision.manifest, fieldValidation="Strict")
    assert updated.status == 200, updated.body
    assert updated.body["status"]["storedVersions"] == ["v1alpha1", "v1"]
    stale = real_cluster.put(f"{CRDS}/{then.crd_name}", decision.manifest)
    assert stale.status == 409, "a decision counts only for what it looked at"


def test_an_absent_crd_and_a_foreign_one(real_cluster):
    foreign = _upstream(real_cluster, APP_PROJECT)
    foreign["metadata"]["name"] = "strangers.conformance.plumbline.dev"
    foreign["spec"] |= {"group": "conformance.plumbline.dev"}
    foreign["spec"]["names"] = {"kind": "Stranger", "listKind": "StrangerList", "plural": "strangers"}
    ours = crd_manifest(THING)
    assert isinstance(plan_crd(ours, None), Create)
    assert plan_crd(ours, _established(real_cluster, foreign)) == Leave("It was installed by argocd and stays as it is")


def test_every_value_round_trips_through_the_real_server(real_cluster, installed, namespace):
    spec = {
        "text": "abc",
        "count": 4,
        "ratio": 0.25,
        "wide": 2**53 + 1,
        "mode": "fast",
        "either": "50%",
        "names": ["a", "b"],
        "ports": [{"number": 80, "name": "web"}],
        "labels": {"a/b": "c"},
        "byName": {"a": {"number": 1}},
        "free": {"x": {"y": [1, None]}},
        "anything": [1, "two", {"three": None}],
        "inner": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "in"}},
        "blob": "aGk=",
        "every": "1m30s",
        "at": "2026-01-31T12:00:00Z",
        "fixed": 1,
    }
    answer = _create(real_cluster, THING, namespace, "all", spec)
    assert answer.status == 201, answer.body
    got = read(THING, answer.body)
    assert got.unknown == ()
    assert written(got.spec) == spec
    assert got.spec.wide == 2**53 + 1


def test_defaults_are_written_where_that_is_said(real_cluster, installed, namespace):
    answer = _create(real_cluster, THING, namespace, "bare", {})
    assert answer.body["spec"] == {"mode": "slow", "every": "3m0s"}


REFUSED = [
    ({"text": "ABC"}, "spec.text"),
    ({"count": 10}, "spec.count"),
    ({"count": 3}, "spec.count"),
    ({"mode": "odd"}, "spec.mode"),
    ({"either": 1.5}, "spec.either"),
    ({"names": ["a", "a"]}, "spec.names[1]"),
    ({"ports": [{"number": 1}, {"number": 1}]}, "spec.ports[1]"),
    ({"ports": [{}]}, "spec.ports[0].number"),
    ({"at": "yesterday"}, "spec.at"),
]


@pytest.mark.parametrize(("spec", "path"), REFUSED)
def test_the_real_server_enforces_what_our_schemas_say(real_cluster, installed, namespace, spec, path):
    answer = _create(real_cluster, THING, namespace, "wrong", spec)
    assert answer.status == 422, answer.body
    assert path in answer.body["message"]


def test_kubectl_explains_fields_with_our_words(real_cluster, installed):
    said = real_cluster.kubectl("explain", "appproject.spec.syncWindows.duration")
    assert "How long it stays open" in said.out, said.err


def test_fields_of_a_newer_upstream_stay_in_the_object(real_cluster, installed, namespace):
    spec = {"roles": [{"name": "a", "newIn4": {"x": 1}}], "quotas": 3}
    answer = _create(real_cluster, APP_PROJECT, namespace, "newer", spec)
    assert answer.body["spec"] == spec
    assert read(APP_PROJECT, answer.body).unknown == ("spec.quotas", "spec.roles[0].newIn4")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.group in UPSTREAM], ids=lambda kind: kind.crd_name)
def test_upstreams_crd_says_nothing_that_ours_does_not(real_cluster, kind):
    theirs = {v["name"]: v for v in _upstream(real_cluster, kind)["spec"]["versions"]}
    ours = {v["name"]: v for v in crd_manifest(kind)["spec"]["versions"]}
    assert ours.keys() >= theirs.keys()
    for name, version in theirs.items():
        assert (ours[name].get("subresources") or {}) == (version.get("subresources") or {})
        shallow = kind.version(name).status_depth is not None
        expected = dict(_compared(version["schema"]["openAPIV3Schema"], shallow=shallow))
        got = dict(_compared(ours[name]["schema"]["openAPIV3Schema"], shallow=shallow))
        assert {path: said for path, said in expected.items() if got.get(path) != said} == {}
        assert set(got) - set(expected) == set(), "a field that upstream does not know would be lost on the way back"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.group in UPSTREAM], ids=lambda kind: kind.crd_name)
def test_names_and_columns_are_upstreams(real_cluster, kind):
    theirs, ours = _upstream(real_cluster, kind)["spec"], crd_manifest(kind)["spec"]
    assert ours["names"] == theirs["names"]
    assert ours["scope"] == theirs["scope"]
    for mine, yours in zip(ours["versions"], theirs["versions"], strict=True):
        assert mine.get("additionalPrinterColumns") == yours.get("additionalPrinterColumns")


def _create(cluster, kind, namespace, name, spec):
    body = {"apiVersion": kind.gvk.api_version, "kind": kind.kind, "metadata": {"name": name}, "spec": spec}
    return cluster.post(f"{kind.resource.root}/namespaces/{namespace}/{kind.plural}", body)


def _upstream(cluster, kind):
    """The CRD as upstream publishes it, from its Go module; kubectl turns the YAML into JSON."""
    module, folder = UPSTREAM[kind.group]
    said = _run(["env", "GOFLAGS=-mod=mod", "GOSUMDB=off", "go", "mod", "download", "-json", module], timeout_s=300)
    assert said.code == 0, f"upstream's module is needed, and Go to get it: {said.err or said.out}"
    for path in sorted((Path(decode(said.out)["Dir"]) / folder).glob("*-crd.yaml")):
        crd = decode(cluster.kubectl("create", "--dry-run=client", "-o", "json", "-f", str(path)).out)
        if crd["metadata"]["name"] == kind.crd_name:
            return crd
    pytest.fail(f"{module} has no CRD for {kind.crd_name}")


_SAID = ("type", "format", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_SAID_TOO = (
    "default",
    "nullable",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
)


def _compared(schema, *, shallow):
    """What is compared of a schema: of a status that is described to one level only, the names on that level."""
    for path, said in _leaves(schema, ""):
        if not shallow or not path.startswith(".status"):
            yield path, said
        elif path.count(".") == len(("status", "field")) and "[" not in path and "{" not in path:
            yield path, b"there"


def _leaves(schema, path):
    """Every place in a schema and what is demanded there, without its words."""
    said = {key: schema[key] for key in (*_SAID, *_SAID_TOO) if key in schema}
    if path:
        # At the root upstream also demands metadata, which no object comes without.
        said["required"] = sorted(schema.get("required", ()))
    yield path, encode(said)
    for name, child in schema.get("properties", {}).items():
        yield from _leaves(child, f"{path}.{name}")
    if "items" in schema:
        yield from _leaves(schema["items"], f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _leaves(schema["additionalProperties"], f"{path}{{}}")
