"""jq as the worker runs it, in-process: nothing in these tables is hostile."""

import resource
import socket
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from plumbline.base.evaluator import worker
from plumbline.base.evaluator.wire import LENGTH, Exceeded, Failed, Given, Job, JqTask, decode_reply, encode


def jq(program, *values, limit_bytes=1 << 20):
    inputs = [msgspec.json.encode(value).decode() for value in values]
    return worker.perform(Job(JqTask(program, inputs), 10, limit_bytes))


def results(program, value):
    (outcome,) = jq(program, value)
    assert isinstance(outcome, Given), outcome
    return [msgspec.json.decode(text) for text in outcome.texts]


RESULTS = [
    (".a", {"a": 1}, [1], "a field"),
    (".[]", [1, "x", None], [1, "x", None], "many results"),
    ("empty", 1, [], "none"),
    (
        'del(.spec.containers[] | select(.name == "x") | .image)',
        {"spec": {"containers": [{"name": "x", "image": "i"}]}},
        [{"spec": {"containers": [{"name": "x"}]}}],
        "what ignoreDifferences is made of",
    ),
    ("def f: .a; f # comment", {"a": "ü"}, ["ü"], "definitions and comments"),
    (".", {"a": 12345678901234567890}, [{"a": 12345678901234567890}], "integers keep their digits"),
    (".a", {"a": 9007199254740993}, [9007199254740993], "each of them"),
    ("[$ENV.HOME, env.PATH]", 1, None, "the environment is the worker's"),
    ("halt", 1, [], "halting ends the program, not the worker"),
    ("input_filename", 1, [None], "there is no file"),
    ("get_search_list", 1, [[]], "nor a path to look for any"),
    ("debug | stderr", 1, [1], "what it says aside is not heard"),
]


@pytest.mark.parametrize(("program", "value", "expected", "why"), RESULTS, ids=[case[3] for case in RESULTS])
def test_programs_give_results(program, value, expected, why):
    got = results(program, value)
    assert expected is None or got == expected


FAILURES = [
    (".[", "syntax error", "a program that is none"),
    (".a) | (.a", "syntax error", "one that would be in brackets"),
    (".a.b", "Cannot index number", "a wrong idea of the value"),
    ('error("my words")', "my words", "its own error"),
    ("nothing_known", "not defined", "an unknown function"),
    ("input", "no further input", "there is one input"),
    ('import "a" as a; .', "module not found", "modules"),
    ('include "a"; .', "module not found", "more modules"),
    ('"/etc/passwd" | modulemeta', "module not found", "files as modules"),
]


@pytest.mark.parametrize(("program", "words", "why"), FAILURES, ids=[case[2] for case in FAILURES])
def test_failures_are_told_in_jqs_own_words(program, words, why):
    (outcome,) = jq(program, {"a": 1})
    assert isinstance(outcome, Failed)
    assert words in outcome.message
    assert not outcome.message.startswith("jq: error")


def test_each_value_has_an_outcome_of_its_own():
    outcomes = jq(".a + 1", {"a": 1}, {"a": "x"}, {"a": 3})
    assert [type(outcome) for outcome in outcomes] == [Given, Failed, Given]
    assert jq(".[", 1, 2) == [jq(".[", 1)[0]] * 2


def test_jobs_are_done_one_after_the_other_until_the_connection_closes():
    ours, theirs = socket.socketpair()
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with ours, theirs, ThreadPoolExecutor(1) as pool:
        serving = pool.submit(worker.serve, theirs)
        for number in range(3):
            job = encode(Job(JqTask(".", [str(number)]), 3600, 1 << 10))
            ours.sendall(LENGTH.pack(len(job)) + job)
            (length,) = LENGTH.unpack(ours.recv(LENGTH.size, socket.MSG_WAITALL))
            reply = decode_reply(ours.recv(length, socket.MSG_WAITALL))
            assert reply.outcomes == [Given([str(number).encode()])]
            assert reply.peak_bytes > 0
        ours.shutdown(socket.SHUT_WR)
        assert serving.result(timeout=10) is None
    allowed_s, _ = resource.getrlimit(resource.RLIMIT_CPU)
    assert allowed_s >= 3600
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def test_want_of_memory_is_an_outcome(monkeypatch):
    monkeypatch.setattr(worker, "_each_jq", _out_of_memory)
    (outcome,) = jq(".", 1)
    assert isinstance(outcome, Exceeded)


def _out_of_memory(*_):
    raise MemoryError


def test_answers_are_bounded_one_by_one_and_together():
    (outcome,) = jq('range(1000) | "x" * 100', 1, limit_bytes=5000)
    assert isinstance(outcome, Exceeded)
    first, second = jq('"x" * 400', 1, 2, limit_bytes=500)
    assert isinstance(first, Given)
    assert isinstance(second, Exceeded)


def test_programs_are_compiled_once_and_the_least_used_are_forgotten(monkeypatch):
    compiled = []
    original = worker.jq.compile
    monkeypatch.setattr(worker, "_programs", type(worker._programs)())
    monkeypatch.setattr(worker, "_PROGRAMS", 2)
    monkeypatch.setattr(worker.jq, "compile", lambda source: compiled.append(source) or original(source))
    for program in ("1", "2", "1", "3", "1", "2"):
        jq(program, None)
    # Each is compiled twice: as written, for its error messages, and as run.
    assert [source for source in compiled if "tojson" not in source] == ["1", "2", "3", "2"]
    assert len(worker._programs) == 2
