"""plumb repo, repocreds, proj and cluster, and login against an installation that runs, and what seed command lines ask of them."""

import base64
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from plumbline.base.json import decode
from plumbline.cli.repositories.making import Place, repository
from plumbline.source.secrets import secret_for

NOTHING = {
    "username": "", "password": "", "bearer_token": "", "github_app_enterprise_base_url": "",
    "azure_active_directory_endpoint": "", "azure_service_principal_client_id": "",
    "azure_service_principal_client_secret": "", "azure_service_principal_tenant_id": "", "ssh_private_key_path": None,
    "tls_client_cert_path": None, "tls_client_cert_key_path": None, "github_app_private_key_path": None,
    "gcp_service_account_key_path": None, "github_app_id": 0, "github_app_installation_id": 0, "enable_oci": False,
    "force_http_basic_auth": False, "insecure_oci_force_http": False, "use_azure_workload_identity": False,
}  # fmt: skip
PRIVATE = "https://git.example.org/private.git"
PUBLIC = "https://git.example.org/public.git"


@pytest.fixture
def held(installed):
    """Where repositories stand that nobody reaches from here."""
    for url in (PRIVATE, PUBLIC):
        installed.stand_for(url)
    return ("--data", installed.data)


def test_a_public_and_a_private_repository_are_added_listed_shown_and_forgotten(shop, held):
    public = PUBLIC
    assert shop.done("repo", "add", public, *held) == f"Repository '{public}' added\n"
    shop.done("repo", "add", PRIVATE, "--username", "ada", "--password", "canary", *held)
    shop.done("repo", "add", PRIVATE, "--username", "ada", "--password", "canary", *held)
    said = shop("repo", "add", PRIVATE, "--username", "ada", "--password", "other", *held)
    assert said.code == 6
    shop.done("repo", "add", PRIVATE, "--username", "ada", "--password", "other", "--upsert", *held)
    header, *rows = shop.done("repo", "list").splitlines()
    assert header.split()[:7] == ["TYPE", "NAME", "REPO", "INSECURE", "OCI", "LFS", "CREDS"]
    assert [row.split()[1:6] for row in rows] == [
        [PRIVATE, "false", "false", "false", "true"],
        [public, "false", "false", "false", "false"],
    ]
    assert shop.done("repo", "list", "-o", "url") == f"{PRIVATE}\n{public}\n"
    everything = shop.done("repo", "list", "-o", "json") + shop.done("repo", "get", PRIVATE, "-o", "yaml")
    assert "canary" not in everything
    assert "username: ada" in everything
    assert decode(shop.done("repo", "get", "https://GIT.example.org/private", "-o", "json"))["repo"] == PRIVATE
    assert "removed" in shop.done("repo", "rm", PRIVATE, public)
    assert shop("repo", "rm", public).code == 5
    assert shop("repo", "get", public).code == 5
    assert shop("repo", "get", public, "--project", "a").code == 5


@pytest.mark.parametrize(
    "more", [(), ("--upsert",), ("--project", "default"), ("--type", "helm", "--name", "charts"), ("--insecure-skip-server-verification",)],
    ids=["plain", "upsert", "of a project", "charts", "insecure"],
)  # fmt: skip
@pytest.mark.parametrize("way", ["shop", "served"])
def test_a_repository_that_does_not_answer_is_not_kept_whoever_is_asked(request, way, more, silent):
    plumb = request.getfixturevalue(way)
    said = plumb("repo", "add", silent, "--username", "ada", "--password", "canary-secret", *more)
    assert (said.code, said.out) == (3, "")
    assert "error testing repository connectivity: " in said.err
    assert "says no" not in said.err, "it is the repository that does not answer, not the server"
    assert "canary" not in said.err
    assert silent not in plumb.done("repo", "list", "-o", "url")


@pytest.fixture
def silent():
    """An address on this machine where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"https://127.0.0.1:{free.getsockname()[1]}/shop.git"


@pytest.fixture
def forge():
    """Somebody who lets nobody in, and remembers as whom they came."""
    came = []

    class Closed(BaseHTTPRequestHandler):
        def do_GET(self):
            came.append(self.headers["Authorization"])
            self.send_error(403)

        def log_message(self, *_): ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Closed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", came
        server.shutdown()


def test_a_repository_is_tried_with_the_credentials_that_fit_its_address(shop, forge):
    address, came = forge
    shop.done("repocreds", "add", address, "--username", "ada", "--password", "canary")
    said = shop("repo", "add", f"{address}/shop.git")
    shop.done("repocreds", "rm", address)
    assert said.code == 3
    assert "error testing repository connectivity: " in said.err
    assert set(came) == {f"Basic {base64.b64encode(b'ada:canary').decode()}"}


def test_a_password_is_asked_for_where_only_a_user_is_given(shop, held):
    said = shop("repo", "add", PRIVATE, "--username", "ada", *held, stdin="canary\n")
    assert said.code == 0
    assert "canary" not in said.out + said.err
    shop.done("repo", "rm", PRIVATE)


def test_credentials_for_many_repositories(shop):
    shop.done("repocreds", "add", "https://git.example.org/team", "--username", "ada", "--password", "canary")
    shop("repocreds", "add", "https://git.example.org/b", "--username", "bob", stdin="canary\n")
    header, row = [line for line in shop.done("repocreds", "list").splitlines() if "/b" not in line]
    assert header.split() == ["URL", "PATTERN", "USERNAME", "SSH_CREDS", "TLS_CREDS"]
    assert row.split() == ["https://git.example.org/team", "ada", "false", "false"]
    assert decode(shop.done("repocreds", "list", "-o", "json"))[-1]["url"] == "https://git.example.org/team"
    assert "team" in shop.done("repocreds", "list", "-o", "url")
    assert "removed" in shop.done("repocreds", "rm", "https://git.example.org/team", "https://git.example.org/b")
    assert shop("repocreds", "rm", "https://git.example.org/team").code == 5


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--type", "helm"), "a Helm repository has a name"),
        (("--ssh-private-key-path", "key"), "an https address has no ssh key"),
        (("--tls-client-cert-path", "key"), "a certificate has a key"),
        (("--insecure-oci-force-http",), "only registries"),
    ],
)
def test_flags_that_do_not_go_together_are_refused(run, tmp_path, monkeypatch, args, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_text("key")
    assert run("repo", "add", PRIVATE, *args).code == 2, why
    assert run("repo", "add", "--", "-u").code == 2


@pytest.mark.parametrize(
    ("url", "args", "words"),
    [
        (PRIVATE, ("--password", "b"), "only --bearer-token or --password is allowed, not both"),
        (PRIVATE, ("--type", "oci"), "--bearer-token is only supported for Git repositories"),
        ("file:///srv/a.git", (), "--bearer-token is only supported for HTTPS repositories"),
    ],
)
def test_a_bearer_token_is_for_git_by_https_and_stands_alone(run, url, args, words):
    said = run("repo", "add", url, "--bearer-token", "a", *args)
    assert (said.code, words in said.err) == (2, True)


def test_a_repository_on_the_disk_is_only_a_servers_to_add(shop, tmp_path):
    said = shop("repo", "add", f"file://{tmp_path}/a.git")
    assert said.code == 2
    assert "--local-git" in said.err


def test_keys_and_apps_go_into_the_secret_as_argocd_writes_them(tmp_path):
    key = tmp_path / "key"
    key.write_text("KEY")
    ssh = repository(Place("git@git.example.org:a/b.git"), NOTHING | {"ssh_private_key_path": key})
    assert ssh.credentials.ssh_private_key.reveal() == b"KEY"
    app = NOTHING | {"github_app_private_key_path": key, "github_app_id": 7, "github_app_installation_id": 8}
    secret = secret_for(repository(Place("https://github.example.org/a"), app), "argocd")
    assert set(secret["data"]) == {"url", "type", "githubAppID", "githubAppPrivateKey", "githubAppInstallationID"}
    azure = NOTHING | {
        "azure_service_principal_client_id": "c",
        "azure_service_principal_tenant_id": "t",
        "azure_service_principal_client_secret": "s",
    }
    assert repository(Place("https://dev.azure.com/a"), azure).credentials.azure.client_id == "c"
    tls = NOTHING | {"tls_client_cert_path": key, "tls_client_cert_key_path": key, "gcp_service_account_key_path": key}
    assert repository(Place("https://a.example.org/b"), tls).credentials.tls_certificate == "KEY"


def test_projects_are_listed_and_shown(shop):
    header, *rows = shop.done("proj", "list").splitlines()
    row = next(each for each in rows if each.startswith("default "))
    assert header.split()[:4] == ["NAME", "DESCRIPTION", "DESTINATIONS", "SOURCES"]
    assert row.split() == ["default", "*,*", "*", "*/*", "<none>", "<none>", "disabled", "<none>"]
    assert "default" in shop.done("proj", "list", "-o", "name").splitlines()
    assert "default" in [each["metadata"]["name"] for each in decode(shop.done("proj", "list", "-o", "json"))]
    assert "Repositories:                 *" in shop.done("proj", "get", "default").splitlines()
    assert "sourceRepos" in shop.done("proj", "get", "default", "-o", "yaml")
    assert shop("proj", "get", "nowhere").code == 5


def test_login_without_a_server_says_whether_the_cluster_answers(shop, run, tmp_path):
    said = shop("login", "--core")
    assert said.code == 0
    assert said.out.startswith("Kubernetes v")
    assert "Context 'kubernetes' updated" in said.out
    assert shop.done("context", "-o", "name") == "kubernetes\n"
    assert shop.done("app", "list", "-o", "name") is not None, "such a context means the cluster"
    (tmp_path / "config").write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a}}]\n"
        'clusters: [{name: a, cluster: {server: "http://127.0.0.1:9"}}]\n'
    )
    assert run("login", "--kubeconfig", tmp_path / "config").code == 3


def test_a_server_that_is_named_is_asked_and_no_cluster_instead_of_it(shop):
    said = shop("app", "list", "--server", "127.0.0.1:9", "--auth-token", "canary", "-H", "a: b", "--grpc-web")
    assert said.code == 3
    assert "127.0.0.1:9" in said.err
    assert "canary" not in said.err
    assert shop("app", "list", "--server", "127.0.0.1:9", "-H", "ab").code == 2
    assert shop("app", "list", "--server", "127.0.0.1:9", "--core").code == 0
    assert shop("app", "list", "--kube-context", "nowhere").code == 2


@pytest.mark.parametrize("group", ["app", "repo", "repocreds", "cert", "gpg", "proj", "account", "cluster"])
def test_a_noun_alone_explains_itself(run, group):
    said = run(group)
    assert said.code == 0
    assert said.out.startswith(f"Usage: plumb {group} ")
    assert "list" in said.out
    said = run(group, "lits")
    assert said.code == 2
    assert f"Did you mean `plumb {group} list`?" in said.err
