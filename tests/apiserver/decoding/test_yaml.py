"""YAML in the words of Go's reader, as the real server was heard to use them."""

import pytest

from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.apiserver.decoding.tree import Pairs
from plumbline.apiserver.decoding.warnings import warnings_of
from plumbline.apiserver.decoding.yamltext import read_yaml, tree_of
from plumbline.base.errors import LimitExceeded


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"a: [", "yaml: line 1: did not find expected node content"),
        (b"a: b: c", "yaml: mapping values are not allowed in this context"),
        (b"metadata:\n  name: a\n b: c\n", "yaml: line 2: did not find expected key"),
        (b"\ta: b\n", "yaml: found character that cannot start any token"),
        (b"a: 'x\n", "yaml: line 2: found unexpected end of stream"),
        (b'a: "\\x"\n', "yaml: did not find expected hexdecimal number"),
        (b"a: |\n b\n\tc\n", "yaml: line 3: found a tab character where an indentation space is expected"),
        (b"a: *x\n", "yaml: unknown anchor 'x' referenced"),
        (b"a: &x [*x]\n", "yaml: anchor 'x' value contains itself"),
        (b"a: {<<: 7}\n", "yaml: map merge requires map or sequence of maps as the value"),
    ],
)
def test_what_is_no_yaml_is_refused_in_gos_words(written, said):
    with pytest.raises(Refusal) as refused:
        read_yaml(written)
    assert str(refused.value) == said


def test_the_first_document_counts():
    assert read_yaml(b"a: b\n---\nc: d\n").value == {"a": "b"}
    assert read_yaml(b"# nothing\n").value is None


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (b"a: 1\nb: 2\na: 3\n", ['line 3: key "a" already set in map']),
        (b"a:\n  b: 1\na:\n  b: 2\n  c: 3\n", ['line 4: key "a" already set in map']),
        (b"a:\n- x\na:\n- y\n", ['line 4: key "a" already set in map']),
        (
            b'{"a":1,"b":{"c":1,"c":2},"a":3}',
            ['line 1: key "c" already set in map', 'line 1: key "a" already set in map'],
        ),
    ],
)
def test_keys_that_are_set_twice_are_told_with_the_lines_of_their_values(written, lines):
    (complaint,) = read_yaml(written).complaints
    assert complaint == "yaml: unmarshal errors:\n" + "\n".join(f"  {line}" for line in lines)
    assert list(warnings_of([complaint])) == lines


def test_of_a_long_text_the_lines_are_those_of_the_keys():
    written = b"a:\n  b: 1\n" + b"# x\n" * 100_000 + b"a:\n  b: 2\n"
    assert 'line 100003: key "a"' in read_yaml(written).complaints[0]


def test_it_is_as_if_go_had_written_it_in_json():
    assert tree_of({"b": [1, "x"], "a": None}) == Pairs([("a", b"null"), ("b", [b"1", b'"x"'])])


@pytest.mark.parametrize(
    "written",
    [
        b"[" * 300,
        b"a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%b]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 10)) for n in range(9)),
    ],
)
def test_bombs_do_not_go_off(written):
    with pytest.raises(LimitExceeded):
        read_yaml(written)
