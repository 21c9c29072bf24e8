"""What is left after a stop, a kill, and the loss of everything but Git."""

import base64
import shutil

import pytest

from plumbline.base.json import encode

from .installation import FORGE, Installation, application, config_map

pytestmark = pytest.mark.conformance

SECRET = "/api/v1/namespaces/{}/secrets"
WAITING = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
  annotations: {argocd.argoproj.io/sync-wave: "1"}
spec:
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers:
        - name: api
          image: example.org/api:1
          envFrom: [{secretRef: {name: credentials}}]
"""
NO_POLLS = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "argocd-cm", "namespace": "argocd"},
    "data": {"timeout.reconciliation": "0s"},
}


def credentials(namespace):
    metadata = {"name": "credentials", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"a": base64.b64encode(b"b").decode()}}


def running(installation, name):
    state = (installation.app(name) or {}).get("status", {}).get("operationState", {})
    waiting = "waiting for healthy state of apps/Deployment/api" in state.get("message", "")
    return state if state.get("phase") == "Running" and waiting else None


def test_a_sync_that_is_killed_goes_on_where_it_was_and_a_stop_loses_nothing(installation, shop):
    files = {"api/before.yaml": config_map("before", wave=0), "api/api.yaml": WAITING}
    sha = shop.push({**files, "api/after.yaml": config_map("after", wave=2)})
    installation.apply(application("api", options=["ApplyOutOfSyncOnly=true"]))
    began = installation.until(lambda: running(installation, "api"))
    before = installation.config_map("before")
    installation.apply(NO_POLLS)

    installation.kill()
    installation.start()
    assert installation.until(lambda: running(installation, "api"))["startedAt"] == began["startedAt"]
    assert installation.config_map("after") is None
    installation.apply(credentials("shop"))
    app = installation.synced("api", sha)
    assert [each["revision"] for each in app["status"]["history"]] == [sha]
    assert installation.config_map("before")["metadata"] == before["metadata"], "nothing was done a second time"
    assert installation.config_map("after")

    installation.stop()
    installation.start()
    assert installation.app("api")["status"]["history"] == app["status"]["history"]
    assert shop.git("ls-remote", shop.remote, "refs/heads/main").split()[0] == sha
    assert installation.config_map("after")
    # Nobody polls since the start, so it is the push that is heard.
    newer = shop.push({"api/after.yaml": config_map("after", "2", wave=2)})
    history = installation.synced("api", newer)["status"]["history"]
    assert [each["revision"] for each in history] == [sha, newer]


def test_everything_comes_back_from_git_with_one_application(installation, shop, tmp_path):
    """App of apps: one parent, and its children in Git. Then all is lost, but the repository."""
    child = application("child", path="fleet/child", namespace="fleet")
    other = application("other", path="fleet/other", namespace="fleet")
    parent = application("parent", path="fleet/apps", namespace="argocd")
    sha = shop.push(
        {
            "fleet/apps/child.yaml": encode(child).decode(),
            "fleet/child/a.yaml": config_map("a"),
        }
    )
    installation.apply(parent)
    installation.synced("parent", sha)
    installation.synced("child", sha)
    sha = shop.push({"fleet/apps/other.yaml": encode(other).decode(), "fleet/other/b.yaml": config_map("b")})
    for name in ("parent", "child", "other"):
        installation.synced(name, sha)

    fresh = Installation(tmp_path / "data")
    fresh.folder.mkdir()
    shutil.copytree(installation.folder / "git", fresh.folder / "git")
    fresh.start()
    try:
        fresh.apply(parent)
        for name in ("parent", "child", "other"):
            assert fresh.synced(name, sha)["spec"]["source"]["repoURL"] == FORGE
        for name in ("a", "b"):
            assert fresh.config_map(name, "fleet")["data"] == installation.config_map(name, "fleet")["data"]
    finally:
        fresh.stop()
