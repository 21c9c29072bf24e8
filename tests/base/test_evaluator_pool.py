"""Workers are few, reused, replaced, and gone at the end."""

import asyncio
import gc
import os
import signal
from pathlib import Path

import msgspec
import pytest
import uvloop

from plumbline.base.errors import (
    EvaluationFailed,
    InvalidInput,
    LimitExceeded,
    Throttled,
    TimedOut,
    ToolFailed,
    Transient,
)
from plumbline.base.evaluator import Bounds, Evaluator, Jsonnet
from plumbline.base.evaluator import evaluator as pool
from plumbline.base.evaluator.wire import Exceeded, Given, JqTask
from plumbline.base.process import Launcher
from plumbline.base.tasks import task_group
from plumbline.base.zygote import kernel

FOREVER = "while true do end"


def workers(evaluator):
    """The processes at the end of each chain of keepers."""
    zygote = evaluator._launcher._zygote
    return {pid for pid in kernel.descendants(zygote.pid) if not kernel.children(pid)} if zygote else set()


def descriptors():
    return sorted(entry.name for entry in Path("/proc/self/fd").iterdir())


async def until(condition):
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come about")


async def test_all_three_languages_are_evaluated():
    async with Evaluator() as evaluator:
        assert await evaluator.jq(".a[]", {"a": [1, 2]}) == [1, 2]
        assert await evaluator.lua("return obj.a", {"obj": {"a": ["x"]}}) == ["x"]
        program = Jsonnet(source="import 'x'", name="./app/main.jsonnet", files={"app/x": b"{a: 1}"})
        assert await evaluator.jsonnet(program) == {"a": 1}


async def test_nothing_is_started_before_it_is_needed_and_nothing_twice():
    async with Evaluator() as evaluator:
        assert evaluator._launcher._zygote is None
        for number in range(5):
            assert await evaluator.jq(".", number) == [number]
        assert len(workers(evaluator)) == 1


async def test_no_more_workers_than_allowed_run_at_once():
    async with Evaluator(Bounds(workers=2)) as evaluator:
        slow = [
            evaluator.lua("local t = os.clock() while os.clock() - t < 0.05 do end return 1", {}, open_libs=True)
            for _ in range(6)
        ]
        assert await asyncio.gather(*slow) == [1] * 6
        assert len(workers(evaluator)) == 2


async def test_one_evaluation_past_its_deadline_does_not_touch_another():
    async with Evaluator(Bounds(workers=2)) as evaluator:
        async with task_group() as group:
            stuck = group.create_task(_error(evaluator.lua(FOREVER, {}, deadline_s=0.5)))
            for number in range(20):
                assert await evaluator.jq(".", number) == [number]
        assert isinstance(stuck.result(), TimedOut)
        assert "0.5 s" in str(stuck.result())
        await until(lambda: len(workers(evaluator)) == len(evaluator._idle))


async def test_many_that_never_end_do_not_keep_others_waiting():
    """Ten times ten seconds of two workers would be most of a minute for everybody else."""
    async with Evaluator(Bounds(workers=2)) as evaluator, task_group() as group:

        async def never_ending(number):
            return await _error(evaluator.lua(f"{FOREVER} return {number}", {}, deadline_s=60))

        endless = [group.create_task(never_ending(number)) for number in range(10)]
        await asyncio.sleep(0)
        async with asyncio.timeout(15):
            assert await evaluator.jq(".", 1) == [1]
            await until(lambda: len(evaluator._slow) == len(endless))
        async with asyncio.timeout(5):
            again = group.create_task(never_ending(0))
            assert [await evaluator.jq(".", number) for number in range(20)] == [[number] for number in range(20)]
        for task in (*endless, again):
            task.cancel()


async def test_what_takes_its_time_is_given_it():
    async with Evaluator(Bounds(workers=1)) as evaluator:
        slow = "local t = os.clock() while os.clock() - t < 0.5 do end return 1"
        for _ in range(2):
            assert await evaluator.lua(slow, {}, open_libs=True, deadline_s=10) == 1


async def test_a_cancelled_evaluation_ends_its_worker():
    async with Evaluator() as evaluator:
        async with task_group() as group:
            task = group.create_task(evaluator.lua(FOREVER, {}, deadline_s=60))
            await until(lambda: evaluator._busy)
            task.cancel()
        await until(lambda: not workers(evaluator))
        assert await evaluator.jq(".", 1) == [1]


async def test_more_than_may_wait_are_turned_away():
    async with Evaluator(Bounds(workers=1, waiting=2)) as evaluator:
        async with task_group() as group:
            tasks = [group.create_task(_outcome(evaluator.jq(".", number))) for number in range(6)]
        outcomes = [task.result() for task in tasks]
        turned_away = [outcome for outcome in outcomes if isinstance(outcome, Throttled)]
        assert len(turned_away) == 3
        assert all(error.after_s > 0 for error in turned_away)
        assert await evaluator.jq(".", 1) == [1]


async def test_a_worker_is_replaced_after_enough_evaluations():
    async with Evaluator(Bounds(workers=1, evaluations=3)) as evaluator:
        seen = set()
        for number in range(7):
            await evaluator.jq(".", number)
            seen |= workers(evaluator)
        assert len(seen) >= 2


async def test_a_worker_that_grew_is_replaced():
    async with Evaluator(Bounds(workers=1, peak_bytes=1)) as evaluator:
        await evaluator.jq(".", 1)
        await until(lambda: not workers(evaluator))
        assert await evaluator.jq(".", 2) == [2]


async def test_a_worker_that_is_killed_from_outside_fails_its_evaluation_only():
    async with Evaluator(Bounds(workers=1)) as evaluator:
        await evaluator.jq(".", 1)
        (worker,) = workers(evaluator)
        os.kill(worker, signal.SIGKILL)
        await until(lambda: worker not in workers(evaluator))
        with pytest.raises(EvaluationFailed) as caught:
            await evaluator.jq(".", 1)
        assert "SIGKILL" in str(caught.value)
        assert await evaluator.jq(".", 2) == [2]


async def test_a_worker_whose_main_program_stalls_is_ended_by_the_kernel(monkeypatch):
    monkeypatch.setattr(pool.math, "ceil", lambda _: -2)
    async with Evaluator(Bounds(workers=1)) as evaluator:
        with pytest.raises(TimedOut) as caught:
            await evaluator.lua(FOREVER, {}, deadline_s=60)
        assert "CPU" in str(caught.value)


async def test_many_values_take_one_round_trip_and_fail_one_by_one():
    async with Evaluator() as evaluator:
        first, second, third = await evaluator.jq_many(".a + 1", [{"a": 1}, {"a": "x"}, {"a": 3}])
        assert (first, third) == ([2], [4])
        assert isinstance(second, EvaluationFailed)
        assert await evaluator.jq_many(".", []) == []
        ((link, _),) = evaluator._idle
        assert link.served == 1


async def test_an_answer_too_large_for_all_is_told_for_each():
    async with Evaluator(Bounds(output_bytes=1000)) as evaluator:
        outcomes = await evaluator.jq_many('"x" * 400', [1, 2, 3])
        assert [type(outcome) for outcome in outcomes] == [list, list, LimitExceeded]
        with pytest.raises(LimitExceeded):
            await evaluator.lua("return string.rep('x', 2000)", {}, open_libs=True)


async def test_input_is_bounded():
    async with Evaluator(Bounds(input_bytes=1000)) as evaluator:
        with pytest.raises(LimitExceeded):
            await evaluator.jq(".", "x" * 2000)
        deep = []
        for _ in range(100_000):
            deep = [deep]
        with pytest.raises(LimitExceeded):
            await evaluator.jq(".", deep)
        while deep:
            (deep,) = deep
        assert evaluator._launcher._zygote is None


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x"])
async def test_a_program_is_among_its_own_files(name):
    async with Evaluator() as evaluator:
        with pytest.raises(InvalidInput):
            await evaluator.jsonnet(Jsonnet(source="1", name=name))


async def test_a_worker_that_speaks_another_language_is_not_believed(tmp_path, monkeypatch):
    replies = [b"\xc1 not msgpack", msgspec.msgpack.encode({"outcomes": [], "peak_bytes": 0}), b"x" * 5_000_000]
    code = f"""
import socket, struct
def main():
    connection = socket.socket(fileno=0)
    length, = struct.unpack("!I", connection.recv(4, socket.MSG_WAITALL))
    which = connection.recv(length, socket.MSG_WAITALL)
    reply = {replies!r}[0 if b"first" in which else 1 if b"second" in which else 2]
    connection.sendall(struct.pack("!I", len(reply)) + reply)
    connection.recv(1)
"""
    (tmp_path / "foreign_worker.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(pool, "_WORKER", "foreign_worker")
    async with Evaluator(Bounds(output_bytes=1000)) as evaluator:
        for program, error in (("first", EvaluationFailed), ("second", EvaluationFailed), ("third", LimitExceeded)):
            with pytest.raises(error):
                await evaluator.jq(program, 1)


async def test_answers_nested_too_deep_are_refused_here_as_well():
    outcome = pool._results("jq program", Given([b"[" * 100_000 + b"]" * 100_000]))
    assert isinstance(outcome, LimitExceeded)
    assert pool._matched(JqTask(".", ["1", "2"]), [Exceeded("x")]) == [Exceeded("x")] * 2


async def test_a_worker_that_cannot_be_started_says_why(monkeypatch):
    monkeypatch.setattr(pool, "_WORKER", "no_such_module_anywhere")
    async with Evaluator() as evaluator:
        with pytest.raises(ToolFailed) as caught:
            await evaluator.jq(".", 1)
        assert "no_such_module_anywhere" in caught.value.why


async def test_a_worker_that_fails_by_itself_leaves_its_words(tmp_path, monkeypatch):
    (tmp_path / "failing_worker.py").write_text("def main(): raise KeyError('my words')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(pool, "_WORKER", "failing_worker")
    async with Evaluator() as evaluator:
        with pytest.raises(EvaluationFailed) as caught:
            await evaluator.jq(".", 1)
        assert "exit code 127" in caught.value.why
        assert "my words" in caught.value.why


async def test_closing_ends_what_still_runs():
    async with task_group() as group:
        async with Evaluator() as evaluator:
            running = group.create_task(_error(evaluator.lua(FOREVER, {}, deadline_s=60)))
            await until(lambda: evaluator._busy)
            zygote = evaluator._launcher._zygote.pid
        assert kernel.descendants(zygote) == set()
        late = await _error(evaluator.jq(".", 1))
    assert isinstance(late, Transient)
    assert isinstance(running.result(), Transient)


async def test_closing_while_the_first_worker_is_being_started_leaves_none():
    async with task_group() as group:
        async with Evaluator() as evaluator:
            early = group.create_task(_error(evaluator.lua(FOREVER, {}, deadline_s=60)))
            waiting = group.create_task(_error(evaluator.lua(FOREVER, {}, deadline_s=60)))
            await until(lambda: evaluator._launcher._zygote is not None)
        assert evaluator._launcher._zygote is None
    assert isinstance(early.result(), Transient)
    assert isinstance(waiting.result(), Transient)


async def test_nothing_is_left_after_hard_use():
    before = descriptors()
    async with Evaluator(Bounds(evaluations=2)) as evaluator:
        for _ in range(5):
            await asyncio.gather(
                _outcome(evaluator.lua(FOREVER, {}, deadline_s=0.05)),
                _outcome(evaluator.jq(".", 1)),
                _outcome(evaluator.jsonnet(Jsonnet(source="[" * 20_000))),
            )
        zygote = evaluator._launcher._zygote.pid
    gc.collect()
    assert descriptors() == before
    with pytest.raises(ProcessLookupError):
        os.kill(zygote, 0)


def test_evaluators_work_under_both_event_loops():
    async def use():
        async with Evaluator() as evaluator:
            with pytest.raises(TimedOut):
                await evaluator.lua(FOREVER, {}, deadline_s=0.1)
            return await evaluator.jq(".", 1)

    for factory in (asyncio.new_event_loop, uvloop.new_event_loop):
        with asyncio.Runner(loop_factory=factory) as runner:
            assert runner.run(use()) == [1]


def test_a_launcher_is_closed_as_often_as_one_likes():
    launcher = Launcher()
    launcher.close()
    assert launcher.start() == launcher.start()
    launcher.close()
    launcher.close()


async def _error(awaitable):
    outcome = await _outcome(awaitable)
    assert isinstance(outcome, Exception), outcome
    return outcome


async def _outcome(awaitable):
    try:
        return await awaitable
    except (EvaluationFailed, LimitExceeded, Transient) as error:
        return error
