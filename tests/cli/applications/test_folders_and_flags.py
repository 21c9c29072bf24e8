"""Files at hand as trees, flags as Go takes them, and drawings of what is rare."""

import click
import pytest
from click.testing import CliRunner

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import walk
from plumbline.cli.applications import drawing, packing
from plumbline.cli.applications.folders import DiskTree, folder_at
from plumbline.cli.applications.options import sourced
from plumbline.cli.applications.packing import packed
from plumbline.cli.applications.trees import age
from plumbline.cli.goflags import GoDuration, GoFlags, Positions
from plumbline.cli.projects import details, drawn
from plumbline.delivery.podlogs import Lines
from plumbline.source.charts.archives import unpacked


def test_a_folder_is_read_as_a_tree_without_gits_own(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "apps" / "web").mkdir(parents=True)
    (tmp_path / "apps" / "web" / "a.yaml").write_text("a")
    (tmp_path / "apps" / "link").symlink_to("web")
    folder = folder_at(tmp_path / "apps" / "web")
    assert folder.path == "apps/web"
    assert [(path, entry.kind) for path, entry in walk(folder.tree)] == [
        ("apps", "folder"),
        ("apps/link", "link"),
        ("apps/web", "folder"),
        ("apps/web/a.yaml", "file"),
    ]
    assert folder.tree.read("apps/link") == b"web"
    assert folder.tree.size("apps/web/a.yaml") == 1
    before = folder.tree.digest
    (tmp_path / "apps" / "web" / "a.yaml").write_text("b")
    assert DiskTree(tmp_path).digest != before
    assert DiskTree(tmp_path).entry("none") is None
    assert DiskTree(tmp_path / "none").digest == ""
    assert folder_at(tmp_path / "apps" / "web", tmp_path / "apps").path == "web"
    assert folder_at(tmp_path).path == ""
    assert folder_at(tmp_path, whole=True).path is None
    with pytest.raises(InvalidInput):
        folder_at(tmp_path / "apps", tmp_path / "apps" / "web")
    with pytest.raises(InvalidInput):
        folder_at(tmp_path / "none")
    with pytest.raises(LimitExceeded):
        DiskTree(tmp_path).entry("/".join("a" * 80))


def test_a_folder_is_packed_as_a_server_unpacks_it(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("token")
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "a.yaml").write_text("a")
    (tmp_path / "web" / "run").write_text("#!")
    (tmp_path / "web" / "run").chmod(0o755)
    (tmp_path / "link").symlink_to("web/a.yaml")
    came = unpacked(packed(DiskTree(tmp_path)))
    assert came.files == {"web/a.yaml": b"a", "web/run": b"#!"}
    assert came.links == {"link": "web/a.yaml"}
    assert came.executables == {"web/run"}
    with pytest.raises(InvalidInput):
        packed(DiskTree(tmp_path / "none"))


@pytest.mark.parametrize(("bound", "value"), [("_ENTRIES", 1), ("_UNPACKED_BYTES", 2), ("UPLOADED_BYTES", 10)])
def test_more_than_a_server_takes_is_not_sent(tmp_path, monkeypatch, bound, value):
    monkeypatch.setattr(packing, bound, value)
    for name in "abc":
        (tmp_path / name).write_text(name)
    with pytest.raises(LimitExceeded, match="not sent"):
        packed(DiskTree(tmp_path))


@click.command(cls=GoFlags)
@click.option("--prune", is_flag=True)
@click.option("--cascade/--no-cascade", default=True)
@click.option("--source-positions", multiple=True, type=Positions())
@click.option("--lasting", type=GoDuration())
@click.argument("rest", nargs=-1)
def example(prune, cascade, source_positions, lasting, rest):
    click.echo(f"{prune} {cascade} {source_positions} {lasting} {rest}")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--prune=true"], "True True () None ()"),
        (["--prune=false"], "False True () None ()"),
        (["--cascade=0", "--lasting", "90s"], "False False () 1m30s ()"),
        (["--source-positions", "1,2", "--source-positions=3"], "False True ((1, 2), (3,)) None ()"),
        (["--", "--prune=true"], "False True () None ('--prune=true',)"),
    ],
)
def test_flags_may_have_a_value_after_an_equals_sign(args, expected):
    assert CliRunner().invoke(example, args).output.strip() == expected


@pytest.mark.parametrize(
    "args", [["--prune=maybe"], ["--source-positions", "0"], ["--source-positions", "x"], ["--lasting", "soon"]]
)
def test_values_that_are_none_are_refused(args):
    assert CliRunner().invoke(example, args).exit_code == 2


def test_positions_come_from_numbers_or_from_names():
    sources = [{"name": "a"}, {"name": "b"}]
    assert sourced(sources, ((2,), (1,)), (), ("x", "y")) == (2, 1)
    assert sourced(sources, (), ("b",), ("x",)) == (2,)
    for positions, names, revisions in ((((1,),), ("a",), ("x",)), ((), ("c",), ("x",)), ((), (), ("x",))):
        with pytest.raises(click.UsageError):
            sourced(sources, positions, names, revisions)


def test_what_is_rare_is_drawn_too():
    now = VirtualClock().now()
    several = {
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": {
            "sources": [
                {"repoURL": "a", "targetRevision": "1", "helm": {"valueFiles": ["v"], "parameters": [{"name": "p", "value": "x" * 90}]}},
                {"repoURL": "b", "targetRevision": "2", "ref": "r", "chart": "c", "kustomize": {"namePrefix": "n"}},
            ],
            "destination": {"name": "eu"},
            "syncPolicy": {"automated": {"prune": True}},
        },
        "status": {
            "conditions": [{"type": "A", "message": "m"}, {"type": "A"}, {"type": "B"}],
            "history": [{"id": 1, "sources": [{"repoURL": "a"}, {"repoURL": "b"}], "revisions": ["1234567890", "2"]}],
            "operationState": {"phase": "Running", "startedAt": "2025-12-31T23:59:00Z", "message": "waiting"},
        },
    }  # fmt: skip
    text = "\n".join(drawing.summary(several, windows=("Sync Denied", "deny:* * * * *:1h")))
    assert "Sources:" in text
    assert "Helm Values:      v" in text
    assert "Assigned Windows:   deny:* * * * *:1h" in text
    assert "Automated (Prune)" in text
    assert drawing.conditions_of(several) == "A(2),B"
    assert "Duration:           1m0s" in drawing.operation(several, now)
    assert drawing.parameters(several["spec"]["sources"][0]).endswith("...")
    assert drawing.history(several).count("SOURCE") == 2
    assert drawing.operation({}, now) == []
    assert drawing.operation({"status": {"operationState": {"startedAt": "x"}}}, now)[-1].rstrip() == "Duration:"
    hydrated = {
        "spec": {"sourceHydrator": {"drySource": {"repoURL": "d"}, "syncSource": {"path": "p", "targetBranch": "b"}}}
    }
    assert drawing.first_source(hydrated) == {"repoURL": "d", "path": "p", "targetRevision": "b"}
    assert age({"metadata": {"creationTimestamp": "2025-12-30T00:00:00Z"}}, now) == "2d"
    assert age({"metadata": {}}, now) == "<unknown>"


def test_lines_of_logs_are_chosen():
    assert Lines.parse("Err", "", match_case=False).fits("an ERROR")
    assert not Lines.parse("Err", "", match_case=True).fits("an ERROR")
    assert not Lines.parse("!err", "", match_case=False).fits("an ERROR")
    until = Lines.parse("", "2026-01-01T00:00:00Z", match_case=False)
    assert until.over("2026-01-01T00:00:01.5Z")
    assert not until.over("2025-01-01T00:00:01Z")
    assert not until.over("garbage")


def test_projects_with_everything_are_drawn():
    project = {
        "metadata": {"name": "shop"},
        "spec": {
            "destinations": [{"server": "a", "namespace": "b"}, {"name": "c"}],
            "signatureKeys": [{"keyID": "k"}],
            "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}],
            "orphanedResources": {"warn": False, "ignore": [{}]},
            "destinationServiceAccounts": [{"server": "a", "namespace": "b", "defaultServiceAccount": "s"}],
        },
    }
    text = drawn([project])
    assert "2 destinations" in text
    assert "enabled (ignored 1)" in text
    assert "1 key(s)" in text
    assert "a,b,s" in text
    assert "c," in "\n".join(details(project))
