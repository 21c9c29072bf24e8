"""Repository Secrets: every key as upstream spells it, which of several holds, and that no value is ever shown."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.source import secrets
from plumbline.source.local import LocalRepositories
from plumbline.source.repository import AzurePrincipal, Credentials, GitHubApp, Repository
from plumbline.source.secrets import Repositories, entry, secret_for
from plumbline.source.trust import trust

CANARY = "canary-7f3a9c"
URL = "https://git.example/team/app"


def secret(called="s", kind="repository", /, **values):
    return {
        "metadata": {"name": called, "labels": {secrets.LABEL: kind}},
        "data": {key: base64.b64encode(str(value).encode()).decode() for key, value in values.items()},
    }


def chosen(*found, url=URL, project="team", write=False):
    return Repositories(found).choose(url, project, write=write)


def test_every_key_of_a_repository_is_read():
    repository = chosen(
        secret(
            url=URL, type="git", name="app", project="team", username="u", password="p", bearerToken="b",
            sshPrivateKey="k", insecure="true", enableLfs="1", depth="3", forceHttpBasicAuth="T", proxy="http://p:1",
            noProxy="a,b", tlsClientCertData="c", tlsClientCertKey="ck", githubAppID="7", githubAppInstallationID="9",
            githubAppPrivateKey="gk", githubAppEnterpriseBaseUrl="https://ghe/api/v3", gcpServiceAccountKey="gcp",
            useAzureWorkloadIdentity="false", azureServicePrincipalClientId="ac", azureServicePrincipalTenantId="at",
            azureServicePrincipalClientSecret="as", azureActiveDirectoryEndpoint="https://ad",
            insecureOCIForceHttp="True", webhookManifestCacheWarmDisabled="true",
        )
    )  # fmt: skip
    assert repository == Repository(
        url=URL, type="git", name="app", project="team", insecure=True, lfs=True, depth=3, proxy="http://p:1",
        no_proxy="a,b", plain_http=True, known_hosts=repository.known_hosts,
        credentials=Credentials(
            username="u", password=Plaintext("p"), bearer_token=Plaintext("b"), ssh_private_key=Plaintext("k"),
            tls_certificate="c", tls_key=Plaintext("ck"), force_basic=True, gcp_key=Plaintext("gcp"),
            github_app=GitHubApp(7, Plaintext("gk"), 9, "https://ghe/api/v3"),
            azure=AzurePrincipal("ac", "at", Plaintext("as"), "https://ad"),
        ),
    )  # fmt: skip
    assert CANARY not in repr(repository)


def test_secrets_of_other_kinds_are_left_alone():
    assert entry(secret("s", "cluster", url=URL)) is None
    for other in ({}, {"metadata": "x"}, {"metadata": {"labels": ["x"]}}):
        assert entry(other) is None


def test_an_address_that_nobody_configured_is_used_without_credentials():
    repository = chosen(secret(url="https://git.example/other", password="p"))
    assert repository.url == URL
    assert repository.credentials == Credentials()
    assert "github.com ssh-ed25519 " in repository.known_hosts


def test_a_repository_of_the_project_comes_before_one_for_all():
    shared, own = secret("a", url=URL, username="all"), secret("b", url=URL + ".git", username="own", project="team")
    assert chosen(shared, own).credentials.username == "own"
    assert chosen(shared, own, project="else").credentials.username == "all"
    assert chosen(own, project="else").credentials.username == ""


def test_of_two_for_the_same_the_first_by_name_holds():
    one, two = secret("one", url=URL, username="1"), secret("two", url=URL, username="2")
    assert chosen(two, one).credentials.username == "1"


def test_addresses_are_compared_in_their_normal_form():
    repository = chosen(secret(url="https://GIT.example/Team/App.git", username="u"))
    assert repository.credentials.username == "u"


def test_the_longest_template_gives_what_the_repository_has_not():
    templates = (
        secret("wide", "repo-creds", url="https://git.example", username="wide"),
        secret("near", "repo-creds", url="https://git.example/team", username="near", password="p", proxy="http://p:1"),
        secret("other", "repo-creds", url="https://git.example/teams", username="other"),
    )
    repository = chosen(*templates, secret("r", url=URL, name="app"))
    assert (repository.credentials.username, repository.proxy, repository.name) == ("near", "http://p:1", "app")
    assert repository.inherited
    assert chosen(*templates).credentials.username == "near"
    assert not chosen(*templates, secret("r", url=URL, username="mine")).inherited
    assert chosen(*templates, url="https://git.example/x/y").credentials.username == "wide"
    assert chosen(*templates, url="https://elsewhere/x/y").credentials.username == ""


TEMPLATE = secret("t", "repo-creds", url="https://git.example/", username="u", password="p", proxy="http://ours:1")
APP = secret("t", "repo-creds", url="https://git.example/", githubAppID=7, githubAppPrivateKey="k")
LEADING = [
    (TEMPLATE, {"proxy": "http://mine:1", "insecure": "true"}, "a proxy that is shown what is said to the server"),
    (TEMPLATE, {"proxy": "http://mine:1", "insecureIgnoreHostKey": "true"}, "the same by its other name"),
    (APP, {"githubAppEnterpriseBaseUrl": "https://mine/"}, "a server that is shown who the app is"),
]


@pytest.mark.parametrize(("template", "said", "why"), LEADING, ids=[why for *_, why in LEADING])
def test_a_repository_of_a_project_does_not_lead_credentials_of_a_template_elsewhere(template, said, why):
    of_project = secret("r", url=URL, project="team", **said)
    with pytest.raises(InvalidInput) as refused:
        chosen(template, of_project)
    assert "team" in refused.value.why
    assert chosen(template, secret("r", url=URL, **said)).inherited, "whoever registers one for all may"
    own = secret("r", url=URL, project="team", username="me", password="mine", **said)
    assert chosen(template, own).credentials.username == "me"


def test_nor_does_one_that_somebody_describes_to_have_it_tried():
    described = Repository(url=URL, project="team", proxy="http://mine:1", insecure=True)
    with pytest.raises(InvalidInput):
        Repositories([TEMPLATE]).completed(described)
    assert Repositories([TEMPLATE]).completed(Repository(url=URL, proxy="http://mine:1", insecure=True)).inherited


def test_a_repository_of_a_project_may_name_a_proxy_that_learns_nothing():
    repository = chosen(TEMPLATE, secret("r", url=URL, project="team", proxy="http://mine:1"))
    assert (repository.credentials.username, repository.proxy) == ("u", "http://mine:1")
    same = secret("r", url=URL, project="team", proxy="http://ours:1", insecure="true")
    assert chosen(TEMPLATE, same).inherited, "the template's own proxy"


def test_without_tls_a_proxy_learns_everything():
    template = secret("t", "repo-creds", url="http://git.example/", username="u", password="p")
    of_project = secret("r", url="http://git.example/app", project="team", proxy="http://mine:1")
    with pytest.raises(InvalidInput):
        chosen(template, of_project, url="http://git.example/app")


def test_half_of_an_app_may_come_from_a_template():
    template = secret("t", "repo-creds", url="https://git.example/", githubAppID=7, githubAppPrivateKey="k")
    repository = chosen(template, secret("r", url=URL, githubAppInstallationID=9))
    assert repository.credentials.github_app == GitHubApp(7, Plaintext("k"), 9)


def test_a_template_decides_about_registries_as_upstream_lets_it():
    template = secret("t", "repo-creds", url="registry.example", type="helm", enableOCI="true", username="u")
    repository = chosen(template, url="registry.example/charts")
    assert (repository.type, repository.oci, repository.credentials.username) == ("helm", True, "u")
    without = secret("t", "repo-creds", url="registry.example", username="u")
    own = secret("r", url="registry.example/charts", type="helm", enableOCI="true")
    assert not chosen(without, own, url="registry.example/charts").oci


@pytest.mark.parametrize(
    ("prefix", "url"),
    [
        ("https://git.example", "https://git.example.attacker.net/a"),
        ("https://git.example", "https://git.example:x@attacker.net/a"),
        ("https://git.example", "https://git.example@attacker.net/a"),
        ("git@git.example", "git@git.example.attacker.net:a"),
        ("https://git.ex", "https://git.example/a"),
        ("https://user@", "https://user@attacker.net/a"),
    ],
)
def test_credentials_of_a_template_go_to_no_other_host(prefix, url):
    assert chosen(secret("t", "repo-creds", url=prefix, username="u"), url=url).credentials.username == ""


@pytest.mark.parametrize(
    ("prefix", "url"),
    [
        ("https://git.example", "https://git.example:8443/a"),
        ("https://git.example:8443", "https://git.example:8443/a"),
        ("git@git.example:", "git@git.example:a/b"),
        ("git@git.example", "ssh://git@git.example/a/b"),
        ("ssh://git@git.example", "git@git.example:a/b"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]:8443/a"),
        ("https://", "https://git.example/a"),
    ],
)
def test_templates_may_end_with_the_host_or_before_it(prefix, url):
    assert chosen(secret("t", "repo-creds", url=prefix, username="u"), url=url).credentials.username == "u"


def test_templates_spell_two_keys_differently():
    template = secret(
        "t", "repo-creds", url="https://git.example/", azureServicePrincipalClientID="c",
        azureServicePrincipalTenantID="t", azureServicePrincipalClientSecret="s", insecure="true", project="x",
    )  # fmt: skip
    repository = chosen(template)
    assert repository.credentials.azure == AzurePrincipal("c", "t", Plaintext("s"))
    assert not repository.insecure


def test_credentials_for_writing_are_apart():
    found = (
        secret("r", url=URL, username="reader"),
        secret("w", "repository-write", url=URL, username="writer"),
        secret("t", "repo-write-creds", url="https://git.example/else", username="writers"),
    )
    assert chosen(*found).credentials.username == "reader"
    assert chosen(*found, write=True).credentials.username == "writer"
    assert chosen(*found, url="https://git.example/else/x", write=True).credentials.username == "writers"


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"insecure": CANARY}, "insecure"),
        ({"insecure": ""}, "insecure"),
        ({"enableLfs": "yes"}, "enableLfs"),
        ({"depth": CANARY}, "depth"),
        ({"githubAppID": "99999999999999999999"}, "githubAppID"),
        ({"type": CANARY}, "type"),
    ],
)
def test_a_value_of_the_wrong_kind_spoils_that_repository_alone(values, key):
    found = Repositories(
        [secret("bad", url=URL, password=CANARY, **values), secret("fine", url=URL + "2", username="u")]
    )
    with pytest.raises(InvalidInput) as refused:
        found.choose(URL, "team")
    assert key in refused.value.why
    assert "bad" in refused.value.why
    assert CANARY not in f"{refused.value} {refused.value.hint} {found.entries!r}"
    assert found.choose(URL + "2", "team").credentials.username == "u"
    assert [known.fault != "" for known in found.entries] == [True, False]


def test_a_value_that_is_not_base64_spoils_that_repository_alone():
    for wrong in ("%%" + CANARY, 7, None, ["x"], "YQ="):
        broken = secret("bad", url=URL)
        broken["data"]["password"] = wrong
        known = entry(broken)
        assert known is not None
        assert "password" in known.fault
        assert CANARY not in known.fault


def test_an_address_that_is_not_used_spoils_the_repository():
    for url in ("ext::sh", "file:///etc", "", "javascript:x"):
        known = entry(secret(url=url))
        assert known is not None
        assert known.fault
    registry = entry(secret(url="registry.example/charts", type="helm", enableOCI="true"))
    assert registry is not None
    assert not registry.fault


def test_a_git_repository_on_this_disk_is_used_where_it_may_be_read(tmp_path):
    local = LocalRepositories(tmp_path, tmp_path / "own").at
    for said, fine in (
        ({"url": f"file://{tmp_path}/a.git"}, True),
        ({"url": f"file://{tmp_path}/a.git", "type": "git", "username": "u", "password": "p"}, True),
        ({"url": f"file://{tmp_path}/own/mirror"}, False),
        ({"url": "file:///etc"}, False),
        ({"url": f"file://{tmp_path}/charts", "type": "helm"}, False),
    ):
        known = entry(secret(**said), local)
        assert known is not None
        assert (not known.fault) is fine, said


def test_text_that_is_not_utf8_spoils_the_repository():
    broken = secret("bad", url=URL)
    broken["data"]["username"] = base64.b64encode(b"\xff").decode()
    broken["data"]["project"] = base64.b64encode(b"\xff").decode()
    with pytest.raises(InvalidInput) as refused:
        chosen(broken, project="any")
    assert "UTF-8" in refused.value.why


def test_a_template_that_cannot_be_read_is_not_passed_over():
    template = secret("t", "repo-creds", url="https://git.example/", enableOCI="maybe")
    with pytest.raises(InvalidInput) as refused:
        chosen(template)
    assert "Secret t" in refused.value.why
    assert chosen(template, secret("r", url=URL, username="u")).credentials.username == "u"


def test_a_refusal_hides_the_password_in_an_address():
    with pytest.raises(InvalidInput) as refused:
        chosen(
            secret("bad", url=f"https://u:{CANARY}@git.example/a", depth="x"), url=f"https://u:{CANARY}@git.example/a"
        )
    assert CANARY not in str(refused.value)


def test_host_keys_and_certificates_come_with_the_repository():
    trusted = trust({"data": {"ssh_known_hosts": "h ssh-ed25519 AAAA"}}, {"data": {"Git.Example": "PEM", "x": 1}})
    repository = Repositories([], trusted).choose("https://git.example:8443/a", "p")
    assert (repository.known_hosts, repository.ca_pem) == ("h ssh-ed25519 AAAA", "PEM")
    assert Repositories([], trusted).choose("https://else/a", "p").ca_pem == ""
    assert trust({"data": {"ssh_known_hosts": ""}}).known_hosts == ""
    assert trust({"data": None}, {}).certificates == {}


@pytest.mark.parametrize(
    "host", ["github.com", "gitlab.com", "bitbucket.org", "ssh.dev.azure.com", "vs-ssh.visualstudio.com"]
)
def test_large_public_hosts_are_known_without_asking(host):
    assert any(line.startswith(f"{host} ssh-rsa ") for line in trust().known_hosts.splitlines())


def test_the_choice_is_made_among_all_that_are_given():
    known = [entry(secret("a", url=URL + "2", username="2")), entry(secret("b", url=URL, username="1"))]
    assert secrets.choose(URL, "p", known, ()).credentials.username == "1"


def test_an_answer_is_made_once():
    found = Repositories([secret(url=URL)])
    assert found.choose(URL, "p") is found.choose(URL, "p")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("repository", "repo-1541359209"),
        ("repository-write", "repo-write-1541359209"),
        ("repo-creds", "creds-4273723280"),
        ("repo-write-creds", "creds-write-4273723280"),
    ],
)
def test_a_secret_is_named_as_upstream_names_it(kind, name):
    written = secret_for(Repository("https://github.com/org/repo", project="team"), "argocd", kind)
    assert written["metadata"] == {
        "name": name,
        "namespace": "argocd",
        "labels": {"argocd.argoproj.io/secret-type": kind},
        "annotations": {"managed-by": "argocd.argoproj.io"},
    }


FULL = Repository(
    url=URL, type="helm", name="app", project="team", insecure=True, lfs=True, depth=3, oci=True, plain_http=True,
    proxy="http://p:1", no_proxy="a",
    credentials=Credentials(
        username="u", password=Plaintext("p"), bearer_token=Plaintext("b"), ssh_private_key=Plaintext("k"),
        tls_certificate="c", tls_key=Plaintext("ck"), force_basic=True, gcp_key=Plaintext("g"),
        github_app=GitHubApp(7, Plaintext("gk"), 9, "https://ghe/api/v3"), azure_workload_identity=True,
        azure=AzurePrincipal("ac", "at", Plaintext("as"), "https://ad"),
    ),
)  # fmt: skip


def test_what_is_written_is_read_back():
    known = entry(secret_for(FULL, "argocd"))
    assert known is not None
    assert known.fields.repository(known.url) == FULL


def test_what_does_not_differ_from_its_absence_is_not_written():
    assert set(secret_for(Repository(URL), "argocd")["data"]) == {"url", "type"}


def test_a_template_is_written_in_its_own_spelling_and_without_what_it_cannot_say():
    keys = set(secret_for(FULL, "argocd", "repo-creds")["data"])
    assert {"azureServicePrincipalClientID", "azureServicePrincipalTenantID"} <= keys
    assert not keys & {"azureServicePrincipalClientId", "name", "project", "insecure", "enableLfs", "depth"}
    known = entry(secret_for(FULL, "argocd", "repo-creds"))
    assert known is not None
    assert known.fields.repository(URL).credentials == FULL.credentials


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["url", "type", "insecure", "depth", "githubAppID", "password", "project", "x"])


@given(
    st.sampled_from(secrets.KINDS),
    st.dictionaries(KEYS, JSON | st.binary(max_size=8).map(lambda raw: base64.b64encode(raw).decode()), max_size=6),
)
def test_no_secret_whatever_it_holds_stops_the_others(kind, content):
    broken = {"metadata": {"name": "bad", "labels": {secrets.LABEL: kind}}, "data": content}
    found = Repositories([broken, secret("fine", url=URL, username="u", project="team")])
    assert found.choose(URL, "team").credentials.username == "u"
