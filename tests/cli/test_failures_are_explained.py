"""What, why and what to do, on stderr; values of the user go nowhere."""

import stat

import pytest

from plumbline.base.errors import BadDocument, Forbidden
from plumbline.cli import crashes, failures
from plumbline.cli.terminal import Settings


def caused():
    error = BadDocument("shop.yaml cannot be read", why="line 3 ends too early", hint="Close the quote.")
    error.__cause__ = OSError("disk on fire")
    return error


def test_an_error_says_what_why_and_what_to_do(capsys):
    failures.show_error(caused(), Settings())
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "error[bad-document]: shop.yaml cannot be read\n  ╰─> line 3 ends too early\nhint: Close the quote.\n"
    )


def test_an_error_without_reason_or_hint_is_one_line(capsys):
    error = BadDocument("It cannot be read")
    failures.show_error(error, Settings())
    assert capsys.readouterr().err == "error[bad-document]: It cannot be read\n"


def test_more_is_said_when_asked(capsys):
    failures.show_error(caused(), Settings(verbose=True))
    assert "because OSError: disk on fire" in capsys.readouterr().err


def test_a_chain_that_was_cut_stays_cut(capsys):
    error = Forbidden("Not allowed")
    error.__context__ = ValueError("token abc")
    error.__suppress_context__ = True
    failures.show_error(error, Settings(verbose=True))
    assert "token" not in capsys.readouterr().err


def test_a_message_cannot_steer_the_terminal(capsys):
    failures.show_error(BadDocument("a\x1b[31mred\x07\nnext \u202eback"), Settings())
    assert capsys.readouterr().err == "error[bad-document]: a\\x1b[31mred\\x07 next \\u202eback\n"


def crash():
    token = "s3cr3t-local"
    try:
        int("s3cr3t-cause")
    except ValueError as cause:
        raise RuntimeError(f"s3cr3t-message {token}") from cause


@pytest.fixture
def bug():
    with pytest.raises(RuntimeError) as raised:
        crash()
    return raised.value


ARGUMENTS = ["health", "-f", "s3cr3t.yaml", "--namespace=s3cr3t", "-ns3cr3t", "--output", "json", "s3cr3t"]


def test_a_crash_report_holds_places_and_no_values(bug):
    text = crashes.report(bug, ARGUMENTS)
    assert "s3cr3t" not in text
    assert "plumb health -f … --namespace -n --output … …" in text
    assert "builtins.RuntimeError" in text
    assert "builtins.ValueError" in text
    assert "crash" in text
    assert "plumbline 0." in text


def test_a_bug_in_a_task_is_told_and_not_the_groups_around_it(bug, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    wrapped = bug
    for _ in range(10):
        wrapped = ExceptionGroup("unhandled errors in a TaskGroup", [wrapped])
    assert crashes.report(wrapped, []) == crashes.report(bug, [])
    failures.show_bug(wrapped, [], Settings())
    assert "RuntimeError was raised" in capsys.readouterr().err


def test_places_are_told_inside_their_packages():
    assert crashes._place("/home/jo/venv/lib/python3.11/site-packages/click/core.py") == "click/core.py"
    assert crashes._place("/home/jo/src/plumbline/cli/main.py") == "plumbline/cli/main.py"
    assert crashes._place("/home/jo/script.py") == "script.py"


def test_a_crash_report_is_for_its_user_alone(bug, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    failures.show_bug(bug, ARGUMENTS, Settings())
    (report,) = (tmp_path / ".plumbline" / "crashes").iterdir()
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700
    said = capsys.readouterr().err
    assert str(report) in said
    assert "s3cr3t" not in said


def test_only_the_newest_reports_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    saved = [crashes.save(f"report {n}") for n in range(25)]
    assert len(list(saved[-1].parent.iterdir())) == 20


def test_a_report_that_cannot_be_saved_is_printed(bug, monkeypatch, tmp_path, capsys):
    (tmp_path / "home").write_text("a file")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    failures.show_bug(bug, [], Settings())
    said = capsys.readouterr().err
    assert "could not be saved" in said
    assert "builtins.RuntimeError" in said
