"""`plumb install` as it is: it looks at everything, and the cluster itself keeps it from writing."""

import pytest
from tests.conformance.delivery.scene import APPLICATIONS, EVERYTHING, PROJECTS, application
from tests.conformance.installing import estate
from tests.conformance.installing.stage import ACCOUNT, NAMESPACE, staged

pytestmark = pytest.mark.conformance

OWN = {("leases", NAMESPACE, "plumbline"), ("secrets", NAMESPACE, "plumbline-terraform")}
TOKEN = "/api/v1/namespaces/shop/serviceaccounts/reader/token"
READS = {"get", "list", "watch"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    with staged(tmp_path_factory.mktemp("observing") / "stage") as made:
        made.apply(made.printed)
        made.offer()
        made.apply(estate.USAGE)
        project = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "default"}}
        assert made.cluster.post(PROJECTS, {**project, "spec": EVERYTHING}).fine
        app = application("gadgets", made.repository, namespace="delivered", options=["CreateNamespace=true"])
        assert made.cluster.post(APPLICATIONS, app).fine
        with made.running():
            for event in ("leadership acquired", "repository moved"):
                made.until(lambda event=event: event in made.log, event)
            made.until(lambda: made.secret("plumbline-terraform", NAMESPACE), "each room has had its look")
            yield made


def done(stage, *, refused):
    """What was asked for, by whether the cluster refused it."""
    return [each for each in stage.asked() if (each["responseStatus"]["code"] == 403) is refused]


def test_nothing_is_written_but_what_is_its_own(stage):
    written = [each["objectRef"] for each in done(stage, refused=False) if each["verb"] not in READS]
    assert {(each["resource"], each.get("namespace"), each.get("name")) for each in written} == OWN
    assert stage.fetched("/healthz?full=true") == (200, "ok")


def test_nothing_is_refused_but_to_become_somebody_else(stage):
    """A store that signs in as an account is not looked at: with a token of any account one could write."""
    assert {each["requestURI"] for each in done(stage, refused=True)} <= {TOKEN}


@pytest.mark.parametrize("what", ["configmaps", "secrets", "applications.argoproj.io", "deployments.apps"])
def test_the_cluster_would_not_let_it_write_either(stage, what):
    said = stage.cluster.kubectl("auth", "can-i", "create", what, "-n", "shop", "--as", ACCOUNT)
    assert said.out.strip() == "no"
