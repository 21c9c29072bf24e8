"""Secrets from Git to pods: sealed or fetched, in waves, and with the reason wherever one is looked for."""

import pytest

from plumbline.base.json import encode

from .installation import Desk, application
from .secretive import (
    DEPLOYMENTS,
    PODS,
    SEALED,
    SECRETS,
    certificate,
    deployment,
    external,
    files,
    of_namespace,
    readable,
    renamed,
    sealed,
    secret,
    store,
    unwell,
    values,
)

pytestmark = pytest.mark.conformance

CLOSED = "no key that is known here opens it for this name, namespace and scope"
EXTERNAL = "/apis/external-secrets.io/v1/namespaces/{}/externalsecrets"


@pytest.fixture(scope="module")
def recipient(installation):
    return certificate(installation)


@pytest.fixture
def deliver(installation, shop):
    """Push what an application of that name consists of, and nothing else; the commit."""

    def pushed(name, *objects):
        gone = dict.fromkeys(f"{name}/{each.name}" for each in (shop.folder / name).glob("*.json"))
        sha = shop.push({**gone, **files(name, *objects)})
        if installation.app(name) is None:
            installation.apply(application(name, namespace=name))
        return sha

    return pushed


def first(happened, kind, so=lambda _: True):
    """When something was first so."""
    return next(each.version for each in happened if each.obj["kind"] == kind and so(each.obj))


def synced_true(obj):
    conditions = (obj.get("status") or {}).get("conditions", ())
    return any(each["type"] == "Synced" and each["status"] == "True" for each in conditions)


def running(obj):
    return (obj.get("status") or {}).get("phase") == "Running"


def image(installation, namespace):
    found = installation.live(f"{DEPLOYMENTS.format(namespace)}/api")
    return found and found["spec"]["template"]["spec"]["containers"][0]["image"]


def told(installation, app, kind, name):
    """What people are shown who ask why: of the application, and of what holds it up."""
    asked = [("app", "get", app), ("why", f"app/{app}", "-n", "argocd"), ("why", f"{kind}/{name}", "-n", app)]
    return [installation.plumb(*each).out for each in asked]


def test_a_sealed_secret_opens_before_the_pods_that_mount_it_are_asked_for(installation, recipient, deliver):
    app, since = "opened", installation.version()
    credentials = sealed(recipient, secret("db", app, password="one"), wave=-1)
    installation.synced(app, deliver(app, credentials, deployment("api", "db")))
    assert values(installation, app, "db") == {"password": "one"}
    paths = [each.format(app) for each in (SEALED, SECRETS, DEPLOYMENTS, PODS)]
    happened = installation.happened(*paths, since=since)
    order = [
        first(happened, "SealedSecret"),
        first(happened, "Secret"),
        first(happened, "SealedSecret", synced_true),
        first(happened, "Deployment"),
        first(happened, "Pod", running),
    ]
    assert order == sorted(order)
    made = installation.live(f"{SECRETS.format(app)}/db")["metadata"]["ownerReferences"][0]
    assert (made["kind"], made["name"], made["controller"]) == ("SealedSecret", "db", True)


def test_an_update_that_does_not_open_stops_the_wave_and_leaves_everything_as_it_was(installation, recipient, deliver):
    """Argo CD reports such an application as Synced and Healthy, since the condition is that of the update before."""
    app = "updated"
    good = sealed(recipient, secret("db", app, password="one"), wave=-1)
    installation.synced(app, deliver(app, good, deployment("api", "db")))
    bad = renamed(sealed(recipient, secret("others", app, password="two"), wave=-1), name="db")
    since = installation.version()
    found = unwell(installation, app, deliver(app, bad, deployment("api", "db", image="example.org/api:2")))
    assert CLOSED in found["status"]["health"]["message"]
    assert all(CLOSED in each for each in told(installation, app, "sealedsecret", "db"))
    assert values(installation, app, "db") == {"password": "one"}
    assert image(installation, app) == "example.org/api:1"
    apps = [each.obj for each in installation.happened("/apis/argoproj.io/v1alpha1/applications", since=since)]
    said = [each["status"] for each in apps if each["metadata"]["name"] == app]
    revision = found["status"]["sync"]["revision"]
    assert not [
        status
        for status in said
        if status["sync"].get("revision") == revision
        and (status["sync"]["status"], status["health"]["status"]) == ("Synced", "Healthy")
    ]
    fixed = sealed(recipient, secret("db", app, password="two"), wave=-1)
    installation.synced(app, deliver(app, fixed, deployment("api", "db", image="example.org/api:2")))
    assert values(installation, app, "db") == {"password": "two"}
    assert image(installation, app) == "example.org/api:2"


def test_what_is_sealed_for_one_place_opens_in_no_other(installation, recipient, deliver):
    app, elsewhere = "copied", "copied-elsewhere"
    installation.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": elsewhere}})
    strict = sealed(recipient, secret("db", app, password="one"))
    wide = sealed(recipient, secret("wide", app, password="two"), scope="namespace-wide")
    everywhere = sealed(recipient, secret("everywhere", app, password="three"), scope="cluster-wide")
    sha = deliver(
        app,
        strict,
        renamed(strict, name="renamed"),
        renamed(strict, name="moved", namespace=elsewhere),
        renamed(wide, name="wide-renamed"),
        renamed(wide, name="wide-moved", namespace=elsewhere),
        renamed(everywhere, name="everywhere-moved", namespace=elsewhere),
        deployment("api", "db", wave=1),
    )
    health = unwell(installation, app, sha)["status"]
    found = {each["name"]: each.get("health") or {} for each in health["resources"] if each["kind"] == "SealedSecret"}
    closed = {name for name, each in found.items() if each["status"] == "Degraded" and CLOSED in each["message"]}
    assert closed == {"renamed", "moved", "wide-moved"}
    assert {name for name, each in found.items() if each["status"] == "Healthy"} == found.keys() - closed
    assert image(installation, app) is None
    assert values(installation, app, "wide-renamed") == {"password": "two"}
    assert values(installation, elsewhere, "everywhere-moved") == {"password": "three"}
    assert not values(installation, elsewhere, "moved")


@pytest.mark.parametrize("kind", ["fake", "kubernetes"])
def test_an_external_secret_is_there_before_the_pods_that_need_it(installation, deliver, kind):
    app, vault = f"fetched-{kind}", f"vault-{kind}"
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}}
    account["metadata"]["annotations"] = {"argocd.argoproj.io/sync-wave": "-3"}
    provider = {"fake": {"data": [{"key": "db", "value": encode({"password": "one"}).decode()}]}}
    if kind == "kubernetes":
        installation.apply(*readable(vault, app), secret("db", vault, password="one"))
        provider = of_namespace(vault)
    since = installation.version()
    objects = [account, store("vault", provider), external("db", "vault", wave=-1), deployment("api", "db")]
    installation.synced(app, deliver(app, *objects))
    assert values(installation, app, "db") == {"password": "one"}
    happened = installation.happened(*(each.format(app) for each in (SECRETS, DEPLOYMENTS, PODS)), since=since)
    order = [first(happened, "Secret"), first(happened, "Deployment"), first(happened, "Pod", running)]
    assert order == sorted(order)
    objects[2] = external("missing", "vault", wave=-1)
    found = unwell(installation, app, deliver(app, *objects[:3], deployment("api", "missing")))
    said = installation.live(f"{EXTERNAL.format(app)}/missing")["status"]["conditions"][0]
    assert (said["status"], said["reason"]) == ("False", "SecretSyncedError")
    assert said["message"] in found["status"]["health"]["message"]
    assert all(said["message"] in each for each in told(installation, app, "externalsecret", "missing"))
    assert image(installation, app) == "example.org/api:1"


def test_a_store_that_may_not_read_says_so_and_holds_up_what_needs_it(installation, deliver):
    app, vault = "forbidden", "vault-forbidden"
    installation.apply(*readable(vault, "somebody-else"), secret("db", vault, password="one"))
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}}
    account["metadata"]["annotations"] = {"argocd.argoproj.io/sync-wave": "-3"}
    sha = deliver(app, account, store("vault", of_namespace(vault)), external("db", "vault"), deployment("api", "db"))
    found = unwell(installation, app, sha)
    assert f"not allowed to get secrets in {vault}" in found["status"]["health"]["message"]
    assert not values(installation, app, "db")


def test_somebody_without_the_repository_seals_with_the_command(installation, shop: Desk, deliver):
    """`plumb seal` asks the installation for its certificate, and what it prints lies in Git as it is."""
    app = "commanded"
    said = installation.plumb("seal", "-o", "yaml", stdin=encode(secret("db", app, password="one")).decode())
    assert said.code == 0, said.err
    sha = shop.push({f"{app}/sealed.yaml": said.out})
    installation.apply(application(app, namespace=app))
    installation.synced(app, sha)
    assert values(installation, app, "db") == {"password": "one"}
