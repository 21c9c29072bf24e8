import pytest

from plumbline.kube.names import GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource, Ref

DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}


@pytest.mark.parametrize(("text", "expected"), [("v1", ("", "v1")), ("apps/v1", ("apps", "v1")), ("", ("", ""))])
def test_api_versions_are_read_and_printed(text, expected):
    assert GroupVersion.parse(text) == expected
    assert str(GroupVersion.parse(text)) == text


def test_kinds_print_as_the_server_prints_them():
    assert str(GroupVersionKind("apps", "v1", "Deployment")) == "apps/v1, Kind=Deployment"
    assert str(GroupVersionKind("", "v1", "Pod")) == "/v1, Kind=Pod"
    assert str(GroupKind("apps", "Deployment")) == "Deployment.apps"
    assert str(GroupKind("", "Pod")) == "Pod"


def test_resources_have_a_place_under_the_root():
    deployments = GroupVersionResource("apps", "v1", "deployments")
    pods = GroupVersionResource("", "v1", "pods")
    assert (str(deployments), deployments.root, deployments.api_version) == (
        "deployments.apps",
        "/apis/apps/v1",
        "apps/v1",
    )
    assert (str(pods), pods.root, pods.api_version) == ("pods", "/api/v1", "v1")


def test_objects_tell_what_they_are():
    assert GroupVersionKind.of(DEPLOYMENT) == ("apps", "v1", "Deployment")
    assert GroupVersionKind.of(DEPLOYMENT).group_kind == ("apps", "Deployment")
    assert GroupVersionKind.of(DEPLOYMENT).api_version == "apps/v1"
    assert str(Ref.of(DEPLOYMENT)) == "Deployment.apps/shop/web"
    assert str(Ref.of({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1"}})) == "Node/n1"
