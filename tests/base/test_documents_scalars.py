"""What scalars mean. That kubectl agrees is shown in tests/conformance/test_yaml_like_kubectl.py."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.documents import load_document, load_documents
from plumbline.base.documents.scalars import UnreadableScalar, as_key, as_value, go_float, json_number, resolve
from plumbline.base.errors import BadDocument

VALUES = [
    ("plain text", "plain text", "text"),
    ("nginx:1.27", "nginx:1.27", "text that begins like a boolean"),
    ("yes", True, "YAML 1.1"),
    ("Off", False, "YAML 1.1"),
    ("y", True, "even a single letter"),
    ("yEs", "yEs", "but not in any spelling"),
    ("~", None, "null"),
    ("NULL", None, "null"),
    ("", None, "nothing is null"),
    ("nil", "nil", "Go's word is not YAML's"),
    ("0", 0, "zero"),
    ("-0", 0, "no negative zero among integers"),
    ("+12", 12, "sign"),
    ("1_000_000", 1_000_000, "underscores are dropped"),
    ("0x_1F", 31, "in any base"),
    ("0755", 493, "a leading zero means octal"),
    ("0o755", 493, "as in YAML 1.2"),
    ("08", 8, "not octal, so a float, so an integer again"),
    ("0888", 888, "same"),
    ("0b101", 5, "binary"),
    ("-0b101", -5, "with a sign before"),
    ("0b-101", -5, "and, by accident, after the prefix"),
    ("0b+101", 5, "same"),
    ("0b-" + "1" * 70, "0b-" + "1" * 70, "but not beyond 64 bits"),
    ("-0b-101", "-0b-101", "not twice"),
    ("0xFFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFFF", "hexadecimal beyond 64 bits is text"),
    ("9223372036854775807", 2**63 - 1, "the largest int64"),
    ("-9223372036854775808", -(2**63), "the smallest int64"),
    ("9223372036854775808", 9223372036854775808.0, "uint64 is read, and ends up as a float"),
    ("18446744073709551616", 18446744073709551616.0, "beyond uint64 is a float at once"),
    ("+9223372036854775808", 9223372036854775808.0, "unsigned numbers have no sign"),
    ("1.0", 1, "whole floats become integers on the way through JSON"),
    ("1e3", 1000, "same"),
    ("-0.0", 0, "same"),
    ("1.", 1, "no digits needed after the point"),
    (".5", 0.5, "nor before"),
    (".5_5", 0.55, "underscores between digits"),
    (".5_", ".5_", "but not at the end"),
    ("._5", "._5", "nor the beginning"),
    (".", ".", "a point alone is text"),
    ("1.5e-3", 0.0015, "exponent"),
    ("4611686018427387904.0", 4611686018427388000, "Go writes the shortest digits, then zeros"),
    ("-9223372036854775808.0", -9223372036854775808.0, "whose shortest digits no longer fit"),
    ("1e20", 1e20, "beyond int64 stays a float"),
    ("1e400", "1e400", "beyond a float is text"),
    ("1e-400", 0, "below a float is zero"),
    ("0x1p4", "0x1p4", "hexadecimal floats are text"),
    ("1:30", "1:30", "base 60 is text"),
    ("2001-01-01", "2001-01-01", "dates stay text"),
    ("2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "times stay text"),
    ("--", "--", "dashes are text"),
    ("+", "+", "a sign alone is text"),
    ("<<", "<<", "a merge sign is text where a value is"),
    ("=", "=", "text"),
    ("'yes'", "yes", "quotes make text"),
    ('"1"', "1", "same"),
    ("|\n  1\n", "1\n", "so do blocks"),
    ("١٢", "١٢", "only ASCII digits count"),
]


@pytest.mark.parametrize(("written", "value", "why"), VALUES, ids=[f"{row[0]} ({row[2]})" for row in VALUES])
def test_plain_scalars_mean_what_they_mean_to_kubernetes(written, value, why):
    read = load_document(f"a: {written}").value["a"]
    assert (type(read), read) == (type(value), value), why


TAGGED = [
    ("!!str 1", "1"),
    ("!!str", ""),
    ("! 1", "1"),
    ('! "1"', "1"),
    ("!!int 0x10", 16),
    ('!!int "12"', 12),
    ("!!float 3", 3),
    ("!!float 1.5", 1.5),
    ("!!bool yes", True),
    ("!!null ~", None),
    ("!!null ''", None),
    ("!!timestamp 2001-1-2", "2001-1-2"),
    ("!!timestamp 2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
    ("!!timestamp 2001-12-14 21:59:43", "2001-12-14 21:59:43"),
    ("!!binary aGVsbG8=", "hello"),
    ("!!binary |\n  aGVs\n  bG8=\n", "hello"),
    ("!!binary /v8=", "\ufffd\ufffd"),
    ("!!binary 4pyT", "✓"),
    ("!<tag:yaml.org,2002:str> 5", "5"),
    ("!!map {a: 1}", {"a": 1}),
    ("!!set {a, b}", {"a": None, "b": None}),
    ("!!omap [a: 1]", [{"a": 1}]),
    ("! [1]", [1]),
]


@pytest.mark.parametrize(("written", "value"), TAGGED)
def test_standard_tags_are_followed(written, value):
    read = load_document(f"a: {written}").value["a"]
    assert (type(read), read) == (type(value), value)


REFUSED_TAGS = [
    ("!!int 1.5", "not what its tag !!int says"),
    ("!!int yes", "!!int"),
    ("!!bool 1", "!!bool"),
    ("!!null x", "!!null"),
    ("!!float 18446744073709551615", "!!float"),
    ("!!float x", "!!float"),
    ("!!timestamp 2001-13-01", "!!timestamp"),
    ("!!timestamp 2001-02-30", "!!timestamp"),
    ("!!timestamp soon", "!!timestamp"),
    ("!!binary aGVsbG8", "!!binary"),
    ("!!binary '*'", "!!binary"),
    ("!!binary 'aGVs='", "!!binary"),
    ("!!python/name:os.system", "!!python/name:os.system is not one that is read"),
    ("!!python/object/apply:os.system ['id']", "!!python/object/apply:os.system"),
    ("!!python/object:builtins.dict {a: 1}", "!!python/object:builtins.dict"),
    ("!Ref x", "!Ref"),
    ("!Sub {a: 1}", "!Sub"),
    (".nan", "JSON has no number"),
    ("-.inf", "JSON has no number"),
]


@pytest.mark.parametrize(("written", "why"), REFUSED_TAGS)
def test_what_a_scalar_cannot_be_is_refused_where_it_stands(written, why):
    with pytest.raises(BadDocument) as refused:
        load_documents(f"x: 1\na: {written}")
    assert why in refused.value.why
    assert (refused.value.line, refused.value.column) == (2, 4)


def test_a_refusal_never_quotes_the_value():
    with pytest.raises(BadDocument) as refused:
        load_documents("password: !!int hunter2hunter2")
    assert "hunter2" not in f"{refused.value} {refused.value.hint} {refused.value.__cause__!r}"


KEYS = [
    ("1", "1"),
    ("010", "8"),
    ("0x10", "16"),
    ("1.0", "1"),
    ("1.5", "1.5"),
    ("1e3", "1000"),
    ("1000000.0", "1e+06"),
    ("123456789.0", "1.2345679e+08"),
    ("0.00001", "1e-05"),
    ("0.0001", "0.0001"),
    ("-2.5", "-2.5"),
    ("1e39", ".inf"),
    ("-1e39", "-.inf"),
    (".inf", ".inf"),
    ("-.inf", "-.inf"),
    (".nan", ".nan"),
    ("yes", "true"),
    ("off", "false"),
    ("2001-01-01", "2001-01-01"),
    ("'1'", "1"),
    ("!!binary aGk=", "hi"),
    ("!!str 1.0", "1.0"),
    ("'<<'", "<<"),
    ("!!str <<", "<<"),
]


@pytest.mark.parametrize(("written", "key"), KEYS)
def test_keys_become_text_as_go_writes_them(written, key):
    assert load_document(f"{written}: x").value == {key: "x"}


@pytest.mark.parametrize(
    "written", ["~", "null", "18446744073709551615", "? [a]\n", "? {a: b}\n", "{{ .Values.name }}"]
)
def test_what_cannot_be_a_key_is_refused_with_a_way_out(written):
    with pytest.raises(BadDocument) as refused:
        load_documents(f"{written}: x")
    assert refused.value.line == 1
    assert refused.value.hint


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1e21, "1e+21"),
        (1e-5, "1e-05"),
        (123456.5, "123456.5"),
        (1234567.5, "1.2345675e+06"),
        (-0.25, "-0.25"),
        (5e-324, "5e-324"),
    ],
)
def test_floats_are_laid_out_as_go_does(value, written):
    assert go_float(f"{Decimal(repr(value)):e}") == written


@given(st.text(max_size=12))
def test_every_text_resolves_to_something_that_json_can_hold_or_is_refused(text):
    try:
        value = as_value(resolve(text))
    except UnreadableScalar:
        return
    assert value is None or isinstance(value, str | bool | int | float)
    assert not isinstance(value, int) or -(2**63) <= value < 2**63
    assert not isinstance(value, float) or math.isfinite(value)


@given(st.integers(-(2**63), 2**63 - 1))
def test_int64_is_exact(number):
    assert resolve(str(number)) == number
    assert as_key(number) == str(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_never_changes_its_value_on_its_way_through_json(number):
    assert float(json_number(number)) == number
