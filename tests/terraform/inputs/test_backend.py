"""Where the state is kept, as the tool is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.terraform.objects import TERMS, Cluster, config_map, secret, terraform

from plumbline.base.errors import InvalidInput
from plumbline.ownership.hcl import read_hcl
from plumbline.terraform.inputs import Kept, Reach, Ungathered, gathered
from plumbline.terraform.inputs.backend import BACKEND_FILE, backend, custom_block
from plumbline.terraform.inputs.quoting import quoted

OUTSIDE = Reach("~/.kube/plumbline")
INSIDE = Reach()


def made(spec=None, reach=INSIDE, **names):
    subject = terraform(spec, **names)
    return backend(subject.ref, subject.spec, reach)


def settings(found):
    """The attributes of the one block within, each as the text of its value."""
    [outer] = read_hcl(found.block).blocks
    [inner] = outer.body.blocks
    lines = [line.split("=", 1) for line in found.block.splitlines() if "=" in line]
    return outer.type, inner.type, inner.labels, {name.strip(): value.strip() for name, value in lines}


KUBERNETES = [
    (None, Reach(), {"secret_suffix": '"net"', "in_cluster_config": "true", "namespace": '"team-a"'}, "by default"),
    (
        None,
        OUTSIDE,
        {"secret_suffix": '"net"', "in_cluster_config": "false", "config_path": '"~/.kube/plumbline"', "namespace": '"team-a"'},
        "outside of a pod, with the kubeconfig that is put there",
    ),
    (
        {"secretSuffix": "other", "inClusterConfig": True},
        Reach(),
        {"secret_suffix": '"other"', "in_cluster_config": "true", "namespace": '"team-a"'},
        "under another name",
    ),
    (
        {"secretSuffix": "other", "inClusterConfig": True},
        OUTSIDE,
        {"secret_suffix": '"other"', "in_cluster_config": "false", "config_path": '"~/.kube/plumbline"', "namespace": '"team-a"'},
        "what only a pod has is not asked for outside of one",
    ),
    (
        {"configPath": "/home/runner/.kube/config"},
        OUTSIDE,
        {"secret_suffix": '"net"', "in_cluster_config": "false", "config_path": '"~/.kube/config"', "namespace": '"team-a"'},
        "a kubeconfig of the object's own, in the home of upstream's runners",
    ),
    (
        {"configPath": "/mnt/kubeconfig", "labels": {"a": "b"}},
        Reach(),
        {"secret_suffix": '"net"', "in_cluster_config": "false", "config_path": '"/mnt/kubeconfig"', "namespace": '"team-a"'},
        "labels are never in it; volumes of a pod may be named",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("config", "reach", "expected", "why"), KUBERNETES, ids=[each[-1] for each in KUBERNETES])
def test_state_is_in_secrets_beside_the_object(config, reach, expected, why):
    found = made({"backendConfig": config} if config is not None else {}, reach)
    assert settings(found) == ("terraform", "backend", ("kubernetes",), expected)
    assert not found.stateless
    assert found.kept == Kept("team-a", expected["secret_suffix"].strip('"'))


def test_labels_of_the_object_are_not_part_of_the_backend():
    assert made(labels={"team": "a"}).block == made().block


def test_a_disabled_backend_is_the_modules_own():
    found = made({"backendConfig": {"disable": True, "customConfiguration": "x"}})
    assert (found.block, found.kept, found.stateless) == ("", None, True)


CUSTOM = [
    'backend "s3" {\n  bucket = "b"\n  key = "k"\n}',
    'backend "s3" { bucket = "a}b" } # } resource',
    'required_version = ">= 1.5"\nbackend "local" {}',
    'backend "http" {\n  address = "https://x/${terraform.workspace}"\n}',
    'encryption {\n  method "aes_gcm" "m" { keys = key_provider.pbkdf2.p }\n}\nbackend "gcs" { bucket = "b" }',
    '/* with a } in it */ cloud {\n  organization = "o"\n}',
]


@pytest.mark.parametrize("text", CUSTOM)
def test_a_custom_backend_is_all_that_is_in_the_block(text):
    found = made({"backendConfig": {"customConfiguration": text}})
    assert found.block == f"terraform {{\n{text}\n}}\n"
    assert [block.type for block in read_hcl(found.block).blocks] == ["terraform"]
    assert (found.kept, found.stateless) == (None, False)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('} resource "null_resource" "x" {', "it ends the block and begins another"),
        ('backend "s3" {} } resource "x" "y" { a = 1', "same"),
        ('backend "s3" {', "it does not end"),
        ('backend "s3" {}\nresource "x" "y" {}', "something that is no setting"),
        ('backend "s3" {}\nbackend "gcs" {}', "two backends"),
        ("required_version = 1", "none"),
        ('bucket = "b"', "only the inner part of one"),
        ('backend "s3" {}\nbucket = "b"', "settings outside of it"),
        ('backend "s3" {}\n/* no end', "a comment that hides what follows"),
        ('backend "s3" { a = "no end }', "a text that does"),
        ('backend "s3" {\n a = <<E\n}\nE\n}', "a heredoc, whose end is read differently by different readers"),
        ("{" * 100, "deeper than is read"),
        ("", "nothing is handled elsewhere"),
    ],
)
def test_a_custom_backend_that_is_more_than_one_is_refused(text, why):
    with pytest.raises(InvalidInput):
        custom_block(text)


HOSTILE = 'a"\n}\nresource "x" "y" {\n  z = "${file("/etc/passwd")}'


@pytest.mark.parametrize(
    "spec",
    [
        {"backendConfig": {"secretSuffix": HOSTILE}},
        {"backendConfig": {"secretSuffix": "UPPER"}},
        {"backendConfig": {"configPath": "/root/.kube/config"}},
        {"backendConfig": {"configPath": "~/../x"}},
        {"backendConfig": {"configPath": "/home/runner/../../etc/x"}},
        {"cloud": {"organization": "o", "workspaces": {}}},
        {"cloud": {"organization": "o", "workspaces": {"name": "w"}, "hostname": HOSTILE}},
        {"cloud": {"organization": "o", "workspaces": {"name": "w"}, "hostname": "tfe:8443", "token": "t"}},
    ],
)
def test_what_would_say_something_else_is_refused(spec):
    with pytest.raises(InvalidInput):
        made(spec, OUTSIDE)


def test_texts_stay_texts_whatever_they_hold():
    found = made(
        {"cloud": {"organization": HOSTILE, "workspaces": {"name": HOSTILE, "tags": [HOSTILE, "%{ if true }"]}}}
    )
    [outer] = read_hcl(found.block).blocks
    assert [block.type for block in outer.body.blocks] == ["cloud"]
    assert "${" not in found.block
    assert "%{" not in found.block


def test_a_cloud_block_has_no_token_in_it():
    spec = {
        "cloud": {
            "organization": "o",
            "workspaces": {"name": "w", "tags": ["a", "b"]},
            "token": "canary",
            "hostname": "TFE.my-org.io",
        }
    }
    found = made(spec)
    assert found.block == (
        'terraform {\n  cloud {\n    organization = "o"\n    hostname     = "tfe.my-org.io"\n'
        '    workspaces {\n      name = "w"\n      tags = ["a", "b"]\n    }\n  }\n}\n'
    )
    assert [(each.name, each.value.reveal()) for each in found.environment] == [("TF_TOKEN_tfe_my__org_io", b"canary")]
    assert found.stateless
    assert "canary" not in repr(found)


def test_a_token_is_for_the_usual_host_where_none_is_named():
    found = made({"cloud": {"organization": "o", "workspaces": {"name": "w"}, "token": "t"}})
    assert [each.name for each in found.environment] == ["TF_TOKEN_app_terraform_io"]
    assert "hostname" not in found.block
    assert made({"cloud": {"organization": "o", "workspaces": {"name": "w"}}}).environment == ()


@given(st.text())
def test_a_quoted_text_reads_back_as_itself(text):
    body = read_hcl(f"a = {quoted(text)}\n")
    [token] = body.attributes["a"]._words
    assert token.value.parts == ((text,) if text else ())


async def test_settings_of_the_backend_come_from_secrets_and_config_maps():
    subject = terraform({
        "backendConfigsFrom": [
            {"kind": "Secret", "name": "s"},
            {"kind": "ConfigMap", "name": "c", "keys": ["region"]},
            {"kind": "ConfigMap", "name": "no", "optional": True},
            {"kind": "ConfigMap", "name": "c", "keys": ["none"], "optional": True},
        ]
    })  # fmt: skip
    cluster = Cluster(
        secret({"secret_suffix": "x", "access_key": "canary"}), config_map({"region": "eu", "other": "o"})
    )
    found = await gathered(subject.ref, subject.spec, cluster, TERMS)
    assert [(each.name, each.value.reveal().decode()) for each in found.workplace.backend] == [
        ("access_key", "canary"),
        ("secret_suffix", "x"),
        ("region", "eu"),
    ]
    assert found.kept == Kept("team-a", "x")
    assert "canary" not in repr(found)
    assert [each.path for each in found.workplace.files if each.path == BACKEND_FILE] == [BACKEND_FILE]


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ({"kind": "Secret", "name": "no"}, 'secrets "no" not found'),
        ({"kind": "Secret", "name": "s", "keys": ["no"]}, "no key 'no'"),
        ({"kind": "Secret", "name": "s"}, "one is binary"),
    ],
)
async def test_settings_that_are_not_there_stop_the_run(reference, said):
    subject = terraform({"backendConfigsFrom": [reference]})
    found = await gathered(subject.ref, subject.spec, Cluster(secret({"a": b"\0"})), TERMS)
    assert found.reason == "TFExecInitFailed"
    assert said in str(found.error)


NAMED_ELSEWHERE = terraform({"backendConfigsFrom": [{"kind": "Secret", "name": "s"}]})
ELSEWHERE = Cluster(secret({"namespace": "team-b", "secret_suffix": "vault"}))


async def test_nobody_has_the_state_of_another_namespace_read_locked_or_copied():
    found = await gathered(NAMED_ELSEWHERE.ref, NAMED_ELSEWHERE.spec, ELSEWHERE, TERMS)
    assert isinstance(found, Ungathered)
    assert found.reason == "AccessDenied"
    assert "team-b" in str(found.error)


async def test_state_is_in_another_namespace_where_that_is_allowed():
    found = await gathered(NAMED_ELSEWHERE.ref, NAMED_ELSEWHERE.spec, ELSEWHERE, TERMS._replace(cross_namespace=True))
    assert found.kept == Kept("team-b", "vault")
