"""plumb login, logout, context, account and open, against an installation that runs: by its server, and on its cluster."""

import asyncio

import bcrypt
import pytest

from plumbline.base.errors import NotFound
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

CONFIG = Target(GroupVersionResource("", "v1", "configmaps"), "argocd", "argocd-cm")
POLICY = CONFIG._replace(name="argocd-rbac-cm")


def on(installed, work):
    async def done():
        async with Client.connect(Connection.load(installed.kubeconfig)) as client:
            return await work(client)

    return asyncio.run(done())


def put(installed, target, **entries):
    async def work(client):
        body = encode({"data": {key.replace("__", "."): value for key, value in entries.items()}})
        try:
            await client.patch(target, body, "merge")
        except NotFound:
            labels = {"app.kubernetes.io/part-of": "argocd"}
            meta = {"metadata": {"name": target.name, "labels": labels}}
            await client.create(target.collection, encode({**decode(body), **meta}))

    on(installed, work)


@pytest.fixture
def logged_in(shop, installed, password):
    shop.done("login", installed.web, "--username", "admin", "--password", password, "--name", "here")
    return shop


def test_somebody_logs_in_switches_and_leaves(shop, installed, password):
    host = installed.web.removeprefix("http://")
    said = shop("login", host, "--username", "admin", stdin=f"{password}\n")
    assert said.code == 0
    assert "'admin' logged in successfully" in said.out
    assert "speaks no TLS" in said.err
    assert password not in said.out + said.err
    assert shop.done("context").split() == ["CURRENT", "NAME", "SERVER", "*", host, host]
    assert "you are 'admin'" in shop.done("login")
    assert shop.done("context", host) == f"Already at context '{host}'\n"
    assert shop("context", "nowhere").code == 5
    assert shop("context", "--delete").code == 2
    assert decode(shop.done("context", "-o", "json"))[0]["current"] is True
    assert decode(shop.done("account", "get-user-info", "-o", "json"))["username"] == "admin"
    token = shop.done("account", "session-token").strip()
    said = decode(shop.done("account", "session-token", "-o", "json"))
    assert (said["token"], said["username"], said["type"]) == (token, "admin", "local")
    assert said["expires_at"] > said["issued_at"]
    assert said["has_refresh_token"] is False
    assert shop.done("account", "list") == "NAME   ENABLED  CAPABILITIES\nadmin  true     login\n"
    assert "Logged out" in shop.done("logout")
    assert shop("account", "session-token").code == 4
    assert shop("account", "session-token", "--server", installed.web, "--auth-token", token).code == 4, "it has ended"
    assert shop.done("account", "get-user-info") == "Logged In: false\n"
    assert shop("login").code == 4
    assert shop("account", "list").code == 4
    assert "deleted" in shop.done("context", host, "--delete")
    assert "no contexts" in shop("context").err
    assert "Nobody" in shop("logout").err


def test_a_wrong_password_is_refused_and_nothing_is_remembered(shop, installed):
    said = shop("login", installed.web, "--username", "admin", "--password", "canary-wrong")
    assert said.code == 4
    assert "canary" not in said.err
    assert shop.done("context", "-o", "name") == ""
    assert shop("login", installed.web, "--token", "a.b.c").code == 4
    assert shop("login", installed.web, "--token", "x", "--sso").code == 2
    assert shop("login", installed.web, "--sso").code == 2, "this server has no single sign-on"
    assert shop("login", "127.0.0.1:9", "--username", "x", "--password", "y").code == 3


def test_accounts_tokens_and_passwords_by_the_server(logged_in, installed, password):
    put(installed, CONFIG, accounts__ada="login, apiKey")
    shop = logged_in
    shop.until(lambda: "ada" in shop.done("account", "list", "-o", "name").splitlines())
    assert ["ada", "true", "login,", "apiKey"] in [line.split() for line in shop.done("account", "list").splitlines()]
    token = shop.done("account", "generate-token", "-a", "ada", "--id", "ci", "-e", "1h").strip()
    assert "ci" in shop.done("account", "get", "-a", "ada")
    assert shop("account", "generate-token", "-a", "ada", "--id", "ci").code == 6
    assert decode(shop.done("account", "get-user-info", "-o", "json", "--auth-token", token))["username"] == "ada"
    assert shop.done("login", installed.web, "--token", "-", "--name", "ada", stdin=token).startswith("'ada'")
    shop.done("context", "here")
    shop.done("account", "delete-token", "ci", "-a", "ada", "-y")
    assert shop("account", "delete-token", "ci", "-a", "ada", "-y").code == 5
    shop.done(
        "account",
        "update-password",
        "--account",
        "ada",
        "--current-password",
        password,
        "--new-password",
        "battery staple",
    )
    shop.done("login", installed.web, "--username", "ada", "--password", "battery staple", "--name", "ada")
    said = shop.done(
        "account", "update-password", "--current-password", "battery staple", "--new-password", "correct horse"
    )
    assert "Context 'ada' updated" in said
    assert "Username: ada" in shop.done("account", "get-user-info")
    assert shop.done("account", "get", "-o", "name") == "ada\n"
    assert "NONE" in shop.done("account", "get")
    no = shop("account", "can-i", "sync", "applications", "x/y")
    assert (no.code, no.out) == (1, "no\n")
    assert no.err


def test_accounts_on_the_cluster_itself(shop, installed):
    put(installed, CONFIG, accounts__robot="apiKey")
    put(installed, POLICY, policy__csv="p, robot, applications, sync, shop/*, allow\n")
    token = shop.done("account", "generate-token", "-a", "robot", "--id", "x", "-e", "1h").strip()
    shop.until(
        lambda: "robot" in shop("account", "get-user-info", "--server", installed.web, "--auth-token", token).out
    )
    assert [each["id"] for each in decode(shop.done("account", "get", "-a", "robot", "-o", "json"))["tokens"]] == ["x"]
    assert shop("account", "generate-token", "-a", "robot", "--id", "x").code == 6
    assert shop("account", "generate-token").code == 2, "admin has no apiKey"
    assert shop("account", "get", "-a", "nobody").code == 5
    yes = shop("account", "can-i", "sync", "app", "shop/web", "--as", "robot", "-o", "json")
    assert (yes.code, decode(yes.out)["line"]) == (0, "p, robot, applications, sync, shop/*, allow")
    assert shop("account", "can-i", "sync", "app", "other/web", "--as", "robot").code == 1
    assert shop("account", "can-i", "sing", "app", "x", "--as", "robot").code == 2
    assert "by its own RBAC" in shop("account", "can-i", "get", "projects", "x").err
    assert shop("account", "can-i", "get", "projects", "x", "--as", "a", "--server", installed.web).code == 2
    shop.done("account", "delete-token", "x", "-a", "robot")
    assert shop("account", "delete-token", "x", "-a", "robot").code == 5
    shop.done("account", "update-password", "--account", "robot", "--new-password", "battery staple")
    assert shop("account", "update-password", "--account", "robot", "--new-password", "x").code == 2
    assert "kubeconfig names" in shop("account", "get-user-info").err


def test_a_hash_as_argo_cd_has_it(run):
    made = run("account", "bcrypt", "--password", "correct horse").out.strip()
    assert made.startswith("$2a$10$")
    assert bcrypt.checkpw(b"correct horse", made.encode())
    assert run("account", "bcrypt", "--password", "x" * 73).code == 2


def test_applications_and_projects_by_the_server(logged_in, installed):
    shop = logged_in
    installed.push({"served/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: served}\ndata: {a: '1'}\n"})
    shop.create("served")
    assert "served" in shop.done("app", "list")
    assert "Healthy" in shop.done("app", "sync", "served", "--timeout", "60")
    assert shop.app("served")["status"]["sync"]["status"] == "Synced"
    installed.push({"served/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: served}\ndata: {a: '2'}\n"})
    shop.done("app", "get", "served", "--refresh")
    shop.done("app", "sync", "served", "--timeout", "60", "--prune")
    assert len(shop.done("app", "history", "served").splitlines()) >= 3
    shop.done("app", "rollback", "served", "--timeout", "60")
    shop.done("app", "set", "served", "--revision", "main")
    shop.done("app", "patch", "served", "--patch", '{"metadata": {"labels": {"a": "b"}}}', "--type", "merge")
    assert shop.app("served")["metadata"]["labels"] == {"a": "b"}
    shop.done("app", "confirm-deletion", "served")
    assert shop("app", "logs", "served").code == 5, "it has no pods"
    shop.done("proj", "create", "served", "--src", "*", "-d", "https://kubernetes.default.svc,shop")
    shop.done("proj", "add-source-namespace", "served", "teams")
    assert shop("proj", "create", "served", "--src", "x").code != 0
    shop.done("proj", "role", "create", "served", "ci")
    token = shop.done("proj", "role", "create-token", "served", "ci", "-t")
    issued = shop.done("proj", "role", "list-tokens", "served", "ci", "-u").splitlines()[1].split()[1]
    assert token.count(".") == 2
    shop.done("proj", "role", "delete-token", "served", "ci", issued)
    assert "No tokens" in shop.done("proj", "role", "list-tokens", "served", "ci")
    shop.done("proj", "delete", "served")
    shop.done("app", "delete", "served", "--yes", "--wait")
    assert "served" not in shop.done("app", "list", "-o", "name")


def test_where_pages_are(shop, installed, logged_in):
    link = shop.done("open", "--core", "--data", installed.data)
    assert link.startswith(f"{installed.web}/auth/link?token=")
    page = f"{installed.web}/applications/argocd/web\n"
    assert shop.done("open", "app/web", "--core", "--data", installed.data) == page
    assert shop.done("open", "app/web", "--no-launch") == page, "by the login"
    assert shop.done("open", "postgresqlinstance/db").endswith("/infra\n")
    assert shop("open", "app").code == 2


def test_somebody_whose_login_has_ended_logs_in_again(logged_in, password):
    before = logged_in.done("account", "session-token")
    said = logged_in("relogin", stdin=f"{password}\n")
    assert said.code == 0, said.err
    assert said.out == "Relogging in as 'admin'\nContext 'here' updated\n"
    assert logged_in.done("account", "session-token") != before
    assert logged_in("relogin", "--password", "wrong").code == 4
    assert decode(logged_in.done("account", "get-user-info", "-o", "json"))["loggedIn"] is True, "nothing was lost"


def test_nobody_logs_in_again_who_is_not_known_to_have_been(logged_in, run):
    logged_in.done("logout")
    said = logged_in("relogin", "--password", "x")
    assert (said.code, "plumb login" in said.err) == (4, True), "who it was is forgotten"
    logged_in.done("context", "here", "--delete")
    assert logged_in("relogin").code == 4
    logged_in.done("login", "--core")
    assert logged_in("relogin").code == 2, "a cluster knows its people by the kubeconfig"
