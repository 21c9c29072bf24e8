"""No secret gets through, in whatever it is wrapped."""

import base64
from collections import UserDict
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import NotFound
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import MASK, KnownSecrets, known, names_secret, redact, redact_text

CANARY = 'canary/7f+3b=9 "x"\nline two of it, long'


@pytest.fixture(autouse=True)
def _forget():
    yield
    known.clear()


SECRET_KEYS = [
    "password",
    "PASSWORD",
    "db_passwd",
    "passphrase",
    "token",
    "accessToken",
    "access_token",
    "Authorization",
    "clientSecret",
    "client-secret",
    "api_key",
    "apiKey",
    "private-key",
    "client-key-data",
    "secret",
    "aws_secret_access_key",
    "credentials",
    "Cookie",
    ".dockerconfigjson",
    "kubeconfig",
]
PLAIN_KEYS = [
    "secretName",
    "secret_ref",
    "secretKeyRef",
    "tokenPath",
    "token_expiry",
    "token_ttl_s",
    "credentials_file",
    "key",
    "keys",
    "name",
    "ref",
    "password_hash",
    "generation",
]


@pytest.mark.parametrize("key", SECRET_KEYS)
def test_a_key_that_names_a_secret_loses_its_value(key):
    assert names_secret(key)
    assert redact({key: "v4lue", "other": 1}) == {key: MASK, "other": 1}
    assert redact("v4lue", key) == MASK
    assert redact({key: {"nested": ["v4lue"]}}) == {key: MASK}


@pytest.mark.parametrize("key", PLAIN_KEYS)
def test_a_key_that_is_about_a_secret_keeps_it(key):
    assert not names_secret(key)
    assert redact({key: "value"}) == {key: "value"}


def test_numbers_under_such_names_are_counts_unless_somebody_typed_them():
    assert redact({"secrets": 3, "token_count": 2, "has_token": True}) == {
        "secrets": 3,
        "token_count": 2,
        "has_token": True,
    }
    assert redact({"password": 12345678}) == {"password": MASK}
    assert redact({"password": None}) == {"password": None}


WRAPPED = [
    Plaintext("v4lue"),
    [Plaintext("v4lue")],
    {"a": ({"b": Plaintext("v4lue")},)},
    {"kind": "Secret", "metadata": {"name": "x"}, "data": {"a": "v4lue"}, "stringData": {"b": "v4lue"}},
    {"env": [{"name": "DB_PASSWORD", "value": "v4lue"}]},
    UserDict({"token": "v4lue"}),
    b"v4lue",
    "https://user:v4lue@example.com/x",
    "https://v4lue@example.com/x.git",
    "curl -H 'Authorization: Bearer v4lue.123456'",
    "authorization: basic dXNlcjp2NGx1ZQ==",
    "https://x/y?access_token=v4lue&z=1",
    "https://x/y?X-Amz-Signature=v4lue&z=1",
    "dial postgres: password=v4lue host=db",
    '{"password": "v4lue", "x": 1}',
    "{'client_secret': 'v4lue'}",
    "-----BEGIN RSA PRIVATE KEY-----\nv4lue\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nv4lue and cut off",
    "eyJhbGciOiJSUzI1NiIsImtpZCI6.eyJpc3MiOiJ2NGx1ZSJ9.v4lue",
    "ghp_v4lue0123456789abcdefABCDEF",
    "github_pat_v4lue0123456789",
    "glpat-v4lue0123456789",
    "hvs.v4lue0123456789",
    NotFound("no", why="https://a:v4lue@x"),
    ValueError("token=v4lue"),
    {"https://a:v4lue@x": 1},
]


@pytest.mark.parametrize("value", WRAPPED, ids=range(len(WRAPPED)))
def test_a_secret_is_found_by_what_it_is_wrapped_in(value):
    clean = encode(redact(value)).decode()
    assert "v4lue" not in clean
    assert "dXNlcjp2NGx1ZQ" not in clean


HARMLESS = [
    "sync applied",
    "basic authentication failed",
    "bearer authentication failed",
    "ssh://git@github.com/acme/shop.git",
    "https://example.com/a?b=c",
    "secret shop/db not found",
    "waiting for token",
    "user@example.com",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_text_is_left_alone(text):
    assert redact_text(text) == text


FORMS = {
    "as it is": CANARY,
    "in JSON": encode({"x": CANARY}).decode(),
    "in a URL": f"https://x/?q={quote(CANARY, safe='')}",
    "in base64": base64.b64encode(CANARY.encode()).decode(),
    "in base64 for URLs": base64.urlsafe_b64encode(CANARY.encode()).decode(),
    "in base64 behind one byte": base64.b64encode(b"u" + CANARY.encode()).decode(),
    "in base64 behind two bytes": base64.b64encode(b"u:" + CANARY.encode() + b"!").decode(),
    "one line of it": "error near: line two of it, long",
    "in an exception": f"{ValueError(CANARY)!s}",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("as_type", [str, str.encode, Plaintext])
def test_a_known_secret_is_masked_in_every_form_that_it_travels_in(form, as_type):
    known.add(as_type(CANARY))
    clean = redact_text(f"before {FORMS[form]} after")
    assert MASK in clean
    assert clean.startswith("before ")
    assert clean.endswith(" after")
    for trace in ("canary", "line two", "7f+3b", "7f%2B3b", FORMS["in base64"][4:20]):
        assert trace not in clean


def test_a_known_secret_that_is_not_text_is_masked_in_base64():
    known.add(bytes(range(200, 240)))
    assert redact_text(base64.b64encode(bytes(range(200, 242))).decode()).startswith(MASK)


def test_short_values_are_not_taken_for_secrets():
    known.add("abc")
    known.add(" \n")
    assert redact_text("abcdef") == "abcdef"


def test_the_registry_is_bounded_and_forgets_the_oldest():
    secrets = KnownSecrets(capacity=2)
    for name in ("first-secret", "second-secret", "first-secret", "third-secret"):
        secrets.add(name)
    masked = secrets.mask("first-secret second-secret third-secret")
    assert masked == f"{MASK} second-secret {MASK}"


def test_overlapping_secrets_leave_nothing_of_the_longer_one():
    known.add("hunter2")
    known.add("hunter2-extended")
    assert redact_text("hunter2-extended") == MASK


class Unprintable:
    def __str__(self):
        raise RuntimeError("v4lue")


class Endless(dict):
    def items(self):
        while True:
            yield "k", "v"


def test_what_cannot_be_looked_at_is_withheld_and_nothing_is_raised():
    assert redact(Unprintable()) == "<Unprintable withheld: RuntimeError>"
    assert redact(Endless()) == {"k": "v"}


def test_size_is_bounded():
    deep = {}
    for _ in range(50):
        deep = {"a": deep}
    assert "..." in encode(redact(deep)).decode()
    assert len(redact(list(range(10_000)))) < 1000
    assert len(redact("x" * 1_000_000)) < 20_000


@pytest.mark.parametrize(
    "text", ["a." * 8000, "eyJ-" * 4000, "token=" * 2700, '"' * 16_000, "-----BEGIN " * 1400, "x://" * 4000]
)
def test_no_text_sends_a_pattern_astray(text):
    assert len(redact_text(text)) <= len(text)


@given(
    st.recursive(
        st.none() | st.text(st.characters()) | st.binary() | st.integers() | st.floats(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_anything_becomes_something_that_json_can_hold(value):
    encode(redact(value))


@given(
    st.text(min_size=12, max_size=40).filter(lambda text: len(text.encode().strip()) >= 12),
    st.binary(max_size=5),
    st.binary(max_size=5),
)
def test_no_base64_around_a_known_secret_shows_it(secret, before, after):
    secrets = KnownSecrets()
    secrets.add(secret)
    raw = secret.encode().strip()
    shown = base64.b64encode(before + raw + after).decode()
    assert MASK in secrets.mask(shown)
