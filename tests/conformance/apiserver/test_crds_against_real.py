"""Custom resources as the real API server takes, keeps and refuses them, and their definitions."""

import pytest
from tests.apiserver.crds.corpus import (
    PROBE,
    PROBE_SPECS,
    RATCHETED,
    RULED,
    RULED_CHANGES,
    RULED_SPECS,
    O,
    crd,
    schema,
    version,
    with_defaults,
)
from tests.apiserver.crds.wrong import CRDS
from tests.conformance.real import RealCluster

from plumbline.apiserver.crds import Definition
from plumbline.apiserver.crds.conditions import names_accepted
from plumbline.apiserver.crds.definitions.validation import definition_errors
from plumbline.apiserver.crds.scaling import scale_of
from plumbline.base.clock import SystemClock
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import decode, encode

pytestmark = pytest.mark.conformance

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ESTABLISHED_S = 30


def causes(body: dict) -> list[tuple[str, str, str]]:
    found = (body.get("details") or {}).get("causes") or []
    return sorted((each.get("field", ""), each["reason"], each["message"]) for each in found)


def told(errors) -> list[tuple[str, str, str]]:
    return sorted((each.field, each.reason, each.message) for each in errors)


def as_stored(value):
    """Go writes a float without a fraction as an integer."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(value)
    if isinstance(value, dict):
        return {name: as_stored(each) for name, each in value.items()}
    return [as_stored(each) for each in value] if isinstance(value, list) else value


def served(cluster: RealCluster, definition: dict) -> str:
    """Defines a kind and waits until it is there; the path of its objects."""
    answer = cluster.post(DEFINITIONS, definition)
    assert answer.status in {201, 409}, answer.body
    spec = definition["spec"]
    path = f"/apis/{spec['group']}/v1/namespaces/default/{spec['names']['plural']}"
    clock = SystemClock()
    until = clock.monotonic() + ESTABLISHED_S
    while clock.monotonic() < until:
        if cluster.get(path).fine:
            return path
    raise AssertionError(f"{path} is not served")


@pytest.fixture(scope="module")
def probes(real_cluster):
    return served(real_cluster, crd("probes", "Probe", root=PROBE))


@pytest.fixture(scope="module")
def ruleds(real_cluster):
    return served(real_cluster, crd("ruleds", "Ruled", root=RULED))


def definition_of(plural: str, kind: str, root: dict) -> Definition:
    return Definition(with_defaults(crd(plural, kind, root=root)))


PROBES = definition_of("probes", "Probe", PROBE).version("v1")
RULEDS = definition_of("ruleds", "Ruled", RULED).version("v1")


def obj(kind: str, spec, name: str = "x") -> dict:
    return {"apiVersion": "example.org/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def ours(served_version, new: dict, old: dict | None = None):
    """What we would answer: code, and the spec that is stored, the causes, or the message."""
    try:
        pruned = served_version.prune(decode(encode(new)))
    except SchemaViolation as bad:
        return 400, bad.what
    kept = served_version.default(pruned.obj)
    errors = served_version.validate(kept, old).errors
    return (422, told(errors)) if errors else (200, as_stored(kept.get("spec")))


def theirs(answer):
    if answer.status == 400:
        return 400, answer.body["message"].partition(": ")[2]
    return (422, causes(answer.body)) if answer.status == 422 else (200, answer.body.get("spec"))


@pytest.mark.parametrize("why", CRDS, ids=str)
def test_definitions_are_refused_alike(real_cluster, why):
    answer = real_cluster.post(DEFINITIONS, CRDS[why], dryRun="All")
    expected = causes(answer.body) if answer.status == 422 else []
    assert answer.status in {201, 422}, answer.body
    assert told(definition_errors(with_defaults(CRDS[why]))) == expected


@pytest.mark.parametrize("spec", PROBE_SPECS, ids=lambda spec: encode(spec).decode()[:60])
def test_objects_are_kept_and_refused_alike(real_cluster, probes, spec):
    answer = real_cluster.post(probes, obj("Probe", spec), dryRun="All")
    assert ours(PROBES, obj("Probe", spec)) == theirs(answer)


@pytest.mark.parametrize("spec", PROBE_SPECS, ids=lambda spec: encode(spec).decode()[:60])
def test_unknown_fields_are_named_alike(real_cluster, probes, spec):
    answer = real_cluster.post(probes, {**obj("Probe", spec), "top": 1}, dryRun="All", fieldValidation="Strict")
    assert answer.status == 400, answer.body
    try:
        unknown = PROBES.prune({**obj("Probe", spec), "top": 1}).unknown
    except SchemaViolation as bad:
        said = bad.what
    else:
        said = "strict decoding error: " + ", ".join(f'unknown field "{path}"' for path in unknown)
    assert answer.body["message"].endswith(said)


@pytest.mark.parametrize("spec", RULED_SPECS, ids=lambda spec: encode(spec).decode()[:60])
def test_rules_are_checked_alike(real_cluster, ruleds, spec):
    answer = real_cluster.post(ruleds, obj("Ruled", spec), dryRun="All")
    assert ours(RULEDS, obj("Ruled", spec)) == theirs(answer)


def test_rules_about_the_whole_object_are_checked_alike(real_cluster, ruleds):
    answer = real_cluster.post(ruleds, obj("Ruled", {}, "bad"), dryRun="All")
    assert ours(RULEDS, obj("Ruled", {}, "bad")) == theirs(answer)


@pytest.mark.parametrize(("before", "after"), RULED_CHANGES, ids=lambda spec: encode(spec).decode()[:40])
def test_changes_are_checked_against_rules_alike(real_cluster, ruleds, before, after):
    real_cluster.send("DELETE", f"{ruleds}/changing")
    stored = real_cluster.post(ruleds, obj("Ruled", before, "changing"))
    assert stored.status == 201, stored.body
    answer = real_cluster.put(f"{ruleds}/changing", {**stored.body, "spec": after}, dryRun="All")
    assert ours(RULEDS, {**stored.body, "spec": after}, stored.body) == theirs(answer)


@pytest.fixture(scope="module")
def loosened(real_cluster):
    """Objects stored while their kind had no schema to speak of, of which it then got one."""
    loose = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    definition = crd("ratchets", "Ratchet", root=loose)
    path = served(real_cluster, definition)
    stored = []
    for index, (before, _) in enumerate(RATCHETED):
        answer = real_cluster.post(path, obj("Ratchet", before, f"x{index}"))
        assert answer.status == 201, answer.body
        stored.append(answer.body)
    strict = crd("ratchets", "Ratchet", root=PROBE)
    current = real_cluster.get(f"{DEFINITIONS}/ratchets.example.org").body
    strict["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"]
    assert real_cluster.put(f"{DEFINITIONS}/ratchets.example.org", strict).fine
    clock = SystemClock()
    until = clock.monotonic() + ESTABLISHED_S
    while clock.monotonic() < until:
        if real_cluster.post(path, obj("Ratchet", {"i": 0}), dryRun="All").status == 422:
            return path, stored
    raise AssertionError("the schema did not change")


@pytest.mark.parametrize("case", range(len(RATCHETED)), ids=lambda case: encode(RATCHETED[case]).decode()[:60])
def test_what_was_wrong_before_is_forgiven_alike(real_cluster, loosened, case):
    path, stored = loosened
    ratchets = definition_of("ratchets", "Ratchet", PROBE).version("v1")
    new = {**stored[case], "spec": RATCHETED[case][1]}
    answer = real_cluster.put(f"{path}/x{case}", new, dryRun="All")
    old = ratchets.default(ratchets.prune(stored[case]).obj)
    assert ours(ratchets, new, old) == theirs(answer)


def _changed(definition: dict, change) -> dict:
    changed = decode(encode(definition))
    change(changed)
    return changed


DEFINITION_CHANGES = {
    "another scope": lambda each: each["spec"].update(scope="Cluster"),
    "another kind": lambda each: each["spec"]["names"].update(kind="Other", singular="other", listKind="OtherList"),
    "another plural": lambda each: each["spec"]["names"].update(plural="others"),
    "another group": lambda each: each["spec"].update(group="other.org"),
    "the stored version gone": lambda each: each["spec"]["versions"][0].update(name="v2"),
    "a wrong schema": lambda each: each["spec"]["versions"][0].update(schema={"openAPIV3Schema": {"type": "string"}}),
    "preserving": lambda each: each["spec"].update(preserveUnknownFields=True),
    "a broken certificate": lambda each: each["spec"].update(
        conversion={
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"url": "https://x.example.org", "caBundle": "AAAA"},
            },
        }
    ),
}


@pytest.mark.parametrize("why", DEFINITION_CHANGES, ids=str)
def test_changes_of_definitions_are_refused_alike(real_cluster, why):
    served(real_cluster, crd("changes", "Change", root=schema(spec=O)))
    old = real_cluster.get(f"{DEFINITIONS}/changes.example.org").body
    new = _changed(old, DEFINITION_CHANGES[why])
    answer = real_cluster.put(f"{DEFINITIONS}/changes.example.org", new, dryRun="All")
    assert answer.status == 422, answer.body
    prepared = decode(encode(new))
    prepared["status"] = _with_stored(old["status"], new)
    assert told(definition_errors(prepared, old)) == causes(answer.body)


def _with_stored(status: dict, new: dict) -> dict:
    """A new storage version is one in which objects are stored from then on."""
    name = next(each["name"] for each in new["spec"]["versions"] if each["storage"])
    stored = status["storedVersions"]
    return {**status, "storedVersions": stored if name in stored else [*stored, name]}


def test_names_are_given_alike(real_cluster):
    def names(plural, kind, **more):
        made = crd(plural, kind, group="names.org")
        made["spec"]["names"].update(more)
        return made

    made = [
        names("firsts", "First", shortNames=["fi"], categories=["all"]),
        names("seconds", "First"),
        names("thirds", "Third", shortNames=["fi", "th"], singular="firsts"),
    ]
    expected, mine = [], []
    for each in made:
        assert real_cluster.post(DEFINITIONS, each).status == 201
        path = f"{DEFINITIONS}/{each['metadata']['name']}"
        expected.append(_settled(real_cluster, path))
        current = with_defaults(each)
        status = names_accepted(current, mine, "2026-01-01T00:00:00Z")
        mine.append({**current, "status": status})
    assert [_timeless(each["status"]) for each in mine] == [_timeless(each) for each in expected]


def _settled(cluster: RealCluster, path: str) -> dict:
    clock = SystemClock()
    until = clock.monotonic() + ESTABLISHED_S
    while clock.monotonic() < until:
        status = cluster.get(path).body["status"]
        known = {each["type"]: each for each in status.get("conditions") or ()}
        if (
            known.get("Established", {}).get("status") == "True"
            or known.get("NamesAccepted", {}).get("status") == "False"
        ):
            return status
    raise AssertionError("nothing became of it")


def _timeless(status: dict) -> dict:
    conditions = [{**each, "lastTransitionTime": ""} for each in status["conditions"]]
    return {**status, "conditions": conditions}


SCALED = (
    {}, {"a": {"replicas": 3}}, {"a": {"replicas": "x"}}, {"a": {"replicas": -1}}, {"a": "q"}, {"a": {"replicas": 3.0}},
    {"a": {"replicas": 2**40}}, {"a": {"replicas": 0}},
)  # fmt: skip


@pytest.fixture(scope="module")
def scales(real_cluster):
    paths = {
        "specReplicasPath": ".spec.a.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    root = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    definition = crd("scaleds", "Scaled", versions=[version(root=root, subresources={"scale": paths, "status": {}})])
    return served(real_cluster, definition), Definition(with_defaults(definition)).version("v1")


@pytest.mark.parametrize("spec", SCALED, ids=lambda spec: encode(spec).decode())
def test_scales_are_read_alike(real_cluster, scales, spec):
    path, scaled = scales
    real_cluster.send("DELETE", f"{path}/x")
    answer = real_cluster.post(path, obj("Scaled", spec))
    assert ours(scaled, obj("Scaled", spec)) == theirs(answer)
    if answer.status != 201:
        return
    shown = real_cluster.get(f"{path}/x/scale")
    try:
        scale = scale_of(answer.body, scaled.scale)
    except SchemaViolation as bad:
        scale = {**shown.body, "message": f"Internal error occurred: {bad.what}"}
    assert scale == shown.body
