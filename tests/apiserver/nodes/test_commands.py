"""Commands that anybody can foretell, and those that nobody can."""

import math

import pytest

from plumbline.apiserver.nodes.pods.commands import foretold


def course(*command, args=()):
    return foretold({"command": list(command), "args": list(args)})


def script(text, *options):
    return course("/bin/sh", *(options or ("-c",)), text)


ENDS = [
    (["true"], (0, 0.0)),
    (["/bin/false"], (1, 0.0)),
    (["false", "3"], (1, 0.0)),
    (["sleep", "3"], (0, 3.0)),
    (["/usr/bin/sleep", "1m", "0.5"], (0, 60.5)),
    (["sleep", "infinity"], (0, math.inf)),
    (["sh", "-c", "exit 3"], (3, 0.0)),
    (["bash", "-c", "exit 256"], (0, 0.0)),
    (["sh", "-c", "--", "sleep 300"], (0, 300.0)),
    (["sh", "-c", ""], (0, 0.0)),
    (["sh", "-c", "true", "a name for the shell"], (0, 0.0)),
]


@pytest.mark.parametrize(("command", "wanted"), ENDS, ids=lambda each: " ".join(map(str, each)))
def test_how_and_when_simple_commands_end(command, wanted):
    made = course(*command)
    assert (made.code, made.lasts_s) == wanted


SCRIPTS = [
    ("false; true", 0, 0.0, "the last one counts"),
    ("false\n\ntrue\n", 0, 0.0, "lines are commands of their own"),
    ("true && false", 1, 0.0, "both"),
    ("false && sleep 9", 1, 0.0, "the second one never begins"),
    ("false || sleep 9", 0, 9.0, "the second one makes up for it"),
    ("true || sleep 9 && sleep 1", 0, 1.0, "from left to right"),
    ("sleep 1 &&\n sleep 2;", 0, 3.0, "one after the other, over the end of a line"),
    ("sleep 2; exit 1; sleep 9", 1, 2.0, "nothing comes after an exit"),
    ("false; exit", 1, 0.0, "an exit without a code has that of the command before"),
    ("sleep inf; exit 1", 0, math.inf, "nothing comes after what never ends"),
    ("'sle'ep \"1\"", 0, 1.0, "quotes are taken off"),
    ("echo 'a; exit 1'; sleep 1", 0, 1.0, "what is quoted joins nothing"),
]


@pytest.mark.parametrize(("text", "code", "lasts_s", "why"), SCRIPTS, ids=[each[0] for each in SCRIPTS])
def test_a_shell_joins_them(text, code, lasts_s, why):
    made = script(text)
    assert (made.code, made.lasts_s) == (code, lasts_s), why


STRICT = [
    ("false; sleep 1", 1, 0.0, "the first failure ends it"),
    ("false && true; sleep 1", 0, 1.0, "not one that was asked about"),
    ("true && false; sleep 1", 1, 0.0, "but the last of a chain"),
]


@pytest.mark.parametrize(("text", "code", "lasts_s", "why"), STRICT)
@pytest.mark.parametrize("options", [["-ec"], ["-e", "-u", "-c"]])
def test_a_strict_shell_leaves_at_the_first_failure(text, code, lasts_s, why, options):
    made = script(text, *options)
    assert (made.code, made.lasts_s) == (code, lasts_s), why


def test_lines_come_at_their_moments():
    made = script("echo one  two; sleep 3; echo; echo 'three\nfour, five!' && exit 1")
    assert made == (1, 3.0, [(0.0, "one two"), (3.0, ""), (3.0, "three"), (3.0, "four, five!")])
    assert course("echo", "hi", args=["there"]).says == [(0.0, "hi there")]


UNKNOWN = [
    ([], "only the image knows"),
    (["nginx"], "another program"),
    (["/opt/bin/true"], "a program of that name elsewhere"),
    (["exit", "1"], "no program at all"),
    (["sleep"], "a mistake"),
    (["sleep", "-1"], "no time"),
    (["sleep", "$(WAIT)"], "filled in by the kubelet"),
    (["true", "--help"], "whatever that says"),
    (["echo", "-e", "a"], "every echo takes options differently"),
    (["echo", "a\\n"], "and backslashes"),
    (["sh"], "what it is told later"),
    (["sh", "script.sh"], "a file"),
    (["sh", "-c"], "a mistake"),
    (["sh", "-l", "-c", "true"], "a profile is read"),
    (["sh", "-x", "-c", "true"], "lines are shown"),
    (["sh", "-c", "x" * 5000], "longer than anybody reads"),
]


@pytest.mark.parametrize(("command", "why"), UNKNOWN, ids=[each[1] for each in UNKNOWN])
def test_other_commands_are_not_foretold(command, why):
    assert course(*command) is None, why


@pytest.mark.parametrize(
    "text",
    [
        "date; true",
        "true; migrate",
        "true && ",
        "&& true",
        "; true",
        "true;; true",
        "true | false",
        "sleep 1 &",
        "echo $HOME",
        'echo "$HOME"',
        "echo `date`",
        "echo *",
        "echo ~",
        "echo a > b",
        "echo a\\ b",
        "echo {a,b}",
        "echo 'a",
        "true # that was all",
        "(exit 1)",
        "! true",
        "A=1 true",
        "while true; do sleep 1; done",
        "exit one",
        "exit 1 2",
    ],
)
def test_one_word_that_depends_on_anything_else_and_nothing_is_foretold(text):
    assert script(text) is None


def test_arguments_belong_to_the_command():
    assert course("/bin/sh", "-c", "--", args=["sleep 2; exit 4"])[:2] == (4, 2.0)
    assert foretold({"args": ["sleep", "3"]}) is None
