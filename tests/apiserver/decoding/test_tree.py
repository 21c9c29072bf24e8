"""JSON text as Go reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.decoding.faults import NotJson
from plumbline.apiserver.decoding.outcome import sort_of
from plumbline.apiserver.decoding.tree import DEEPEST, MOST, Pairs, parsed, text
from plumbline.apiserver.decoding.types import ANY
from plumbline.apiserver.decoding.unmarshal import unmarshalled
from plumbline.base.errors import LimitExceeded
from plumbline.base.json import encode

END = "unexpected end of JSON input"
VALUE = "looking for beginning of value"
KEY = "looking for beginning of object key string"


def test_everything_stays_as_it_was_written():
    tree = parsed(b' {"a" : 1.50, "a":[ true,null , "\\u0041" ],"b":{}} ')
    assert tree == Pairs([("a", b"1.50"), ("a", [b"true", b"null", b'"\\u0041"']), ("b", Pairs())])


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"", END),
        (b" \n", END),
        (b"{", END),
        (b"[", END),
        (b'{"a"', END),
        (b'{"a":', END),
        (b'{"a":1', END),
        (b'"abc', END),
        (b'"\\u0041', END),
        (b"x", f"invalid character 'x' {VALUE}"),
        (b"'", f"invalid character '\\'' {VALUE}"),
        (b"\xff", f"invalid character 'ÿ' {VALUE}"),
        (b"\x00", f"invalid character '\\x00' {VALUE}"),
        (b"\xef\xbb\xbf{}", f"invalid character 'ï' {VALUE}"),
        (b'{"a":}', f"invalid character '}}' {VALUE}"),
        (b"[1,]", f"invalid character ']' {VALUE}"),
        (b"[}", f"invalid character '}}' {VALUE}"),
        (b"{a}", f"invalid character 'a' {KEY}"),
        (b'{"a":1,}', f"invalid character '}}' {KEY}"),
        (b"{1:2}", f"invalid character '1' {KEY}"),
        (b'{"a" 1}', "invalid character '1' after object key"),
        (b'{"a":1 "b":2}', "invalid character '\"' after object key:value pair"),
        (b'{"a":{}x}', "invalid character 'x' after object key:value pair"),
        (b"[1 2]", "invalid character '2' after array element"),
        (b"[[]x]", "invalid character 'x' after array element"),
        (b"[01]", "invalid character '1' after array element"),
        (b"{} x", "invalid character 'x' after top-level value"),
        (b"1 2", "invalid character '2' after top-level value"),
        (b"[-]", "invalid character ']' in numeric literal"),
        (b"-", "invalid character ' ' in numeric literal"),
        (b"1.", "invalid character ' ' after decimal point in numeric literal"),
        (b"[1.x]", "invalid character 'x' after decimal point in numeric literal"),
        (b"1e+", "invalid character ' ' in exponent of numeric literal"),
        (b"[1.5ex]", "invalid character 'x' in exponent of numeric literal"),
        (b"tru", "invalid character ' ' in literal true (expecting 'e')"),
        (b"[fulse]", "invalid character 'u' in literal false (expecting 'a')"),
        (b'{"a":nil}', "invalid character 'i' in literal null (expecting 'u')"),
        (b'"a\n"', "invalid character '\\n' in string literal"),
        (b'{"\x1f":1}', "invalid character '\\x1f' in string literal"),
        (b'"\\x"', "invalid character 'x' in string escape code"),
        (b'"\\', "invalid character ' ' in string escape code"),
        (b'"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"),
        (b'"\\u00', "invalid character ' ' in \\u hexadecimal character escape"),
    ],
)
def test_what_is_no_json_is_refused_in_gos_words(written, said):
    with pytest.raises(NotJson) as refused:
        parsed(written)
    assert str(refused.value) == said


@pytest.mark.parametrize("opener", [b"[", b'{"a":'])
def test_it_is_read_as_deep_as_go_does_and_no_deeper(opener):
    closer = b"]" if opener == b"[" else b"}"
    assert parsed(opener * DEEPEST + (b"" if opener == b"[" else b"1") + closer * DEEPEST)
    with pytest.raises(NotJson, match="exceeded max depth"):
        parsed(opener * (DEEPEST + 1))


@pytest.mark.parametrize("written", [b"[" + b"1," * MOST + b"1]", b"[" + b"[]," * MOST + b"1]"])
def test_more_values_than_an_object_could_have_are_not_looked_at(written):
    with pytest.raises(LimitExceeded):
        parsed(written)


@pytest.mark.parametrize(
    ("literal", "meant", "why"),
    [
        (b'"plain"', "plain", "nothing to do"),
        (b'"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t', "all short escapes"),
        (b'"\\u00e9\\uD83D\\uDE00"', "é😀", "a surrogate pair is one character"),
        (b'"\\ud800x\\udc00"', "\ufffdx\ufffd", "halves of a pair are not"),
        (b'"\\ud800\\ud83d\\ude00"', "\ufffd😀", "a half before a pair"),
        (b'"\xff\xc3\x28\xe2\x82"', "\ufffd\ufffd(\ufffd\ufffd", "each byte that is no UTF-8 is replaced"),
        (b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd", "a surrogate in UTF-8 is none"),
    ],
)
def test_strings_mean_what_go_takes_them_for(literal, meant, why):
    assert text(literal) == meant, why


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_was_encoded_is_read_back(value):
    assert unmarshalled(parsed(encode(value)), ANY).value == value


@given(st.binary(max_size=40))
def test_any_bytes_are_a_tree_or_refused(written):
    try:
        found = sort_of(parsed(written))
    except NotJson as refused:
        found = str(refused)
    sorts = ("object", "array", "string", "number", "bool", "null")
    assert found.startswith((*sorts, "invalid character", "unexpected end"))
