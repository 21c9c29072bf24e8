"""ExternalSecrets, typed: what people write is read, defaults are upstream's, and what they get wrong is named."""

import pytest

from plumbline.base.errors import InvalidInput, UnknownKind
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.externalsecrets import EXTERNAL_SECRET, EXTERNAL_SECRETS_KINDS
from plumbline.kinds.read import read
from plumbline.kinds.values import written

ITEM = {"secretKey": "password", "remoteRef": {"key": "shop/db"}}


def external(spec, version="v1", **more):
    metadata = {"name": "db", "namespace": "shop"}
    at = f"external-secrets.io/{version}"
    return {"apiVersion": at, "kind": "ExternalSecret", "metadata": metadata, "spec": spec, **more}


def test_defaults_are_upstreams():
    spec = read(EXTERNAL_SECRET, external({"data": [ITEM]})).spec
    assert (spec.secret_store_ref.kind, spec.secret_store_ref.name) == ("SecretStore", "")
    assert (spec.refresh_policy, str(spec.refresh_interval), spec.sync_windows) == ("Periodic", "1h0m0s", None)
    target = spec.target
    assert (target.name, target.creation_policy, target.deletion_policy) == ("", "Owner", "Retain")
    assert (target.immutable, target.template, target.manifest) == (False, None, None)
    remote = spec.data[0].remote_ref
    assert (remote.metadata_policy, remote.conversion_strategy, remote.decoding_strategy) == ("None", "Default", "None")
    assert (remote.property, remote.version, remote.null_byte_policy) == ("", "", "Ignore")


EVERYTHING = {
    "secretStoreRef": {"name": "vault", "kind": "ClusterSecretStore"},
    "refreshPolicy": "OnChange",
    "refreshInterval": "15m0s",
    "syncWindows": {"kind": "deny", "windows": [{"schedule": "0 22 * * 1-5", "duration": "8h0m0s"}]},
    "target": {
        "name": "database",
        "creationPolicy": "CreateOrMerge",
        "deletionPolicy": "Merge",
        "immutable": True,
        "manifest": {"apiVersion": "v1", "kind": "ConfigMap"},
        "template": {
            "type": "Opaque",
            "mergePolicy": "Merge",
            "metadata": {"annotations": {"a": "b"}, "labels": {"c": "d"}, "finalizers": ["shop.example/keep"]},
            "data": {"url": "postgres://{{ .password }}"},
            "templateFrom": [
                {"configMap": {"name": "t", "items": [{"key": "k", "templateAs": "KeysAndValues"}]}},
                {"secret": {"name": "t", "items": [{"key": "k"}]}, "target": "Annotations"},
                {"literal": "{{ .a }}: {{ .b }}", "target": "Labels", "valuesDecodingStrategy": "Base64"},
            ],
        },
    },
    "data": [
        {
            "secretKey": "password",
            "remoteRef": {
                "key": "shop/db",
                "property": "password",
                "version": "3",
                "metadataPolicy": "Fetch",
                "conversionStrategy": "Unicode",
                "decodingStrategy": "Auto",
                "nullBytePolicy": "Fail",
            },
            "sourceRef": {"storeRef": {"name": "other"}},
        }
    ],
    "dataFrom": [
        {"extract": {"key": "shop/db"}, "rewrite": [{"regexp": {"source": "^", "target": "db_"}}]},
        {"find": {"path": "shop", "name": {"regexp": "db"}, "tags": {"team": "shop"}, "nullBytePolicy": "Fail"}},
        {"sourceRef": {"generatorRef": {"kind": "Password", "name": "made"}}},
        {
            "find": {"tags": {"a": "b"}},
            "rewrite": [
                {"transform": {"template": "{{ .value | upper }}"}},
                {"merge": {"into": "all", "strategy": "JSON", "priority": ["a"], "priorityPolicy": "IgnoreNotFound"}},
                {"merge": {"conflictPolicy": "Ignore"}},
            ],
        },
    ],
}


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_everything_that_can_be_said_is_read_and_written_back(version):
    got = read(EXTERNAL_SECRET, external(EVERYTHING, version))
    assert got.unknown == ()
    assert written(got.spec) == EVERYTHING


def test_a_version_that_is_long_gone_is_refused():
    with pytest.raises(UnknownKind, match="v1alpha1"):
        read(EXTERNAL_SECRET, external({"data": [ITEM]}, "v1alpha1"))


WRONG = [
    ({"data": [{"secretKey": "a"}]}, "spec.data[0].remoteRef"),
    ({"data": [{"secretKey": "", "remoteRef": {"key": "a"}}]}, "spec.data[0].secretKey"),
    ({"data": [{"secretKey": "a", "remoteRef": {}}]}, "spec.data[0].remoteRef.key"),
    ({"refreshInterval": "hourly"}, "spec.refreshInterval"),
    ({"refreshPolicy": "Sometimes"}, "spec.refreshPolicy"),
    ({"secretStoreRef": {"kind": "Store"}}, "spec.secretStoreRef.kind"),
    ({"target": {"creationPolicy": "Perhaps"}}, "spec.target.creationPolicy"),
    ({"target": {"template": {"engineVersion": "v1"}}}, "spec.target.template.engineVersion"),
    ({"target": {"template": {"templateFrom": [{"secret": {"name": "a"}}]}}}, "spec.target.template.templateFrom[0].secret.items"),
    ({"syncWindows": {"kind": "allow", "windows": []}}, "spec.syncWindows.windows"),
    ({"syncWindows": {"kind": "allow", "windows": [{"schedule": "@daily"}]}}, "spec.syncWindows.windows[0].duration"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "path"), WRONG, ids=[path for _, path in WRONG])
def test_what_cannot_be_used_is_named(spec, path):
    with pytest.raises(InvalidInput) as refusal:
        read(EXTERNAL_SECRET, external(spec))
    assert path in refusal.value.what


def test_a_generator_of_a_newer_upstream_is_read_though_nothing_runs_it():
    source = {"generatorRef": {"kind": "GitlabDeployToken", "name": "a"}}
    spec = read(EXTERNAL_SECRET, external({"dataFrom": [{"sourceRef": source}]})).spec
    assert spec.data_from[0].source_ref.generator_ref.kind == "GitlabDeployToken"


def test_a_status_that_upstream_wrote_is_read():
    status = {
        "refreshTime": "2026-01-31T12:00:00Z",
        "syncedResourceVersion": "1-abc",
        "binding": {"name": "db"},
        "conditions": [{"type": "Ready", "status": "True", "reason": "SecretSynced", "message": "secret synced"}],
    }
    got = read(EXTERNAL_SECRET, external({"data": [ITEM]}, status=status))
    assert got.unreadable == ()
    assert (got.status.binding.name, got.status.conditions[0].reason) == ("db", "SecretSynced")
    assert str(got.status.refresh_time) == "2026-01-31T12:00:00Z"


def test_a_refresh_time_of_null_is_none():
    got = read(EXTERNAL_SECRET, external({"data": [ITEM]}, status={"refreshTime": None}))
    assert (got.status.refresh_time, got.unreadable) == (None, ())


OF_TWO_VERSIONS = [kind for kind in EXTERNAL_SECRETS_KINDS if len(kind.versions) > 1]


@pytest.mark.parametrize("kind", OF_TWO_VERSIONS, ids=lambda kind: kind.kind)
def test_both_versions_are_served_with_one_schema_and_the_older_one_warns(kind):
    newer, older = crd_manifest(kind)["spec"]["versions"]
    assert (newer["name"], newer["served"], newer["storage"], newer.get("deprecated")) == ("v1", True, True, None)
    assert (older["name"], older["served"], older["storage"], older["deprecated"]) == ("v1beta1", True, False, True)
    assert older["schema"] == newer["schema"]
