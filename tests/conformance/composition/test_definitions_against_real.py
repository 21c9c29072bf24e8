"""Crossplane's kinds, and what is made of definitions and compositions, held against upstream's own CRDs and programs.

Upstream comes from its Go modules. The programs are built inside copies of them, since that is where what they ask is.
"""

import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.composition.definitions.samples import RICH, WRONG, XRDS, xrd
from tests.composition.revisions.samples import COMPOSITIONS, NEWER

from plumbline.base.documents import load_documents
from plumbline.base.environment import environment
from plumbline.base.json import decode, encode, encode_sorted
from plumbline.composition.definitions.crds import crds
from plumbline.composition.definitions.roles import cluster_roles
from plumbline.composition.definitions.validation import problems
from plumbline.composition.revisions.hashing import composition_hash
from plumbline.composition.revisions.revision import revision_of
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.crossplane import CROSSPLANE_KINDS

pytestmark = pytest.mark.conformance

MODULES = {"v1": "github.com/crossplane/crossplane@v1.20.11", "v2": "github.com/crossplane/crossplane/v2@v2.3.4"}
SOURCE = Path(__file__).with_name("definitions_oracle")
BUILD = {"GOFLAGS": "-mod=mod -buildvcs=false -trimpath", "GOSUMDB": "off", "CGO_ENABLED": "0"}
APIS = "github.com/crossplane/crossplane/apis/v2"
"""A module of its own whose folder upstream's go.mod names, and which the published module does not hold."""
MIXED = {
    f"{scope} {policy} {which}": xrd(scope=scope, schema=schema, defaultCompositionUpdatePolicy=policy)
    for scope in ("LegacyCluster", "Namespaced", "Cluster")
    for policy in ("Automatic", "Manual")
    for which, schema in (("rich", RICH), ("bare", {"type": "object"}))
}
ALL = XRDS | MIXED


def _go(*arguments, cwd=None):
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    done = subprocess.run([go, *arguments], cwd=cwd, env=environment() | BUILD, capture_output=True, timeout=900, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="session")
def modules():
    return {name: Path(decode(_go("mod", "download", "-json", module))["Dir"]) for name, module in MODULES.items()}


@pytest.fixture(scope="session")
def oracles(modules, tmp_path_factory):
    """The two programs, each asked once with everything."""

    def built(name):
        module = tmp_path_factory.mktemp(name) / "module"
        shutil.copytree(modules[name], module, copy_function=shutil.copyfile)
        for folder in (module, *(each for each in module.rglob("*") if each.is_dir())):
            folder.chmod(0o755)
        (module / "cmd" / "definitions_oracle").mkdir()
        for part in ("main.go", f"lineage_{name}.go"):
            shutil.copy(SOURCE / part, module / "cmd" / "definitions_oracle")
        if name == "v2":
            _go("mod", "edit", f"-dropreplace={APIS}", cwd=module)
        _go("build", "-o", "oracle", "./cmd/definitions_oracle", cwd=module)
        return module / "oracle"

    def asked(name):
        program = built(name)
        compositions = COMPOSITIONS | (NEWER if name == "v2" else {})
        questions = [{"definition": each} for each in (ALL | WRONG).values()]
        questions += [{"composition": each, "revision": 3} for each in compositions.values()]
        done = subprocess.run([program], input=encode(questions), capture_output=True, timeout=60, check=True)
        answers = iter(decode(done.stdout))
        return SimpleNamespace(
            definitions=dict(zip(ALL | WRONG, answers, strict=False)),
            compositions=dict(zip(compositions, answers, strict=True)),
        )

    return {name: asked(name) for name in MODULES}


def _told(obj):
    """Without what Go writes of every object that never was on a server."""
    kept = {key: value for key, value in obj.items() if key not in {"status", "apiVersion", "kind"}}
    metadata = {key: value for key, value in obj["metadata"].items() if key != "creationTimestamp"}
    return encode_sorted({**kept, "metadata": metadata})


@pytest.mark.parametrize("name", ALL)
def test_kinds_are_those_of_the_newer_upstream_but_for_the_namespace_of_a_claims_secret(oracles, name):
    theirs = oracles["v2"].definitions[name]
    composite, claim = crds(ALL[name])
    assert _told(composite) == _told(theirs["composite"])
    assert (claim is None) == ("claim" not in theirs)
    if claim is not None:
        assert _told(claim) == _told(_with_namespace(theirs["claim"]))


@pytest.mark.parametrize("name", [name for name, each in ALL.items() if each["spec"].get("scope", "LegacyCluster") == "LegacyCluster"])  # fmt: skip
def test_kinds_differ_from_the_older_upstream_in_what_the_newer_one_changed_only(oracles, name):
    theirs = oracles["v1"].definitions[name]
    composite, claim = crds(ALL[name])
    assert _told(composite) == _told(_newer(theirs["composite"], ALL[name]))
    if claim is not None:
        assert _told(claim) == _told(_with_namespace(_newer(theirs["claim"], ALL[name])))


def _with_namespace(crd):
    """*crd* of a claim, where the connection Secret may be said to be in the claim's own namespace."""
    for version in crd["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        spec["writeConnectionSecretToRef"]["properties"]["namespace"] = {"type": "string"}
    return crd


def _newer(crd, definition):
    """*crd* of 1.20, with what 2.x does otherwise: no other stores for secrets, more in conditions, rules of the root."""
    for version, said in zip(crd["spec"]["versions"], definition["spec"]["versions"], strict=True):
        root = version["schema"]["openAPIV3Schema"]
        spec, status = root["properties"]["spec"]["properties"], root["properties"]["status"]["properties"]
        del spec["publishConnectionDetailsTo"]
        if "resourceRefs" in spec:
            spec["resourceRefs"]["items"]["properties"]["namespace"] = {"type": "string"}
        status["conditions"]["items"]["properties"]["observedGeneration"] = {"type": "integer", "format": "int64"}
        rules = (said["schema"]["openAPIV3Schema"] or {}).get("x-kubernetes-validations")
        if rules:
            root["x-kubernetes-validations"] = rules
    return crd


@pytest.mark.parametrize("name", WRONG)
def test_what_upstream_refuses_is_refused(oracles, name):
    for oracle in oracles.values():
        assert "error" in oracle.definitions[name]
    assert problems(WRONG[name])


@pytest.mark.parametrize("name", ALL)
def test_roles_are_upstreams(oracles, name):
    ours = [_told(role) for role in cluster_roles(ALL[name])]
    assert ours == [_told(role) for role in oracles["v1"].definitions[name]["roles"]]
    newer = oracles["v2"].definitions[name]["roles"]
    assert [role["rules"] for role in cluster_roles(ALL[name])] == [role["rules"] for role in newer]


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_hashes_and_revisions_are_those_of_the_older_upstream(oracles, name):
    theirs = oracles["v1"].compositions[name]
    assert composition_hash(COMPOSITIONS[name]) == theirs["hash"]
    ours = revision_of(COMPOSITIONS[name], 3)
    ours["metadata"].pop("annotations", None)  # copied since 2.x
    assert _told(ours) == _told(theirs["revision"])


PIPELINES = {name: each for name, each in (COMPOSITIONS | NEWER).items() if each["spec"].get("mode") != "Resources"}


@pytest.mark.parametrize("name", PIPELINES)
def test_hashes_and_revisions_are_those_of_the_newer_upstream(oracles, name):
    theirs = oracles["v2"].compositions[name]
    assert composition_hash(PIPELINES[name]) == theirs["hash"]
    assert _told(revision_of(PIPELINES[name], 3)) == _told(theirs["revision"])


DIFFERENT = {
    ("compositeresourcedefinitions", ".spec.conversion"): "2.x refuses the strategy None, by a slip in its rule",
    ("compositions", ".spec"): "one rule for both modes",
    ("compositions", ".spec.mode"): "the default differs between the lineages: here the pipeline says which",
    ("compositions", ".spec.pipeline"): "an empty one is not refused, as in 1.20",
    ("compositions", ".spec.pipeline[].credentials[]"): "2.x refuses the source None, by a slip in its rule",
    ("compositions", ".spec.publishConnectionDetailsWithStoreConfigRef"): "1.20 fills in what nobody reads",
    ("compositionrevisions", ".spec.mode"): "as in compositions",
    ("compositionrevisions", ".spec.pipeline"): "as in compositions",
    ("compositionrevisions", ".spec.pipeline[].credentials[]"): "as in compositions",
    ("compositionrevisions", ".spec.publishConnectionDetailsWithStoreConfigRef"): "as in compositions",
}
OLDER_VERSIONS = {("compositionrevisions", "v1beta1")}


def _upstream(modules, kind):
    for module in modules.values():
        path = module / "cluster" / "crds" / f"{kind.group}_{kind.plural}.yaml"
        if path.exists():
            (document,) = load_documents(path.read_text(), source=path.name)
            yield document.value["spec"]


@pytest.mark.parametrize("kind", CROSSPLANE_KINDS, ids=lambda kind: kind.crd_name)
def test_each_place_in_a_kind_is_as_one_of_the_lineages_has_it(modules, kind):
    ours = {version["name"]: version for version in crd_manifest(kind)["spec"]["versions"]}
    said = {name: {} for name in ours}
    for spec in _upstream(modules, kind):
        for version in spec["versions"]:
            if (kind.plural, version["name"]) in OLDER_VERSIONS:
                continue
            for path, demands in _places(version["schema"]["openAPIV3Schema"], ""):
                said[version["name"]].setdefault(path, set()).add(demands)
    for name, version in ours.items():
        got = dict(_places(version["schema"]["openAPIV3Schema"], ""))
        assert got.keys() == said[name].keys(), "neither more fields nor fewer"
        different = {path for path, demands in got.items() if demands not in said[name][path]}
        assert {path for path in different if (kind.plural, path) not in DIFFERENT} == set()


@pytest.mark.parametrize("kind", CROSSPLANE_KINDS, ids=lambda kind: kind.crd_name)
def test_names_columns_and_subresources_are_the_newest_upstreams(modules, kind):
    *_, theirs = _upstream(modules, kind)
    ours = crd_manifest(kind)["spec"]
    assert (ours["names"], ours["scope"]) == (theirs["names"], theirs["scope"])
    mine = {version["name"]: version for version in ours["versions"]}
    for version in theirs["versions"]:
        found = mine[version["name"]]
        assert found.get("additionalPrinterColumns") == version.get("additionalPrinterColumns")
        assert found.get("subresources", {}) == version.get("subresources", {})
        assert found["storage"] == version["storage"]


_SAID = (
    "type", "format", "enum", "maxLength", "minItems", "maxItems", "default", "nullable", "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-embedded-resource", "x-kubernetes-validations",
)  # fmt: skip
_FREE = {"x-kubernetes-preserve-unknown-fields": True}


def _places(schema, path):
    """Every place in a schema and what is demanded there, without its words. What has a default is not really required."""
    said = {key: schema[key] for key in _SAID if key in schema}
    for key in ("enum", "x-kubernetes-validations"):
        if key in said:
            said[key] = sorted(said[key], key=encode_sorted)
    properties = schema.get("properties", {})
    if path:
        said["required"] = sorted(
            name for name in schema.get("required", ()) if "default" not in properties.get(name, {})
        )
    yield path, encode_sorted(said)
    for name, child in properties.items():
        yield from _places(child, f"{path}.{name}")
    if "items" in schema:
        yield from _places(schema["items"], f"{path}[]")
    values = schema.get("additionalProperties")
    if isinstance(values, dict) and values != _FREE:
        yield from _places(values, f"{path}{{}}")
