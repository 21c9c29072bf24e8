"""The words of Go's decoder for bytes that are no JSON object."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.validation.gojson import object_fault
from plumbline.base.json import encode

_END = "unexpected end of JSON input"
_NOT_A_MAP = "into Go value of type map[string]interface {}"

FAULTS = [
    (b"{}", ""),
    (b" null ", ""),
    (b'{"a":[1,-2.5e+3,true,false,null,"\\u00e9\\n"],"b":{}}', ""),
    (b"[[],[1]]", f"json: cannot unmarshal array {_NOT_A_MAP}"),
    (b"", _END),
    (b" ", _END),
    (b'{"a":}', "invalid character '}' looking for beginning of value"),
    (b'{"a" 1}', "invalid character '1' after object key"),
    (b"{a}", "invalid character 'a' looking for beginning of object key string"),
    (b'{"a":1,}', "invalid character '}' looking for beginning of object key string"),
    (b'{"a":1', _END),
    (b'{"a":1 2}', "invalid character '2' after object key:value pair"),
    (b"[1,]", "invalid character ']' looking for beginning of value"),
    (b"[1 2]", "invalid character '2' after array element"),
    (b"[]", f"json: cannot unmarshal array {_NOT_A_MAP}"),
    (b"12", f"json: cannot unmarshal number {_NOT_A_MAP}"),
    (b'"a"', f"json: cannot unmarshal string {_NOT_A_MAP}"),
    (b"true", f"json: cannot unmarshal bool {_NOT_A_MAP}"),
    (b"-x", "invalid character 'x' in numeric literal"),
    (b"-", "invalid character ' ' in numeric literal"),
    (b"1.e", "invalid character 'e' after decimal point in numeric literal"),
    (b"1e+", "invalid character ' ' in exponent of numeric literal"),
    (b"01", "invalid character '1' after top-level value"),
    (b"tru", "invalid character ' ' in literal true (expecting 'e')"),
    (b"trx", "invalid character 'x' in literal true (expecting 'u')"),
    (b"not json", "invalid character 'o' in literal null (expecting 'u')"),
    (b'"\\x"', "invalid character 'x' in string escape code"),
    (b'"\\', "invalid character ' ' in string escape code"),
    (b'"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"),
    (b'"ab', _END),
    (b'"a\nb"', "invalid character '\\n' in string literal"),
    (b"{} x", "invalid character 'x' after top-level value"),
    (b'""""', "invalid character '\"' after top-level value"),
    (b"\xff", "invalid character 'ÿ' looking for beginning of value"),
    (b"'", "invalid character '\\'' looking for beginning of value"),
    (b"[" * 10001, "exceeded max depth"),
]


@pytest.mark.parametrize(("content", "expected"), FAULTS, ids=[repr(content[:20]) for content, _ in FAULTS])
def test_tells_what_go_would(content, expected):
    assert object_fault(content) == expected


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), _json, max_size=4))
def test_every_object_is_one(value):
    assert not object_fault(encode(value))


@given(st.dictionaries(st.text(), _json, min_size=1, max_size=4), st.data())
def test_an_object_that_ends_early_is_none(value, data):
    content = encode(value)
    assert object_fault(content[: data.draw(st.integers(0, len(content) - 1))])


@given(st.binary())
def test_any_bytes_have_an_answer(content):
    assert isinstance(object_fault(content), str)
