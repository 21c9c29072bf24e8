"""The worker: runs user-supplied jq, Lua and jsonnet, and is killed for whatever it does too long.

None of the three can be bounded within a process: jq holds the interpreter's lock, a Lua hook is swallowed by `pcall`,
jsonnet overflows the C stack. So they run here, in a process that is forked with all of this imported, may open no
file, make no socket and start no process, and has nothing in it worth stealing.
"""

import posixpath
import resource
import socket
import time
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import jq
import msgspec
import rjsonnet
from lupa import lua52

from plumbline.base.evaluator.standard import completed
from plumbline.base.evaluator.wire import (
    LENGTH,
    Exceeded,
    Failed,
    Given,
    Job,
    JqTask,
    JsonnetTask,
    LuaTask,
    Outcome,
    Reply,
    decode_job,
    encode,
)

_PROGRAMS = 128
_LUA_BYTES = 64 << 20
_LARGEST_INT = 1 << 63
_MESSAGE_CHARACTERS = 1000
_MESSAGE_LINES = 8
_OUT_OF_MEMORY = "it needs more memory than it is allowed"
_PRELUDE: Final = lua52.LuaRuntime(encoding=None).eval(
    b"function(text) return string.dump(load(text, '=prelude')) end"
)(Path(__file__).with_name("prelude.lua").read_bytes())

_programs: OrderedDict[str, Any] = OrderedDict()


def main() -> None:
    with socket.socket(fileno=0) as connection:
        serve(connection)


def serve(connection: socket.socket) -> None:
    """Do one job after the other until the connection closes."""
    while frame := _received(connection):
        job = decode_job(frame)
        _allow_cpu(job.cpu_s)
        reply = encode(Reply(perform(job), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10))
        connection.sendall(LENGTH.pack(len(reply)) + reply)


def perform(job: Job) -> list[Outcome]:
    """One outcome for each input of jq, one for a script: what a program does wrong is an outcome, not an exception."""
    try:
        match job.task:
            case JqTask() as task:
                outcomes = _each_jq(task, job.output_limit_bytes)
            case LuaTask() as task:
                outcomes = [run_lua(task)]
            case JsonnetTask() as task:
                outcomes = [run_jsonnet(task)]
    except (MemoryError, RecursionError):
        outcomes = [Exceeded(_OUT_OF_MEMORY)]
    size = sum(len(text) for outcome in outcomes if isinstance(outcome, Given) for text in outcome.texts)
    if size > job.output_limit_bytes:
        return [Exceeded(f"its answer is larger than {job.output_limit_bytes} bytes")]
    return outcomes


def _each_jq(task: JqTask, output_limit_bytes: int) -> list[Outcome]:
    try:
        program = _compiled(task.program)
    except ValueError as error:
        return [Failed(_words(str(error)))] * len(task.inputs)
    outcomes: list[Outcome] = []
    for text in task.inputs:
        outcomes.append(_jq(program, text, output_limit_bytes))
        if isinstance(outcomes[-1], Given):
            output_limit_bytes -= sum(map(len, outcomes[-1].texts))
    return outcomes


def _jq(program: Any, text: str, output_limit_bytes: int) -> Outcome:
    texts: list[bytes] = []
    try:
        for result in program.input_text(text):
            texts.append(result.encode())
            output_limit_bytes -= len(texts[-1])
            if output_limit_bytes < 0:
                return Exceeded("its answers are larger than allowed")
    except ValueError as error:
        # What `input` says when there is none.
        message = str(error)
        return Failed("there is no further input" if message == "break" else _words(message))
    return Given(texts)


def _compiled(source: str) -> Any:
    """A program whose results are JSON texts: jq's own writer keeps numbers as they were, the binding would not."""
    if source in _programs:
        _programs.move_to_end(source)
        return _programs[source]
    # As it is first, so that places in error messages are those of what was written.
    jq.compile(source)
    program = jq.compile(f"({source}\n) | tojson")
    _programs[source] = program
    if len(_programs) > _PROGRAMS:
        _programs.popitem(last=False)
    return program


def run_lua(task: LuaTask) -> Outcome:
    """Each script has a state of its own: none finds what another left."""
    try:
        lua = lua52.LuaRuntime(
            register_eval=False,
            register_builtins=False,
            attribute_filter=_no_attribute,
            encoding=None,
            max_memory=0,
        )
        run = lua.execute(_PRELUDE)
        variables = lua.table_from(_for_lua(msgspec.json.decode(task.variables)), recursive=True)
        # Not before: whoever fills tables from outside is not protected, and a limit that is reached there is fatal.
        lua.set_max_memory(lua.get_memory_used(total=True) + _LUA_BYTES, total=True)
        worked, result = run(task.script.encode(), task.open_libs, variables)
    except lua52.LuaMemoryError:
        return Exceeded(_OUT_OF_MEMORY)
    if worked:
        # Strings may hold any bytes there; here they are text, as they become where these scripts come from.
        return Given([result.decode(errors="replace").encode()])
    message = result.decode(errors="replace")
    return Exceeded(_OUT_OF_MEMORY) if message == "not enough memory" else Failed(_words(message))


def _no_attribute(*_: object) -> str:
    raise AttributeError("Python is out of reach")


def _for_lua(value: Any) -> Any:
    """JSON as Lua has it: null is nil, so it is in no table, and what follows one in a list moves up."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        return {key.encode(): _for_lua(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_for_lua(item) for item in value if item is not None]
    if type(value) is int and not -_LARGEST_INT <= value < _LARGEST_INT:
        return float(value)
    return value


def run_jsonnet(task: JsonnetTask) -> Outcome:
    def resolved(directory: str, name: str) -> tuple[str, str | None]:
        # The program itself is imported from wherever this process runs; all others from a path that we gave.
        path = _resolved(task, "" if posixpath.isabs(directory) else directory, name)
        try:
            return path, completed(task.files[path].decode(), path)
        except UnicodeDecodeError:
            raise ValueError(f"{name}: is not text") from None

    try:
        text = rjsonnet.evaluate_snippet(
            "",
            f"import {msgspec.json.encode(task.name).decode()}",
            import_callback=resolved,
            ext_vars=dict(task.ext_vars),
            ext_codes=dict(task.ext_codes),
            tla_vars=dict(task.tla_vars),
            tla_codes=dict(task.tla_codes),
            preserve_order=False,
        )
    except (RuntimeError, ValueError) as error:
        return Failed(_words(str(error)))
    return Given([text.encode()])


def _resolved(task: JsonnetTask, directory: str, name: str) -> str:
    """The file that an import means: beside the importing one, then in the libraries, the last of them first."""
    if posixpath.isabs(name):
        raise ValueError(f"{name}: imports are relative to the importing file or to a library")
    for place in (directory, *reversed(task.libs)):
        path = posixpath.normpath(posixpath.join(place, name))
        if path.startswith("../"):
            raise ValueError(f"{name}: imports cannot leave the root of the source")
        if path in task.files:
            return path
    raise ValueError(f"{name}: no such file in the source")


def _words(message: str) -> str:
    text = message.removeprefix("jq: error: ").removesuffix("\njq: 1 compile error")
    text = text.removeprefix("import_callback error: ValueError: ")
    # jsonnet's trace ends in our own import of the program, and may be as long as its stack.
    text = "\n".join(line for line in text.splitlines()[:_MESSAGE_LINES] if not line.startswith("    :1:")).strip()
    return text if len(text) <= _MESSAGE_CHARACTERS else f"{text[:_MESSAGE_CHARACTERS]}..."


def _allow_cpu(seconds: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds + 1, hard))


def _received(connection: socket.socket) -> bytes:
    header = connection.recv(LENGTH.size, socket.MSG_WAITALL)
    return connection.recv(LENGTH.unpack(header)[0], socket.MSG_WAITALL) if len(header) == LENGTH.size else b""


def _warm_up() -> None:
    """Run each once before there are forks, so that what loads itself on first use is loaded, and shared."""
    nothing: Mapping[str, str] = {}
    for task in (
        JqTask(".", ["{}"]),
        LuaTask("return os.date()", b"{}", open_libs=True),
        JsonnetTask("m", {"m": b"{a: std.format('%d', 1)}"}, (), nothing, nothing, nothing, nothing),
    ):
        perform(Job(task, 1, 1 << 10))
    _programs.clear()


_warm_up()
