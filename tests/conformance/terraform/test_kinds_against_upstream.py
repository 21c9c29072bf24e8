"""Flux's kinds held against upstream's own CRDs, field by field: what differs is named here, and nothing else does.

Upstream comes from its Go modules: `make peers` finds a Go, and the modules come from wherever that gets its modules.
"""

import pytest
from tests.conformance.definitions import differences, named, schema_of, shipped, versions

from plumbline.base.documents import load_documents
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.flux.terraform import TERRAFORM

pytestmark = pytest.mark.conformance

TOFU_CONTROLLER = "github.com/flux-iac/tofu-controller@v0.16.5"
SOURCE_CONTROLLER = "github.com/fluxcd/source-controller@v1.10.1"
CRDS = {
    "terraform": (TERRAFORM, TOFU_CONTROLLER, "infra.contrib.fluxcd.io_terraforms.yaml"),
    "gitrepository": (GIT_REPOSITORY, SOURCE_CONTROLLER, "source.toolkit.fluxcd.io_gitrepositories.yaml"),
}

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


@pytest.fixture(scope="module", params=CRDS)
def pair(request):
    kind, source, file = CRDS[request.param]
    (theirs,) = load_documents(shipped(source, f"config/crd/bases/{file}"))
    return crd_manifest(kind)["spec"], theirs.value["spec"]


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
