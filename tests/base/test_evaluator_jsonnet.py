"""jsonnet as the worker runs it, in-process: nothing in these tables is hostile."""

import msgspec
import pytest

from plumbline.base.evaluator.wire import Failed, Given, Job, JsonnetTask
from plumbline.base.evaluator.worker import perform

FILES = {
    "app/lib/names.libsonnet": b"{ name: 'x', base: import '../base.libsonnet' }",
    "app/base.libsonnet": b"{ b: importstr 'text.txt' }",
    "app/text.txt": "ü".encode(),
    "vendor/k.libsonnet": b"'vendored'",
    "other/k.libsonnet": b"'other'",
    "app/bytes": b"\xff\xfe",
    "secret": b"'beside the application'",
}


def jsonnet(source, **others):
    fields = {"libs": (), "ext_vars": {}, "ext_codes": {}, "tla_vars": {}, "tla_codes": {}} | others
    task = JsonnetTask(name="app/main.jsonnet", files={**FILES, "app/main.jsonnet": source.encode()}, **fields)
    (outcome,) = perform(Job(task, 10, 1 << 20))
    match outcome:
        case Given(texts):
            return msgspec.json.decode(texts[0])
        case Failed(message):
            return message


def test_a_program_manifests():
    assert jsonnet("{ a: 1, b: [self.a, 'x'], c:: 3 }") == {"a": 1, "b": [1, "x"]}


def test_imports_are_relative_to_the_file_that_imports():
    assert jsonnet("import 'lib/names.libsonnet'") == {"name": "x", "base": {"b": "ü"}}


def test_libraries_are_searched_from_the_last_to_the_first():
    assert jsonnet("import 'k.libsonnet'", libs=("vendor", "other")) == "other"
    assert jsonnet("import 'k.libsonnet'", libs=("other", "vendor")) == "vendored"


def test_variables_and_arguments_are_given():
    source = "function(x, y) { v: std.extVar('v'), c: std.extVar('c'), x: x, y: y }"
    given = {"ext_vars": {"v": "1"}, "ext_codes": {"c": "1 + 1"}, "tla_vars": {"x": "2"}, "tla_codes": {"y": "[3]"}}
    assert jsonnet(source, **given) == {"v": "1", "c": 2, "x": "2", "y": [3]}


def test_it_may_import_all_of_its_source():
    assert jsonnet("import '../secret'") == "beside the application"


REFUSED = [
    ("import '/etc/passwd'", "relative", "an absolute path"),
    ("importstr '/etc/passwd'", "relative", "an absolute path, as text"),
    ("importbin '/dev/zero'", "relative", "a device"),
    ("import '../../x'", "cannot leave", "a way out"),
    ("import 'a/../../../x'", "cannot leave", "a way out that goes in first"),
    ("import 'file:///etc/passwd'", "no such file", "a URL is a name like any other"),
    ("import 'missing'", "no such file", "a file that is not there"),
    ("importstr 'bytes'", "not text", "bytes"),
    ("{", "syntax error", "a program that is none"),
    ("error 'my words'", "my words", "its own error"),
    ("local f(x) = f(x + 1); f(0)", "stack overflow", "recursion without end"),
    ("std.extVar('missing')", "not defined", "a missing variable"),
    ("function(x) x", "not passed", "a missing argument"),
]


@pytest.mark.parametrize(("source", "words", "why"), REFUSED, ids=[case[2] for case in REFUSED])
def test_what_is_refused_is_told_in_few_words(source, words, why):
    message = jsonnet(source)
    assert words in message
    assert len(message.splitlines()) <= 8
    assert 'import "app/main.jsonnet"' not in message


def test_the_same_is_said_of_what_exists_outside_and_what_does_not():
    assert jsonnet("import '/etc/passwd'").split(":")[1] == jsonnet("import '/etc/no-such'").split(":")[1]
