"""Tools get what they are given, and we get what they give."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest
import uvloop

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, TimedOut, ToolFailed, ToolMissing
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Command, Limits, run


def shell(script, **others):
    return Command(argv=("/bin/sh", "-c", script), **others)


async def test_a_tool_gives_its_output_and_its_exit_code():
    finished = await run(shell("echo out; echo err >&2"))
    assert (finished.exit_code, finished.stdout, finished.stderr) == (0, b"out\n", b"err\n")
    assert finished.discarded_bytes == 0
    assert finished.unenforced == ()


async def test_arguments_are_not_read_by_a_shell():
    finished = await run(Command(argv=("printf", "%s|", "$HOME", "a b", "; id", "*", "é\udcff")))
    assert finished.stdout == b"$HOME|a b|; id|*|\xc3\xa9\xff|"


async def test_a_tool_reads_its_input_as_a_file():
    sent = b"x" * 300_000
    finished = await run(shell("wc -c; wc -c < /dev/stdin", stdin=sent))
    assert finished.stdout.split() == [b"300000", b"300000"]


async def test_without_input_there_is_an_end_of_file_at_once():
    assert (await run(Command(argv=("cat",)))).stdout == b""


async def test_a_tool_runs_in_the_directory_named(tmp_path):
    assert (await run(Command(argv=("pwd",), cwd=tmp_path))).stdout.decode().strip() == str(tmp_path)


async def test_the_environment_holds_what_is_named_and_nothing_else(monkeypatch):
    monkeypatch.setenv("TAKEN", "from us")
    monkeypatch.setenv("LEFT", "with us")
    command = Command(
        argv=("env",),
        inherit=("TAKEN", "NOT_SET", "OVERRULED"),
        environment={"SAID": "so", "OVERRULED": "by this"},
    )
    finished = await run(command)
    assert sorted(finished.stdout.decode().splitlines()) == ["OVERRULED=by this", "SAID=so", "TAKEN=from us"]


async def test_secrets_reach_the_tool_as_they_are():
    command = shell('printf %s "$TOKEN" | wc -c', environment={"TOKEN": Plaintext("s3cret-value")})
    assert (await run(command)).stdout.strip() == b"12"


async def test_ignored_signals_are_not_passed_on():
    finished = await run(Command(argv=("sed", "-n", "s/^Sig\\(Ign\\|Blk\\)://p", "/proc/self/status")))
    library_own = 0b11 << 31  # the C library keeps two signals for itself, and nobody else can set them
    assert {int(line, 16) & ~library_own for line in finished.stdout.split()} == {0}


async def test_no_descriptor_but_stdio_is_passed_on():
    finished = await run(Command(argv=("ls", "/proc/self/fd")))
    # The fourth is the directory that ls reads.
    assert finished.stdout.split() == [b"0", b"1", b"2", b"3"]


async def test_new_files_are_private(tmp_path):
    await run(shell("echo x > new", cwd=tmp_path))
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


async def test_no_tool_gains_privileges():
    finished = await run(Command(argv=("grep", "NoNewPrivs", "/proc/self/status")))
    assert finished.stdout.split() == [b"NoNewPrivs:", b"1"]


async def test_an_exit_code_that_is_not_accepted_is_a_failure_with_the_last_words():
    with pytest.raises(ToolFailed) as caught:
        await run(shell("echo first >&2; echo 'bad \033[31mthing' >&2; exit 3"))
    assert caught.value.exit_code == 3
    assert caught.value.what == "sh failed"
    assert caught.value.why == "exit code 3: first\nbad  [31mthing"


async def test_a_failure_without_words_on_stderr_quotes_stdout():
    with pytest.raises(ToolFailed) as caught:
        await run(shell("echo told on the wrong stream; exit 1"))
    assert caught.value.why == "exit code 1: told on the wrong stream"


async def test_a_silent_failure_still_tells_its_code():
    with pytest.raises(ToolFailed) as caught:
        await run(shell("exit 9"))
    assert caught.value.why == "exit code 9"


async def test_other_exit_codes_can_be_accepted():
    assert (await run(shell("exit 2", accept=frozenset({0, 2})))).exit_code == 2
    assert (await run(shell("exit 77", accept=None))).exit_code == 77


async def test_an_end_by_signal_is_a_negative_exit_code():
    assert (await run(shell("kill -SEGV $$", accept=None))).exit_code == -signal.SIGSEGV
    with pytest.raises(ToolFailed) as caught:
        await run(shell("kill -SEGV $$"))
    assert caught.value.why == "ended by SIGSEGV"


async def test_what_it_used_is_counted():
    finished = await run(Command(argv=(sys.executable, "-I", "-S", "-c", "x = b'x' * (64 << 20)")))
    assert finished.cpu_s > 0
    assert finished.peak_bytes > 64 << 20
    assert finished.elapsed_s > 0


MISSING = [
    (("no-such-tool-anywhere",), "not on PATH"),
    (("/no/such/tool",), "an absolute path to nothing"),
    (("/etc/passwd",), "a file that is not executable"),
    (("/etc",), "a directory"),
]


@pytest.mark.parametrize(("argv", "why"), MISSING, ids=lambda value: value if isinstance(value, str) else "")
async def test_a_tool_that_is_not_there_is_named_with_a_way_out(argv, why):
    with pytest.raises(ToolMissing) as caught:
        await run(Command(argv=argv))
    assert argv[0] in str(caught.value)
    assert "plumb doctor" in caught.value.hint


async def test_a_script_whose_interpreter_is_missing_is_a_missing_tool(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o700)
    with pytest.raises(ToolMissing):
        await run(Command(argv=(str(script),)))


async def test_path_entries_that_are_not_absolute_are_not_searched(tmp_path, monkeypatch):
    tool = tmp_path / "trap"
    tool.write_text("#!/bin/sh\necho trapped\n")
    tool.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".::relative:/usr/bin")
    with pytest.raises(ToolMissing):
        await run(Command(argv=("trap",), cwd=tmp_path))


INVALID = [
    (Command(argv=()), "no tool"),
    (Command(argv=("",)), "an empty name"),
    (Command(argv=("./tool",)), "a path relative to who knows what"),
    (Command(argv=("echo", "a\0b")), "an argument cut short"),
    (Command(argv=("env",), environment={"A=B": "c"}), "a name that is two"),
    (Command(argv=("env",), environment={"": "c"}), "no name"),
    (Command(argv=("env",), environment={"A": "b\0c"}), "a value cut short"),
]


@pytest.mark.parametrize(("command", "why"), INVALID, ids=lambda value: value if isinstance(value, str) else "")
async def test_what_the_kernel_would_misread_is_refused(command, why):
    with pytest.raises(InvalidInput):
        await run(command)


async def test_a_directory_that_is_not_there_is_named():
    with pytest.raises(NotFound) as caught:
        await run(Command(argv=("pwd",), cwd=Path("/no/such/directory")))
    assert "/no/such/directory" in str(caught.value)


async def test_arguments_beyond_what_the_kernel_takes_are_refused():
    with pytest.raises(LimitExceeded):
        await run(Command(argv=("echo", "x" * 300_000)))


@pytest.mark.parametrize(
    ("script", "limits", "said"),
    [
        ("while :; do :; done", Limits(cpu_s=1), "CPU time"),
        ("exec head -c 2000000 /dev/zero > big", Limits(file_bytes=1_000_000), "size of a file"),
    ],
)
async def test_a_tool_that_reaches_a_limit_of_the_kernel_says_which(tmp_path, script, limits, said):
    with pytest.raises(LimitExceeded) as caught:
        await run(shell(script, cwd=tmp_path, limits=limits))
    assert said in str(caught.value)


async def test_memory_and_open_files_are_bounded():
    code = "import os; [os.dup(1) for _ in range(100)]"
    with pytest.raises(ToolFailed) as caught:
        await run(Command(argv=(sys.executable, "-I", "-S", "-c", code), limits=Limits(open_files=32)))
    assert "Too many open files" in caught.value.why
    limits = Limits(memory_bytes=256 << 20)
    with pytest.raises(ToolFailed) as caught:
        await run(Command(argv=(sys.executable, "-I", "-S", "-c", "bytes(1 << 30)"), limits=limits))
    assert "MemoryError" in caught.value.why


async def test_many_tools_run_at_once():
    numbers = range(40)
    results = await asyncio.gather(*(run(shell(f"echo {number}")) for number in numbers))
    assert [int(finished.stdout) for finished in results] == list(numbers)


def test_tools_run_under_both_event_loops():
    async def both_ways():
        finished = await run(shell("cat; echo err >&2", stdin=b"in"))
        with pytest.raises(TimedOut):
            await run(shell("sleep 100", deadline_s=0.2))
        return finished.stdout, finished.stderr

    for factory in (asyncio.new_event_loop, uvloop.new_event_loop):
        with asyncio.Runner(loop_factory=factory) as runner:
            assert runner.run(both_ways()) == (b"in", b"err\n")
