"""What `plumb app` refuses before it asks anybody, and what it says about projects, windows and namespaces."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from plumbline.base.errors import AlreadyExists, Forbidden
from plumbline.base.json import decode, encode
from plumbline.base.limits import SETTINGS
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

from .installed import REPO, SERVER, config_map

USAGE = [
    ("app", "sync"),
    ("app", "sync", "a", "b", "-l", "x=y"),
    ("app", "sync", "a", "b", "--revisions", "x"),
    ("app", "wait"),
    ("app", "delete"),
    ("app", "create"),
    ("app", "create", "a", "--name", "b"),
    ("app", "set", "a"),
    ("app", "set", "a", "--source-name", "x", "--source-position", "1"),
    ("app", "unset", "a"),
    ("app", "unset", "a", "--ref", "--source-name", "x", "--source-position", "1"),
    ("app", "get", "a", "--source-name", "x", "--source-position", "1"),
    ("app", "patch", "a", "--patch", "nonsense"),
]


@pytest.mark.parametrize("args", USAGE, ids=" ".join)
def test_what_makes_no_sense_is_refused(run, args):
    said = run(*args)
    assert (said.code, said.out) == (2, "")


def test_actions_alone_explain_themselves(run):
    assert run("app", "actions").out.startswith("Usage: plumb app actions ")


def write(installed, resource, obj, namespace="argocd"):
    async def written():
        async with Client.connect(Connection.load(installed.kubeconfig)) as client:
            try:
                await client.create(Target(GroupVersionResource(*resource), namespace), encode(obj))
            except AlreadyExists:
                return

    asyncio.run(written())


def change(installed, resource, name, body):
    async def changed():
        target = Target(GroupVersionResource(*resource), "argocd", name)
        async with Client.connect(Connection.load(installed.kubeconfig)) as client:
            await client.patch(target, encode(body), "merge")

    asyncio.run(changed())


CONFIG_MAPS = ("", "v1", "configmaps")
NAMESPACES = ("", "v1", "namespaces")
PROJECTS = ("argoproj.io", "v1alpha1", "appprojects")


def project(name, **spec):
    everything = {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}], "sourceNamespaces": ["*"]}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": name},
        "spec": everything | spec,
    }


def test_windows_of_the_project_are_shown_and_say_what_is_allowed(shop):
    windows = [{"kind": "deny", "schedule": "* * * * *", "duration": "1h", "applications": ["*"], "manualSync": True}]
    write(shop.installed, PROJECTS, project("shut", syncWindows=windows))
    shop.create("windowed", "--project", "shut")
    lines = shop.done("app", "get", "windowed").splitlines()
    assert "SyncWindow:         Manual Allowed" in lines
    assert "Assigned Windows:   deny:* * * * *:1h" in lines
    windows = [{"kind": "deny", "schedule": "nonsense", "duration": "1h", "applications": ["*"]}]
    write(shop.installed, PROJECTS, project("odd", syncWindows=windows))
    shop.create("oddly", "--project", "odd", "--no-validate")
    assert "SyncWindow:         Sync Denied" in shop.done("app", "get", "oddly")


def test_a_sync_that_a_window_forbids_is_refused_instead_of_waiting_for_ever(shop):
    windows = [{"kind": "deny", "schedule": "* * * * *", "duration": "1h", "applications": ["*"]}]
    write(shop.installed, PROJECTS, project("closed", syncWindows=windows))
    shop.create("shut-out", "--project", "closed")
    said = shop("app", "sync", "shut-out", "--timeout", "5")
    assert said.code == 4
    assert "cannot sync: blocked by sync window" in said.err
    assert "plumb proj windows list closed" in said.err
    assert "operation" not in shop.app("shut-out")


def test_a_repository_that_is_registered_for_a_project_alone_is_permitted_in_it(shop):
    write(shop.installed, PROJECTS, project("registered", sourceRepos=[]))
    flags = (
        "--repo",
        REPO,
        "--path",
        "registered",
        "--dest-server",
        SERVER,
        "--dest-namespace",
        "default",
        "--project",
        "registered",
    )
    said = shop("app", "create", "registered", *flags)
    assert (said.code, "is not permitted in project 'registered'" in said.err) == (2, True)
    metadata = {"name": "registered-shop", "labels": {"argocd.argoproj.io/secret-type": "repository"}}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "stringData": {"url": REPO, "project": "registered"},
    }
    write(shop.installed, GroupVersionResource("", "v1", "secrets"), secret)
    shop.done("app", "create", "registered", *flags)
    shop.done("app", "delete", "registered", "-y", "--wait")
    shop.done("repo", "rm", REPO, "--project", "registered")


def test_objects_that_are_nobodys_are_listed_where_the_project_wants_to_know(shop):
    installed = shop.installed
    write(installed, NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lost"}}, "")
    for name in ("stray", "spared"):
        write(installed, CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}, "lost")
    ignored = {"ignore": [{"group": "", "kind": "ConfigMap", "name": "spared"}]}
    write(installed, PROJECTS, project("watchful", orphanedResources=ignored))
    installed.push({"lost/a.yaml": config_map("own")})
    shop.create("lost", "--project", "watchful", namespace="lost")
    shop.done("app", "sync", "lost", "--timeout", "60")
    rows = [line.split() for line in shop.done("app", "resources", "lost").splitlines()[1:]]
    assert rows == [["ConfigMap", "lost", "own", "No"], ["ConfigMap", "lost", "stray", "Yes"]]
    only = decode(shop.done("app", "resources", "lost", "--orphaned", "-o", "json"))["items"]
    assert [each["name"] for each in only] == ["stray"]
    assert "Yes" not in shop.done("app", "resources", "lost", "--orphaned=false", "-o", "tree=detailed")


def test_applications_of_other_namespaces_are_listed_where_the_settings_allow_them(shop):
    installed = shop.installed
    for name in ("team-a", "apart"):
        write(installed, NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}, "")
    for name in ("team-a", "apart"):
        shop.done("app", "create", f"{name}/elsewhere", "--repo", REPO, "--path", "p", "--dest-server", SERVER)
    listed = shop.done("app", "list", "-o", "name").splitlines()
    assert "team-a/elsewhere" not in listed
    change(installed, CONFIG_MAPS, "argocd-cmd-params-cm", {"data": {"application.namespaces": "team-*"}})
    listed = shop.done("app", "list", "-o", "name").splitlines()
    assert "team-a/elsewhere" in listed
    assert "apart/elsewhere" not in listed
    assert shop.done("app", "get", "elsewhere", "-N", "apart", "-o", "name") == "apart/elsewhere\n"
    listing = Client.list

    async def refusing(client, target, *more, **options):
        if target.resource == APPLICATION.resource and not target.namespace:
            raise Forbidden("GET / failed", why="applications is forbidden")
        return await listing(client, target, *more, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "list", refusing)
        said = shop("app", "list", "-o", "name")
    assert "team-a/elsewhere" not in said.out
    assert said.err == "Applications in other namespaces than argocd are left out: applications is forbidden.\n"


def test_several_sources_are_changed_and_synced_one_by_one(shop, tmp_path):
    file = tmp_path / "many.yaml"
    source = f"{{repoURL: {REPO}, targetRevision: main, path: many"
    file.write_text(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: many}\nspec:\n"
        f"  project: default\n  destination: {{server: {SERVER}, namespace: default}}\n"
        f"  sources: [{source}, name: a}}, {source}, name: b, helm: {{parameters: [{{name: p, value: v}}]}}}}]\n"
    )
    shop.done("app", "create", "-f", file)
    assert shop("app", "set", "many", "--path", "x").code == 2
    shop.done("app", "set", "many", "--path", "x", "--source-name", "b")
    assert [each["path"] for each in shop.app("many")["spec"]["sources"]] == ["many", "x"]
    shop.done("app", "unset", "many", "-p", "p", "--source-position", "2")
    for flags in (("--revision", "x"), ("--local", tmp_path)):
        assert shop("app", "sync", "many", *flags, "--timeout", "5").code == 2
    wrong = ("--revisions", "x", "--source-positions", "3")
    assert shop("app", "sync", "many", *wrong, "--timeout", "5").code == 2
    assert shop("app", "diff", "many", *wrong, "--data", shop.installed.data).code == 2
    assert shop("app", "diff", "many", "--local", tmp_path, "--data", shop.installed.data).code == 2
    assert shop("app", "get", "many", "--show-params", "--source-name", "z").code == 2
    assert "NAME  VALUE" in shop.done("app", "get", "many", "--show-params", "--source-name", "b")


def test_values_come_from_a_file(shop, tmp_path):
    (tmp_path / "values.yaml").write_text("a: {b: 1}\n")
    shop.create("valued", "--values-literal-file", tmp_path / "values.yaml", "--annotations", "x=y")
    app = shop.app("valued")
    assert app["spec"]["source"]["helm"]["valuesObject"] == {"a": {"b": 1}}
    assert app["metadata"]["annotations"]["x"] == "y"
    (tmp_path / "values.yaml").write_bytes(b"\xff")
    assert shop("app", "set", "valued", "--values-literal-file", tmp_path / "values.yaml").code == 2
    assert shop("app", "set", "valued", "--values-literal-file", tmp_path / "none.yaml").code == 2
    (tmp_path / "values.yaml").write_bytes(b"#" * (SETTINGS.size_bytes + 1))
    assert "more than" in shop("app", "set", "valued", "--values-literal-file", tmp_path / "values.yaml").err


class Values(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/values.yaml")
            self.end_headers()
            return
        self.send_response(404 if self.path == "/none" else 200)
        self.end_headers()
        self.wfile.write(b"a: {b: 2}\n")

    def log_message(self, *words):
        pass


def test_values_come_from_an_address(shop):
    with ThreadingHTTPServer(("127.0.0.1", 0), Values) as server:
        threading.Thread(target=server.serve_forever).start()
        here = f"http://127.0.0.1:{server.server_port}"
        shop.create("addressed", "--values-literal-file", f"{here}/moved")
        assert shop.app("addressed")["spec"]["source"]["helm"]["valuesObject"] == {"a": {"b": 2}}
        assert shop("app", "set", "addressed", "--values-literal-file", f"{here}/none").code != 0
        named = f"http://ada:hunter2@127.0.0.1:{server.server_port}/values.yaml"
        refused = shop("app", "set", "addressed", "--values-literal-file", named)
        assert refused.code == 2
        assert "hunter2" not in refused.err
        server.shutdown()


def test_a_person_at_a_terminal_is_asked_before_anything_goes(shop, monkeypatch):
    monkeypatch.setattr("plumbline.cli.verbs.app.delete._on_terminal", lambda: True)
    for name in ("asked-a", "asked-b", "asked-c"):
        shop.create(name, "-l", "asked=yes")
    assert "was cancelled" in shop("app", "delete", "asked-a", stdin="n\n").out
    said = shop("app", "delete", "-l", "asked=yes", "--cascade=true", stdin="n\na\n")
    assert [line.split("'")[1] for line in said.out.splitlines()] == [
        "argocd/asked-a",
        "argocd/asked-b",
        "argocd/asked-c",
    ]
    assert shop("app", "get", "asked-a").code == 0
