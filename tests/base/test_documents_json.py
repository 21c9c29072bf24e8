"""JSON from outside."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.documents import load_documents, load_json
from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.json import encode
from plumbline.base.limits import REQUESTS

NUMBERS = [
    ("1", 1),
    ("1.0", 1),
    ("-0.0", 0),
    ("1e3", 1000),
    ("1.5", 1.5),
    ("9223372036854775807", 2**63 - 1),
    ("9223372036854775808", 9223372036854775808.0),
    ("-9223372036854775809", -9223372036854775808.0),
    ("1" + "0" * 30, 1e30),
    ("1e21", 1e21),
]


@pytest.mark.parametrize(("written", "value"), NUMBERS)
def test_numbers_are_those_that_kubernetes_would_write_again(written, value):
    read = load_json(f'{{"a": [{written}], "b": "{written}"}}').value
    assert (type(read["a"][0]), read["a"][0]) == (type(value), value)
    assert read["b"] == written


@pytest.mark.parametrize("written", ["null", "true", '"x"', "1", "[]", "{}", " \n[1, {}]\n"])
def test_any_json_value_can_be_a_document(written):
    assert encode(load_json(written).value).decode() == "".join(written.split())


FAULTS = [
    ('{"a": 1,}', 1, 9, "comma"),
    ('{"a":\n 01}', 2, 3, "number"),
    ('{"a": 1', 1, 8, "ends too early"),
    ("", 1, 1, "ends too early"),
    ('{"a": tru', 1, 10, "ends too early"),
    ("[1] x", 1, 6, "trailing"),
    ('{"a": NaN}', 1, 7, "invalid character"),
    ("{'a': 1}", 1, 2, "keys must be strings"),
    ('{"é": "\x01"}', 1, 8, "invalid character"),
    ('{"a": "\x00"}', 1, 8, "invalid character"),
    ('[\n1e400, "1e400"]', 2, 1, "too large"),
    ('["1e400",\n -1e400]', 2, 2, "too large"),
    ("[" + "9" * 400 + "]", 1, 2, "too large"),
    ("[" + "9" * 5000 + "]", 1, 2, "too large"),
    (r'{"a": "\ud800"}', 0, 0, "half of a character"),
]


@pytest.mark.parametrize(("text", "line", "column", "why"), FAULTS)
def test_faults_are_named_with_their_place(text, line, column, why):
    with pytest.raises(BadDocument) as refused:
        load_json(text, source="body")
    assert why in refused.value.why
    assert (refused.value.line, refused.value.column) == (line, column)
    assert refused.value.source == "body"


def test_bad_utf8_is_refused_at_the_byte():
    with pytest.raises(BadDocument) as refused:
        load_json(b'{"a":\n "x\xff"}')
    assert "UTF-8" in refused.value.why
    assert (refused.value.line, refused.value.column) == (2, 4)


@pytest.mark.parametrize(
    ("text", "what"), [('{"a": 1, "b": tru}{', "JSON"), ('{"a" 1}', "JSON"), ("{a: [}", "node content")]
)
def test_of_two_ways_to_fail_the_one_is_told_that_was_meant(text, what):
    with pytest.raises(BadDocument) as refused:
        load_documents(text)
    assert what in refused.value.why


@pytest.mark.parametrize("text", ['{"a": 1e400}', r'{"a": "\ud800"}', '{"a": [' + "9" * 400 + "]}"])
def test_what_is_json_is_not_read_as_yaml_because_of_a_value(text):
    with pytest.raises(BadDocument):
        load_documents(text)


LIMITED = [
    ({"nodes": 5}, "[1,2,3,4]", True, "five nodes"),
    ({"nodes": 5}, "[1,2,3,4,5]", False, "six nodes"),
    ({"nodes": 5}, '{"a":1,"b":2}', True, "keys count"),
    ({"nodes": 5}, '{"a":1,"b":2,"c":3}', False, "keys count"),
    ({"nodes": 5}, '["a,b,c,d,e:f:g:{[[["]', True, "what is in strings does not"),
    ({"depth": 2}, "[[1]]", True, "two levels"),
    ({"depth": 2}, "[[[]]]", False, "three levels"),
    ({"depth": 2}, '[{"a":{}}]', False, "three levels"),
    ({"depth": 2}, '["[[[[{{{"]', True, "what is in strings has no depth"),
    ({"scalar_bytes": 8}, '["123456"]', True, "counted with its quotes"),
    ({"scalar_bytes": 8}, '["1234567"]', False, "one more"),
    ({"scalar_bytes": 8}, "[1, 2, 3, 4, 5, 6]", True, "only one of them counts"),
    ({"size_bytes": 5}, "[1,2]", True, "five bytes"),
    ({"size_bytes": 5}, "[1,2] ", False, "six bytes"),
    ({"size_bytes": 5}, '["é"]', False, "six bytes in five characters"),
]


@pytest.mark.parametrize(("limit", "text", "within", "why"), LIMITED)
def test_limits_are_exact(limit, text, within, why):
    limits = replace(REQUESTS, **limit)
    if within:
        load_json(text, limits=limits)
        return
    with pytest.raises(LimitExceeded) as refused:
        load_json(text, limits=limits, source="body")
    assert refused.value.source == "body", why


def test_the_place_of_an_exceeded_limit_is_told():
    with pytest.raises(LimitExceeded) as refused:
        load_json('[1,\n ["}"], [[1]]]', limits=replace(REQUESTS, depth=2))
    assert (refused.value.line, refused.value.column) == (2, 10)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_was_encoded_is_read_back_and_has_no_duplicates(value):
    document = load_json(encode(value))
    assert document.value == value
    assert document.duplicates == ()


@given(st.lists(st.tuples(st.sampled_from("abc:"), st.sampled_from(["", " ", "\n"])), max_size=6))
def test_duplicates_are_found_however_keys_are_written(keys):
    text = "{" + ",".join(f'"{key}"{space}:":"' for key, space in keys) + "}"
    names = [key for key, _ in keys]
    assert len(load_json(text, repeats="report").duplicates) == len(names) - len(set(names))
