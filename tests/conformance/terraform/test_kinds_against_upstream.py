"""Flux's kinds held against upstream's own CRDs, field by field: what differs is named here, and nothing else does.

Upstream comes from its Go modules: `make peers` finds a Go, and the modules come from wherever that gets its modules.
"""

import shutil
import subprocess
from zipfile import ZipFile

import pytest

from plumbline.base.documents import load_documents
from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.duration import Duration
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.flux.terraform import TERRAFORM

pytestmark = pytest.mark.conformance

TOFU_CONTROLLER = "github.com/flux-iac/tofu-controller@v0.16.5"
SOURCE_CONTROLLER = "github.com/fluxcd/source-controller@v1.10.1"
CRDS = {
    "terraform": (TERRAFORM, TOFU_CONTROLLER, "infra.contrib.fluxcd.io_terraforms.yaml"),
    "gitrepository": (GIT_REPOSITORY, SOURCE_CONTROLLER, "source.toolkit.fluxcd.io_gitrepositories.yaml"),
}
DOWNLOAD = {"GOFLAGS": "-mod=mod", "GOSUMDB": "off"}

POD = "spec.runnerPodTemplate.spec"
DIFFERENCES = {
    "spec required": "an object without one says nothing that could be done",
    "spec.fileMappings[].path pattern": "the same language, said so that no matcher can be made slow",
    "spec.webhooks[].stage required": "it has a default, so it is never missing",
    **{
        f"{POD}.{part}": "parts of pods that only the cluster reads: it says what is wrong with them"
        for part in (
            *("affinity", "hostAliases[]", "initContainers[]", "resources", "securityContext", "tolerations[]"),
            *("volumeMounts[]", "volumes[]"),
        )
    },
}
"""Where ours is another, and why. A difference in a part stands for all below it."""

MORE_IN_OLD = {
    *("spec.branchPlanner", "spec.maxRetryInterval", "spec.plan", "spec.planOnly", "spec.remediation"),
    *("spec.retryStrategy", "spec.tfVarsFiles", "spec.tfstate.lockTimeout", "spec.upgradeOnInit"),
    *("spec.writeOutputsToSecret.annotations", "spec.writeOutputsToSecret.labels"),
    *(f"{POD}.{part}" for part in ("hostAliases", "priorityClassName", "resources", "securityContext")),
    *("status.lastPlanAt", "status.lastPlannedGeneration", "status.lastSuccessfulReconcileAt"),
    "status.reconciliationFailures",
}
"""What v1alpha1 does not know upstream: here it is the same kind as v1alpha2."""


def shipped(name, path):
    """A file of a module. It is read from the module's archive: a Go that is too old for the module still fetches that."""
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    command = [go, "mod", "download", "-json", name]
    done = subprocess.run(command, env=environment() | DOWNLOAD, capture_output=True, timeout=600, check=False)
    archive = decode(done.stdout).get("Zip") if done.stdout else None
    assert archive is not None, done.stdout.decode() + done.stderr.decode()
    with ZipFile(archive) as files:
        return files.read(f"{name}/{path}")


@pytest.fixture(scope="module", params=CRDS)
def pair(request):
    kind, source, file = CRDS[request.param]
    (theirs,) = load_documents(shipped(source, f"config/crd/bases/{file}"))
    return crd_manifest(kind)["spec"], theirs.value["spec"]


def versions(spec):
    return {version["name"]: version for version in spec["versions"]}


def schema_of(version):
    return version["schema"]["openAPIV3Schema"]


def said(schema):
    """What a schema says of one place: not how it is described, nor what a newer upstream may add."""
    left_out = {"description", "properties", "items", "required", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"}  # fmt: skip
    found = {key: value for key, value in schema.items() if key not in left_out}
    if "enum" in found:
        found["enum"] = sorted(found["enum"])
    if isinstance(found.get("default"), str):
        found["default"] = _spelled(found["default"])
    return found


def _spelled(default):
    try:
        return Duration.parse(default).ns
    except InvalidInput:
        return default


def differences(ours, theirs, path=""):
    mine, other = said(ours), said(theirs)
    for key in sorted(mine.keys() | other.keys()):
        if mine.get(key) != other.get(key):
            yield f"{path} {key}".strip()
    here, there = ours.get("properties", {}), theirs.get("properties", {})
    for name in sorted(set(ours.get("required", ())) ^ set(theirs.get("required", ()))):
        yield f"{path}.{name} required".strip(".")
    for name in sorted(here.keys() | there.keys()):
        below = f"{path}.{name}".strip(".")
        if name not in here or name not in there:
            yield below
        else:
            yield from differences(here[name], there[name], below)
    if "items" in ours and "items" in theirs:
        yield from differences(ours["items"], theirs["items"], f"{path}[]")
    elif ("items" in ours) != ("items" in theirs):
        yield f"{path}[]"


def named(difference, known):
    place = difference.partition(" ")[0]
    return difference in known or any(place == each or place.startswith((f"{each}.", f"{each}[")) for each in known)


def test_names_scope_and_group_are_upstreams(pair):
    ours, theirs = pair
    assert ours["group"] == theirs["group"]
    assert ours["scope"] == theirs["scope"]
    assert ours["names"] == theirs["names"]


def test_versions_are_upstreams(pair):
    ours, theirs = versions(pair[0]), versions(pair[1])
    assert ours.keys() == theirs.keys()
    for name, version in ours.items():
        for key in (
            "served",
            "storage",
            "deprecated",
            "deprecationWarning",
            "additionalPrinterColumns",
            "subresources",
        ):
            assert version.get(key) == theirs[name].get(key), (name, key)


def test_fields_are_upstreams(pair):
    ours, theirs = versions(pair[0]), versions(pair[1])
    for name, version in ours.items():
        known = set(DIFFERENCES) | (MORE_IN_OLD if name == "v1alpha1" else set())
        found = list(differences(schema_of(version), schema_of(theirs[name])))
        assert [each for each in found if not named(each, known)] == [], name


def test_no_difference_is_named_that_is_none(pair):
    ours, theirs = pair
    if ours["names"]["kind"] != "Terraform":
        return
    both = zip(versions(ours).items(), (versions(theirs)[name] for name in versions(ours)), strict=True)
    found = {(name, each) for (name, mine), other in both for each in differences(schema_of(mine), schema_of(other))}
    for known in DIFFERENCES:
        assert any(name == "v1alpha2" and named(each, {known}) for name, each in found), known
    for known in MORE_IN_OLD:
        assert any(name == "v1alpha1" and named(each, {known}) for name, each in found), known
