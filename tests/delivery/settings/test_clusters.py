"""Cluster Secrets: what they say, what they may not ask for (row 34), and which cluster is meant."""

import pytest
from tests.delivery.settings.building import CA, CERT, KEY, cluster_secret, secret

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.settings import Cluster, Clusters, read_clusters
from plumbline.delivery.settings.clusters import IN_CLUSTER_SERVER, THIS, read_cluster
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.kube.client import Trust
from plumbline.kube.client.parts import Certificate, Proxy, ServerTrust

TOKEN = {"bearerToken": "hush", "tlsClientConfig": {"caData": CA, "serverName": "api"}}
EXEC = {"execProviderConfig": {"command": "steal", "args": ["a"], "env": {"A": "b"}, "apiVersion": "v1"}}
AWS = {"awsAuthConfig": {"clusterName": "c", "roleARN": "r", "profile": "p"}}


def test_a_cluster_is_what_its_secret_says():
    found = read_cluster(
        cluster_secret(
            config=TOKEN,
            namespaces="a, b,,",
            clusterResources="true",
            project="shop",
            shard="3",
            server="https://x:6443/",
        )
    )
    assert (found.name, found.server, found.namespaces) == ("east", "https://x:6443", ("a", "b"))
    assert (found.cluster_resources, found.project, found.shard) == (True, "shop", 3)
    assert found.labels == {"tier": "prod"}
    assert found.connection.user.token == Plaintext("hush")
    assert found.connection.trust == ServerTrust(b"the ca", False, "api")
    assert found.connection.compress
    assert "hush" not in repr(found)


def test_a_certificate_a_password_and_a_proxy():
    tls = {"certData": CERT, "keyData": KEY}
    config = {"username": "u", "password": "p", "tlsClientConfig": tls, "proxyUrl": "http://u:p@proxy:3128"}
    way = read_cluster(cluster_secret(config=config)).connection
    assert way.user.basic == ("u", Plaintext("p"))
    assert way.user.certificate == Certificate(b"the certificate", Plaintext("the key"))
    assert isinstance(way.proxy, Proxy)
    assert way.proxy.url == "http://proxy:3128"


@pytest.mark.parametrize(
    ("config", "server", "said"),
    [
        (EXEC, "https://x", "execProviderConfig would run a command"),
        (AWS, "https://x", "awsAuthConfig: the server x is no endpoint of EKS"),
        ({"tlsClientConfig": {"insecure": True}}, "https://x", "the server would not be checked"),
        ({}, "http://x", "server is not https"),
        ({}, "https://user:pass@x", "server holds a user or password"),
        ({}, "file:///etc/passwd", "server is not the address"),
        ({}, "https://[", "server is not the address"),
        ({"tlsClientConfig": {"certData": CERT}}, "https://x", "only one of certData and keyData"),
        ({"tlsClientConfig": {"caData": "*"}}, "https://x", "caData is not base64"),
        ({"proxyUrl": "socks5://secret-host"}, "https://x", "proxyUrl: "),
    ],
)
def test_what_a_secret_may_not_ask_for_is_refused(config, server, said):
    found = read_cluster(cluster_secret(config=config, server=server))
    assert said in found.refusal
    assert found.connection is None
    assert "pass@" not in found.refusal


def test_whoever_trusts_their_secrets_may_say_so():
    trust = Trust(allow_files=False)
    way = read_cluster(cluster_secret(config=EXEC), trust).connection
    assert (way.user.exec_plugin.command, way.user.exec_plugin.interactive) == ("steal", "Never")
    insecure = cluster_secret(config={"tlsClientConfig": {"insecure": True}}, server="http://127.0.0.1:80")
    assert read_cluster(insecure, trust).connection.trust.insecure
    both = cluster_secret(config={"tlsClientConfig": {"insecure": True, "caData": CA}})
    assert "contradicts" in read_cluster(both, trust).refusal
    nothing = cluster_secret(config={"execProviderConfig": {}})
    assert "command is missing" in read_cluster(nothing, trust).refusal


@pytest.mark.parametrize(
    ("config", "server"), [({"tlsClientConfig": {"insecure": True}}, "https://x"), ({}, "http://x")]
)
def test_who_would_not_check_a_server_is_told_how_to(config, server):
    refusal = read_cluster(cluster_secret(config=config, server=server)).refusal
    assert "caData" in refusal
    assert "allow it" not in refusal


def test_a_proxy_only_where_it_is_allowed():
    config = {"proxyUrl": "http://proxy"}
    assert "host of its choice" in read_cluster(cluster_secret(config=config), Trust(allow_proxy=False)).refusal


@pytest.mark.parametrize("config", ["{", "[]", '{"bearerToken": 5}', '{"tlsClientConfig": "x"}', '{"a":' * 300])
def test_a_secret_that_cannot_be_read_hides_no_other(config):
    broken = secret({"name": "bad", "server": "https://bad", "config": config}, name="bad")
    found = read_clusters([broken, {"metadata": {"name": "odd"}, "data": 5}, cluster_secret(config=TOKEN)])
    assert [each.name for each in found.all()] == ["in-cluster", "east"]
    assert [problem.key for problem in found.problems] == ["bad", "odd"]


def test_this_cluster_needs_no_secret_and_may_have_one():
    found = read_clusters([cluster_secret("here", IN_CLUSTER_SERVER, config={"bearerToken": "t"})])
    local = found.resolve(ApplicationDestination(server=IN_CLUSTER_SERVER))
    assert (local.name, local.connection, local.identity.token) == ("here", None, Plaintext("t"))
    assert local.local
    assert found.resolve(ApplicationDestination(name="here")) is local
    assert read_clusters([]).resolve(ApplicationDestination(name="in-cluster")) is THIS
    plain = read_clusters([cluster_secret("here", IN_CLUSTER_SERVER)])
    assert plain.resolve(ApplicationDestination(name="here")).identity is None


def test_this_cluster_can_be_switched_off():
    off = read_clusters([cluster_secret(config=TOKEN)], in_cluster_enabled=False)
    with pytest.raises(NotFound) as refused:
        off.resolve(ApplicationDestination(server=IN_CLUSTER_SERVER))
    assert refused.value.what.endswith(f'desc = cluster "{IN_CLUSTER_SERVER}" is disabled')
    with pytest.raises(NotFound):
        off.resolve(ApplicationDestination(name="in-cluster"))
    assert [each.name for each in off.all()] == ["east"]


def test_two_secrets_for_one_address_are_told_and_the_first_by_name_counts():
    found = Clusters.of(
        [Cluster(name="b", server="https://x", secret="b"), Cluster(name="a", server="https://x", secret="a")]
    )
    assert found.resolve(ApplicationDestination(server="https://x")).name == "a"
    assert [(problem.key, problem.why) for problem in found.problems] == [("b", "a describes https://x already")]


def test_a_name_that_two_clusters_have_means_neither():
    found = Clusters.of(Cluster(name="x", server=server, secret=server) for server in ("https://a", "https://b"))
    with pytest.raises(InvalidInput) as refused:
        found.resolve(ApplicationDestination(name="x"))
    assert refused.value.what == "there are 2 clusters with the same name: [https://a https://b]"


def test_clusters_of_a_project():
    found = Clusters.of([Cluster(name="x", server="https://x", project="shop"), Cluster(name="y", server="https://y")])
    assert [each.name for each in found.scoped("shop")] == ["x"]
    assert found.scoped("") == ()


@pytest.mark.parametrize(
    ("text", "shard"),
    [("2", 2), ("-1", -1), ("", None), ("x", None), ("9" * 30, None), ("--5", None), ("-", None), ("٣", None)],
)
def test_a_shard_is_a_number_or_none(text, shard):
    assert read_cluster(cluster_secret(shard=text)).shard == shard


def test_a_refused_cluster_is_told():
    found = read_clusters([cluster_secret(config=EXEC)])
    assert [problem.key for problem in found.problems] == ["cluster-east"]
    assert found.resolve(ApplicationDestination(name="east")).refusal
