"""One table of exit codes for all verbs, and 1 is never anything but an answer."""

import signal
import subprocess
import sys

import click
import pytest

from plumbline.base import errors
from plumbline.cli.exits import Exit, exit_of
from plumbline.cli.group import outcome
from plumbline.cli.terminal import Settings

EXPECTED = [
    (errors.Unauthenticated, 4),
    (errors.Forbidden, 4),
    (errors.NotFound, 5),
    (errors.UnknownKind, 5),
    (errors.Conflict, 6),
    (errors.AlreadyExists, 6),
    (errors.FieldConflict, 6),
    (errors.OwnedElsewhere, 6),
    (errors.TimedOut, 7),
    (errors.BadDocument, 2),
    (errors.BadKubeconfig, 2),
    (errors.Unreachable, 3),
    (errors.ServerFault, 3),
    (errors.ToolFailed, 3),
    (errors.Refused, 3),
]


@pytest.mark.parametrize(("error", "code"), EXPECTED, ids=lambda value: getattr(value, "__name__", value))
def test_each_error_has_its_code(error, code):
    # Made without its fields: only what it is decides.
    assert exit_of(error.__new__(error)) == code


def test_no_error_ever_says_that_the_answer_is_no():
    pending = [errors.PlumblineError]
    while pending:
        error = pending.pop()
        pending += error.__subclasses__()
        assert exit_of(error.__new__(error)) not in {Exit.DONE, Exit.NO}


RAISED = [
    (errors.NotFound("No such thing"), Exit.NOT_FOUND),
    (click.UsageError("What?"), Exit.USAGE),
    (click.FileError("x.yaml", "gone"), Exit.USAGE),
    (KeyboardInterrupt(), Exit.INTERRUPTED),
    (click.Abort(), Exit.INTERRUPTED),
    (RuntimeError("unexpected"), Exit.BUG),
]


@pytest.mark.parametrize(("raised", "code"), RAISED, ids=lambda value: type(value).__name__)
def test_whatever_is_raised_becomes_a_code(raised, code, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))

    def perform():
        raise raised

    assert outcome(perform, [], Settings()) is code


def test_an_answer_is_passed_on():
    assert outcome(lambda: Exit.NO, [], Settings()) is Exit.NO


def test_a_pipe_that_nobody_reads_is_left_quietly(monkeypatch, tmp_path, capfd):
    def perform():
        raise BrokenPipeError

    with (tmp_path / "stdout").open("w") as stdout:
        monkeypatch.setattr("sys.stdout", stdout)
        assert outcome(perform, [], Settings()) is Exit.UNREAD
    assert capfd.readouterr().err == ""


BREAK = """
from plumbline.cli.verbs import version
def broken(**_): {statement}
version.verb.callback = broken
"""


def test_a_crash_of_the_real_program_is_70_and_never_1(program):
    said = program("version", before=BREAK.format(statement="raise RuntimeError('s3cr3t')"))
    assert said.code == 70
    assert said.out == ""
    assert said.err.startswith("error[bug]: ")
    assert "Traceback" not in said.err
    assert "s3cr3t" not in said.err


def test_an_interrupt_of_the_real_program_is_130(program):
    heard = (
        "import os, signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # it is ignored in the background
    )
    said = program("version", before=BREAK.format(statement=f"{heard}; os.kill(os.getpid(), signal.SIGINT)"))
    assert said.code == 130
    assert "Traceback" not in said.err


def test_output_that_nobody_reads_is_no_error():
    statement = "import click; [click.echo('x' * 1000) for _ in range(1000)]"
    script = BREAK.format(statement=statement) + "\nfrom plumbline.cli.main import main\nmain()"
    with subprocess.Popen(
        [sys.executable, "-c", script, "version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=30) == 128 + signal.SIGPIPE
