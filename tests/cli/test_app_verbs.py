"""plumb app against an installation that runs: from Git to the cluster and back."""

import asyncio

import pytest

from plumbline.base.errors import NotFound
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

from .installed import REPO, SERVER, config_map, deployment

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys}\nstringData: {password: hunter2}\n"
POD = """apiVersion: v1
kind: Pod
metadata: {name: slow, annotations: {argocd.argoproj.io/hook: PreSync}}
spec: {nodeSelector: {nowhere: "true"}, containers: [{name: a, image: "registry.example.org/a:1"}]}
"""


@pytest.fixture
def push(installed):
    return installed.push


def test_a_new_application_is_listed_with_argocds_columns(shop, push):
    push({"listed/a.yaml": config_map("listed")})
    shop.create("listed", "-l", "team=a")
    shop.done("app", "get", "listed", "--refresh")
    header, row = shop.done("app", "list", "-l", "team=a").splitlines()
    assert header.split() == [
        "NAME",
        "CLUSTER",
        "NAMESPACE",
        "PROJECT",
        "STATUS",
        "HEALTH",
        "SYNCPOLICY",
        "CONDITIONS",
        "REPO",
        "PATH",
        "TARGET",
    ]
    assert row.split()[:4] == ["argocd/listed", SERVER, "default", "default"]
    assert row.split()[-5:] == ["Manual", "<none>", REPO, "listed", "main"]


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        ((), True),
        (("-p", "default", "-r", REPO, "-P", "chosen", "-c", SERVER), True),
        (("-p", "other"), False),
        (("-r", "https://git.example.org/other.git"), False),
        (("-P", "other"), False),
        (("-c", "other"), False),
        (("-N", "argocd"), True),
        (("-N", "default"), False),
    ],
)
def test_applications_are_listed_by_what_they_are(shop, flags, found):
    if shop("app", "get", "chosen").code:
        shop.create("chosen")
    assert ("argocd/chosen" in shop.done("app", "list", "-o", "name", *flags).splitlines()) is found


def test_lists_for_programs_are_plain_lists(shop):
    shop.create("plain")
    found = decode(shop.done("app", "list", "-o", "json"))
    assert "plain" in [app["metadata"]["name"] for app in found]
    assert all("managedFields" not in app["metadata"] for app in found)
    assert shop.done("app", "list", "-p", "nowhere", "-o", "json") == "[]\n"
    assert "name: plain" in shop.done("app", "list", "-o", "yaml")


def test_a_sync_brings_the_cluster_to_git_and_says_how(shop, push):
    revision = push({"synced/a.yaml": config_map("synced"), "synced/b.yaml": deployment("synced")})
    shop.create("synced")
    said = shop("app", "sync", "synced", "--info", "ticket=42", "--timeout", "60")
    assert said.code == 0, said.err
    assert f"Sync Revision:      {revision}" in said.out
    assert "Phase:              Succeeded" in said.out
    lines = said.err.splitlines()
    assert lines[0].split() == [
        "TIMESTAMP",
        "GROUP",
        "KIND",
        "NAMESPACE",
        "NAME",
        "STATUS",
        "HEALTH",
        "HOOK",
        "MESSAGE",
    ]
    assert "Sync, wave 0" in lines
    assert any("configmap/synced " in line for line in lines)
    operation = shop.app("synced")["status"]["operationState"]["operation"]
    assert operation["info"] == [{"name": "ticket", "value": "42"}]
    assert operation["initiatedBy"]["username"]
    assert shop.done("app", "wait", "synced", "--timeout", "60", "-o", "name") == "argocd/synced\n"


def test_an_application_is_shown_as_argocd_shows_it(shop, push):
    push({"shown/a.yaml": config_map("shown")})
    shop.create("shown")
    shop.done("app", "sync", "shown", "--timeout", "60")
    lines = shop.done("app", "get", "shown", "--show-operation", "--show-params").splitlines()
    assert lines[:3] == [
        "Name:               argocd/shown",
        "Project:            default",
        f"Server:             {SERVER}",
    ]
    assert "SyncWindow:         Sync Allowed" in lines
    assert any(line.startswith("Sync Status:        Synced to main (") for line in lines)
    assert "Operation:          Sync" in lines
    assert lines[-1] == "NAME  VALUE"
    assert shop.done("app", "get", "argocd/shown", "-o", "name") == "argocd/shown\n"
    assert "ConfigMap/shown" in shop.done("app", "get", "shown", "-o", "tree")


def test_a_refresh_waits_until_somebody_looked(shop):
    shop.create("refreshed")
    assert shop("app", "get", "refreshed", "--refresh").code == 0
    assert shop("app", "get", "refreshed", "--hard-refresh", "-o", "json").code == 0
    assert "argocd.argoproj.io/refresh" not in (shop.app("refreshed")["metadata"].get("annotations") or {})


def test_what_a_sync_would_change_is_told_and_secrets_are_not(shop, push):
    push({"differs/a.yaml": config_map("differs"), "differs/b.yaml": SECRET})
    shop.create("differs")
    data = ("--data", shop.installed.data)
    said = shop("app", "diff", "differs", *data)
    assert said.code == 1
    assert "===== /ConfigMap default/differs ======" in said.out
    assert "password: ++++++++" in said.out
    assert shop("app", "diff", "differs", "--exit-code=false", *data).code == 0
    assert shop("app", "diff", "differs", "--diff-exit-code", "9", *data).code == 9
    shop.done("app", "sync", "differs", "--timeout", "60")
    said = shop("app", "diff", "differs", "--refresh", *data)
    assert (said.code, said.out, said.err) == (0, "", "No differences.\n")
    everything = said.out + shop.done("app", "manifests", "differs", *data)
    everything += shop.done("app", "manifests", "differs", "--source", "live", *data)
    assert "hunter2" not in everything
    assert "aHVudGVyMg" not in everything
    assert "kind: Secret" in everything


def test_a_repository_that_is_not_there_is_told_of_once_and_in_words(shop):
    shop.create("nowhere", "--repo", "http://127.0.0.1:9/none.git", "--no-validate")
    said = shop("app", "diff", "nowhere")
    assert said.code not in {0, 1}
    assert said.err.startswith("error[")
    assert '"event"' not in said.err


def test_secrets_at_hand_are_not_compared_under_the_name_argocd(shop, push, tmp_path, monkeypatch):
    push({"standin/a.yaml": config_map("standin")})
    shop.create("standin")
    shop.done("app", "sync", "standin", "--timeout", "60")
    (tmp_path / "a.yaml").write_text(config_map("standin"))
    (tmp_path / "s.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: standin}\nstringData: {a: hunter2}\n"
    )
    diff = ("app", "diff", "standin", "--local", tmp_path, "--data", shop.installed.data)
    said = shop(*diff)
    assert (said.code, "/Secret" in said.out, "hunter2" in said.out) == (1, True, False)
    monkeypatch.setenv("PLUMBLINE_COMPAT", "argocd")
    said = shop(*diff)
    assert (said.code, said.out) == (0, "")
    assert "Secret" in said.err


def test_files_at_hand_stand_for_those_in_git(shop, push, tmp_path):
    push({"local/a.yaml": config_map("local")})
    shop.create("local")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.yaml").write_text(config_map("local", "mine"))
    local = ("--local", tmp_path / "mine", "--data", shop.installed.data)
    assert "+  value: mine" in shop("app", "diff", "local", *local).out
    assert "value: mine" in shop.done("app", "manifests", "local", *local)
    shop.done("app", "sync", "local", *local, "--timeout", "60")
    live = shop.done("app", "manifests", "local", "--source", "live", "--data", shop.installed.data)
    assert "value: mine" in live
    shop.done("app", "set", "local", "--sync-policy", "auto")
    said = shop("app", "sync", "local", *local)
    assert said.code == 2
    assert "Cannot use local sync" in said.err


def test_another_revision_can_be_compared_printed_and_synced(shop, push):
    before = push({"revised/a.yaml": config_map("revised", "old")})
    push({"revised/a.yaml": config_map("revised", "new")})
    shop.create("revised")
    data = ("--data", shop.installed.data)
    assert "value: old" in shop.done("app", "manifests", "revised", "--revision", before, *data)
    shop.done("app", "sync", "revised", "--revision", before, "--timeout", "60")
    assert "+  value: new" in shop("app", "diff", "revised", *data).out
    assert shop("app", "diff", "revised", "--revision", before, *data).code == 0


def test_some_objects_can_be_synced_by_name_and_by_label(shop, push):
    push(
        {
            "some/a.yaml": config_map("some-a", tier="x"),
            "some/b.yaml": config_map("some-b"),
            "some/c.yaml": config_map("some-c"),
        }
    )
    shop.create("some")
    shop.done("app", "get", "some", "--refresh")

    def synced():
        return {each["name"] for each in shop.app("some")["status"]["resources"] if each["status"] == "Synced"}

    shop.done("app", "sync", "some", "--resource", ":ConfigMap:some-b", "--timeout", "60")
    assert synced() == {"some-b"}
    shop.done("app", "sync", "some", "--label", "tier=x", "--data", shop.installed.data, "--timeout", "60")
    assert synced() == {"some-a", "some-b"}
    assert shop("app", "sync", "some", "--label", "tier=y", "--data", shop.installed.data).code == 5
    assert shop("app", "sync", "some", "--resource", ":ConfigMap:none").code == 5
    assert shop("app", "sync", "some", "--resource", "nonsense").code == 2
    shop.done("app", "wait", "some", "--resource", "!:ConfigMap:some-c", "--sync", "--timeout", "60")


def test_what_is_left_to_prune_makes_a_sync_fail(shop, push, installed):
    push({"pruned/a.yaml": config_map("pruned-a"), "pruned/b.yaml": config_map("pruned-b")})
    shop.create("pruned")
    shop.done("app", "sync", "pruned", "--timeout", "60")
    (installed.checkout / "pruned" / "b.yaml").unlink()
    push({})
    shop.done("app", "get", "pruned", "--hard-refresh")
    said = shop("app", "sync", "pruned", "--timeout", "60")
    assert said.code == 3
    assert "1 resources require pruning" in said.err
    assert shop("app", "sync", "pruned", "--prune", "--dry-run", "--timeout", "60").code == 0
    shop.done("app", "sync", "pruned", "--prune", "--timeout", "60")
    assert [each["name"] for each in shop.app("pruned")["status"]["resources"]] == ["pruned-a"]


def test_a_sync_that_fails_is_told(shop, push):
    push({"failing/a.yaml": config_map("Not_A_Name")})
    shop.create("failing")
    said = shop("app", "sync", "failing", "--timeout", "60")
    assert said.code == 3
    assert "Operation has completed with phase: Failed" in said.err


def test_a_preview_shows_what_would_change_and_asks(shop, push):
    push({"previewed/a.yaml": config_map("previewed")})
    shop.create("previewed")
    preview = ("app", "sync", "previewed", "--preview-changes", "--data", shop.installed.data, "--timeout", "60")
    said = shop(*preview, stdin="n\n")
    assert "===== /ConfigMap default/previewed ======" in said.out
    assert "operationState" not in shop.app("previewed")["status"]
    shop.done(*preview, "--assumeYes")
    assert "No Differences found" in shop.done(*preview)


def test_past_syncs_are_listed_and_can_be_gone_back_to(shop, push):
    first = push({"past/a.yaml": config_map("past", "first")})
    shop.create("past")
    shop.done("app", "sync", "past", "--timeout", "60")
    said = shop("app", "rollback", "past")
    assert said.code == 5, "there is nothing before it"
    push({"past/a.yaml": config_map("past", "second")})
    shop.done("app", "sync", "past", "--timeout", "60")
    assert shop.done("app", "history", "past", "-o", "id") == "0\n1\n"
    assert [entry["id"] for entry in decode(shop.done("app", "history", "past", "-o", "json"))] == [0, 1]
    lines = shop.done("app", "history", "past").splitlines()
    assert lines[0].split() == ["SOURCE", REPO]
    assert lines[1].split() == ["ID", "DATE", "REVISION"]
    assert lines[2].split()[2:] == ["main", f"({first[:7]})"]
    assert shop("app", "rollback", "past", "7").code == 5
    said = shop("app", "rollback", "past", "0", "--timeout", "60")
    assert said.code == 0, said.err
    assert "pinned" not in said.err, "a manual one stays there by itself"
    assert shop.app("past")["status"]["operationState"]["syncResult"]["revision"] == first


def test_an_automated_application_that_went_back_is_held_there(shop, push):
    first = push({"held/a.yaml": config_map("held", "first")})
    shop.create("held", manual=False)
    shop.done("app", "wait", "held", "--timeout", "60")
    second = push({"held/a.yaml": config_map("held", "second")})
    shop.until(lambda: shop.app("held")["status"].get("history", [])[-1]["revision"] == second)
    before = next(each["id"] for each in shop.app("held")["status"]["history"] if each["revision"] == first)
    said = shop("app", "rollback", "held", str(before), "--for", "1h", "--timeout", "60")
    assert said.code == 0, said.err
    assert f"argocd/held is pinned to sync {before} until" in said.err
    app = shop.app("held")
    assert first in app["metadata"]["annotations"]["plumbline.dev/rollback-pin"]
    shop.until(
        lambda: (
            shop.app("held")["status"]["sync"] | {"comparedTo": None}
            == {"status": "Synced", "revision": first, "comparedTo": None}
        )
    )
    assert shop("app", "diff", "held", "--data", shop.installed.data).code == 0
    shop.done("app", "rollback", "held", "0", "--forever", "--timeout", "60")
    assert "until" not in decode(shop.app("held")["metadata"]["annotations"]["plumbline.dev/rollback-pin"])


def test_objects_are_listed_with_what_they_own(shop, push):
    push({"owning/b.yaml": deployment("owning")})
    shop.create("owning")
    shop.done("app", "sync", "owning", "--timeout", "60")
    shop.done("app", "wait", "owning", "--health", "--timeout", "60")
    header, row = shop.done("app", "resources", "owning").splitlines()
    assert header.split() == ["GROUP", "KIND", "NAMESPACE", "NAME", "ORPHANED"]
    assert row.split() == ["apps", "Deployment", "default", "owning", "No"]
    tree = shop.done("app", "resources", "owning", "-o", "tree=detailed").splitlines()
    assert tree[0].split()[-3:] == ["AGE", "HEALTH", "REASON"]
    assert tree[2].startswith("└─apps")
    assert "Pod" in tree[3]
    assert "Pod/owning-" in shop.done("app", "get", "owning", "-o", "tree=detailed")
    assert decode(shop.done("app", "resources", "owning", "-o", "json"))["items"][0]["orphaned"] is False
    assert "kind: Deployment" in shop.done("app", "resources", "owning", "-o", "yaml")
    assert len(shop.done("app", "resources", "owning", "--orphaned").splitlines()) == 1


def test_what_pods_print_can_be_read_and_filtered(shop, push):
    push({"speaking/b.yaml": deployment("speaking")})
    shop.create("speaking")
    shop.done("app", "sync", "speaking", "--timeout", "60")
    shop.done("app", "wait", "speaking", "--health", "--timeout", "60")
    assert "speaking" in shop.done("app", "logs", "speaking", "--tail", "5")
    assert "SPEAKING" not in shop.done("app", "logs", "speaking", "--filter", "STARTS")
    assert shop.done("app", "logs", "speaking", "--filter", "STARTS", "-m") == ""
    assert shop.done("app", "logs", "speaking", "--filter", "!starts") == ""
    assert shop.done("app", "logs", "speaking", "--until-time", "2020-01-01T00:00:00Z") == ""
    assert "speaking" in shop.done("app", "logs", "speaking", "--kind", "Deployment", "--group", "apps", "-c", "main")
    assert shop("app", "logs", "speaking", "--name", "other").code == 5
    assert shop("app", "logs", "speaking", "--until-time", "noon").code == 2
    said = shop("app", "logs", "speaking", "-c", "other")
    assert (said.code, said.out) == (0, "")
    assert "speaking-" in said.err


def test_an_application_goes_with_everything_that_it_delivers(shop, push):
    push({"leaving/a.yaml": config_map("leaving")})
    shop.create("leaving", manual=False)
    shop.done("app", "wait", "leaving", "--timeout", "60")
    assert (
        shop.done("app", "delete", "leaving", "--wait", "--timeout", "60") == "application 'argocd/leaving' deleted\n"
    )
    assert shop("app", "get", "leaving").code == 5
    assert shop("health", "configmap/leaving", "-n", "default").code == 5
    assert shop.done("app", "wait", "leaving", "--delete") == "Application 'argocd/leaving' deleted\n"
    assert shop("app", "wait", "leaving", "--timeout", "5").code == 5


def test_a_deletion_that_waits_for_a_yes_says_so_and_how_to_agree(shop, push):
    confirm = 'annotations: {argocd.argoproj.io/sync-options: "Delete=confirm"}'
    precious = config_map("precious").replace("{name: precious", f"{{name: precious, {confirm}")
    push({"precious/a.yaml": precious})
    shop.create("precious", manual=False)
    shop.done("app", "wait", "precious", "--timeout", "60")
    said = shop("app", "delete", "precious", "-y")
    assert "argocd/precious goes once you agree to lose ConfigMap default/precious" in said.err
    assert "plumb app confirm-deletion argocd/precious" in said.err
    why = shop("why", "application/precious", "-n", "argocd")
    assert "precious goes only if you agree to it" in why.out
    assert "plumb app confirm-deletion argocd/precious" in why.out
    shop.done("app", "confirm-deletion", "argocd/precious")
    shop.done("app", "wait", "precious", "--delete", "--timeout", "60")


def test_an_application_goes_alone_where_that_is_wanted(shop, push):
    push({"alone/a.yaml": config_map("alone")})
    shop.create("alone", "-l", "who=alone", "--set-finalizer")
    shop.done("app", "sync", "alone", "--timeout", "60")
    shop.done("app", "delete", "-l", "who=alone", "--cascade=false", "-y")
    shop.done("app", "wait", "alone", "--delete", "--timeout", "60")
    assert shop("health", "configmap/alone", "-n", "default").code == 0
    none = shop("app", "delete", "-l", "who=alone")
    assert none.code == 5
    assert "no apps match selector who=alone" in none.err
    assert shop("app", "delete", "alone", "--cascade=false", "-p", "background").code == 2


def test_applications_are_changed_by_flags_and_by_patches(shop):
    shop.create("changed")
    shop.done(
        "app",
        "set",
        "changed",
        "--sync-policy",
        "automated",
        "--self-heal",
        "--helm-set",
        "a=b",
        "--sync-option",
        "Prune=false",
    )
    spec = shop.app("changed")["spec"]
    assert spec["syncPolicy"] == {"automated": {"selfHeal": True}, "syncOptions": ["Prune=false"]}
    assert spec["source"]["helm"] == {"parameters": [{"name": "a", "value": "b"}]}
    said = shop("app", "set", "changed", "--self-heal")
    assert said.err == "application 'changed' unchanged\n"
    shop.done("app", "unset", "changed", "-p", "a")
    assert "helm" not in shop.app("changed")["spec"]["source"]
    assert shop("app", "unset", "changed", "-p", "a").err == "application 'changed' unchanged\n"
    shop.done("app", "patch", "changed", "--type", "merge", "--patch", '{"spec": {"revisionHistoryLimit": 3}}')
    patch = '[{"op": "replace", "path": "/spec/revisionHistoryLimit", "value": 4}]'
    assert "revisionHistoryLimit: 4" in shop.done("app", "patch", "changed", "--patch", patch)
    assert shop("app", "set", "changed", "--project", "nowhere").code == 2
    assert shop("app", "set", "changed", "--project", "nowhere", "--validate=false").code == 0


def test_an_application_is_created_once_and_changed_only_when_asked(shop, tmp_path):
    manifest = {"repo": REPO, "path": "made", "dest-server": SERVER, "dest-namespace": "default"}
    flags = [part for name, value in manifest.items() for part in (f"--{name}", value)]
    assert shop.done("app", "create", "made", *flags) == "application 'made' created\n"
    assert shop.done("app", "create", "made", *flags) == "application 'made' unchanged\n"
    said = shop("app", "create", "made", *flags, "--revision", "main")
    assert said.code == 6
    assert "--upsert" in said.err
    assert (
        shop.done("app", "create", "made", *flags, "--revision", "main", "--upsert") == "application 'made' updated\n"
    )
    file = tmp_path / "made.yaml"
    file.write_text(shop.done("app", "get", "made", "-o", "yaml"))
    text = file.read_text()
    assert shop("app", "create", "-f", file, "--upsert").code == 0
    assert shop("app", "create", "other", "-f", file).code == 2
    file.write_text(text.replace("kind: Application", "kind: Other"))
    assert shop("app", "create", "-f", file).code == 2
    elsewhere = shop("app", "create", "bad", *flags, "--project", "nowhere")
    assert elsewhere.code == 2
    assert "is not allowed" in elsewhere.err, "nor is told which projects there are"
    said = shop("app", "create", "bad", "--repo", REPO, "--dest-server", SERVER)
    assert said.code == 2
    assert "path" in said.err


def test_a_file_need_not_say_what_it_is_nor_how_it_is_called(shop, tmp_path):
    file = tmp_path / "partial.yaml"
    file.write_text("metadata: {labels: {from: file, both: file}}\nspec: {syncPolicy: {retry: {limit: 3}}}\n")
    flags = (
        "--repo",
        REPO,
        "--path",
        "made",
        "--dest-server",
        SERVER,
        "--dest-namespace",
        "default",
        "-l",
        "both=flag",
    )
    said = shop("app", "create", "-f", file, *flags)
    assert said.code == 2
    assert "--name" in said.err
    assert shop("app", "create", "partial", "-f", file, *flags).code == 2
    assert shop.done("app", "create", "-f", file, "--name", "partial", *flags) == "application 'partial' created\n"
    made = decode(shop.done("app", "get", "partial", "-o", "json").encode())
    assert made["metadata"]["labels"] == {"from": "file", "both": "flag"}
    assert (made["spec"]["source"]["path"], made["spec"]["syncPolicy"]["retry"]) == ("made", {"limit": 3})


def test_an_operation_that_is_under_way_is_not_disturbed_and_can_be_ended(shop, push):
    push({"busy/a.yaml": config_map("busy"), "busy/pod.yaml": POD})
    shop.create("busy")
    shop.done("app", "sync", "busy", "--async")
    said = shop("app", "sync", "busy", "--timeout", "5")
    assert said.code == 6
    assert "another operation is already in progress" in said.err
    said = shop("app", "wait", "busy", "--operation", "--timeout", "1")
    assert said.code == 7
    assert "This is the state of the app after wait timed out" in said.err
    assert "Name:               argocd/busy" in said.out
    shop.done("app", "terminate-op", "busy")
    shop.done("app", "wait", "busy", "--operation", "--timeout", "60")
    assert shop.app("busy")["status"]["operationState"]["phase"] in {"Failed", "Error"}
    assert shop("app", "terminate-op", "busy").code == 2


def test_several_applications_are_meant_by_a_selector_or_a_project(shop, push):
    push({"several/a.yaml": config_map("several")})
    for name in ("several-a", "several-b"):
        shop.create(name, "-l", "group=several", path="several")
    said = shop("app", "sync", "-l", "group=several", "--async", "--project", "default")
    assert said.code == 0, said.err
    nothing = shop("app", "sync", "-l", "group=none")
    assert (nothing.code, "No matching apps found for filter: selector group=none" in nothing.err) == (5, True)
    nothing = shop("app", "sync", "--project", "none")
    assert (nothing.code, "No matching apps found for filter: projects [none]" in nothing.err) == (5, True)
    nothing = shop("app", "delete", "-y", "-l", "group=none")
    assert (nothing.code, "no apps match selector group=none" in nothing.err) == (5, True)


ACTIONS = """
discovery.lua: |
  return {restart = {}, stop = {disabled = true}}
definitions:
- name: restart
  action.lua: |
    obj.metadata.labels = obj.metadata.labels or {}
    obj.metadata.labels.restarted = "yes"
    return obj
"""


@pytest.fixture
def settle(installed):
    """Puts something into the settings, which others may have written before, for as long as the test takes."""
    put = {}

    def settled(data):
        put.update(dict.fromkeys(data))
        asyncio.run(_merged(installed, data))

    yield settled
    asyncio.run(_merged(installed, put))


async def _merged(installed, data):
    target = Target(GroupVersionResource("", "v1", "configmaps"), "argocd", "argocd-cm")
    async with Client.connect(Connection.load(installed.kubeconfig)) as client:
        try:
            await client.patch(target, encode({"data": data}), "merge")
        except NotFound:
            await client.create(target.collection, encode({"metadata": {"name": target.name}, "data": data}))


def test_actions_that_the_settings_define_are_listed_and_run(shop, push, installed, settle):
    push({"acting/a.yaml": config_map("acting")})
    shop.create("acting")
    shop.done("app", "sync", "acting", "--timeout", "60")
    assert len(shop.done("app", "actions", "list", "acting", "--kind", "ConfigMap").splitlines()) == 1
    settle({"resource.customizations.actions.ConfigMap": ACTIONS})
    rows = decode(shop.done("app", "actions", "list", "acting", "--kind", "ConfigMap", "-o", "json"))
    assert [(row["Action"], row["Disabled"]) for row in rows] == [("restart", False), ("stop", True)]
    shop.done("app", "actions", "run", "acting", "restart", "--kind", "ConfigMap", "--resource-name", "acting")
    assert "restarted: yes" in shop.done(
        "app", "manifests", "acting", "--source", "live", "--data", installed.data
    ).replace('"', "")
    assert shop("app", "actions", "run", "acting", "stop", "--kind", "ConfigMap").code == 5
    assert shop("app", "actions", "run", "acting", "restart", "--kind", "Service").code == 5


def test_a_dry_run_that_the_cluster_would_not_take_says_so(shop, monkeypatch):
    shop.installed.push({"untaken/a.yaml": config_map("a")})
    shop.create("untaken", namespace="nowhere-at-all")
    asked = ("app", "sync", "untaken", "--dry-run", "--timeout", "60")
    assert shop(*asked).code == 3
    monkeypatch.setenv("PLUMBLINE_COMPAT", "argocd")
    assert shop(*asked).code == 0, "argocd does not tell"
