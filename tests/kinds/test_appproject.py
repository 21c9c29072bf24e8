import pytest

from plumbline.base.errors import InvalidInput
from plumbline.kinds.appproject import APP_PROJECT, AppProjectSpec
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.read import read
from plumbline.kinds.values import written

SPEC = {
    "sourceRepos": ["https://git.example.org/shop/*", "!https://git.example.org/shop/secret.git"],
    "destinations": [{"server": "https://kubernetes.default.svc", "namespace": "shop-*"}, {"name": "edge"}],
    "description": "Everything of the shop.",
    "roles": [
        {
            "name": "deployer",
            "description": "CI",
            "policies": ["p, proj:shop:deployer, applications, sync, shop/*, allow"],
            "groups": ["shop-developers"],
            "jwtTokens": [{"iat": 1535390316, "exp": 1535393916, "id": "ci"}],
        }
    ],
    "clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "shop-*"}],
    "clusterResourceBlacklist": [{"group": "rbac.authorization.k8s.io", "kind": "*"}],
    "namespaceResourceWhitelist": [{"group": "apps", "kind": "Deployment"}],
    "namespaceResourceBlacklist": [{"group": "", "kind": "ResourceQuota"}],
    "orphanedResources": {"warn": True, "ignore": [{"kind": "ConfigMap", "name": "kube-root-ca.crt"}]},
    "syncWindows": [
        {
            "kind": "deny",
            "schedule": "0 22 * * *",
            "duration": "1h30m",
            "applications": ["*-prod"],
            "namespaces": ["shop"],
            "clusters": ["edge"],
            "manualSync": True,
            "timeZone": "Europe/Berlin",
            "andOperator": True,
            "description": "OPS-1",
            "syncOverrun": True,
        }
    ],
    "signatureKeys": [{"keyID": "4AEE18F83AFDEB23"}],
    "sourceIntegrity": {
        "git": {
            "policies": [
                {"repos": [{"url": "https://git.example.org/**"}], "gpg": {"mode": "strict", "keys": ["4AEE18F8"]}}
            ]
        }
    },
    "sourceNamespaces": ["shop-apps"],
    "permitOnlyProjectScopedClusters": True,
    "destinationServiceAccounts": [
        {"server": "https://kubernetes.default.svc", "namespace": "shop", "defaultServiceAccount": "deployer"}
    ],
}


def project(spec, **others):
    metadata = {"name": "shop", "namespace": "argocd"}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": metadata, "spec": spec} | others


def test_every_field_survives_a_round_trip():
    got = read(APP_PROJECT, project(SPEC))
    assert got.unknown == ()
    assert written(got.spec) == SPEC


def test_every_declared_field_is_in_the_example():
    assert set(SPEC) == set(AppProjectSpec.__struct_encode_fields__)


def test_an_absent_list_and_an_empty_one_differ_where_upstream_tells_them_apart():
    assert read(APP_PROJECT, project({})).spec.namespace_resource_whitelist is None
    assert read(APP_PROJECT, project({"namespaceResourceWhitelist": []})).spec.namespace_resource_whitelist == ()


def test_a_window_that_cannot_be_read_does_not_take_the_project_with_it():
    spec = read(APP_PROJECT, project({"syncWindows": [{"duration": "1h30m"}, {"duration": "1 day"}]})).spec
    assert spec.sync_windows[0].length().seconds == 5400
    with pytest.raises(InvalidInput, match="1 day"):
        spec.sync_windows[1].length()


def test_fields_of_a_newer_upstream_are_kept_and_reported():
    obj = project({"roles": [{"name": "a", "newIn4": {}}], "quotas": 3})
    got = read(APP_PROJECT, obj)
    assert got.unknown == ("spec.roles[0].newIn4", "spec.quotas")
    assert got.raw["spec"]["quotas"] == 3


def test_tokens_are_in_the_status():
    status = {"jwtTokensByRole": {"deployer": {"items": [{"iat": 1}]}}}
    assert read(APP_PROJECT, project({}, status=status)).status.jwt_tokens_by_role["deployer"].items[0].issued_at == 1


def test_status_is_written_with_the_object_as_upstream_does():
    assert "subresources" not in crd_manifest(APP_PROJECT)["spec"]["versions"][0]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.crd_name)
def test_every_field_of_every_kind_is_documented(kind):
    for version in crd_manifest(kind)["spec"]["versions"]:
        bare = set(_undocumented(version["schema"]["openAPIV3Schema"]["properties"].get("spec", {}), "spec"))
        assert {path for path in bare if path.rpartition(".")[2] not in SELF_EXPLANATORY} == set()


SELF_EXPLANATORY = {
    *("group", "kind", "name", "namespace", "version", "value", "path", "id", "policies", "ignoreDifferences"),
    *("labels", "annotations", "annotationSelector", "labelSelector", "repoURL", "targetBranch", "targetRevision"),
    # Kustomize's own words, and those of plugins, which say there what they are.
    *("namePrefix", "nameSuffix", "commonLabels", "commonAnnotations", "replicas", "count", "components"),
    *("patches", "patch", "options", "kubeVersion", "apiVersions", "env", "parameters", "string", "map", "array"),
}
"""Names that say it all, wherever they stand."""


def _undocumented(schema, path):
    for name, child in schema.get("properties", {}).items():
        below = f"{path}.{name}"
        if "description" not in child:
            yield below
        yield from _undocumented(child, below)
    if "items" in schema:
        yield from _undocumented(schema["items"], f"{path}[]")
