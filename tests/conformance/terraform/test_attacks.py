"""What must not work, on a running plane: files from outside, programs nobody allowed, floods, secrets that get out."""

import base64
import gzip
import http.client
import itertools
from urllib.parse import urlsplit

import pytest
from tests.conformance.real import MERGE_PATCH
from tests.conformance.terraform.estate import POLICIES, SECRETS, condition, embedded

from plumbline.base.json import encode

pytestmark = pytest.mark.conformance

VPC = 'resource "terraform_data" "vpc" {\n  input = "1"\n}\n'
CANARIES = ("c4nary-variable-9f2", "c4nary-values-81b", "c4nary-environment-5d0", "c4nary-output-77e")
_names = itertools.count(1)


@pytest.fixture(scope="module")
def estate(tool, tmp_path_factory):
    with embedded(tool, tmp_path_factory.mktemp(f"attacked-{tool}")) as made:
        made.found()
        yield made


@pytest.fixture
def name(estate):
    made = f"attack{next(_names)}x"
    yield made
    estate.remove(made)


@pytest.fixture
def policy(estate):
    """One that says what it is given, for as long as the test lasts."""

    def say(**spec):
        body = {"apiVersion": "plumbline.dev/v1alpha1", "kind": "TerraformPolicy", "metadata": {"name": "strict"}}
        estate.create(POLICIES, {**body, "spec": spec})

    yield say
    estate.cluster.send("DELETE", f"{POLICIES}/strict")


def refused(estate, name, said):
    obj = estate.told("Ready", "False", said, name)
    assert not estate.inputs(name), "nothing was applied"
    return condition(obj, "Ready")["message"]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../../../../etc/passwd", "it leads out of the repository"),
        ("/../state-copies.key", "a slash before it makes no difference"),
    ],
)
def test_a_variable_file_from_outside_is_refused(estate, name, path, why):
    estate.module(VPC, name)
    estate.terraform(name, tfVarsFiles=[path])
    refused(estate, name, "leads out"), why


def test_a_variable_file_that_is_a_link_to_outside_is_refused(estate, name):
    estate.link(f"infrastructure/{name}/out.tfvars", "/etc/passwd")
    estate.module(VPC, name)
    estate.terraform(name, tfVarsFiles=[f"infrastructure/{name}/out.tfvars"])
    message = refused(estate, name, "")
    assert "root:" not in message


@pytest.mark.parametrize(
    "variable", ["TF_CLI_ARGS", "TF_CLI_ARGS_apply", "TF_LOG", "LD_PRELOAD", "TF_REATTACH_PROVIDERS"]
)
def test_an_environment_that_changes_what_is_asked_for_is_refused(estate, name, variable):
    estate.module(VPC, name)
    estate.terraform(name, runnerPodTemplate={"spec": {"env": [{"name": variable, "value": "-auto-approve"}]}})
    refused(estate, name, variable)


def test_the_external_data_source_does_not_run_where_a_policy_denies_it(estate, name, policy):
    policy(externalData="Deny")
    estate.module(VPC + 'data "external" "id" {\n  program = ["touch", "ran"]\n}\n', name)
    estate.terraform(name)
    refused(estate, name, "external data source")


def test_provisioners_do_not_run_where_a_policy_denies_them(estate, name, policy):
    policy(provisioners="Deny")
    run = '  provisioner "local-exec" {\n    command = "touch ran"\n  }\n'
    estate.module(f'resource "terraform_data" "vpc" {{\n  input = "1"\n{run}}}\n', name)
    estate.terraform(name)
    refused(estate, name, "provisioners")


def test_a_provider_that_no_policy_names_does_not_run(estate, name, policy):
    policy(providers=["registry.example.org/company/*", "terraform.io/builtin/*"])
    source = (
        'terraform {\n  required_providers {\n    odd = {\n      source = "evil.example.org/odd/odd"\n    }\n  }\n}\n'
    )
    estate.module(source + 'resource "odd_thing" "vpc" {\n}\n', name)
    estate.terraform(name)
    refused(estate, name, "evil.example.org/odd/odd")


def test_a_plan_of_many_changes_neither_fails_nor_floods(estate, name):
    revision = estate.module('resource "terraform_data" "many" {\n  count = 3000\n  input = count.index\n}\n', name)
    estate.terraform(name, approvePlan="manual")
    obj = estate.waiting(revision, name)
    assert "3,000 to add" in condition(obj, "Ready")["message"]
    assert len(encode(obj)) < 64_000
    estate.change(name, approvePlan=estate.digest(name))
    estate.applied(revision, name, within_s=180)
    assert len(estate.state(name)["resources"][0]["instances"]) == 3000


def test_a_plan_that_is_too_large_is_refused_by_its_size(estate, name):
    estate.module(
        'resource "terraform_data" "vast" {\n  count = 120\n  input = join("", [for i in range(600000) : "x"])\n}\n',
        name,
    )
    estate.terraform(name)
    refused(estate, name, "Failed")


def test_a_module_that_never_ends_is_ended(estate, name):
    run = '  provisioner "local-exec" {\n    command = "sleep 3600"\n  }\n'
    estate.module(f'resource "terraform_data" "vpc" {{\n  input = "1"\n{run}}}\n', name)
    manifest = {"metadata": {"annotations": {"plumbline.dev/run-deadline": "8s"}}}
    estate.terraform(name, suspend=True)
    estate.cluster.patch(estate.at(name), manifest, MERGE_PATCH)
    estate.change(name, suspend=False)
    obj = estate.told("Apply", "False", "TFExecApplyFailed", name, within_s=90)
    assert "terraform_data.vpc" in condition(obj, "Apply")["message"]
    estate.until(lambda: not estate.holder(name), "the lock is released")


def test_a_damaged_state_stops_everything_and_the_last_good_copy_is_offered(estate, name):
    estate.applied_first(name, VPC)
    broken = {"data": {"tfstate": base64.b64encode(gzip.compress(b'{"version": 4, "ser')).decode()}}
    assert estate.cluster.patch(f"{SECRETS}/tfstate-default-{name}", broken, MERGE_PATCH).fine
    estate.module(VPC.replace('"1"', '"2"'), name)
    obj = estate.told("Ready", "False", "last good copy", name)
    assert "serial" in condition(obj, "Ready")["message"]
    assert estate.secret(f"tfstate-default-{name}")["tfstate"] == base64.b64decode(broken["data"]["tfstate"])


def test_no_secret_gets_out(estate, name):
    """Into no log, no event, no status, no journal, no metric, no annotation; not even through an error."""
    variable, values, surroundings, output = CANARIES
    for key, value in (("variable", variable), ("values", values), ("environment", surroundings), ("output", output)):
        body = {"metadata": {"name": f"{name}-{key}"}, "stringData": {"secret": value}}
        estate.create(SECRETS, body)
    module = (
        'variable "secret" {\n  sensitive = true\n}\nvariable "values" {\n}\n'
        'resource "terraform_data" "vpc" {\n  input = { secret = var.secret, values = var.values }\n}\n'
        'output "secret" {\n  value     = var.secret\n  sensitive = true\n}\n'
    )
    estate.module(module, name)
    estate.terraform(
        name,
        approvePlan="manual",
        storeReadablePlan="human",
        varsFrom=[{"kind": "Secret", "name": f"{name}-variable"}],
        readInputsFromSecrets=[{"name": f"{name}-values", "as": "kept"}],
        values={"password": "${{ .kept.secret }}"},
        runnerPodTemplate={"spec": {"env": [{"name": "KEY", "valueFrom": _key(f"{name}-environment")}]}},
        writeOutputsToSecret={"name": f"{name}-outputs"},
    )
    obj = estate.told("Ready", "Unknown", "waits", name)
    estate.change(name, approvePlan=obj["status"]["plan"]["pending"])
    estate.told("Ready", "True", "", name)
    assert estate.secret(f"{name}-outputs")["secret"] == variable.encode()
    failing = '\nresource "terraform_data" "bad" {\n  input = file(var.secret)\n}\n'
    estate.module(module + failing, name)
    estate.told("Ready", "False", "TFExecPlanFailed", name)
    for sink, text in _sinks(estate, name).items():
        assert [canary for canary in CANARIES if canary in text] == [], sink


def _key(secret):
    return {"secretKeyRef": {"name": secret, "key": "secret"}}


def _sinks(estate, name):
    """Everywhere that a person or a program looks without being allowed to read Secrets."""
    namespace = SECRETS.rpartition("/")[0]
    listed = {
        what: encode(estate.cluster.get(path).body).decode()
        for what, path in {
            "events": f"{namespace}/events",
            "config maps": f"{namespace}/configmaps",
            "objects": estate.at(name),
            "leases": namespace.replace("/api/v1", "/apis/coordination.k8s.io/v1") + "/leases",
        }.items()
    }
    secrets = estate.cluster.get(SECRETS).body["items"]
    listed["annotations of Secrets"] = encode([each["metadata"] for each in secrets]).decode()
    listed["log"] = estate.log
    listed["metrics"] = _fetched(estate.installation.web, "/metrics")
    files = [each for each in estate.installation.folder.rglob("*") if each.is_file() and "journal" in each.name]
    assert files
    listed["journal"] = "".join(each.read_bytes().decode("latin-1") for each in files)
    return listed


def _fetched(url, path):
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
    connection.request("GET", path)
    text = connection.getresponse().read().decode()
    connection.close()
    return text
