"""Across projects: an Application reaches nothing that its project does not give it, and sees nothing either."""

import pytest
from tests.delivery.town import REPO, SERVER, application, config_map, town

from plumbline.base.json import encode

from .telling import told

TEAM = {
    "sourceRepos": [REPO],
    "destinations": [{"server": SERVER, "namespace": "shop"}],
    "clusterResourceWhitelist": [],
    "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}],
}
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: b}\n"
ROLE = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: mine}\nrules: []\n"
FILES = {
    "web/a.yaml": config_map("a"),
    "elsewhere/a.yaml": config_map("a").replace("metadata:\n", "metadata:\n  namespace: kube-system\n"),
    "secret/s.yaml": SECRET,
    "role/r.yaml": ROLE,
}
SOURCE = {"repoURL": REPO, "path": "web", "targetRevision": "main"}
REACHES = [
    ("repository of another project", {"source": {**SOURCE, "repoURL": "https://git.example.org/others.git"}}, "is not permitted in project"),
    ("cluster of another project", {"destination": {"server": "https://other.example.org", "namespace": "shop"}}, "not found"),
    ("namespace of another project", {"destination": {"server": SERVER, "namespace": "kube-system"}}, "do not match any of the allowed destinations"),
    ("namespace written in the manifest", {"source": {**SOURCE, "path": "elsewhere"}}, "not permitted in project"),
    ("kind that the project forbids", {"source": {**SOURCE, "path": "secret"}}, "not permitted in project"),
    ("kind of the whole cluster", {"source": {**SOURCE, "path": "role"}}, "not permitted in project"),
    ("project that does not exist", {"project": "nobodys"}, "does not exist"),
]  # fmt: skip


async def founded(place):
    project = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "team"}, "spec": TEAM}
    await place.create("argoproj.io/v1alpha1/appprojects", project, "argocd")


@pytest.mark.parametrize(("why", "spec", "refusal"), REACHES, ids=[why for why, *_ in REACHES])
def test_row_20_an_application_that_reaches_out_of_its_project_is_refused_and_does_nothing(why, spec, refusal):
    async def story(place):
        await founded(place)
        await place.deploy(**{"project": "team", **spec})
        await place.settle(60)
        status = (await place.app())["status"]
        named = encode([status.get("conditions"), status.get("operationState", {}).get("message")]).decode()
        assert refusal in named, why
        assert await place.effects() == []

    told(story, town(files=FILES))


def test_row_20_an_application_in_a_namespace_that_no_setting_allows_is_not_looked_at():
    async def story(place):
        await founded(place)
        body = {**application(project="team"), "metadata": {"name": "web"}}
        await place.create("argoproj.io/v1alpha1/applications", body, "shop")
        await place.settle(30)
        assert await place.get("v1/configmaps", "a") is None
        assert await place.effects() == []

    told(story, town(files=FILES))


def test_row_20_a_live_object_outside_of_the_project_is_neither_shown_nor_pruned():
    async def story(place):
        await founded(place)
        mark = {"argocd.argoproj.io/tracking-id": "web:/ConfigMap:kube-system/theirs"}
        theirs = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "theirs", "annotations": mark}}
        await place.create("v1/configmaps", theirs, "kube-system")
        await place.deploy(project="team", metadata={"finalizers": ["resources-finalizer.argocd.argoproj.io"]})
        app = await place.synced()
        assert [each["name"] for each in app["status"]["resources"]] == ["a"]
        assert b"theirs" not in encode(app)
        await place.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
        await place.settle(120)
        assert await place.app() is None
        assert await place.get("v1/configmaps", "theirs", "kube-system") is not None

    told(story, town(files=FILES))


@pytest.mark.parametrize("path", ["elsewhere", "secret", "role"])
def test_row_24_manifests_that_somebody_brings_along_follow_the_same_rules(path):
    manifests = {
        "elsewhere": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "kube-system"}},
        "secret": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}},
        "role": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "x"}},
    }

    async def story(place):
        await founded(place)
        await place.deploy(project="team", automated=False)
        await place.settle()
        await place.sync(manifests=[encode(manifests[path]).decode()])
        await place.settle(30)
        state = (await place.app())["status"]["operationState"]
        assert state["phase"] in {"Failed", "Running", "Error"}
        assert "not permitted" in state["message"]
        assert await place.effects() == []

    told(story, town(files=FILES))


def test_row_24_overrides_in_an_operation_do_not_lead_to_another_repository():
    async def story(place):
        await founded(place)
        await place.deploy(project="team", automated=False)
        await place.settle()
        await place.sync(source={**SOURCE, "repoURL": "https://git.example.org/others.git"})
        await place.settle(30)
        state = (await place.app())["status"]["operationState"]
        assert state["phase"] == "Error"
        assert "is not permitted in project 'team'" in state["message"]
        assert await place.effects() == []

    told(story, town(files=FILES))
