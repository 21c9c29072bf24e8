import base64
from pathlib import Path

import pytest

from plumbline.base.errors import BadKubeconfig
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Connection, Trust
from plumbline.kube.client.parts import Impersonation

CANARY = "hunter2"
EXEC_V1 = "client.authentication.k8s.io/v1"
EXEC_BETA = "client.authentication.k8s.io/v1beta1"


def b64(text):
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def config(cluster=None, user=None, context=None, *, current="c"):
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": current,
        "clusters": [{"name": "k", "cluster": {"server": "https://api.example:6443"} | (cluster or {})}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"} | (context or {})}],
    }


@pytest.fixture
def load(tmp_path):
    """Load what is given as a file; further arguments go to `Connection.load`."""

    def load(content, environment=None, **options):
        path = tmp_path / "config"
        path.write_bytes(content if isinstance(content, bytes) else encode(content))
        return Connection.load(path, environment=environment or {}, **options)

    return load


def refused(load, content, **options):
    with pytest.raises(BadKubeconfig) as caught:
        load(content, **options)
    return caught.value


def test_a_context_names_server_user_and_namespace(load):
    got = load(
        config({"certificate-authority-data": b64("CA"), "tls-server-name": "x"}, {"token": "t"}, {"namespace": "n"})
    )
    assert (got.server, got.namespace) == ("https://api.example:6443", "n")
    assert (got.trust.authorities, got.trust.server_name, got.trust.insecure) == (b"CA", "x", False)
    assert got.user.token == Plaintext("t")


def test_the_default_namespace_is_default(load):
    assert load(config()).namespace == "default"


def test_another_context_can_be_chosen(load):
    content = config()
    content["clusters"].append({"name": "other", "cluster": {"server": "https://other"}})
    content["contexts"].append({"name": "d", "context": {"cluster": "other"}})
    assert load(content, context="d").server == "https://other"


def test_several_files_are_merged_and_the_first_wins(tmp_path):
    first = config({"server": "https://first"}, {"token": "one"})
    second = config({"server": "https://second"}, {"token": "two", "as": "jane"}, current="d")
    second["contexts"].append({"name": "d", "context": {"cluster": "k2", "user": "u2"}})
    second["clusters"].append({"name": "k2", "cluster": {"server": "https://k2"}})
    second["users"].append({"name": "u2", "user": {"tokenFile": "token"}})
    folder = tmp_path / "sub"
    folder.mkdir()
    paths = [tmp_path / "absent", tmp_path / "empty", tmp_path / "a", folder / "b", tmp_path / "a"]
    for path, content in zip(paths[1:4], (b"# nothing\n", encode(first), encode(second)), strict=True):
        path.write_bytes(content)
    variables = {"KUBECONFIG": ":".join(map(str, paths)) + ":"}
    got = Connection.load(environment=variables)
    assert (got.server, got.impersonate) == ("https://first", None), "an entry is taken whole or not at all"
    other = Connection.load(environment=variables, context="d")
    assert other.server == "https://k2"
    assert other.user.token_file == folder / "token", "paths are relative to the file that they stand in"


def test_without_anything_the_file_at_home_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_bytes(encode(config()))
    assert Connection.load(environment={}).server == "https://api.example:6443"


def test_no_kubeconfig_at_all_says_where_it_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(BadKubeconfig) as caught:
        Connection.load(environment={})
    assert str(tmp_path / ".kube" / "config") in caught.value.why
    with pytest.raises(BadKubeconfig):
        Connection.load(tmp_path / "absent")


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("https://api.example/k8s/clusters/c-1/", "https://api.example/k8s/clusters/c-1"),
        ("https://[::1]:6443", "https://[::1]:6443"),
        ("https://api.example/?x=1#y", "https://api.example"),
        ("http://127.0.0.1:8001", "http://127.0.0.1:8001"),
        ("localhost:8080", "http://localhost:8080"),
    ],
)
def test_servers_are_addresses(load, server, expected):
    assert load(config({"server": server})).server == expected


def test_a_bare_host_with_certificates_means_tls(load):
    assert load(config({"server": "api:6443", "certificate-authority-data": b64("CA")})).server == "https://api:6443"


@pytest.mark.parametrize(
    "server", ["", "ftp://x", "https://", "https://u:hunter2@api", "https://x:99999", "https://[bad"]
)
def test_what_is_no_address_is_refused(load, server):
    error = refused(load, config({"server": server}))
    assert "clusters[k].cluster.server" in error.why
    assert CANARY not in str(error)


def test_no_credentials_go_over_a_connection_in_the_clear(load):
    assert load(config({"server": "http://api.example"}, {"token": "t", "client-key": "/absent"})).user.token is None


def test_files_are_resolved_and_data_comes_first(load, tmp_path):
    (tmp_path / "ca.pem").write_bytes(b"FILE")
    user = {"client-certificate": "c.pem", "client-key": "/abs/k.pem"}
    got = load(config({"certificate-authority": "ca.pem"}, user))
    assert got.trust.authorities == b"FILE"
    assert (got.user.certificate_file, got.user.key_file) == (tmp_path / "c.pem", Path("/abs/k.pem"))
    user |= {"client-certificate-data": b64("C"), "client-key-data": b64("K")}
    got = load(config({"certificate-authority": "ca.pem", "certificate-authority-data": b64("DATA")}, user))
    assert got.trust.authorities == b"DATA"
    assert (got.user.certificate_file, got.user.key_file) == (None, None)
    assert (got.user.certificate.chain, got.user.certificate.key) == (b"C", Plaintext("K"))


def test_a_key_file_may_go_with_inline_certificates(load, tmp_path):
    got = load(config(None, {"client-certificate-data": b64("C"), "client-key": "k.pem"}))
    assert (got.user.certificate.chain, got.user.key_file) == (b"C", tmp_path / "k.pem")


def test_basic_authentication_and_impersonation(load):
    user = {
        "username": "u",
        "password": "p",
        "as": "jane",
        "as-uid": "7",
        "as-groups": ["g"],
        "as-user-extra": {"k": ["v"]},
    }
    got = load(config(None, user))
    assert got.user.basic == ("u", Plaintext("p"))
    assert got.impersonate == Impersonation("jane", ("g",), "7", {"k": ("v",)})


def test_an_exec_plugin_with_everything(load, tmp_path):
    cluster = {"extensions": [{"name": "other"}, {"name": "client.authentication.k8s.io/exec", "extension": {"a": 1}}]}
    plugin = {
        "apiVersion": EXEC_V1,
        "command": "./bin/login",
        "args": ["get-token"],
        "env": [{"name": "A", "value": CANARY}],
        "interactiveMode": "Never",
        "provideClusterInfo": True,
        "installHint": "brew install login",
    }
    got = load(config(cluster, {"exec": plugin})).user.exec_plugin
    assert (got.command, got.args) == (str(tmp_path / "bin" / "login"), ("get-token",))
    assert got.environment == (("A", Plaintext(CANARY)),)
    assert (got.api_version, got.interactive, got.provide_cluster) == (EXEC_V1, "Never", True)
    assert (got.cluster_config, got.install_hint) == ({"a": 1}, "brew install login")


def test_older_plugins_may_leave_the_mode_out_and_are_found_on_the_path(load):
    got = load(config(None, {"exec": {"apiVersion": EXEC_BETA, "command": "aws"}})).user.exec_plugin
    assert (got.command, got.interactive) == ("aws", "IfAvailable")


@pytest.mark.parametrize("first", [{"token": "t"}, {"username": "u", "password": "p"}, {"tokenFile": "f"}])
def test_what_is_written_down_comes_before_what_would_have_to_be_run(load, first):
    got = load(config(None, first | {"exec": {"apiVersion": EXEC_BETA, "command": "aws"}}))
    assert got.user.exec_plugin is None


@pytest.mark.parametrize(
    ("user", "field"),
    [
        ({"exec": {"command": "x"}}, "exec.apiVersion"),
        ({"exec": {"command": "x", "apiVersion": "client.authentication.k8s.io/v1alpha1"}}, "exec.apiVersion"),
        ({"exec": {"apiVersion": EXEC_BETA}}, "exec.command"),
        ({"exec": {"apiVersion": EXEC_V1, "command": "x"}}, "exec.interactiveMode"),
        ({"exec": {"apiVersion": EXEC_V1, "command": "x", "interactiveMode": "Maybe"}}, "exec.interactiveMode"),
        ({"exec": {"apiVersion": EXEC_BETA, "command": "x", "env": [{"name": "", "value": "v"}]}}, "exec.env"),
        ({"auth-provider": {"name": "gcp", "config": {"access-token": CANARY}}}, "auth-provider"),
        ({"client-certificate-data": b64("C")}, "client-key"),
    ],
)
def test_users_that_cannot_work_are_refused_by_field(load, user, field):
    error = refused(load, config(None, user))
    assert f"users[u].user.{field}" in error.why
    assert "context 'c'" in error.what
    assert CANARY not in f"{error} {error.hint}"


def test_a_server_cannot_be_both_checked_and_unchecked(load):
    assert load(config({"insecure-skip-tls-verify": True})).trust.insecure
    error = refused(load, config({"insecure-skip-tls-verify": True, "certificate-authority-data": b64("CA")}))
    assert "insecure-skip-tls-verify" in error.why


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"current-context": ""}, "current-context"),
        ({"current-context": "x"}, "contexts[x]"),
        ({"clusters": []}, "clusters[k]"),
        ({"users": None}, "users[u]"),
        ({"contexts": [{"name": "c"}]}, "clusters[]"),
    ],
)
def test_what_is_missing_is_named_with_what_there_is(load, change, field):
    assert field in refused(load, config() | change).why


@pytest.mark.parametrize(
    "content",
    [
        b"token: [hunter2",
        b"- hunter2",
        b"hunter2",
        b"a: 1\n---\nb: hunter2",
        b"users: [{name: u, user: {token: {a: hunter2}}}]",
        b"users: [{name: u, user: {client-key-data: 'hunter2 !!'}}]",
        b"users: [{name: u, user: {client-key-data: 5}}]",
        b"users: {hunter2: 1}",
        b"clusters: [{name: k, cluster: {insecure-skip-tls-verify: hunter2}}]",
        b"&a [*a, hunter2]",
        b"x: " + b"hunter2" * 1_000_000,
        b"\xff\xfe",
    ],
)
def test_a_broken_file_is_refused_without_quoting_it(load, content):
    error = refused(load, content)
    assert "config" in error.what
    assert CANARY not in f"{error} {error.hint} {error.__cause__}"


def test_empty_fields_count_as_absent_and_unknown_ones_are_left_alone(load):
    text = b"""
    apiVersion: v1
    kind: Config
    preferences: {}
    x-mine: {deep: [1, 2]}
    current-context: c
    clusters: [{name: k, cluster: {server: "https://a", certificate-authority: null, extensions: null, odd: 1}}]
    users: [{name: u, user: {token: null, exec: null}}]
    contexts: [{name: c, context: {cluster: k, user: u, namespace: null}}]
    """
    assert load(text).server == "https://a"


def test_a_certificate_authority_that_cannot_be_read_is_refused(load):
    assert "certificate-authority" in refused(load, config({"certificate-authority": "absent"})).what


@pytest.mark.parametrize(
    ("cluster", "user", "allow", "field"),
    [
        ({}, {"exec": {"apiVersion": EXEC_BETA, "command": "sh"}}, Trust(allow_exec=False), "exec"),
        ({}, {"token": "t", "exec": {"apiVersion": EXEC_BETA, "command": "sh"}}, Trust(allow_exec=False), "exec"),
        ({}, {"tokenFile": "/etc/shadow"}, Trust(allow_files=False), "tokenFile"),
        ({}, {"client-certificate": "/x", "client-key-data": b64("K")}, Trust(allow_files=False), "client-certificate"),
        ({"certificate-authority": "/etc/passwd"}, {}, Trust(allow_files=False), "certificate-authority"),
        ({"insecure-skip-tls-verify": True}, {}, Trust(allow_insecure=False), "insecure-skip-tls-verify"),
        ({"server": "http://api.example"}, {}, Trust(allow_insecure=False), "server"),
        ({"proxy-url": "http://evil.example"}, {}, Trust(allow_proxy=False), "proxy-url"),
    ],
)
def test_a_kubeconfig_from_elsewhere_may_only_be_connected_to(cluster, user, allow, field):
    text = encode(config(cluster, user))
    for options in ({}, {"trust": allow}):
        with pytest.raises(BadKubeconfig) as caught:
            Connection.parse(text, "Secret a/kubeconfig", **options)
        assert field in caught.value.why
        assert "Secret a/kubeconfig" in caught.value.what


def test_a_kubeconfig_from_elsewhere_works_where_it_asks_for_nothing(load):
    cluster = {"certificate-authority-data": b64("CA")}
    got = Connection.parse(encode(config(cluster, {"token": "t"})), "Secret a/kubeconfig")
    assert got.user.token == Plaintext("t")
    allowed = Trust(allow_exec=True, allow_files=False, allow_insecure=False, allow_proxy=False)
    plugin = {"exec": {"apiVersion": EXEC_BETA, "command": "aws"}}
    assert Connection.parse(encode(config(cluster, plugin)), "x", trust=allowed).user.exec_plugin.command == "aws"


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ({}, True),
        ({"disable-compression": True}, False),
        ({"server": "https://127.0.0.1:6443"}, False),
        ({"server": "https://localhost"}, False),
    ],
)
def test_compression_is_for_networks(load, cluster, expected):
    assert load(config(cluster)).compress is expected


def test_no_secret_is_ever_printed(load):
    user = {
        "token": CANARY,
        "password": CANARY,
        "username": "u",
        "client-key-data": b64(CANARY),
        "client-certificate-data": b64("C"),
    }
    got = load(config({"proxy-url": f"http://u:{CANARY}@proxy"}, user))
    plugin = load(
        config(None, {"exec": {"apiVersion": EXEC_BETA, "command": "x", "env": [{"name": "A", "value": CANARY}]}})
    )
    assert CANARY not in repr((got, plugin))
    assert CANARY not in str((got, plugin))


@pytest.fixture
def pod(tmp_path):
    (tmp_path / "token").write_text("t\n")
    (tmp_path / "ca.crt").write_text("CA")
    return tmp_path


@pytest.mark.parametrize(
    ("host", "server"), [("10.0.0.1", "https://10.0.0.1:443"), ("fd00::1", "https://[fd00::1]:443")]
)
def test_a_pod_uses_its_service_account(pod, host, server):
    variables = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": "443"}
    got = Connection.in_cluster(environment=variables, folder=pod)
    assert (got.server, got.namespace, got.compress) == (server, "default", False)
    assert (got.trust.authorities, got.user.token_file) == (b"CA", pod / "token")
    (pod / "namespace").write_text("mine\n")
    assert Connection.in_cluster(environment=variables, folder=pod).namespace == "mine"


def test_outside_of_a_pod_there_is_no_service_account(pod, monkeypatch, tmp_path):
    with pytest.raises(BadKubeconfig):
        Connection.in_cluster(environment={}, folder=pod)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    with pytest.raises(BadKubeconfig, match="certificate-authority"):
        Connection.load(environment={"KUBERNETES_SERVICE_HOST": "h", "KUBERNETES_SERVICE_PORT": "1"})
