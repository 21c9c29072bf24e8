"""Values as they are meant."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secrets.external.shaping.making import opened, plain

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.external.shaping.decoding import check_null_bytes, decoded, decoded_value

CASES = [
    (b"YQ==", "None", b"YQ==", "as it is"),
    (b"YQ==", "Base64", b"a", "decoded"),
    (b"Y\r\nQ==\n", "Base64", b"a", "line breaks do no harm"),
    (b"-_8=", "Base64URL", b"\xfb\xff", "the other alphabet"),
    (b"-_8=", "Auto", b"\xfb\xff", "both are tried"),
    (b"+/8=", "Auto", b"\xfb\xff", "the common one first"),
    (b"hunter2!", "Auto", b"hunter2!", "what is neither stays"),
    (b"", "Base64", b"", "nothing is nothing"),
]


@pytest.mark.parametrize(("value", "strategy", "meant", "why"), CASES, ids=[case[-1] for case in CASES])
def test_values_are_decoded(value, strategy, meant, why):
    assert decoded_value(Plaintext(value), strategy).reveal() == meant, why


@given(raw=st.binary(max_size=40), url=st.booleans())
def test_what_was_encoded_comes_back(raw, url):
    encoded = base64.urlsafe_b64encode(raw) if url else base64.b64encode(raw)
    assert decoded_value(Plaintext(encoded), "Base64URL" if url else "Base64").reveal() == raw
    assert decoded_value(Plaintext(encoded), "Auto").reveal() == raw


@pytest.mark.parametrize("value", [b"canary!", b"YQ", b"YQ=", b"YQ===", b"Y Q==", b"YQ==YQ=="])
def test_what_cannot_be_decoded_is_not_told(value):
    with pytest.raises(InvalidInput) as caught:
        decoded({"password": Plaintext(value)}, "Base64")
    assert caught.value.what == "error applying decoding strategy Base64 to data"
    assert "failure decoding key password" in caught.value.why
    assert value.decode() not in str(caught.value)


def test_the_first_value_with_a_null_byte_is_named():
    values = plain(z="a\0", b="c\0d", a="fine")
    check_null_bytes(values, "Ignore")
    with pytest.raises(InvalidInput, match='fetched secret value for key "b" contains null bytes'):
        check_null_bytes(values, "Fail")
    check_null_bytes(plain(a="fine"), "Fail")


def test_every_value_is_decoded():
    assert opened(decoded(plain(a="YQ==", b="Yg=="), "Base64")) == {"a": b"a", "b": b"b"}
