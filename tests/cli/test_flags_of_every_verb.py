"""Flags that `argocd` takes with every verb: before the verb, and in ARGOCD_OPTS."""

from pathlib import Path

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.cli.everywhere import kept_in, verb_first

PLACES = [
    ("--core app list", "app list --core", "before the noun"),
    ("app --core list -o name", "app list -o name --core", "between noun and verb"),
    ("--server a.example.org app get shop", "app get shop --server a.example.org", "with the value that follows"),
    ("--server=a.example.org app get shop", "app get shop --server=a.example.org", "with a value of its own"),
    ("--grpc-web --auth-token t app sync shop", "app sync shop --grpc-web --auth-token t", "several"),
    ("--color never --core app list", "--color never app list --core", "options of ours stay, with their values"),
    ("-v --insecure app list", "-v app list --insecure", "switches of ours stay"),
    ("app --context a logs shop", "app logs shop --context a", "flags about the cluster"),
    ("-n web get pods", "get pods -n web", "as with kubectl"),
    ("--core app create -- x", "app create --core -- x", "before what is no flag in any case"),
    ("app list --core", "app list --core", "where they stood before"),
    ("app set shop --helm-set --core", "app set shop --helm-set --core", "behind the verb nothing is moved"),
    ("--server", "--server", "without the value that belongs to it"),
    ("--help", "--help", "nothing to move"),
    ("", "", "nothing at all"),
]


@pytest.mark.parametrize(("line", "meant", "why"), PLACES)
def test_flags_of_every_verb_may_stand_before_it(line, meant, why):
    assert verb_first(line.split()) == meant.split(), why


OPTS = [
    ("", {}, "nothing"),
    ("--grpc-web", {}, "what changes nothing"),
    ("--core --insecure", {"core": True, "insecure": True}, "switches"),
    ("--plaintext=false", {}, "a switch that is off"),
    ("--server a --auth-token=b", {"server": "a", "token": "b"}, "values, in both spellings"),
    ("--header 'A: b,C: d'", {"headers": ("A: b", "C: d")}, "headers, separated by commas"),
    ("--server-crt ca.pem", {"authorities": Path("ca.pem")}, "a file"),
    ("--timeout 5", {}, "what is not a flag of every verb is nobody's, as with argocd"),
]


@pytest.mark.parametrize(("text", "parts", "why"), OPTS)
def test_flags_may_be_kept_in_the_environment(text, parts, why):
    assert kept_in({"ARGOCD_OPTS": text}) == parts, why


@pytest.mark.parametrize("text", ["core", "--server a b", "'--server"])
def test_what_argocd_opts_says_has_to_be_flags(text):
    with pytest.raises(InvalidInput):
        kept_in({"ARGOCD_OPTS": text})


def test_the_command_line_comes_before_the_environment(run, monkeypatch):
    monkeypatch.setenv("ARGOCD_OPTS", "--server 127.0.0.1:1 --plaintext")
    assert "127.0.0.1:1:" in run("app", "list").err
    assert "127.0.0.1:2:" in run("--server", "127.0.0.1:2", "app", "list").err
    monkeypatch.setenv("ARGOCD_OPTS", "oops")
    said = run("app", "list")
    assert (said.code, "ARGOCD_OPTS" in said.err) == (2, True)


def test_a_flag_that_a_verb_does_not_have_is_still_refused(run):
    said = run("--core", "version")
    assert (said.code, "--core" in said.err) == (2, True)
