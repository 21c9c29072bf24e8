"""One `plumb up` delivers to another, which it has joined as it joins any cluster."""

import base64

import pytest

from plumbline.base.documents import dump_yaml, load_document
from plumbline.base.json import JsonObject, decode

from .installation import Installation, application, config_map

SYSTEM = "/api/v1/namespaces/kube-system"
CLUSTERS = "/api/v1/namespaces/argocd/secrets"
LONG_LIVED = f"{SYSTEM}/secrets/argocd-manager-long-lived-token"


@pytest.fixture(scope="module")
def east(tmp_path_factory):
    """The other one."""
    place = Installation(tmp_path_factory.mktemp("east") / "data")
    place.start()
    yield place
    place.stop()


@pytest.fixture(scope="module")
def way_there(east, tmp_path_factory):
    """A kubeconfig for it without a certificate, as clouds give: then the account's token is what is kept."""
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    east.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "ops", "namespace": "default"}})
    issued = east.post("/api/v1/namespaces/default/serviceaccounts/ops/token", request)
    assert issued.fine, issued.body
    rights: JsonObject = {
        "metadata": {"name": "ops"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "ServiceAccount", "name": "ops", "namespace": "default"}],
    }
    assert east.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", rights).fine
    config = load_document(east.kubeconfig.read_bytes()).value
    config["users"][0]["user"] = {"token": issued.body["status"]["token"]}
    path = tmp_path_factory.mktemp("way") / "kubeconfig"
    path.write_text(dump_yaml(config))
    return path


@pytest.fixture(scope="module")
def joined(installation, east, way_there):
    """What is kept of it: somebody has logged in here, and has a kubeconfig of there."""
    password = installation.live("/api/v1/namespaces/argocd/secrets/argocd-initial-admin-secret")["data"]["password"]
    words = ("--username", "admin", "--password", base64.b64decode(password).decode())
    done(installation, "login", installation.web, *words)
    here = ("--server", installation.web.removeprefix("http://"), "--plaintext")
    done(installation, "cluster", "add", "plumbline", "--kubeconfig", str(way_there), "--name", "east", "-y", *here)
    return kept(installation, east)


def done(installation, *args):
    said = installation.plumb(*args)
    assert said.code == 0, said.err
    return said.out


def kept(installation, east):
    """Server and login of the cluster, as its Secret has them."""
    found = installation.get(CLUSTERS, labelSelector="argocd.argoproj.io/secret-type=cluster").body["items"]
    values = ({key: base64.b64decode(value) for key, value in each["data"].items()} for each in found)
    return next(decode(each["config"]) for each in values if each["server"].decode() == east.url)


def delivered(installation, east, shop, name):
    sha = shop.push({f"{name}/a.yaml": config_map("a", name)})
    app = application(name, namespace=name)
    app["spec"]["destination"] = {"name": "east", "namespace": name}
    installation.apply(app)
    installation.synced(name, sha)
    return (east.config_map("a", name) or {}).get("data")


def test_an_application_is_delivered_there_and_not_here(installation, east, shop, joined):
    token = base64.b64decode(east.live(LONG_LIVED)["data"]["token"]).decode()
    assert joined["bearerToken"] == token
    assert delivered(installation, east, shop, "abroad") == {"value": "abroad"}
    assert installation.config_map("a", "abroad") is None
    labels = east.until(lambda: east.live(LONG_LIVED)["metadata"].get("labels"))
    assert list(labels) == ["kubernetes.io/legacy-token-last-used"]


def test_it_goes_on_with_another_token_and_the_old_one_ends(installation, east, shop, joined):
    done(installation, "cluster", "rotate-auth", "east")
    fresh = kept(installation, east)["bearerToken"]
    assert fresh != joined["bearerToken"]
    assert east.live(LONG_LIVED) is None
    assert delivered(installation, east, shop, "renewed") == {"value": "renewed"}
