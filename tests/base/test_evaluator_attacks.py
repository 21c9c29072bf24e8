"""Row 7 of the table of attacks. Programs that mean harm. Each fails with a clear word, and the next evaluation works."""

import asyncio
import os
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from plumbline.base.errors import EvaluationFailed, LimitExceeded, TimedOut
from plumbline.base.evaluator import Bounds, Evaluator, Jsonnet
from plumbline.base.evaluator.link import linked
from plumbline.base.evaluator.wire import LENGTH
from plumbline.base.process import Launcher, Limits
from plumbline.base.zygote import kernel

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evaluator():
    bounds = Bounds(workers=1, memory_bytes=192 << 20, output_bytes=1 << 20)
    async with Evaluator(bounds) as evaluator:
        yield evaluator


LUA = [
    ("while true do end", TimedOut, "a loop"),
    ("while true do pcall(function() while true do end end) end", TimedOut, "a loop that swallows interruptions"),
    ("local function f() return pcall(f) end while true do f() end", TimedOut, "a recursion that does"),
    ("return ('a'):rep(40):find(('a*'):rep(40) .. 'b')", TimedOut, "a pattern that backtracks for ever"),
    ("return string.rep('x', 1e9)", LimitExceeded, "a huge string"),
    ("local t = {} for i = 1, 1e9 do t[i] = i end", LimitExceeded, "a huge table"),
    ("local s = 'x' while true do s = s .. s end", LimitExceeded, "a string that doubles"),
    ("local t = {} for i = 1, 5e5 do t[i] = 'xxxxxxxx' end return t", LimitExceeded, "a huge answer"),
    ("local function f() return 1 + f() end return f()", (EvaluationFailed, LimitExceeded), "a recursion without end"),
    ("return os.execute('id')", EvaluationFailed, "a command"),
    ("return io.open('/etc/passwd')", EvaluationFailed, "a file"),
    ("return require('io')", EvaluationFailed, "a module"),
    ("return python.eval('1')", EvaluationFailed, "Python"),
    ("return string.dump(print)", EvaluationFailed, "bytecode"),
    ("setmetatable({}, {__gc = function() while true do end end})", EvaluationFailed, "a finaliser"),
    ("error(('x'):rep(1e7))", EvaluationFailed, "an error that is a flood"),
]


@pytest.mark.parametrize(("script", "error", "why"), LUA, ids=[case[2] for case in LUA])
async def test_lua_is_held(evaluator, script, error, why):
    with pytest.raises(error) as caught:
        await evaluator.lua(script, {}, open_libs=True, deadline_s=5.0 if error is not TimedOut else 0.2)
    assert caught.value.why
    assert len(str(caught.value)) < 3000
    assert await evaluator.lua("return obj", {"obj": 1}) == 1


async def test_an_object_too_large_for_lua_is_refused(evaluator):
    with pytest.raises(LimitExceeded):
        await evaluator.lua("return 1", {"obj": list(range(8_000_000))}, deadline_s=20.0)
    assert await evaluator.lua("return obj", {"obj": 1}) == 1


JQ = [
    ("def f: f; f", TimedOut, "a recursion that takes no memory"),
    ("[range(1e9)]", LimitExceeded, "a huge list"),
    ("def f: [f]; f", LimitExceeded, "a recursion that takes all"),
    ("range(1e9)", LimitExceeded, "results without end"),
    ('"x" * 5e6', LimitExceeded, "a huge string"),
    ('"x" * 1e9', (LimitExceeded, EvaluationFailed), "a string larger than there is memory"),
    ("reduce range(1e9) as $i (null; .)", TimedOut, "a loop"),
    ("input", EvaluationFailed, "somebody else's input"),
    ('import "/etc/passwd" as $p; $p', EvaluationFailed, "a file as a module"),
    ('("a" * 40 + "!") | test("^(a+)+$")', (TimedOut, EvaluationFailed), "an expression that backtracks for ever"),
]


@pytest.mark.parametrize(("program", "error", "why"), JQ, ids=[case[2] for case in JQ])
async def test_jq_is_held(evaluator, program, error, why):
    with pytest.raises(error) as caught:
        await evaluator.jq(program, {}, deadline_s=20.0 if error is LimitExceeded else 0.5)
    assert caught.value.why
    assert await evaluator.jq(".", 1) == [1]


async def test_jq_finds_no_variable_of_ours(evaluator, monkeypatch):
    monkeypatch.setenv("CANARY", "a secret of ours")
    ((environment, also),) = await evaluator.jq("[$ENV, env]", None)
    assert environment == also
    assert set(environment) <= {"TZ", "LC_CTYPE"}


JSONNET = [
    ("[" * 20_000 + "]" * 20_000, EvaluationFailed, "nesting that overflows the stack"),
    ("local f(x) = f(x + 1); f(0)", EvaluationFailed, "a recursion without end"),
    ("std.makeArray(1e9, function(i) i)", LimitExceeded, "a huge list"),
    ("local f(s, n) = if n == 0 then s else f(s + s, n - 1); std.length(f('x', 40))", LimitExceeded, "doubling"),
    ("std.foldl(function(a, i) a + i, std.range(1, 1e8), 0)", (TimedOut, LimitExceeded), "a loop"),
    ("'x' + std.repeat('y', 5000000)", LimitExceeded, "a huge answer"),
    ("1e400", EvaluationFailed, "an answer that JSON does not have"),
    ("importstr '/etc/passwd'", EvaluationFailed, "a file"),
    ("importstr '../x'", EvaluationFailed, "a file beside"),
    ("importstr '/proc/self/environ'", EvaluationFailed, "the environment"),
]


@pytest.mark.parametrize(("source", "error", "why"), JSONNET, ids=[case[2] for case in JSONNET])
async def test_jsonnet_is_held(evaluator, source, error, why):
    with pytest.raises(error) as caught:
        await evaluator.jsonnet(Jsonnet(source=source), deadline_s=1.0 if why == "a loop" else 5.0)
    assert caught.value.why
    assert await evaluator.jsonnet(Jsonnet(source="{a: 1}")) == {"a": 1}


INTRUDER = """
import msgspec, os, socket, struct
def attempt(action):
    try:
        action()
        return "done"
    except OSError as error:
        return type(error).__name__
def main():
    connection = socket.socket(fileno=0)
    connection.recv(4)
    found = {
        "read": attempt(lambda: os.open("/etc/passwd", os.O_RDONLY)),
        "write": attempt(lambda: os.open(TARGET, os.O_CREAT | os.O_WRONLY)),
        "list": attempt(lambda: os.listdir("/")),
        "socket": attempt(lambda: socket.socket(socket.AF_INET)),
        "local socket": attempt(lambda: socket.socket(socket.AF_UNIX)),
        "fork": attempt(os.fork),
        "execute": attempt(lambda: os.execv("/bin/true", ["true"])),
        "signal": attempt(lambda: os.kill(PARENT, 0)),
        "keeper": attempt(lambda: os.write(3, b"x")),
    }
    reply = msgspec.msgpack.encode(found)
    connection.sendall(struct.pack("!I", len(reply)) + reply)
"""


async def test_a_worker_that_is_taken_over_reaches_nothing(tmp_path, monkeypatch):
    """What would be left to code that broke out of its language: here the worker itself is hostile."""
    target = tmp_path / "written"
    (tmp_path / "intruder.py").write_text(f"PARENT, TARGET = {os.getpid()}, {str(target)!r}\n{INTRUDER}")
    monkeypatch.syspath_prepend(str(tmp_path))
    launcher = Launcher(preload="intruder")
    try:
        async with linked(launcher, Limits(file_bytes=0, open_files=0, processes=0), "required") as link:
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(link._connection, bytes(4))
            (length,) = LENGTH.unpack(await link._receive(LENGTH.size))
            found = msgspec.msgpack.decode(await link._receive(length))
    finally:
        launcher.close()
    assert "done" not in found.values(), found
    assert not target.exists()


def about(pid, name):
    return Path(f"/proc/{pid}/{name}").read_text()


async def test_workers_carry_no_privilege_and_no_descriptor_of_ours():
    async with Evaluator(Bounds(workers=1)) as evaluator:
        await evaluator.jq(".", 1)
        below = kernel.descendants(evaluator._launcher._zygote.pid)
        (worker,) = [pid for pid in below if "Seccomp:\t2" in about(pid, "status")]
        (files,) = [line for line in about(worker, "limits").splitlines() if "open files" in line]
        assert files.split()[3:5] == ["0", "0"]
        assert len(list(os.scandir(f"/proc/{worker}/fd"))) == 3
