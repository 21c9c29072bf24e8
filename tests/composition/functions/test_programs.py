"""Functions whose processes are ours: real Python code on the real SDK."""

import asyncio
import contextlib
import sys
from pathlib import Path

import pytest
from tests.composition.functions.asking import call

from plumbline.base.clock import SystemClock, VirtualClock
from plumbline.base.errors import EvaluationFailed, TimedOut, Transient, Unreachable
from plumbline.base.log import logger, recorded
from plumbline.base.process import Command
from plumbline.base.tasks import task_group
from plumbline.composition.functions.grpc import from_command, from_python, programs, serving
from plumbline.composition.functions.grpc.programs import Program, Start

FUNCTION = """
import os, socket, time
from crossplane.function import logging, resource, response
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1
import beside

class FunctionRunner(grpcv1.FunctionRunnerService):
    def __init__(self):
        self.log = logging.get_logger()

    async def RunFunction(self, req, context):
        rsp = response.to(req)
        mode = req.input["mode"]
        self.log.info("asked", mode=mode)
        if mode == "hang":
            time.sleep(60)
        if mode == "crash":
            os._exit(3)
        if mode == "raise":
            raise ValueError("boom")
        if mode == "look":
            found = {"environment": sorted(os.environ)}
            for name, attempt in (("hosts", lambda: open("/etc/shadow")), ("network", lambda: socket.create_connection(("127.0.0.1", 1)))):
                try:
                    attempt()
                except OSError as fault:
                    found[name] = fault.errno
            rsp.context.update(found)
        resource.update(rsp.desired.resources["made"], {"kind": beside.KIND, "n": 1})
        return rsp
"""


class Impatient(SystemClock):
    async def sleep(self, delay_s):
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def running(program):
    async with task_group() as group:
        serving_task = group.create_task(program.serve())
        try:
            yield
        finally:
            serving_task.cancel()


@pytest.fixture
def module(tmp_path):
    (tmp_path / "beside.py").write_text("KIND = 'ConfigMap'\n")
    (tmp_path / "fn.py").write_text(FUNCTION)
    return tmp_path / "fn.py"


async def asked(program, mode):
    """Its answer, once its process is there."""
    async with asyncio.timeout(20):
        while True:
            try:
                return await program.run(call(input={"mode": mode}))
            except Unreachable:
                await asyncio.sleep(0.02)


async def test_python_code_answers_crashes_hangs_and_is_started_again(module, monkeypatch):
    monkeypatch.setenv("OUR_SECRET", "x")
    program = from_python("f", module, Impatient())
    program._deadline_s = 1.5
    with recorded() as lines:
        async with running(program):
            answer = await asked(program, "fine")
            assert answer.desired.resources["made"].resource == {"kind": "ConfigMap", "n": 1}
            looked = (await asked(program, "look")).context
            assert "OUR_SECRET" not in looked["environment"]
            assert looked["network"] != 111, "without sockets it does not even learn that nobody listens"
            with pytest.raises(EvaluationFailed, match="boom"):
                await program.run(call(input={"mode": "raise"}))
            with pytest.raises(Unreachable):
                await program.run(call(input={"mode": "crash"}))
            assert (await asked(program, "fine")).desired.resources
            with pytest.raises(TimedOut):
                await program.run(call(input={"mode": "hang"}))
            assert (await asked(program, "fine")).desired.resources
    events = [line["event"] for line in lines]
    assert events.count("function started") == 3
    assert "function ended" in events
    assert "function hangs" in events
    assert any('"asked"' in line.get("line", "") for line in lines)


async def test_without_its_process_a_function_is_unreachable(monkeypatch):
    program = from_command("f", ("true",), VirtualClock())
    monkeypatch.setattr(programs, "_START_S", 0.01)
    with pytest.raises(Unreachable) as refused:
        await program.run(call())
    assert not refused.value.sent


async def test_a_program_is_told_where_to_listen_and_ends_with_us(module):
    argv = (sys.executable, "-I", "-m", serving.__name__, str(module), "{address}")
    program = from_command("f", argv, Impatient())
    with recorded():
        async with running(program):
            assert (await asked(program, "fine")).desired.resources
    with pytest.raises(Unreachable):
        await program.run(call(input={"mode": "fine"}))


async def test_pauses_between_starts_grow_until_a_program_stays():
    pauses = []

    class Ends(Exception):
        pass

    class Watched(VirtualClock):
        async def sleep(self, delay_s):
            pauses.append(delay_s)
            if len(pauses) == 9:
                raise Ends
            if len(pauses) == 8:
                program._once = stays

    clock = Watched()

    async def stays():
        clock._elapsed_s += 100

    program = from_command("f", ("plumbline-no-such-program",), clock)
    with recorded() as lines, pytest.raises(Ends):
        await program.serve()
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 1]
    assert lines[0]["event"] == "function ended"


async def test_who_gives_up_early_does_not_end_the_process():
    program = Program("f", lambda folder: Start(Command(argv=("true",)), "unix:/nowhere"), VirtualClock())

    class Slow:
        async def run(self, _):
            await asyncio.sleep(60)

    program._remote = Slow()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await program.run(call())
    assert not program._hangs.is_set()


async def test_what_a_process_says_is_bounded():
    clock = VirtualClock()
    with recorded() as lines:
        output = programs._Output(logger("test"), clock)
        output.take(b"half a ")
        output.take(b"line\n" + b"x" * 5_000 + b"\n")
        output.take(b"line\n" * 300)
        await clock.advance(60)
        output.take(b"later\n")
    said = [line["line"] for line in lines if line["event"] == "function says"]
    assert said[0] == "half a line"
    assert len(said[1]) == 1_024
    assert len(said) == 101
    assert said[-1] == "later"
    assert [line["dropped_lines"] for line in lines if line["event"] == "function says too much"] == [202]


def test_a_module_without_the_class_is_refused(tmp_path):
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "fn.txt").write_text("")
    before = list(sys.path)
    try:
        with pytest.raises(SystemExit, match="no class FunctionRunner"):
            serving.loaded(tmp_path / "empty.py")
        with pytest.raises(SystemExit, match="no Python module"):
            serving.loaded(tmp_path / "fn.txt")
    finally:
        sys.path[:] = before
        sys.modules.pop("plumbline_function", None)


def test_the_process_serves_what_it_loaded(tmp_path, monkeypatch):
    (tmp_path / "fn.py").write_text("class FunctionRunner: pass\n")
    served = []
    monkeypatch.setattr("crossplane.function.runtime.serve", lambda function, address, **options: served.append((type(function).__name__, address, options["insecure"])))  # fmt: skip
    monkeypatch.setattr("crossplane.function.logging.configure", lambda: None)
    monkeypatch.setattr("os.dup2", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["serving", str(Path(tmp_path, "fn.py")), "unix:/x"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    serving.main()
    sys.modules.pop("plumbline_function", None)
    assert served == [("FunctionRunner", "unix:/x", True)]
    assert issubclass(Unreachable, Transient)
