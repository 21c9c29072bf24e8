"""Lines that are written."""

import asyncio
import io
import logging
import subprocess
import sys
import threading

import pytest

from plumbline.base import log as log_module
from plumbline.base.clock import VirtualClock
from plumbline.base.errors import NotFound
from plumbline.base.json import decode
from plumbline.base.log import bound, configure, logger, recorded
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.base.tasks import task_group


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Broken(io.StringIO):
    def write(self, text):
        raise OSError("disk full")


@pytest.fixture(autouse=True)
def _restored(monkeypatch):
    """The output of the process and of `logging`, as they were."""
    monkeypatch.setattr(log_module._State, "output", log_module._State.output)
    monkeypatch.setattr(log_module._State, "writer", None)
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = before
    known.clear()


def written(stream):
    return [decode(line) for line in stream.getvalue().splitlines()]


def fail(error):
    local_variable = "v4lue ".strip() + " of a variable"
    assert local_variable
    raise error


def to_json(level="info"):
    stream = io.StringIO()
    configure(level=level, stream=stream, clock=VirtualClock())
    return stream


def test_a_line_is_json_with_time_level_and_event_first():
    stream = to_json()
    logger("delivery").info("sync applied", changed=3, took_s=0.5)
    assert stream.getvalue() == (
        '{"ts":"2026-01-01T00:00:00.000Z","level":"info","event":"sync applied","logger":"delivery","changed":3,"took_s":0.5}\n'
    )


def test_a_terminal_gets_columns_and_colour_unless_told_otherwise(monkeypatch):
    stream = Terminal()
    configure(stream=stream, clock=VirtualClock())
    monkeypatch.delenv("NO_COLOR", raising=False)
    logger("delivery").info("sync applied", changed=3)
    assert "\x1b[" in stream.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    configure(stream=plain, clock=VirtualClock())
    logger("delivery").info("sync applied", changed=3)
    assert plain.getvalue().split() == [
        "2026-01-01T00:00:00.000Z",
        "[info",
        "]",
        "sync",
        "applied",
        "[delivery]",
        "changed=3",
    ]


def test_the_form_can_be_chosen():
    terminal, pipe = Terminal(), io.StringIO()
    configure(stream=terminal, form="json")
    logger("x").info("a b")
    assert written(terminal)[0]["event"] == "a b"
    configure(stream=pipe, form="console")
    logger("x").info("a b")
    assert "[info" in pipe.getvalue()


@pytest.mark.parametrize(("level", "events"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_the_level_says_how_much_is_written(level, events):
    stream = to_json(level)
    log = logger("x")
    log.debug("a")
    log.info("b")
    log.warning("c")
    log.error("d")
    assert len(written(stream)) == events


async def test_bound_fields_are_on_every_line_of_the_task_and_its_children():
    stream = to_json()

    async def child(name):
        with bound(run=name):
            await asyncio.sleep(0)
            logger("x").info("in child")

    with bound(ref="shop/web"):
        async with task_group() as group:
            group.create_task(child("1"))
            group.create_task(child("2"))
        logger("x").bind(step="last").info("in parent")
    logger("x").info("outside")
    assert [(line.get("ref"), line.get("run"), line.get("step")) for line in written(stream)] == [
        ("shop/web", "1", None),
        ("shop/web", "2", None),
        ("shop/web", None, "last"),
        (None, None, None),
    ]


def test_fields_do_not_hide_what_the_line_says_itself():
    stream = to_json()
    logger("x").info("a b", event="mine", level="high", ts=1, exc_info="e", exception="f")
    (line,) = written(stream)
    assert (line["event"], line["level"], line["event_"], line["level_"], line["ts_"]) == (
        "a b",
        "info",
        "mine",
        "high",
        1,
    )
    assert (line["exc_info_"], line["exception_"]) == ("e", "f")


def test_secrets_do_not_get_into_a_line():
    stream = to_json()
    known.add("hunter2-hunter2")
    try:
        fail(NotFound("no", why="https://u:v4lue@x said hunter2-hunter2"))
    except NotFound as error:
        logger("x").exception(
            "token hunter2-hunter2 refused", password="v4lue", a=Plaintext("v4lue"), error=error, b={"token": ["v4lue"]}
        )
    assert "v4lue" not in stream.getvalue()
    assert "hunter2" not in stream.getvalue()
    (line,) = written(stream)
    assert line["error"] == "not-found: no: https://***@x said ***"


def test_an_exception_shows_its_traceback_but_no_variables():
    stream, given = to_json(), "what it was" + " given"
    try:
        fail(ValueError(given))
    except ValueError:
        logger("x").exception("step failed")
    (line,) = written(stream)
    assert "in fail" in line["exception"]
    assert line["exception"].endswith("ValueError")
    assert given not in line["exception"], "it may be a secret"
    assert "v4lue of a variable" not in line["exception"]
    assert line["level"] == "error"


def test_what_our_own_errors_say_is_written_with_what_they_came_of():
    stream, given = to_json(), "what it was" + " given"
    try:
        try:
            fail(KeyError(given))
        except KeyError as cause:
            raise NotFound("there is no such thing", why="nobody made it") from cause
    except NotFound:
        logger("x").exception("step failed")
    (line,) = written(stream)
    assert line["exception"].endswith("NotFound: there is no such thing: nobody made it")
    assert "KeyError\n" in line["exception"]
    assert given not in line["exception"]


def test_of_a_group_all_are_named():
    stream = to_json()
    try:
        fail(ExceptionGroup("several", [ValueError("v4lue"), NotFound("gone")]))
    except ExceptionGroup:
        logger("x").exception("step failed")
    (line,) = written(stream)
    assert line["exception"].endswith("ExceptionGroup\nValueError\nNotFound: gone")


def test_a_terminal_shows_the_same_traceback():
    stream = Terminal()
    configure(stream=stream)
    try:
        fail(ValueError("x"))
    except ValueError:
        logger("x").exception("step failed", at="here")
    assert "in fail" in stream.getvalue()
    assert "v4lue of a variable" not in stream.getvalue()


def test_other_libraries_are_redacted_and_have_the_same_form():
    stream = to_json("warning")
    logging.getLogger("aiohttp.access").info("not written")
    logging.getLogger("aiohttp").warning("sent %s", "Authorization: Bearer abc.12345678")
    logging.getLogger("asyncio").critical("lost", exc_info=ValueError("password=v4lue"))
    logging.getLogger("odd").error("%d", "not a number")
    configure(level="debug", stream=stream)
    logging.getLogger("chatty").debug("details")
    lines = written(stream)
    assert [(line["logger"], line["level"], line["event"]) for line in lines] == [
        ("aiohttp", "warning", "sent Authorization: Bearer ***"),
        ("asyncio", "error", "lost"),
        ("chatty", "debug", "details"),
    ]
    assert "v4lue" not in stream.getvalue()


class Unprintable:
    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize("stream", [Broken(), None], ids=["full disk", "closed"])
def test_a_line_that_cannot_be_written_stops_nothing(stream):
    if stream is None:
        stream = io.StringIO()
        stream.close()
    configure(stream=stream)
    logger("x").info("a b", c=1)
    logging.getLogger("y").error("z")


def test_fields_that_cannot_be_printed_are_withheld():
    stream = to_json()
    logger("x").info("a b", c=Unprintable(), d=float("nan"), e="\ud800", f={1: 2}, g=2**80)
    (line,) = written(stream)
    assert line["c"] == "<Unprintable withheld: RuntimeError>"
    assert (line["e"], line["f"], line["g"]) == ("\\ud800", {"1": 2}, str(2**80))


def test_a_test_can_look_at_lines():
    stream = to_json("error")
    with recorded() as lines:
        logger("x").debug("seen", token="v4lue")
    logger("x").error("written")
    assert [(line["event"], line["token"]) for line in lines] == [("seen", "***")]
    assert [line["event"] for line in written(stream)] == ["written"]
    with recorded("warning") as lines:
        logger("x").info("not seen")
    assert lines == []


def test_threads_write_whole_lines():
    stream = to_json()

    def write(name):
        for _ in range(50):
            logger(name).info("a b", text="x" * 100)

    threads = [threading.Thread(target=write, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(written(stream)) == 200


def test_stderr_is_where_lines_go_if_nothing_is_said(capsys):
    logger("x").info("a b")
    assert "a b" in capsys.readouterr().err


def _loaded_after(script):
    """Of structlog, rich and asyncio, what is loaded once *script* has run."""
    looked = "print(*{'structlog', 'rich', 'asyncio'} & sys.modules.keys())"
    script = f"import sys, plumbline.base.log as log; {script}; {looked}"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60)
    return set(child.stdout.decode().split())


def test_importing_it_loads_neither_structlog_nor_asyncio():
    assert _loaded_after("log.logger('x').debug('quiet')") == set()


def test_lines_for_machines_are_written_without_structlog_and_what_it_takes_along():
    assert _loaded_after("log.configure(form='json'); log.logger('x').info('loud')") == {"asyncio"}
