"""How a cluster Secret may have us log in: as who we are to AWS, at AWS alone, and by commands that somebody named."""

import pytest
from tests.delivery.settings.building import CA, cluster_secret

from plumbline.base.clock import VirtualClock
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.settings.clusters import read_cluster
from plumbline.delivery.settings.connections import FROM_A_SECRET, allowing
from plumbline.kube.client import Trust
from plumbline.kube.client.execplugin import FromPlugin
from plumbline.kube.client.parts import EksLogin

EKS = "https://0123.gr7.eu-central-1.eks.amazonaws.com"
ROLE = "arn:aws:iam::123456789012:role/deployer"
AWS = {"awsAuthConfig": {"clusterName": "shop", "roleARN": ROLE, "profile": "p"}}
VERSION = "client.authentication.k8s.io/v1beta1"


def argocds(*args, **env):
    return {"execProviderConfig": {"command": "argocd-k8s-auth", "args": list(args), "env": env, "apiVersion": VERSION}}


def command(name="kubelogin", **env):
    return {"execProviderConfig": {"command": name, "args": ["get-token"], "env": env, "apiVersion": VERSION}}


def found(config, server=EKS, trust=FROM_A_SECRET):
    return read_cluster(cluster_secret(config=config, server=server), trust)


def allowed(*commands, hosts=()):
    return allowing(frozenset(commands), frozenset(hosts))


def test_a_cluster_of_eks_is_logged_in_to_without_any_command():
    user = found({**AWS, "bearerToken": "counts for nothing"}).connection.user
    assert user.eks == EksLogin("shop", ROLE, "p")
    assert (user.exec_plugin, user.token) == (None, None)


@pytest.mark.parametrize(
    ("config", "login"),
    [
        (argocds("aws", "--cluster-name", "shop"), EksLogin("shop")),
        (argocds("aws", "--cluster-name", "shop", "--role-arn", ROLE, "--profile", "p"), EksLogin("shop", ROLE, "p")),
        (argocds("aws", f"--role-arn={ROLE}", "--cluster-name=shop"), EksLogin("shop", ROLE)),
        (
            argocds("aws", "--cluster-name", "shop", AWS_REGION="eu-west-1", AWS_DEFAULT_REGION="x", AWS_PROFILE="q"),
            EksLogin("shop", profile="q", region="eu-west-1"),
        ),
        (argocds("aws", "--cluster-name", "shop", AWS_STS_REGIONAL_ENDPOINTS="regional"), EksLogin("shop")),
    ],
)
def test_what_argo_cds_own_command_would_do_for_aws_is_done_without_it(config, login):
    assert found(config).connection.user.eks == login


@pytest.mark.parametrize(
    "config",
    [
        argocds("gcp"),
        argocds("azure"),
        argocds(),
        argocds("aws", "--cluster-name"),
        argocds("aws", "--cluster-name", "shop", "--something", "else"),
        argocds("aws", "--cluster-name", "shop", AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="hush"),
        {"execProviderConfig": {"command": "/tmp/argocd-k8s-auth", "args": ["aws", "--cluster-name", "shop"]}},
    ],
)
def test_what_it_would_do_else_is_a_command_like_any_other(config):
    refused = found(config)
    assert "would run a command" in refused.refusal
    assert "hush" not in refused.refusal
    named = found(config, trust=allowed(config["execProviderConfig"]["command"])).connection.user
    assert named.exec_plugin.args == tuple(config["execProviderConfig"]["args"])


@pytest.mark.parametrize("config", [AWS, argocds("aws", "--cluster-name", "shop")])
@pytest.mark.parametrize(
    ("server", "more", "why"),
    [
        ("https://evil.example", {}, "somebody would have a login to the real cluster"),
        ("https://evil.example/0123.gr7.eu-central-1.eks.amazonaws.com", {}, "only its path looks like one"),
        ("https://10.0.0.7:443", {}, "an address says nothing"),
        ("https://0123.eu-central-1.eks.amazonaws.com.evil.example", {}, "it ends otherwise"),
        (EKS, {"proxyUrl": "http://evil.example:3128"}, "with an authority of its own a proxy is any server"),
        (EKS, {"proxyUrl": "http://evil.example:3128", "tlsClientConfig": {"caData": CA}}, "so it is"),
    ],
)
def test_our_login_to_aws_goes_to_aws_alone(config, server, more, why):
    refused = found({**config, **more}, server)
    assert refused.connection is None, why
    assert "cluster Secret cluster-east" in refused.refusal
    assert "would get our login to AWS" in refused.refusal
    assert "--login-host" in refused.refusal, "there is a way out"


@pytest.mark.parametrize(
    ("server", "proxy", "hosts", "used"),
    [
        ("https://api.example.org:8443", "", {"api.example.org"}, True),
        ("https://API.example.org", "", {"api.example.org"}, True),
        ("https://a.b.example.org", "", {"*.example.org"}, True),
        ("https://example.org", "", {"*.example.org"}, False),
        ("https://evilexample.org", "", {"*.example.org"}, False),
        ("https://x.api.example.org", "", {"api.example.org"}, False),
        (EKS, "http://proxy.example.org:3128", {"proxy.example.org"}, True),
        ("https://api.example.org", "http://proxy.example.org", {"api.example.org"}, False),
        ("https://api.example.org", "http://u:p@proxy.example.org", {"api.example.org", "proxy.example.org"}, True),
        ("https://[2001:db8::1]", "", {"2001:db8::1"}, True),
    ],
)
def test_and_where_whoever_started_us_says_so(server, proxy, hosts, used):
    cluster = found({**AWS, "proxyUrl": proxy}, server, allowed(hosts=hosts))
    assert (cluster.connection is not None) is used, cluster.refusal
    assert "u:p" not in cluster.refusal


def test_a_server_that_is_not_checked_never_gets_it():
    lax = Trust(login_hosts=frozenset({"api.example.org"}))
    assert "not be checked" in found({**AWS, "tlsClientConfig": {"insecure": True}}, EKS, lax).refusal
    assert "not be checked" in found(AWS, "http://api.example.org", lax).refusal


@pytest.mark.parametrize("name", ["", "a b", "a\r\nx: y", "é", "x" * 300])
def test_a_cluster_needs_a_name_that_a_header_can_hold(name):
    assert "names no cluster" in found({"awsAuthConfig": {"clusterName": name}}).refusal


def test_a_command_that_nobody_named_is_refused_with_a_way_out():
    refused = found(command(SECRET="hush"), "https://x").refusal
    assert "cluster Secret cluster-east" in refused
    assert "'kubelogin'" in refused
    assert "--login-command" in refused
    assert "hush" not in refused


@pytest.mark.parametrize(
    ("named", "wanted", "runs"),
    [
        ("kubelogin", "kubelogin", True),
        ("/opt/bin/kubelogin", "/opt/bin/kubelogin", True),
        ("kubelogin", "/tmp/kubelogin", False),
        ("/opt/bin/kubelogin", "kubelogin", False),
        ("/opt/bin/kubelogin", "/opt/bin/../../tmp/kubelogin", False),
        ("kubelogin", "Kubelogin", False),
        ("kubelogin", "kubelogin ", False),
        ("kubelogin", "./kubelogin", False),
    ],
)
def test_a_command_is_run_only_as_it_was_named(named, wanted, runs):
    cluster = found(command(wanted), "https://x", allowed(named))
    assert (cluster.connection is not None) is runs


async def test_a_named_command_gets_who_we_are_to_clouds_and_nothing_else_of_ours(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_SECRET", "hush")
    ran = []

    async def run(asked):
        ran.append(asked)
        raise AssertionError

    way = found(command(AZURE_TENANT_ID="t", AAD_LOGIN_METHOD="spn"), "https://x", allowed("kubelogin")).connection
    with pytest.raises(AssertionError):
        await FromPlugin(way.user.exec_plugin, way, VirtualClock(), run).renew(None)
    (asked,) = ran
    assert asked.argv == ("kubelogin", "get-token")
    assert {"PATH", "HOME", "AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_FEDERATED_TOKEN_FILE"} <= set(asked.inherit)
    assert "PLUMBLINE_SECRET" not in asked.inherit
    assert asked.environment["AZURE_TENANT_ID"] == Plaintext("t")
    assert asked.environment.keys() == {"AZURE_TENANT_ID", "AAD_LOGIN_METHOD", "KUBERNETES_EXEC_INFO"}
    assert asked.deadline_s == 15, "nobody opens a browser here"


@pytest.mark.parametrize(
    "name",
    [
        "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PATH", "path", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV", "ENV",
        "IFS", "NODE_OPTIONS", "PERL5LIB", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "GCONV_PATH", "OPENSSL_CONF", "HOME",
        "SSLKEYLOGFILE", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "AWS_CONFIG_FILE",
        "AWS_SHARED_CREDENTIALS_FILE", "AWS_ENDPOINT_URL", "AWS_CA_BUNDLE", "AWS_PAGER", "AWS_DATA_PATH", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_EC2_METADATA_SERVICE_ENDPOINT", "CLOUDSDK_PYTHON", "KUBECONFIG",
        "KUBERNETES_EXEC_INFO", "GIT_SSH_COMMAND", "XDG_CONFIG_HOME", "BASH_FUNC_ls%%", "", "A=B", "A B",
    ],
)  # fmt: skip
def test_its_environment_steers_neither_what_is_loaded_nor_whom_it_speaks_to(name):
    refused = found(command(**{name: "hush"}), "https://x", allowed("kubelogin"))
    assert refused.connection is None
    assert "execProviderConfig.env" in refused.refusal
    assert "hush" not in refused.refusal


@pytest.mark.parametrize(
    ("value", "hosts", "used"),
    [
        ("https://login.microsoftonline.com/", (), True),
        ("https://login.microsoftonline.us", (), True),
        ("https://evil.example.org/", (), False),
        ("https://login.example.org/", ("login.example.org",), True),
        ("http://login.microsoftonline.com/", (), False),
        ("https://login.microsoftonline.com@evil.example.org/", (), False),
        ("https://login.microsoftonline.com\\@evil.example.org/", (), False),
        ("https://login.microsoftonline.com.evil.example.org/", (), False),
    ],
)
def test_who_we_are_to_azure_is_shown_to_azure_alone(value, hosts, used):
    """Argo CD's documents have the variable; it is where the token goes that makes us who we are."""
    cluster = found(command(AZURE_AUTHORITY_HOST=value), "https://x", allowed("kubelogin", hosts=hosts))
    assert (cluster.connection is not None) is used, cluster.refusal
