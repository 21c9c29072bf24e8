import pytest

from plumbline.base.errors import InvalidInput
from plumbline.kube.client import Target, Writing
from plumbline.kube.client.targets import encode_query, write_query
from plumbline.kube.names import GroupVersionResource

PODS = GroupVersionResource("", "v1", "pods")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
ROLES = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (Target(PODS), "/api/v1/pods"),
        (Target(PODS, "default"), "/api/v1/namespaces/default/pods"),
        (Target(PODS, "default", "web", "log"), "/api/v1/namespaces/default/pods/web/log"),
        (Target(DEPLOYMENTS, "a", "web"), "/apis/apps/v1/namespaces/a/deployments/web"),
        (Target(ROLES, "", "system:node"), "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node"),
        (Target(ROLES, "", "odd name?x=1#"), "/apis/rbac.authorization.k8s.io/v1/clusterroles/odd%20name%3Fx%3D1%23"),
    ],
)
def test_a_target_has_one_path(target, path):
    assert target.path == path


@pytest.mark.parametrize("name", [".", "..", "a/b", "../secrets/x", "%2e%2e", "a\nb", "a\r\nHost: x"])
def test_a_name_cannot_lead_elsewhere(name):
    with pytest.raises(InvalidInput):
        _ = Target(PODS, "default", name).path
    with pytest.raises(InvalidInput):
        _ = Target(PODS, name, "x").path


@pytest.mark.parametrize("group", ["../..", "a/b", "a b"])
def test_a_group_cannot_lead_elsewhere(group):
    with pytest.raises(InvalidInput):
        _ = Target(GroupVersionResource(group, "v1", "things")).path


def test_a_target_reads_well_in_a_sentence():
    assert str(Target(DEPLOYMENTS, "a", "web", "scale")) == 'deployments.apps/scale "web" in namespace a'
    assert str(Target(ROLES)) == "clusterroles.rbac.authorization.k8s.io"


def test_a_query_holds_only_what_is_set_and_escapes_it():
    assert encode_query({"a": "", "labelSelector": "app in (x, y)&z"}) == "labelSelector=app%20in%20%28x%2C%20y%29%26z"


def test_force_is_for_apply_only():
    writing = Writing(field_manager="me & you", force=True, dry_run=True, validation="Strict")
    rest = "dryRun=All&fieldValidation=Strict"
    assert write_query(writing) == f"fieldManager=me%20%26%20you&{rest}"
    assert write_query(writing, apply=True) == f"fieldManager=me%20%26%20you&force=true&{rest}"


def test_an_apply_is_validated_anyway_and_nobody_asks_for_it():
    assert write_query(Writing(field_manager="me"), apply=True) == "fieldManager=me&fieldValidation=Ignore"
    assert write_query(Writing(field_manager="me")) == "fieldManager=me"
