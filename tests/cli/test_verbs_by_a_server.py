"""What somebody can do who has logged in to a server and has no kubeconfig: all of it goes by the server."""

import asyncio
import base64
import signal
import subprocess
import sys

import pytest

from plumbline.base.errors import NotFound
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

from .installed import REPO, SERVER, config_map, deployment

SECRETS = GroupVersionResource("", "v1", "secrets")
PRIVATE = "https://git.example.org/served.git"


def on(installed, work):
    async def done():
        async with Client.connect(Connection.load(installed.kubeconfig)) as client:
            return await work(client)

    return asyncio.run(done())


@pytest.fixture
def delivered(served, installed, request):
    """An application of the test's own, synced by the server."""
    name = f"by-server-{request.param}"
    files = {f"{name}/a.yaml": config_map(name), f"{name}/b.yaml": config_map(f"{name}-b", tier="x")}
    if request.param == "pods":
        files = {f"{name}/b.yaml": deployment(name)}
    installed.push(files)
    served.create(name)
    served.done("app", "sync", name, "--timeout", "60")
    yield name
    served.done("app", "delete", name, "--yes", "--wait")


def named(what):
    return pytest.mark.parametrize("delivered", [what], indirect=True)


@named("objects")
def test_objects_are_shown_changed_and_deleted(served, delivered, monkeypatch):
    one = ("--kind", "ConfigMap", "--resource-name", delivered)
    shown = served.done("app", "get-resource", delivered, *one)
    assert ["data.value", "1"] in [line.split() for line in shown.splitlines()]
    assert served.done("app", "get-resource", delivered, "--kind", "ConfigMap", "-o", "yaml").count("---") == 1
    assert "managedFields" not in shown
    assert "managedFields" in served.done("app", "get-resource", delivered, *one, "--show-managed-fields")
    patch = ("--patch", '{"data": {"value": "2"}}')
    assert "patched" in served.done("app", "patch-resource", delivered, *one, *patch)
    assert served("app", "patch-resource", delivered, "--kind", "ConfigMap", *patch).code == 2, "two match"
    broken = served("app", "patch-resource", delivered, *one, "--patch", '{"data": 1}x')
    assert broken.code == 2
    assert f"failed to patch ConfigMap default/{delivered}" in broken.err
    assert "2" in served.done("app", "get-resource", delivered, *one, "--filter-fields", "data.value")
    assert served("app", "get-resource", delivered, "--kind", "Secret").code == 5
    with monkeypatch.context() as called:
        called.setenv("PLUMBLINE_COMPAT", "argocd")
        assert served.done("app", "get-resource", delivered, "--kind", "Secret").split() == ["FIELD", "VALUE"]
    assert "deleted" in served.done("app", "delete-resource", delivered, *one, "--force", "-y")
    served.until(lambda: served("app", "get-resource", delivered, *one).code == 5)
    assert served("app", "get-resource", "nowhere", "--kind", "Secret").code in {4, 5}


@named("git")
def test_what_git_asks_for_is_compared_and_printed(served, delivered, installed):
    same = served("app", "diff", delivered)
    assert (same.code, same.out) == (0, "")
    before = installed.push({})
    installed.push({f"{delivered}/a.yaml": config_map(delivered, "2"), f"{delivered}/c.yaml": config_map("git-new")})
    said = served("app", "diff", delivered, "--refresh")
    assert said.code == 1
    assert f"===== /ConfigMap default/{delivered} ======" in said.out
    assert '+  value: "2"' in said.out
    assert "git-new" in said.out
    assert served("app", "diff", delivered, "--no-exit-code").code == 0
    assert served("app", "diff", delivered, "--diff-exit-code", "9").code == 9
    assert served("app", "diff", delivered, "--revision", before).code == 0
    assert 'value: "2"' in served.done("app", "manifests", delivered)
    assert 'value: "2"' not in served.done("app", "manifests", delivered, "--revision", before)
    assert 'value: "1"' in served.done("app", "manifests", delivered, "--source", "live")
    preview = ("app", "sync", delivered, "--preview-changes", "--timeout", "60")
    assert "git-new" in served(*preview, stdin="n\n").out
    served.done(*preview, "--assumeYes")
    assert "No Differences found" in served.done(*preview)
    served.done("app", "sync", delivered, "--label", "tier=x", "--timeout", "60")
    assert served("app", "sync", delivered, "--label", "tier=y").code == 5


@named("hands")
def test_files_at_hand_are_rendered_there_and_synced(served, delivered, tmp_path):
    folder = tmp_path / delivered
    folder.mkdir()
    (folder / "a.yaml").write_text(config_map(delivered, "by hand"))
    (folder / "b.yaml").write_text(config_map(f"{delivered}-b", tier="x"))
    here = ("--local", folder, "--local-repo-root", tmp_path)
    assert "+  value: by hand" in served("app", "diff", delivered, *here).out
    assert "by hand" in served("app", "diff", delivered, "--local", tmp_path, "--server-side-generate").out
    assert "by hand" in served.done("app", "manifests", delivered, *here)
    assert served("app", "diff", delivered, "--server-side-generate").code == 2
    served.done("app", "sync", delivered, *here, "--timeout", "60")
    assert served("app", "diff", delivered).code == 0, "that is what counts until the next sync"
    assert "LocalManifestsWarning" in served.done("app", "get", delivered)
    assert '+  value: "1"' in served("app", "sync", delivered, "--preview-changes", stdin="n\n").out
    served.done("app", "sync", delivered, "--timeout", "60")
    served.done("app", "set", delivered, "--sync-policy", "automated")
    refused = served("app", "sync", delivered, *here)
    assert refused.code == 2
    assert "Cannot use local sync" in refused.err
    served.done("app", "sync", delivered, *here, "--dry-run", "--timeout", "60")


@named("pods")
def test_trees_and_what_pods_print(served, delivered):
    served.done("app", "wait", delivered, "--health", "--timeout", "60")
    header, row = served.done("app", "resources", delivered).splitlines()
    assert header.split() == ["GROUP", "KIND", "NAMESPACE", "NAME", "ORPHANED"]
    assert row.split() == ["apps", "Deployment", "default", delivered, "No"]
    tree = served.done("app", "resources", delivered, "-o", "tree=detailed").splitlines()
    assert tree[0].split()[-3:] == ["AGE", "HEALTH", "REASON"]
    assert tree[1].split()[-1] == "Healthy"
    assert tree[2].startswith("└─apps")
    assert "Pod" in tree[3]
    assert f"Pod/{delivered}-" in served.done("app", "get", delivered, "-o", "tree")
    assert delivered in served.done("app", "logs", delivered, "--tail", "5")
    assert served.done("app", "logs", delivered, "--filter", "!starts") == ""
    assert served.done("app", "logs", delivered, "--filter", "STARTS", "-m") == ""
    assert delivered in served.done("app", "logs", delivered, "--kind", "Deployment", "--group", "apps", "-c", "main")
    assert served.done("app", "logs", delivered, "--until-time", "2020-01-01T00:00:00Z") == ""
    assert served("app", "logs", delivered, "--name", "other").code == 5
    assert served("app", "logs", delivered, "--until-time", "noon").code == 2
    other = served("app", "logs", delivered, "-c", "other")
    assert (other.code, other.out) == (0, "")
    assert other.err


@pytest.fixture
def marking(installed):
    """An action of ConfigMaps, in the settings for as long as the test takes."""
    target = Target(GroupVersionResource("", "v1", "configmaps"), "argocd", "argocd-cm")
    lua = 'obj.data.value = "acted"\nreturn obj'
    defined = {"discovery.lua": "return {mark = {}}", "definitions": [{"name": "mark", "action.lua": lua}]}
    key = "resource.customizations.actions.ConfigMap"
    labels = {"app.kubernetes.io/part-of": "argocd"}

    async def define(client):
        content = {"data": {key: encode(defined).decode()}}
        try:
            await client.patch(target, encode(content), "merge")
        except NotFound:
            await client.create(
                target.collection, encode({**content, "metadata": {"name": target.name, "labels": labels}})
            )
            return True
        return False

    made = on(installed, define)
    yield
    forgotten = encode({"data": {key: None}})
    on(installed, lambda client: client.delete(target) if made else client.patch(target, forgotten, "merge"))


@named("actions")
@pytest.mark.usefixtures("marking")
def test_actions_are_listed_and_run(served, delivered):
    one = ("--kind", "ConfigMap", "--resource-name", delivered)
    served.until(lambda: "mark" in served.done("app", "actions", "list", delivered, *one))
    assert served("app", "actions", "run", delivered, "mark", "--kind", "ConfigMap").code == 2, "two match"
    assert "1 objects" in served("app", "actions", "run", delivered, "mark", *one).err
    assert "acted" in served.done("app", "get-resource", delivered, *one)
    assert served("app", "actions", "run", delivered, "none", *one).code != 0


def test_repositories_are_added_listed_shown_and_forgotten(served):
    served.installed.stand_for(PRIVATE)
    said = served("repo", "add", PRIVATE, "--username", "ada", "--password", "canary-secret")
    assert (said.code, said.out, said.err) == (0, f"Repository '{PRIVATE}' added\n", "")
    served.until(lambda: PRIVATE in served.done("repo", "list", "-o", "url"))
    assert served("repo", "add", PRIVATE, "--username", "ada", "--password", "other").code == 6
    served.done("repo", "add", PRIVATE, "--username", "ada", "--password", "other-secret", "--upsert")
    row = next(line for line in served.done("repo", "list", "--refresh", "hard").splitlines() if PRIVATE in line)
    assert row.split()[1:7] == [PRIVATE, "false", "false", "false", "true", "Successful"]
    told = served.done("repo", "list", "-o", "json") + served.done("repo", "get", PRIVATE, "-o", "yaml") + said.err
    assert "secret" not in told
    assert "removed" in served.done("repo", "rm", PRIVATE)
    served.until(lambda: PRIVATE not in served.done("repo", "list", "-o", "url"))
    assert served("repo", "get", PRIVATE).code == 4
    own = f"{served.installed.web}/git/shop.git"
    assert served("repo", "add", own).err == "", "it answers"
    served.until(lambda: own in served.done("repo", "list", "-o", "url"))
    served.done("repo", "rm", own)


def test_credentials_for_many_repositories(served):
    team = "https://git.example.org/served-team"
    served.done("repocreds", "add", team, "--username", "ada", "--password", "canary-secret")
    served.until(lambda: team in served.done("repocreds", "list", "-o", "url"))
    assert [team, "ada", "false", "false"] in [line.split() for line in served.done("repocreds", "list").splitlines()]
    assert "secret" not in served.done("repocreds", "list", "-o", "json")
    served.installed.stand_for(f"{team}/shop")
    served.done("repo", "add", f"{team}/shop")
    row = next(line for line in served.done("repo", "list").splitlines() if f"{team}/shop" in line)
    assert row.split()[5] == "inherited"
    served.done("repo", "rm", f"{team}/shop")
    assert "removed" in served.done("repocreds", "rm", team)
    served.until(lambda: team not in served.done("repocreds", "list", "-o", "url"))


@pytest.fixture
def account(installed):
    """A token for the account on the cluster, which nobody fills in here."""
    target = Target(SECRETS, "kube-system", "argocd-manager-long-lived-token")
    body = {"metadata": {"name": target.name}, "data": {"token": base64.b64encode(b"x").decode()}}
    on(installed, lambda client: client.create(target.collection, encode(body)))
    yield
    on(installed, lambda client: client.delete(target))


@pytest.mark.usefixtures("account")
def test_clusters_are_added_listed_changed_and_forgotten(served, installed, monkeypatch):
    assert served.done("cluster", "list").splitlines()[1].split()[:2] == [SERVER, "in-cluster"]
    assert "Successful" in served.done("cluster", "list")
    # Whoever adds a cluster has a kubeconfig for that one; the login is still what is asked.
    monkeypatch.setenv("KUBECONFIG", str(installed.kubeconfig))
    add = ("cluster", "add", "plumbline", "--name", "served-east", "-y", "--label", "a=b")
    assert "added" in served.done(*add)
    monkeypatch.delenv("KUBECONFIG")
    served.until(lambda: "served-east" in served.done("cluster", "list"))
    one = decode(served.done("cluster", "get", "served-east", "-o", "json"))
    assert (one["labels"], one["info"]["connectionState"]["status"]) == ({"a": "b"}, "Successful")
    assert one["config"] == {"tlsClientConfig": {"insecure": False}}
    change = ("--name", "served-west", "--namespace", "n", "--annotation", "c=d")
    served.done("cluster", "set", "served-east", *change)
    served.until(lambda: "served-west" in served.done("cluster", "list"))
    one = decode(served.done("cluster", "get", "served-west", "-o", "json"))
    assert (one["namespaces"], one["labels"], one["annotations"]) == (["n"], {"a": "b"}, {"c": "d"})
    assert served("cluster", "get", "nowhere").code == 5
    said = served("cluster", "rm", "served-west", "-y")
    assert (said.code, "stays" in said.err) == (0, True)
    served.until(lambda: served("cluster", "get", "served-west").code == 5)


@pytest.mark.usefixtures("account")
def test_a_cluster_that_is_described_otherwise_is_not_replaced_unasked(served, installed, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(installed.kubeconfig))
    add = ("cluster", "add", "plumbline", "--name", "served-twice", "-y")
    served.done(*add)
    served.until(lambda: "served-twice" in served.done("cluster", "list"))
    said = served(*add, "--project", "other")
    assert said.code == 6
    assert "--upsert" in said.err
    served.done(*add, "--project", "other", "--upsert")
    served.done("cluster", "rm", "served-twice", "-y")
    served.until(lambda: served("cluster", "get", "served-twice").code == 5)


def test_an_application_goes_to_a_cluster_that_only_the_server_knows(served, installed):
    to = ("--dest-name", "served-far", "--dest-namespace", "default", "--repo", REPO, "--path", "x")
    assert served("app", "create", "far", *to).code == 2
    assert served("app", "create", "far", *to, "--no-validate").code == 2, "a server always looks"

    def coded(text):
        return base64.b64encode(text.encode()).decode()

    values = {"name": coded("served-far"), "server": coded("https://far.example.org")}
    labels = {"argocd.argoproj.io/secret-type": "cluster"}
    body = {"metadata": {"name": "served-far", "labels": labels}, "data": values}
    on(installed, lambda client: client.create(Target(SECRETS, "argocd"), encode(body)))
    served.until(lambda: "served-far" in served.done("cluster", "list"))
    served.done("app", "create", "far", *to)
    served.done("app", "delete", "far", "--no-cascade", "--yes")
    on(installed, lambda client: client.delete(Target(SECRETS, "argocd", "served-far")))


@pytest.mark.parametrize("way", ["by the server", "by the cluster"])
def test_a_sync_that_is_not_over_in_time_ends_the_same_way(served, installed, way):
    name = f"late-{way.split()[-1]}"
    hook = (
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, annotations: {{argocd.argoproj.io/hook: PreSync}}}}\n"
        f"spec: {{suspend: true, template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: a}}]}}}}}}\n"
    )
    installed.push({f"{name}/a.yaml": hook})
    served.create(name)
    asked = () if way == "by the server" else ("--kubeconfig", installed.kubeconfig)
    said = served("app", "sync", name, "--timeout", "2", *asked)
    assert said.code == 7, said.err
    assert "TIMESTAMP" in said.err
    assert "This is the state of the app after wait timed out" in said.err
    assert f"Name:               argocd/{name}" in said.out
    assert served("app", "sync", name, *asked).code != 0, "one is under way"
    served.done("app", "terminate-op", name, *asked)
    served.done("app", "wait", name, "--operation", "--timeout", "60", *asked)
    assert served.app(name)["status"]["operationState"]["phase"] in {"Failed", "Error"}
    served.done("app", "delete", name, "--yes", *asked)


@named("followed")
def test_what_is_waited_for_ends_when_somebody_has_seen_enough(served, delivered, begun):
    assert begun("app", "wait", delivered, "--degraded", reads="stderr").startswith("TIMESTAMP")


@named("pods")
def test_logs_are_followed_until_somebody_has_seen_enough(served, delivered, begun):
    served.done("app", "wait", delivered, "--health", "--timeout", "60")
    assert delivered in begun("app", "logs", delivered, "-f", reads="stdout")


@pytest.fixture
def begun(tmp_path):
    """A command in a process of its own: its first line, after which it is interrupted as Ctrl-C does."""

    def begin(*args, reads):
        # It is ignored by whatever is started in the background, and by all that those start.
        heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        argv = [sys.executable, "-c", f"{heard}; from plumbline.cli.main import main; main()", *args]
        environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        with subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as far:
            line = getattr(far, reads).readline()
            far.send_signal(signal.SIGINT)
            try:
                far.communicate(timeout=60)
            finally:
                far.kill()
        assert far.returncode == 130
        return line

    return begin


def test_an_application_that_is_there_already_is_not_said_to_be_created(served, installed):
    installed.push({"twice/a.yaml": config_map("twice")})
    flags = ("--repo", REPO, "--path", "twice", "--dest-server", SERVER, "--dest-namespace", "default")
    assert served.done("app", "create", "twice", *flags) == "application 'twice' created\n"
    assert served.done("app", "create", "twice", *flags) == "application 'twice' unchanged\n"
    assert served("app", "create", "twice", *flags, "--revision", "main").code == 6
    changed = served.done("app", "create", "twice", *flags, "--revision", "main", "--upsert")
    assert changed == "application 'twice' updated\n"
    served.done("app", "delete", "twice", "--yes", "--wait")


@named("address")
def test_it_is_said_where_an_application_is_seen_in_a_browser(served, delivered, installed):
    shown = [line.split() for line in served.done("app", "get", delivered).splitlines()]
    assert ["URL:", f"{installed.web}/applications/argocd/{delivered}"] in shown


@named("alike")
def test_a_name_that_nobody_shows_is_not_called_a_permission(served, delivered):
    """As with Argo CD, a server does not say whether what it shows nobody is there."""
    said = served("app", "get", f"{delivered}x")
    assert (said.code, "permission it names" in said.err) == (4, False)
    assert f"there is no application argocd/{delivered}x that you may see" in said.err
    assert f"Did you mean {delivered}?" in said.err
