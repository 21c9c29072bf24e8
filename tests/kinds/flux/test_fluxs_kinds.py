"""Flux's kinds, typed: what people write is read, defaults are upstream's, and what they get wrong is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.base.regex import compiled
from plumbline.kinds.crd import Leave, crd_manifest, plan_crd
from plumbline.kinds.duration import Duration
from plumbline.kinds.flux import FLUX_KINDS
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kinds.read import read

REPOSITORY = {"url": "https://forge.example/team/app", "interval": "1m"}
MODULE = {"interval": "10m", "sourceRef": {"kind": "GitRepository", "name": "app"}}


def obj(kind, spec, version=None, **more):
    return {
        "apiVersion": f"{kind.group}/{version or kind.versions[0].name}",
        "kind": kind.kind,
        "metadata": {"name": "a", "namespace": "shop"},
        "spec": spec,
        **more,
    }


def test_a_terraform_object_has_upstreams_defaults():
    spec = read(TERRAFORM, obj(TERRAFORM, MODULE)).spec
    assert spec.interval == Duration.parse("10m")
    assert spec.retry_interval == Duration.parse("15s")
    assert spec.max_retry_interval == Duration.parse("24h")
    assert (spec.retry_strategy, spec.remediation) == ("StaticInterval", None)
    assert (spec.workspace, spec.service_account_name, spec.store_readable_plan) == ("default", "tf-runner", "none")
    assert (spec.upgrade_on_init, spec.always_cleanup_runner_pod) == (True, True)
    assert spec.runner_termination_grace_period_seconds == 30
    assert (spec.approve_plan, spec.force, spec.destroy, spec.plan_only) == ("", False, False, False)


def test_both_versions_are_the_same_kind():
    older = read(TERRAFORM, obj(TERRAFORM, {**MODULE, "planOnly": True}, "v1alpha1"))
    assert older.spec.plan_only
    assert older.unknown == ()


def test_a_variable_may_be_any_json():
    variables = [{"name": "a", "value": value} for value in ("x", 1, True, None, [1], {"b": {}})]
    spec = read(TERRAFORM, obj(TERRAFORM, {**MODULE, "vars": variables})).spec
    assert [each.value for each in spec.vars] == ["x", 1, True, None, [1], {"b": {}}]


def test_words_of_python_and_single_letters_are_spelled_as_upstream_spells_them():
    spec = {**MODULE, "readInputsFromSecrets": [{"name": "s", "as": "shared"}]}
    status = {"inventory": {"entries": [{"n": "x", "t": "aws_vpc", "id": "vpc-1"}]}}
    got = read(TERRAFORM, obj(TERRAFORM, spec, status=status))
    assert got.spec.read_inputs_from_secrets[0].as_ == "shared"
    assert got.status.inventory.entries[0].identifier == "vpc-1"
    assert got.unreadable == ()


WRONG = [
    (TERRAFORM, {"interval": "1m"}, "spec.sourceRef"),
    (TERRAFORM, {**MODULE, "interval": "soon"}, "spec.interval"),
    (TERRAFORM, {**MODULE, "sourceRef": {"kind": "HelmChart", "name": "a"}}, "spec.sourceRef.kind"),
    (TERRAFORM, {**MODULE, "tfstate": {"forceUnlock": "maybe"}}, "spec.tfstate.forceUnlock"),
    (GIT_REPOSITORY, {"interval": "1m"}, "spec.url"),
    (GIT_REPOSITORY, {**REPOSITORY, "provider": "gitea"}, "spec.provider"),
    (GIT_REPOSITORY, {**REPOSITORY, "verify": {"mode": "HEAD"}}, "spec.verify.secretRef"),
]


@pytest.mark.parametrize(("kind", "spec", "path"), WRONG, ids=[each[2] for each in WRONG])
def test_what_cannot_be_used_is_named(kind, spec, path):
    with pytest.raises(InvalidInput, match=path.replace(".", r"\.")):
        read(kind, obj(kind, spec))


def test_a_repository_is_fetched_within_a_minute_and_ignores_nothing_of_its_own():
    spec = read(GIT_REPOSITORY, obj(GIT_REPOSITORY, REPOSITORY)).spec
    assert spec.timeout.seconds == 60
    assert (spec.ref, spec.ignore, spec.verify, spec.suspend) == (None, None, None, False)


def test_an_empty_ignore_is_not_the_same_as_none():
    assert read(GIT_REPOSITORY, obj(GIT_REPOSITORY, {**REPOSITORY, "ignore": ""})).spec.ignore == ""


@pytest.mark.parametrize("kind", FLUX_KINDS, ids=lambda kind: kind.kind)
def test_a_definition_that_is_already_there_from_flux_stays(kind):
    ours = crd_manifest(kind)
    theirs = {**ours, "metadata": {"name": kind.crd_name, "labels": {"app.kubernetes.io/part-of": "flux"}}}
    assert plan_crd(ours, theirs) == Leave("It was installed by flux and stays as it is")


@pytest.mark.parametrize("kind", FLUX_KINDS, ids=lambda kind: kind.kind)
def test_an_object_that_nobody_has_looked_at_says_so(kind):
    stored = crd_manifest(kind)["spec"]["versions"][0]
    status = stored["schema"]["openAPIV3Schema"]["properties"]["status"]
    assert status["default"] == {"observedGeneration": -1}


UPSTREAMS = compiled(r"^(.?[/_a-zA-Z0-9]{1,})*$")
OURS = compiled(
    crd_manifest(TERRAFORM)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"][
        "fileMappings"
    ]["items"]["properties"]["path"]["pattern"]
)


@given(st.text(alphabet="a/_. -é\n", max_size=12))
def test_the_pattern_for_paths_of_files_means_what_upstreams_means(path):
    assert (OURS.find(path) is None) == (UPSTREAMS.find(path) is None)
