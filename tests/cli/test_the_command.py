"""Help, verbs and options of `plumb` as a whole."""

import re
from importlib import import_module

import pytest

from plumbline.cli.main import main
from plumbline.cli.vocabulary import VERBS


def test_help_names_every_verb_and_every_exit_code(run):
    said = run("--help")
    assert said.code == 0
    assert all(re.search(rf"^  {verb} +{re.escape(about)}$", said.out, re.MULTILINE) for verb, about in VERBS.items())
    assert all(f" {code} " in said.out.replace("\n", " ") for code in (0, 1, 2, 3, 4, 5, 6, 7, 8, 70, 130))


def test_without_a_verb_there_is_help(run):
    assert run() == run("-h")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(run, verb):
    said = run(verb, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: plumb {verb} ")
    assert import_module(f"plumbline.cli.verbs.{verb}").verb.help


@pytest.mark.parametrize("verb", ["run", "up"])
@pytest.mark.parametrize(
    "said", ["vendor.example", "https://*.example", "https://me@vendor.example", "https://vendor.example/v1"]
)
def test_what_is_no_origin_cannot_be_allowed_as_an_endpoint(run, verb, said):
    refused = run(verb, "--allow-endpoint", "https://fine.example", "--allow-endpoint", said)
    assert refused.code == 2
    assert "--allow-endpoint" in refused.err
    assert "https://HOST" in refused.err or "Write https://vendor.example" in refused.err


def test_a_verb_that_is_almost_one_is_suggested(run):
    said = run("helth")
    assert (said.code, said.out) == (2, "")
    assert "There is no verb 'helth'" in said.err
    assert "Did you mean `plumb health`?" in said.err


def test_a_verb_that_is_nothing_like_one_is_refused(run):
    said = run("frobnicate")
    assert said.code == 2
    assert "Did you mean" not in said.err


def test_an_option_that_is_almost_one_is_suggested(run):
    said = run("version", "--outptu")
    assert said.code == 2
    assert "--output" in said.err
    assert "plumb version --help" in said.err


def test_an_unknown_option_before_the_verb_is_usage(run):
    assert run("--frob", "version").code == 2


@pytest.mark.parametrize("args", [("--color", "always", "verion"), ("version", "--color", "always", "-o", "odd")])
def test_colour_can_be_asked_for_before_and_after_the_verb(run, args):
    assert "\x1b[31m" in run(*args).err


def test_verbose_can_be_asked_for_anywhere(run):
    assert run("-v", "version").code == 0
    assert run("version", "-v").code == 0


def test_the_real_program_keeps_answers_and_complaints_apart(program):
    help_ = program("--help")
    assert (help_.code, help_.err) == (0, "")
    wrong = program("verion")
    assert (wrong.code, wrong.out) == (2, "")


def test_the_real_program_survives_a_terminal_without_unicode(program):
    said = program("verion\u202e✔", PYTHONIOENCODING="latin-1")
    assert said.code == 2
    assert "error[usage]" in said.err


def test_a_shell_can_ask_for_completions(program, run, monkeypatch):
    asked = {"_PLUMB_COMPLETE": "bash_complete", "COMP_WORDS": "plumb ver", "COMP_CWORD": "1"}
    assert "version" in program(**asked).out
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert run().out == "plain,version\n"


def test_main_leaves_with_the_code(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["plumb", "verion"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
