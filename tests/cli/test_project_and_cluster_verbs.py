"""plumb proj and cluster: what is written is what Argo CD would write."""

import pytest

from plumbline.base.json import decode
from plumbline.delivery.joining.secrets import secret_name

SERVER = "https://kubernetes.default.svc"


def spec(shop, name):
    return decode(shop.done("proj", "get", name, "-o", "json"))["spec"]


@pytest.fixture
def project(shop):
    shop.done("proj", "create", "team", "--upsert", "--description", "a team", "--src", "https://git.example.org/a.git")
    yield "team"
    shop.done("proj", "delete", "team", "-y")


def test_a_file_need_not_say_that_it_is_a_project(shop):
    bare = '{"metadata": {"name": "bare"}, "spec": {"description": "%s"}}'
    shop.done("proj", "create", "-f", "-", stdin=bare % "one")
    assert shop("proj", "create", "-f", "-", stdin=bare % "two").code == 6
    shop.done("proj", "create", "-f", "-", "--upsert", stdin=bare % "two")
    assert spec(shop, "bare")["description"] == "two"
    assert shop("proj", "create", "-f", "-", stdin='{"kind": "Secret", "apiVersion": "v1"}').code == 2
    shop.done("proj", "delete", "bare", "-y")


def test_a_project_is_made_changed_and_deleted(shop, tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(
        "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: filed}\nspec: {sourceRepos: ['*']}\n"
    )
    shop.done("proj", "create", "-f", file, "-d", f"{SERVER},a", "--allow-cluster-resource", "/Namespace/team-*")
    assert spec(shop, "filed") == {
        "sourceRepos": ["*"],
        "destinations": [{"server": SERVER, "namespace": "a"}],
        "clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "team-*"}],
    }
    shop.done("proj", "create", "-f", file, "-d", f"{SERVER},a", "--allow-cluster-resource", "/Namespace/team-*")
    assert shop("proj", "create", "filed", "--src", "x").code == 6
    shop.done("proj", "create", "filed", "--src", "x", "--upsert")
    shop.done("proj", "set", "filed", "--orphaned-resources", "--orphaned-resources-warn", "--source-namespaces", "a,b", "--deny-namespaced-resource", "Secret", "--allow-namespaced-resource", "apps/Deployment", "--deny-cluster-resource", "a/B", "--signature-keys", "4AEE18F83AFDEB23", "--dest-service-accounts", f"{SERVER},a,b")  # fmt: skip
    after = spec(shop, "filed")
    assert after["orphanedResources"] == {"warn": True}
    assert after["sourceNamespaces"] == ["a", "b"]
    assert after["namespaceResourceWhitelist"] == [{"group": "apps", "kind": "Deployment"}]
    assert "like that already" in shop("proj", "set", "filed", "--src", "x").err
    shop.done("proj", "set", "filed", "--orphaned-resources=false")
    assert "orphanedResources" not in spec(shop, "filed")
    for args in (("set", "filed"), ("set", "filed", "-d", "x"), ("set", "filed", "--dest-service-accounts", "x"),
                 ("set", "filed", "--allow-cluster-resource", "a/b/c/d"), ("create",), ("create", "other", "-f", file)):  # fmt: skip
        assert shop("proj", *args).code == 2
    shop.done("proj", "delete", "filed", "-y")
    assert shop("proj", "delete", "filed", "-y").code == 5
    assert shop("proj", "delete", "default", "-y").code == 2
    assert "Did you mean default?" in shop("proj", "get", "defualt").err


def test_what_a_project_may_use(shop, project):
    for noun, more in (
        (("source",), ("https://git.example.org/b.git",)),
        (("source-namespace",), ("teams",)),
        (("signature-key",), ("4AEE18F83AFDEB23",)),
        (("destination",), (SERVER, "team")),
        (("destination-service-account",), (SERVER, "team", "deployer")),
        (("orphaned-ignore",), ("", "ConfigMap")),
    ):
        before = spec(shop, project)
        shop.done("proj", f"add-{noun[0]}", project, *more)
        assert spec(shop, project) != before
        again = shop("proj", f"add-{noun[0]}", project, *more)
        assert (again.code, "already defined" in again.err) == (6, True) or "already" in again.out
        shop.done("proj", f"remove-{noun[0]}", project, *more)
        gone = shop("proj", f"remove-{noun[0]}", project, *more)
        assert (gone.code, "does not exist" in gone.err) == (5, True) or "does not exist" in gone.out
    shop.done("proj", "add-destination", project, "east", "team", "--name")
    assert spec(shop, project)["destinations"] == [{"name": "east", "namespace": "team"}]
    assert shop("proj", "add-destination-service-account", project, SERVER, "team", "a*").code == 2


def test_kinds_are_allowed_and_denied_in_both_lists(shop, project):
    assert "is added to allowed cluster" in shop.done("proj", "allow-cluster-resource", project, "", "Namespace", "a-*")
    assert spec(shop, project)["clusterResourceWhitelist"] == [{"group": "", "kind": "Namespace", "name": "a-*"}]
    assert shop.done("proj", "allow-cluster-resource", project, "", "Namespace", "a-*") == ""
    assert "is removed from allowed" in shop.done("proj", "deny-cluster-resource", project, "", "Namespace", "a-*")
    assert "is added to denied cluster" in shop.done("proj", "deny-cluster-resource", project, "a", "B", "-l", "deny")
    assert "is added to denied namespaced" in shop.done("proj", "deny-namespace-resource", project, "", "Secret")
    assert "is removed from denied" in shop.done("proj", "allow-namespace-resource", project, "", "Secret")
    assert shop("proj", "allow-namespace-resource", project, "", "Secret", "x").code == 2


def test_roles(shop, project):
    assert "created" in shop.done("proj", "role", "create", project, "ci", "--description", "builds")
    assert "already exists" in shop.done("proj", "role", "create", project, "ci")
    rule = ("-a", "sync", "-o", "*")
    shop.done("proj", "role", "add-policy", project, "ci", *rule)
    shop.done("proj", "role", "add-policy", project, "ci", "-a", "get", "-o", "*", "-r", "logs", "-p", "deny")
    assert spec(shop, project)["roles"][0]["policies"] == [
        "p, proj:team:ci, applications, sync, team/*, allow",
        "p, proj:team:ci, logs, get, team/*, deny",
    ]
    assert shop("proj", "role", "add-policy", project, "ci", "-a", "sync", "-o", "*", "-r", "nothing").code == 2
    assert "added to" in shop.done("proj", "role", "add-group", project, "ci", "devs")
    assert "already" in shop.done("proj", "role", "add-group", project, "ci", "devs")
    assert ["ci", "builds"] in [line.split() for line in shop.done("proj", "role", "list", project).splitlines()]
    assert shop.done("proj", "role", "list", project, "-o", "name") == "ci\n"
    assert decode(shop.done("proj", "role", "list", project, "-o", "json"))[0]["groups"] == ["devs"]
    said = shop.done("proj", "role", "create-token", project, "ci", "-i", "x", "-e", "1h")
    assert "ID: x" in said
    assert shop("proj", "role", "create-token", project, "ci", "-i", "x").code == 6
    shown = shop.done("proj", "role", "get", project, "ci")
    assert "  - devs" in shown
    assert "Role Name:     ci" in shown
    assert shop.done("proj", "role", "list-tokens", project, "ci").splitlines()[1].startswith("x ")
    issued = shop.done("proj", "role", "list-tokens", project, "ci", "-u").splitlines()[1].split()[1]
    shop.done("proj", "role", "delete-token", project, "ci", issued)
    assert shop("proj", "role", "delete-token", project, "ci", issued).code == 5
    shop.done("proj", "role", "remove-policy", project, "ci", *rule)
    assert "no such policy" in shop("proj", "role", "remove-policy", project, "ci", *rule).err
    assert "removed from" in shop.done("proj", "role", "remove-group", project, "ci", "devs")
    assert "not present" in shop.done("proj", "role", "remove-group", project, "ci", "devs")
    assert shop("proj", "role", "get", project, "nobody").code == 5
    assert "deleted" in shop.done("proj", "role", "delete", project, "ci", "-y")
    assert "does not exist" in shop.done("proj", "role", "delete", project, "ci", "-y")


def test_windows(shop, project):
    add = ("proj", "windows", "add", project, "--schedule", "0 22 * * *", "--duration", "1h")
    shop.done(*add, "-k", "deny", "--applications", "a,b", "--manual-sync", "--description", "ticket")
    shop.done(*add, "-k", "allow", "--clusters", "*", "--use-and-operator")
    assert shop(*add, "-k", "allow").code == 2, "about nothing"
    shop.done("proj", "windows", "update", project, "0", "--duration", "2h", "--time-zone", "Europe/Berlin")
    header, first, second = shop.done("proj", "windows", "list", project).splitlines()
    assert header.split()[:3] == ["ID", "STATUS", "KIND"]
    assert header.split()[8:] == ["MANUALSYNC", "SYNCOVERRUN", "TIMEZONE", "USEANDOPERATOR"]
    assert first.split()[2:] == [
        "deny",
        "0",
        "22",
        "*",
        "*",
        "*",
        "2h",
        "a,b",
        "-",
        "-",
        "Enabled",
        "Disabled",
        "Europe/Berlin",
        "Disabled",
    ]
    shop.done("proj", "windows", "disable-manual-sync", project, "0")
    shop.done("proj", "windows", "enable-manual-sync", project, "1")
    windows = decode(shop.done("proj", "windows", "list", project, "-o", "json"))
    assert ["manualSync" in each for each in windows] == [False, True]
    assert shop("proj", "windows", "update", project, "7", "--duration", "2h").code == 5
    assert shop("proj", "windows", "update", project, "0").code == 2
    shop.done("proj", "windows", "delete", project, "0", "-y")
    assert len(decode(shop.done("proj", "windows", "list", project, "-o", "json"))) == 1
    assert second


def test_a_project_in_an_editor(shop, project, monkeypatch, tmp_path):
    editor = tmp_path / "editor"

    def edit(script):
        editor.write_text(f"#!/bin/sh\n{script}\n")
        editor.chmod(0o700)
        return shop("proj", "edit", project)

    monkeypatch.setenv("VISUAL", str(editor))
    assert "Nothing was changed" in edit("true").err
    assert edit("sed -i 's/a team/the team/' $1; touch $1 -d '+5 seconds'").code == 0
    assert spec(shop, project)["description"] == "the team"
    wrong = edit("if grep -q 'cannot be used' $1; then sed -i 's/: 7/: good/' $1; else sed -i 's/the team/7/' $1; fi; touch $1 -d '+5 seconds'")  # fmt: skip
    assert wrong.code == 0, wrong.err
    assert spec(shop, project)["description"] == "good"


def test_a_cluster_is_added_shown_changed_and_forgotten(shop, installed):
    context = ("plumbline", "--name", "east", "-y", "--label", "a=b")
    assert "added" in shop.done("cluster", "add", *context, "--exec-command", "aws", "--exec-command-args", "eks")
    assert shop("cluster", "add", *context, "--aws-cluster-name", "x").code == 6
    shop.done("cluster", "add", *context, "--aws-cluster-name", "x", "--upsert", "--namespace", "n", "--shard", "2")
    assert "east" in shop.done("cluster", "list")
    assert SERVER in shop.done("cluster", "list", "-o", "server").splitlines()
    one = decode(shop.done("cluster", "get", "east", "-o", "json"))
    assert (one["namespaces"], one["shard"], one["labels"]) == (["n"], 2, {"a": "b"})
    assert one["config"] == {"tlsClientConfig": {"insecure": False}}, "what we come with is not told"
    assert "Server Name:" in shop.done("cluster", "get", "east", "-o", "wide")
    shop.done("cluster", "set", "east", "--name", "west", "--namespace", "*", "--annotation", "c=d", "--label", "e=f")
    one = decode(shop.done("cluster", "get", "west", "-o", "json"))
    assert ("namespaces" in one, one["annotations"], one["labels"]) == (False, {"c": "d"}, {"e": "f"})
    assert shop.done("cluster", "get", one["server"], "-o", "server").strip() == one["server"]
    assert shop("cluster", "set", "west").code == 2
    assert shop("cluster", "rotate-auth", "west").code == 2, "it has no token"
    said = shop("cluster", "rm", "west", "-y")
    assert said.code == 0
    assert "stays" in said.err
    assert shop("cluster", "get", "west").code == 5
    assert shop("cluster", "add", "plumbline", "--in-cluster", "--cluster-endpoint", "internal").code == 2


def test_clusters_are_shown_with_their_versions_as_argocd_shows_them(shop):
    this, again = decode(shop.done("cluster", "get", "in-cluster", SERVER, "-o", "json"))
    assert this == again
    assert this["serverVersion"] == this["info"]["serverVersion"] == "v1.36.3"
    assert this["connectionState"] == {"status": "Successful", "message": "", "attemptedAt": None}


def test_something_is_said_about_the_cluster_at_hand_and_unsaid(shop):
    assert shop("cluster", "rm", "in-cluster", "-y").code == 2, "nothing describes it"
    shop.done("cluster", "set", "in-cluster", "--label", "a=b")
    assert decode(shop.done("cluster", "get", "in-cluster", "-o", "json"))["labels"] == {"a": "b"}
    shop.done("cluster", "rm", "in-cluster", "-y")
    assert "labels" not in decode(shop.done("cluster", "get", "in-cluster", "-o", "json"))


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ("https://kubernetes.default.svc", "cluster-kubernetes.default.svc-3396314289"),
        ("https://[fe80::1]:6443", "cluster-fe80--1-"),
    ],
)
def test_secrets_of_clusters_have_argo_cds_names(server, name):
    assert secret_name(server).startswith(name)


def test_a_window_may_let_what_began_in_time_go_on(shop, project):
    add = ("proj", "windows", "add", project, "--schedule", "0 22 * * *", "--duration", "1h", "--applications", "*")
    shop.done(*add, "-k", "deny", "--sync-overrun")
    shop.done(*add, "-k", "deny")

    def overruns():
        return ["syncOverrun" in each for each in decode(shop.done("proj", "windows", "list", project, "-o", "json"))]

    assert overruns() == [True, False]
    shop.done("proj", "windows", "disable-sync-overrun", project, "0")
    shop.done("proj", "windows", "enable-sync-overrun", project, "1")
    assert overruns() == [False, True]
    *_, second = shop.done("proj", "windows", "list", project).splitlines()
    assert second.split()[-4:] == ["Disabled", "Enabled", "UTC", "Disabled"]
    assert shop("proj", "windows", "enable-sync-overrun", project, "7").code == 5


def test_policies_for_signatures(shop, project):
    policies = ("proj", "source-integrity", "git", "policies")
    key, other = "D56C4FCA57A46444", "0123456789ABCDEF"
    fingerprint = "F" * 24 + other
    said = shop(*policies, "add", project, "--repo-url", "https://a/*,https://b/*", "--gpg-mode", "head", "--gpg-key", key)  # fmt: skip
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0].split() == ["ID", "GPG-MODE", "GPG-KEYS", "REPO-URLS"]
    empty = shop(*policies, "add", project, "--gpg-mode", "strict")
    assert empty.code == 0
    assert empty.err.count("Warning: Policy has no") == 2

    def first():
        spec = decode(shop.done("proj", "get", project, "-o", "json"))["spec"]
        policy = spec["sourceIntegrity"]["git"]["policies"][0]
        return policy["gpg"]["mode"], policy["gpg"]["keys"], [each["url"] for each in policy["repos"]]

    assert first() == ("head", [key], ["https://a/*", "https://b/*"])
    change = (*policies, "update", project, "0", "-y")
    shop.done(*change, "--gpg-mode", "strict", "--add-gpg-key", fingerprint, "--delete-repo-url", "https://b/*")
    assert first() == ("strict", [key, other], ["https://a/*"])
    shop.done(*change, "--repo-url", "https://c/*", "--delete-gpg-key", key)
    assert first() == ("strict", [other], ["https://c/*"])
    assert shop(*change, "--gpg-key", key, "--add-gpg-key", other).code == 2
    assert shop(*change, "--gpg-key", "nonsense").code == 2
    assert shop(*policies, "update", project, "7", "-y", "--gpg-mode", "none").code == 5
    assert shop(*policies, "delete", project, "0", "7", "-y").code == 5
    shop.done(*policies, "delete", project, "0", "1", "-y")
    assert "sourceIntegrity" not in decode(shop.done("proj", "get", project, "-o", "json"))["spec"]
