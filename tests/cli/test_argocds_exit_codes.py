"""Under the name argocd, exit codes and errors are Argo CD's."""

import pytest

from plumbline.base.json import decode
from plumbline.cli.compat import argocds, called_argocd
from plumbline.cli.exits import Exit

CASES = [
    (Exit.DONE, False, 0, "done is done"),
    (Exit.NO, False, 1, "a difference"),
    (Exit.FAILED, False, 1, "a sync that failed"),
    (Exit.USAGE, False, 1, "a wrong command line"),
    (Exit.NOT_FOUND, True, 20, "an error"),
    (Exit.TIMED_OUT, True, 20, "an error"),
    (Exit.BUG, False, 70, "ours alone"),
    (Exit.INTERRUPTED, False, 130, "ours alone"),
    (9, False, 9, "asked for by --diff-exit-code"),
]


@pytest.mark.parametrize(("code", "raised", "expected", "why"), CASES, ids=[case[3] for case in CASES])
def test_codes_are_translated(code, raised, expected, why):
    assert argocds(code, raised=raised) == expected


def test_the_name_of_the_program_counts_and_so_does_the_environment(monkeypatch):
    monkeypatch.delenv("PLUMBLINE_COMPAT", raising=False)
    monkeypatch.setattr("sys.argv", ["/usr/local/bin/plumb"])
    assert not called_argocd()
    monkeypatch.setattr("sys.argv", ["/usr/local/bin/argocd"])
    assert called_argocd()
    monkeypatch.setattr("sys.argv", ["plumb"])
    monkeypatch.setenv("PLUMBLINE_COMPAT", "argocd")
    assert called_argocd()


def test_a_missing_application_is_20_and_a_wrong_flag_1(run, monkeypatch, tmp_path):
    monkeypatch.setenv("PLUMBLINE_COMPAT", "argocd")
    assert run("app", "get").code == 1
    assert run("app", "get", "a/b/c", "--kubeconfig", "/nonexistent").code == 1
    (tmp_path / "config").write_text("nonsense")
    assert run("app", "get", "a", "--kubeconfig", tmp_path / "config").code == 20


def test_an_error_that_a_script_reads_is_a_line_of_json(run, monkeypatch, tmp_path):
    (tmp_path / "config").write_text("nonsense")
    asked = ("app", "get", "a", "--kubeconfig", tmp_path / "config")
    ours = run(*asked)
    monkeypatch.setenv("PLUMBLINE_COMPAT", "argocd")
    theirs = run(*asked)
    assert '"level":"fatal"' in theirs.err
    line = decode(theirs.err.encode())
    assert line["msg"] in ours.err.replace("\n  ╰─> ", ": ")
    assert line["code"] == "bad-kubeconfig"
    assert run(*asked, "--logformat", "text").err == ours.err
    monkeypatch.delenv("PLUMBLINE_COMPAT")
    assert decode(run("--logformat=json", *asked).err.encode())["msg"] == line["msg"]
