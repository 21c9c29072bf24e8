"""What was written for people counts for who asks next, before any watch has told it."""

import pytest

from plumbline.base.json import encode
from plumbline.delivery.installation import Installation
from plumbline.kernel.world import real_world
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

SECRETS = GroupVersionResource("", "v1", "secrets")
TYPE = "argocd.argoproj.io/secret-type"


def written(name, namespace="argocd", **labels):
    metadata = {"name": name, "namespace": namespace, "uid": name, "resourceVersion": "7", "labels": labels}
    return encode({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"url": "aHR0cHM6Ly9n"}})


@pytest.fixture
def installation():
    return Installation(None, "argocd", real_world())


def test_a_repository_is_known_as_soon_as_it_is_added(installation):
    told = []
    installation.subscribe(lambda: told.append(len(installation.secrets("repository"))))
    installation.learn(Target(SECRETS, "argocd", "shop"), written("shop", **{TYPE: "repository"}))
    assert told == [1]


@pytest.mark.parametrize(
    ("namespace", "labels", "why"),
    [("argocd", {}, "nobody marked it, so that no watch would ever tell its end"), ("team", {TYPE: "repository"}, "it is elsewhere")],
)  # fmt: skip
def test_what_is_no_setting_is_not_remembered(installation, namespace, labels, why):
    installation.learn(Target(SECRETS, namespace, "a"), written("a", namespace, **labels))
    assert not list(installation._marked.cache), why
    assert not list(installation._own.cache), why


def test_so_is_a_project(installation):
    project = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "team", "namespace": "argocd", "uid": "u", "resourceVersion": "7"},
        "spec": {"sourceRepos": ["*"]},
    }
    installation.learn(Target(APP_PROJECT.resource, "argocd", "team"), encode(project))
    assert installation.projects["team"].spec.source_repos == ("*",)
