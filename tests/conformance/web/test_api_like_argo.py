"""The same requests to the real argocd-server and to our parts: statuses, gRPC codes, and the shapes of what they answer."""

import asyncio
import json

import pytest

from .beside import ours, shape

pytestmark = pytest.mark.conformance

ALL = "/api/v1/applications"
REPO = "https://git.example.org/shop.git"
SERVER = "https://kubernetes.default.svc"


def application(name, path="web", **metadata):
    return {
        "metadata": {"name": name, **metadata},
        "spec": {
            "project": "default",
            "source": {"repoURL": REPO, "path": path, "targetRevision": "main"},
            "destination": {"server": SERVER, "namespace": "default"},
        },
    }


REQUESTS = [
    ("GET", f"{ALL}/web", None),
    ("GET", f"{ALL}/none", None),
    ("GET", f"{ALL}/none?project=default", None),
    ("GET", f"{ALL}/web?project=other", None),
    ("GET", ALL, None),
    ("GET", f"{ALL}?selector=team%3Da", None),
    ("GET", f"{ALL}?name=web&projects=default", None),
    ("GET", f"{ALL}?fields=items.metadata.name,items.spec.project,items.status.sync.status", None),
    ("GET", f"{ALL}/web/syncwindows", None),
    ("GET", f"{ALL}/web/links", None),
    ("DELETE", f"{ALL}/web/operation", None),
    ("DELETE", f"{ALL}/none", None),
    ("POST", f"{ALL}/web/rollback", {"id": 99}),
    ("POST", f"{ALL}?validate=false", {"metadata": {"name": "x"}, "spec": {"project": "none", "destination": {}}}),
    ("PATCH", f"{ALL}/web", {"patch": "{}", "patchType": "strategic"}),
    ("DELETE", f"{ALL}/web?cascade=false&propagationPolicy=background", None),
    ("DELETE", f"{ALL}/web?propagationPolicy=sideways", None),
    ("GET", "/api/v1/projects", None),
    ("GET", "/api/v1/projects/default", None),
    ("GET", "/api/v1/projects/none", None),
    ("GET", "/api/v1/projects/default/detailed", None),
    ("GET", "/api/v1/projects/default/globalprojects", None),
    ("GET", "/api/v1/projects/default/syncwindows", None),
    ("GET", "/api/v1/projects/default/events", None),
    ("DELETE", "/api/v1/projects/default", None),
    ("DELETE", "/api/v1/projects/none", None),
    ("POST", "/api/v1/projects", {}),
    ("POST", "/api/v1/projects/default/roles/none/token", {}),
    ("GET", "/api/v1/repositories", None),
    ("GET", "/api/v1/repositories/https%3A%2F%2Fnone.example.org%2Fx", None),
    ("GET", "/api/v1/repocreds", None),
    ("GET", "/api/v1/clusters", None),
    ("GET", "/api/v1/clusters/https%3A%2F%2Fnone", None),
    ("GET", "/api/v1/certificates", None),
    ("GET", "/api/v1/certificates?hostNamePattern=git*&certType=ssh&certSubType=ssh-rsa", None),
    ("GET", "/api/v1/gpgkeys", None),
    ("GET", "/api/version", None),
    ("GET", "/api/v1/settings", None),
]

NAMED = {
    ".managedFields": "the real server and ours show what the API server keeps, which is not the same at two times",
    "serverVersion": "clusters are not asked who they are when they are listed",
    "attemptedAt": "nor whether they answer",
    ".BuildDate": "ours has no date of its build",
    ".HelmVersion": "tools are told by whoever runs them, and no tool is run here",
    ".JsonnetVersion": "as above",
    ".KustomizeVersion": "as above",
    ".resourceOverrides": "scripts of the settings are nobody's business who looks at a page",
}
"""What they answer and we do not, and why."""


@pytest.fixture(scope="module")
def settled(server):
    for name, metadata in (("web", {"labels": {"team": "a"}}), ("api", {})):
        body = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", **application(name, **metadata)}
        server.cluster.kubectl("-n", "argocd", "apply", "-f", "-", stdin=json.dumps(body))
    return server


async def both(settled, requests):
    async with ours(settled.cluster.kubeconfig) as mine:
        await asyncio.sleep(1)
        for method, path, body in requests:
            theirs = await asyncio.to_thread(settled.ask, method, path, body)
            yield f"{method} {path}", theirs, await mine.ask(method, path, body)


async def test_statuses_and_codes_are_theirs(settled):
    different = []
    async for what, theirs, mine in both(settled, REQUESTS):
        codes = [each.json.get("code") if isinstance(each.json, dict) else each.json for each in (theirs, mine)]
        if (theirs.status, codes[0]) != (mine.status, codes[1]):
            different.append((what, theirs.status, theirs.json, mine.status, mine.json))
    assert different == []


async def test_whatever_they_answer_with_is_there_and_of_the_same_type(settled):
    missing = {}
    async for what, theirs, mine in both(settled, [each for each in REQUESTS if each[0] == "GET"]):
        if theirs.status != 200:
            continue
        lacking = {
            path for path, type_ in shape(theirs.json) - shape(mine.json) if not any(name in path for name in NAMED)
        }
        if lacking:
            missing[what] = sorted(lacking)
    assert not missing, json.dumps(missing)


async def test_a_stranger_is_answered_as_they_answer(settled):
    async with ours(settled.cluster.kubeconfig) as mine:
        for path in (
            ALL,
            f"{ALL}/web",
            "/api/v1/projects",
            "/api/v1/repositories",
            "/api/v1/clusters",
            "/api/v1/certificates",
            "/api/v1/gpgkeys",
            "/api/version",
            "/api/v1/settings",
        ):
            theirs = await asyncio.to_thread(settled.ask, "GET", path, anonymous=True)
            told = await mine.ask("GET", path, anonymous=True)
            assert (theirs.status, theirs.json.get("code")) == (told.status, told.json.get("code")), path
            if theirs.status == 200:
                assert set(told.json) <= set(theirs.json), path


async def test_a_list_a_sync_and_a_stream_as_backstage_and_curl_ask_for_them(settled):
    """What plug-ins of portals read, field by field."""
    async with ours(settled.cluster.kubeconfig) as mine:
        listed = await mine.ask("GET", f"{ALL}?selector=team%3Da")
        (app,) = listed.json["items"]
        assert app["metadata"]["name"] == "web"
        assert app["spec"]["source"]["repoURL"] == REPO
        assert {"status"} <= set(app["status"]["sync"])
        assert isinstance(app["status"]["health"], dict)
        stream = (await mine.serve("GET", "/api/v1/stream/applications?name=web")).stream
        async with asyncio.timeout(10):
            first = json.loads(await anext(stream))
        assert (first["result"]["type"], first["result"]["application"]["metadata"]["name"]) == ("ADDED", "web")
        synced = await mine.ask("POST", f"{ALL}/web/sync", {"dryRun": True})
        assert (synced.status, synced.json["operation"]["initiatedBy"]) == (200, {"username": "admin"})
        async with asyncio.timeout(10):
            second = json.loads(await anext(stream))
        assert second["result"]["type"] == "MODIFIED"
        await stream.aclose()
