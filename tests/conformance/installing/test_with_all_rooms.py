"""`plumb install --enforce` on a real API server: every object is taken, and the process that it starts can do all of its work."""

import pytest
from tests.conformance.delivery.scene import APPLICATIONS, application
from tests.conformance.installing.stage import NAMESPACE, staged

from plumbline.base.json import decode, encode

pytestmark = pytest.mark.conformance

WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    with staged(tmp_path_factory.mktemp("enforcing") / "stage", "--enforce") as stage:
        stage.apply(stage.printed)
        yield stage


@pytest.fixture(scope="module")
def stage(installed):
    with installed.running():
        installed.offer()
        yield installed


def versions(stage):
    kinds = "namespaces,crds,clusterroles,clusterrolebindings"
    whole = decode(stage.kubectl("get", kinds, "-o", "json").encode())["items"]
    local = "serviceaccounts,roles,rolebindings,services,networkpolicies,deployments"
    there = decode(stage.kubectl("get", local, "-n", NAMESPACE, "-o", "json").encode())["items"]
    printed = {(each["kind"], each["metadata"]["name"]) for each in stage.objects}
    found = {(each["kind"], each["metadata"]["name"]): each["metadata"] for each in (*whole, *there)}
    assert printed <= found.keys()
    return {key: (found[key]["uid"], found[key]["resourceVersion"]) for key in printed if key[0] != "Deployment"}


def test_applying_it_again_changes_nothing(installed):
    """The Deployment is left out: its controller writes to it."""
    said = installed.cluster.kubectl("diff", "--server-side", "-f", "-", stdin=installed.printed)
    assert (said.code, said.out) == (0, ""), said.err
    before = versions(installed)
    assert len(installed.apply(installed.printed).splitlines()) == len(installed.objects)
    assert versions(installed) == before


def test_its_pods_are_let_into_a_restricted_namespace(installed):
    installed.kubectl("create", "namespace", "strict")
    installed.kubectl("label", "namespace", "strict", "pod-security.kubernetes.io/enforce=restricted")
    template = installed.printed_one("Deployment")["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {**template["metadata"], "name": "p"}, "spec": template["spec"]}  # fmt: skip
    installed.kubectl("create", "-n", "strict", "--dry-run=server", "-f", "-", stdin=encode(pod).decode())


def test_it_is_ready_once_the_cluster_answers(stage):
    assert stage.fetched("/healthz") == (200, "ok")
    assert stage.fetched("/healthz?full=true") == (200, "ok")


def test_what_git_says_is_delivered_with_kinds_and_rights_in_it(stage):
    app = application("gadgets", stage.repository, namespace="delivered", options=["CreateNamespace=true"])
    assert stage.cluster.post(APPLICATIONS, app).fine
    stage.until(lambda: stage.live("/apis/shop.example.org/v1/namespaces/delivered/gadgets/delivered"), "it is there")
    roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/delivered/roles"
    stage.until(lambda: stage.live(f"{roles}/reads-gadgets"), "a right that we were given by no name")


def test_a_claim_becomes_what_its_composition_says_and_goes_with_it(stage):
    stage.claim()
    stage.until(lambda: stage.secret("note-text").get("text") == "hello", "the claim is served")
    stage.kubectl("delete", "note", "welcome", "-n", "shop", "--timeout=60s")
    stage.until(lambda: not stage.live("/api/v1/namespaces/shop/configmaps/composed"), "nothing is left")


def test_secrets_come_from_git_and_from_elsewhere(stage):
    stage.seal()
    stage.until(lambda: stage.secret("sealed") == {"password": "s3cr3t"}, "it is opened")
    stage.until(lambda: stage.secret("fetched") == {"password": "from-elsewhere"}, "it is fetched")
    stage.until(lambda: stage.secret("borrowed") == {"password": "from-next-door"}, "as the account of the store")


def test_terraform_runs_in_a_job_of_the_printed_image(stage):
    stage.until(lambda: stage.secret("net-outputs").get("net") == "10.0.0.0/16", "it is applied", within_s=120)


def test_the_api_server_is_told_to_ask_through_the_printed_service(stage):
    def told():
        found = stage.live(f"{WEBHOOKS}/crossplane-no-usages").get("webhooks", ())
        return [each["clientConfig"]["service"] for each in found]

    stage.until(lambda: told() and (told()[0]["namespace"], told()[0]["name"]) == (NAMESPACE, "plumbline-admission"), "it is told")  # fmt: skip
    stage.printed_one("Service", "plumbline-admission")


def test_the_first_administrator_finds_a_password(stage):
    assert stage.login()


def test_nothing_was_forbidden(stage):
    """The last one: it is about all that was done before."""
    assert [each for each in stage.asked() if each["responseStatus"]["code"] == 403] == []
    assert "forbidden" not in stage.log.lower()
