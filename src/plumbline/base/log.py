"""What happened, as events: JSON lines for machines, aligned columns where somebody watches a terminal.

    log = logger("delivery")
    with bound(ref=ref, run=run):
        log.info("sync applied", changed=plan.changed, took_s=clock.monotonic() - start_s)

An event is a constant in lower case; what varies is in the fields. Each line passes through `base.redaction` on its way
out. Nothing here raises. structlog draws the columns and is loaded for them alone: with the libraries that it takes along
it weighs 1 to 6 MB, which a process whose log is read by machines does without.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TextIO, TypeAlias

from plumbline.base.environment import environment
from plumbline.base.errors import PlumblineError
from plumbline.base.json import encode
from plumbline.base.redaction import redact, redact_text

if TYPE_CHECKING:
    from logging import LogRecord

    from plumbline.base.clock import Clock

Level: TypeAlias = Literal["debug", "info", "warning", "error"]
Form: TypeAlias = Literal["auto", "json", "console"]
_Line: TypeAlias = MutableMapping[str, Any]
_Writer: TypeAlias = Callable[[str, _Line], object]
"""Takes a level and a line."""

_SEVERITY: Final[dict[str, int]] = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_OURS: Final = frozenset({"ts", "level", "event", "exc_info", "exception"})
_FRAMES: Final = 30
_CAUSES: Final = 5

_context: ContextVar[Mapping[str, object] | None] = ContextVar("log_context", default=None)


class _Output(NamedTuple):
    threshold: int = _SEVERITY["info"]
    form: Form = "auto"
    stream: TextIO | None = None
    clock: "Clock | None" = None
    lines: list[_Line] | None = None
    """Where lines are kept instead of written, while a test looks at them."""


class _State:
    """The one output of the process, and what writes to it once there has been a line."""

    output = _Output()
    writer: _Writer | None = None
    lock = RLock()


class Log:
    """Writes events under one name, with fields that it was bound to."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, object]) -> None:
        self._fields = fields

    def bind(self, **fields: object) -> "Log":
        return Log({**self._fields, **fields})

    def debug(self, event: str, /, **fields: object) -> None:
        _write("debug", event, {**self._fields, **fields})

    def info(self, event: str, /, **fields: object) -> None:
        _write("info", event, {**self._fields, **fields})

    def warning(self, event: str, /, **fields: object) -> None:
        _write("warning", event, {**self._fields, **fields})

    def error(self, event: str, /, **fields: object) -> None:
        _write("error", event, {**self._fields, **fields})

    def exception(self, event: str, /, **fields: object) -> None:
        """An error with the traceback of the exception that is being handled."""
        _write("error", event, {**self._fields, **fields}, sys.exc_info()[1])


def logger(name: str) -> Log:
    return Log({"logger": name})


@contextmanager
def bound(**fields: object) -> Iterator[None]:
    """Add *fields* to every line written inside, by whomever, in this task and those that it starts."""
    token = _context.set({**(_context.get() or {}), **fields})
    try:
        yield
    finally:
        _context.reset(token)


def configure(
    *, level: Level = "info", form: Form = "auto", stream: TextIO | None = None, clock: "Clock | None" = None
) -> None:
    """Say how much is written, how, and where; stderr if nothing is said. Other libraries' records come along."""
    with _State.lock:
        _State.output = _Output(_SEVERITY[level], form, stream, clock)
        _State.writer = None
    _take_in_records(_SEVERITY[level])


@contextmanager
def recorded(level: Level = "debug") -> Iterator[list[_Line]]:
    """Keep the lines that are written inside, as they would have been written, in the list that it gives."""
    lines: list[_Line] = []
    before = _State.output, _State.writer
    with _State.lock:
        _State.output, _State.writer = before[0]._replace(threshold=_SEVERITY[level], lines=lines), None
    try:
        yield lines
    finally:
        with _State.lock:
            _State.output, _State.writer = before


def _write(level: str, event: str, fields: Mapping[str, object], error: BaseException | None = None) -> None:
    if _SEVERITY[level] < _State.output.threshold:
        return
    # A full disk, a closed pipe or a field that cannot be printed are no reason to stop the work.
    with suppress(Exception):
        named = {**(_context.get() or {}), **fields}
        safe = {f"{key}_" if key in _OURS else key: value for key, value in named.items()}
        with _State.lock:
            writer = _State.writer = _State.writer or _build(_State.output)
            writer(level, {**safe, "event": event, "exc_info": error})


def _build(output: _Output) -> _Writer:
    from plumbline.base.clock import SystemClock  # noqa: PLC0415 - imports asyncio

    clock = output.clock or SystemClock()
    stream = output.stream or sys.stderr
    kept = output.lines
    drawn = output.form == "console" or (output.form == "auto" and stream.isatty())
    render = _columns(stream) if drawn and kept is None else _json

    def write(level: str, line: _Line) -> None:
        stamp = clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        finished = {"ts": stamp, "level": level, **_cleaned(line)}
        if kept is not None:
            kept.append(finished)
            return
        stream.write(f"{render(level, finished)}\n")
        stream.flush()

    return write


def _json(_: str, line: _Line) -> str:
    return encode(line).decode()


def _columns(stream: TextIO) -> Callable[[str, _Line], str]:
    import structlog  # noqa: PLC0415 - see the top: only who watches pays for it

    draw = structlog.dev.ConsoleRenderer(
        colors=stream.isatty() and not environment().get("NO_COLOR"),
        timestamp_key="ts",
        exception_formatter=structlog.dev.plain_traceback,
    )
    return lambda level, line: str(draw(None, level, line))


def _cleaned(line: _Line) -> _Line:
    """Without secrets, and with an exception as text. Tracebacks show code, never the values of variables."""
    error = line.pop("exc_info", None)
    clean = {"event": redact(line.pop("event"))}
    clean |= {redact_text(key): redact(value, key) for key, value in line.items()}
    if isinstance(error, BaseException):
        clean["exception"] = redact_text("\n".join(_told(error)))
    return clean


def _told(error: BaseException, depth: int = 0) -> list[str]:
    """Where it was raised, after what it came of.

    Only errors of ours tell what they say: the text of another may hold anything, also a secret.
    """
    import traceback  # noqa: PLC0415 - rarely needed

    below = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = _told(below, depth + 1) if below is not None and depth < _CAUSES else []
    lines = "".join(traceback.format_tb(error.__traceback__, limit=-_FRAMES)).splitlines()
    said = f": {error}" if isinstance(error, PlumblineError) else ""
    more = [line for each in getattr(error, "exceptions", ())[:_CAUSES] for line in _told(each, depth + 1)]
    return [*before, *lines, f"{type(error).__name__}{said}", *more]


def _take_in_records(threshold: int) -> None:
    """Send what libraries write with `logging` the same way, so that it is redacted and has the same form."""
    import logging  # noqa: PLC0415 - a process that configures nothing need not load it

    class Records(logging.Handler):
        def emit(self, record: "LogRecord") -> None:
            level = next((name for name in ("error", "warning", "info") if record.levelno >= _SEVERITY[name]), "debug")
            error = record.exc_info[1] if record.exc_info else None
            with suppress(Exception):
                _write(level, record.getMessage(), {"logger": record.name}, error)

    logging.basicConfig(handlers=[Records()], level=threshold, force=True)
