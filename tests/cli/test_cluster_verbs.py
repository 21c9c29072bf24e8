"""health and diff against a cluster: a small API server on loopback that serves what a test puts there."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from plumbline.base.json import decode, encode
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.crd import crd_manifest

VERBS = ["get", "list", "watch"]
SERVED = {
    "v1": [("configmaps", "ConfigMap", True, ["cm"]), ("namespaces", "Namespace", False, ["ns"])],
    "apps/v1": [("deployments", "Deployment", True, ["deploy"])],
    "argoproj.io/v1alpha1": [("appprojects", "AppProject", True, ["appproj"])],
    "example.org/v1": [("widgets", "Widget", True, [])],
    "apiextensions.k8s.io/v1": [("customresourcedefinitions", "CustomResourceDefinition", False, ["crd"])],
}
DEGRADED = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "generation": 1,
        "managedFields": [
            {
                "manager": "hpa",
                "operation": "Update",
                "apiVersion": "apps/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {"f:replicas": {}}},
            }
        ],
    },
    "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}},
    "status": {
        "observedGeneration": 1,
        "conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}],
    },
}
PROJECT = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "AppProject",
    "metadata": {"name": "shop", "namespace": "shop"},
    "spec": {"description": "old"},
}


def discovery():
    named = [version for version in SERVED if "/" in version]
    groups = [
        {
            "name": version.split("/")[0],
            "versions": [{"groupVersion": version, "version": version.split("/")[1]}],
            "preferredVersion": {"groupVersion": version, "version": version.split("/")[1]},
        }
        for version in named
    ]
    yield "/api", {"kind": "APIVersions", "versions": ["v1"]}
    yield "/apis", {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
    for version, resources in SERVED.items():
        listed = [
            {
                "name": name,
                "kind": kind,
                "namespaced": namespaced,
                "shortNames": short,
                "verbs": VERBS,
                "singularName": "",
            }
            for name, kind, namespaced, short in resources
        ]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        yield root, {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": listed}


MISSING = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}


class Api(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        found = self.server.objects.get(path)
        body = encode(found or MISSING | {"details": {"name": path.rpartition("/")[2]}})
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def api(tmp_path):
    """Put objects under their paths; the kubeconfig leads to them, in the namespace shop."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.objects = dict(discovery())
    (tmp_path / "kubeconfig").write_text(f"""
apiVersion: v1
kind: Config
current-context: a
contexts: [{{name: a, context: {{cluster: a, namespace: shop}}}}]
clusters: [{{name: a, cluster: {{server: "http://127.0.0.1:{server.server_port}"}}}}]
""")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.objects
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def ask(run, api, tmp_path):
    def invoke(verb, *args, **more):
        return run(verb, *args, "--kubeconfig", tmp_path / "kubeconfig", **more)

    return invoke


def test_health_by_kind_and_name(ask, api):
    api["/apis/apps/v1/namespaces/shop/deployments/web"] = DEGRADED
    said = ask("health", "deploy/web")
    assert said.code == 1
    assert "✗ Degraded" in said.out


def test_health_in_another_namespace_and_of_several(ask, api):
    api["/api/v1/namespaces/other/configmaps/a"] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    api["/api/v1/namespaces/x"] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}
    said = ask("health", "configmap/a", "ns/x", "-n", "other", "-o", "json")
    assert (said.code, said.err) == (0, "")
    assert [item["name"] for item in decode(said.out)["items"]] == ["a", "x"]


def test_an_object_that_is_not_there_is_5(ask):
    said = ask("health", "deploy/gone")
    assert (said.code, said.out) == (5, "")
    assert "error[not-found]" in said.err


def test_a_kind_that_is_not_served_is_5(ask):
    said = ask("health", "gizmo/a")
    assert said.code == 5
    assert "error[unknown-kind]" in said.err


def test_diff_against_the_cluster_names_the_holder(ask, api):
    api["/apis/apps/v1/namespaces/shop/deployments/web"] = DEGRADED
    wanted = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3}}
    said = ask("diff", "-f", "-", stdin=encode(wanted).decode())
    assert said.out == "Deployment.apps/web\n  ~ .spec.replicas: 2 → 3  (held by hpa)\n"
    assert said.code == 1


def test_diff_of_a_custom_kind_reads_its_crd_from_the_cluster(ask, api):
    crd = crd_manifest(APP_PROJECT)
    api[f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{APP_PROJECT.crd_name}"] = crd
    api["/apis/argoproj.io/v1alpha1/namespaces/shop/appprojects/shop"] = PROJECT
    wanted = PROJECT | {"spec": {"description": "new"}}
    assert '"old" → "new"' in ask("diff", "-f", "-", stdin=encode(wanted).decode()).out
    assert ask("diff", "-f", "-", stdin=encode(PROJECT).decode()).code == 0


def test_diff_of_a_kind_whose_crd_cannot_be_found_still_answers(ask, api):
    live = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1}}
    api["/apis/example.org/v1/namespaces/shop/widgets/a"] = live
    said = ask("diff", "-f", "-", stdin=encode(live | {"spec": {"size": 2}}).decode())
    assert ".spec.size: 1 → 2" in said.out


def test_diff_of_what_is_not_there_yet(ask):
    wanted = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}}
    said = ask("diff", "-f", "-", stdin=encode(wanted).decode())
    assert (said.code, said.out) == (1, "ConfigMap/new\n  + does not exist yet\n")


def test_diff_of_a_kind_that_is_not_served_is_no_answer(ask):
    wanted = {"apiVersion": "odd.org/v1", "kind": "Odd", "metadata": {"name": "new"}}
    said = ask("diff", "-f", "-", stdin=encode(wanted).decode())
    assert said.code == 5, "not 1: nobody knows whether it differs"
