"""Completion: scripts for three shells, names that are asked for quickly and kept."""

import pytest

from plumbline.cli.shorthand import spelled_out


def typed(program, installed, line, **more):
    words = line.split()
    at = len(words) if line.endswith(" ") else len(words) - 1
    variables = {"_PLUMB_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(at)}
    said = program(**(variables | {"KUBECONFIG": str(installed.kubeconfig)} | more))
    return [each.partition(",")[2] for each in said.out.splitlines() if each]


def offered(program, installed, line, tries=10):
    """Names, on a machine that may be too busy to answer within the blink of an eye every time."""
    return next(filter(None, (typed(program, installed, line) for _ in range(tries))), [])


def test_verbs_options_kinds_and_names_are_offered(program, installed):
    assert "proj" in typed(program, installed, "plumb pro")
    assert typed(program, installed, "plumb proj ge") == ["get"]
    assert "--output" in typed(program, installed, "plumb proj get x --ou")
    assert offered(program, installed, "plumb proj get def") == ["default"]
    assert offered(program, installed, "plumb describe namespac") == ["namespace"]
    assert offered(program, installed, "plumb describe namespace/def") == ["namespace/default"]
    assert offered(program, installed, "plumb get namespace kube-s") == ["kube-system"]


def test_what_cannot_be_asked_is_not_waited_for(program, installed, tmp_path):
    config = tmp_path / "config"
    config.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a}}]\n"
        'clusters: [{name: a, cluster: {server: "http://127.0.0.1:9"}}]\n'
    )
    assert typed(program, installed, "plumb proj get def", KUBECONFIG=str(config)) == []
    assert typed(program, installed, "plumb proj get def", KUBECONFIG=str(tmp_path / "none")) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_printed_and_installed(run, tmp_path, monkeypatch, shell):
    script = run("completion", shell).out
    assert "_PLUMB_COMPLETE" in script
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    said = run("completion", "install")
    assert said.code == 0
    file = next(path for path in tmp_path.rglob("*plumb*") if path.is_file())
    assert file.read_text() == script
    assert str(file) in said.out


def test_a_shell_that_is_not_known_has_to_be_named(run, monkeypatch):
    monkeypatch.setenv("SHELL", "/bin/dash")
    assert run("completion", "install").code == 2
    assert run("completion", "install", "fish").code == 0
    assert "install" in run("completion").out


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("sync app/shop --prune", "app sync shop --prune"),
        ("-v sync --prune application/shop", "-v app sync --prune shop"),
        ("approve tf/vpc", "tf approve vpc"),
        ("get app/shop", "get app/shop"),
        ("sync shop", "sync shop"),
        ("sync deployment/x", "sync deployment/x"),
        ("", ""),
    ],
)
def test_a_verb_may_come_before_its_noun(line, meant):
    assert spelled_out(line.split()) == meant.split()
