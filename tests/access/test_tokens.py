"""Tokens: signed as Argo CD signs them, and refused however they are forged."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime

import pytest
from joserfc import jws
from joserfc.jwk import OctKey, RSAKey

from plumbline.access import tokens
from plumbline.base.errors import Unauthenticated
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext

KEY = Plaintext("an-unguessable-key-of-32-bytes-or-more")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
S = int(NOW.timestamp())
CLAIMS = {"iss": "argocd", "sub": "admin:login", "exp": S + 60, "nbf": S, "iat": S, "jti": "1"}


def coded(value):
    raw = value if isinstance(value, bytes) else encode(value)
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


RAW = KEY.reveal()


def by_hand(head, claims, key=RAW, digest=hashlib.sha256):
    content = f"{coded(head)}.{coded(claims)}"
    return f"{content}.{coded(hmac.new(key, content.encode(), digest).digest())}"


def test_a_token_is_what_anybody_would_make_by_the_standard():
    assert tokens.signed(CLAIMS, KEY) == by_hand({"alg": "HS256", "typ": "JWT"}, CLAIMS)


def test_it_says_whose_it_is():
    found = tokens.opened(tokens.signed(CLAIMS, KEY), KEY, NOW)
    assert (found.sub, found.jti, found.iat, found.exp) == ("admin:login", "1", S, S + 60)
    assert tokens.opened(by_hand({"alg": "HS256"}, {**CLAIMS, "exp": 0}), KEY, NOW).exp == 0


def forged():
    pair = RSAKey.generate_key(2048)
    yield "nobody has signed it", f"{coded({'alg': 'none'})}.{coded(CLAIMS)}."
    yield "nobody has signed it, and says so oddly", f"{coded({'alg': 'nOnE'})}.{coded(CLAIMS)}."
    yield "the head says none, the signature is right", by_hand({"alg": "none"}, CLAIMS)
    yield "another HMAC", by_hand({"alg": "HS512"}, CLAIMS, digest=hashlib.sha512)
    yield "a public key", jws.serialize_compact({"alg": "RS256"}, encode(CLAIMS), pair, ["RS256"])
    yield "another key", by_hand({"alg": "HS256"}, CLAIMS, b"another")
    yield "an empty key", by_hand({"alg": "HS256"}, CLAIMS, b"")
    yield (
        "a key that the head brings along",
        jws.serialize_compact(
            {"alg": "HS256", "jwk": OctKey.import_key("x" * 32).as_dict()},
            encode(CLAIMS),
            OctKey.import_key("x" * 32),
            ["HS256"],
        ),
    )
    yield "a key from a file that is known", by_hand({"alg": "HS256", "kid": "../../../../dev/null"}, CLAIMS, b"")
    yield "a head that wants more than is understood", by_hand({"alg": "HS256", "crit": ["b64"], "b64": False}, CLAIMS)
    yield "no head", by_hand([], CLAIMS)
    yield "no claims", by_hand({"alg": "HS256"}, {})
    yield "claims that are a list", by_hand({"alg": "HS256"}, [])
    yield "another issuer", by_hand({"alg": "HS256"}, {**CLAIMS, "iss": "sso"})
    yield "an audience", by_hand({"alg": "HS256"}, {**CLAIMS, "aud": "plumbline:groups"})
    yield "several", by_hand({"alg": "HS256"}, {**CLAIMS, "aud": []})
    yield "expired", by_hand({"alg": "HS256"}, {**CLAIMS, "exp": S})
    yield "an end before the beginning of time", by_hand({"alg": "HS256"}, {**CLAIMS, "exp": -1})
    yield "an end that is no number", by_hand({"alg": "HS256"}, {**CLAIMS, "exp": "never"})
    yield "an end beyond all numbers", by_hand({"alg": "HS256"}, {**CLAIMS, "exp": 10**30})
    yield "not yet", by_hand({"alg": "HS256"}, {**CLAIMS, "nbf": S + 11})
    yield "from the future", by_hand({"alg": "HS256"}, {**CLAIMS, "iat": S + 11})
    yield "from no time", by_hand({"alg": "HS256"}, {key: value for key, value in CLAIMS.items() if key != "iat"})
    yield "nobody's", by_hand({"alg": "HS256"}, {**CLAIMS, "sub": ""})
    yield "a list's", by_hand({"alg": "HS256"}, {**CLAIMS, "sub": ["admin:login"]})
    good = tokens.signed(CLAIMS, KEY)
    yield "cut off", good[:-4]
    yield "with an end", good + "AAAA"
    yield "without its signature", good.rpartition(".")[0] + "."


@pytest.mark.parametrize(("why", "token"), [pytest.param(why, token, id=why) for why, token in forged()])
def test_what_was_not_signed_here_for_now_is_refused(why, token):
    with pytest.raises(Unauthenticated):
        tokens.opened(token, KEY, NOW)


def test_a_kid_is_not_listened_to():
    assert tokens.opened(by_hand({"alg": "HS256", "kid": "../x"}, CLAIMS), KEY, NOW)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "a.b",
        "a.b.c.d",
        "a.!.c",
        "é.é.é",
        f"a.{coded(b'[' * 100_000)}.c",
        f"a.{coded(b'x')}.c",
        "a." + "b" * 90_000 + ".c",
    ],
)
def test_what_is_no_token_has_no_issuer(text):
    with pytest.raises(Unauthenticated):
        tokens.issuer_of(text)


def test_an_issuer_is_read_and_not_believed():
    assert tokens.issuer_of(f"x.{coded({'iss': 'https://idp'})}.y") == "https://idp"
    assert tokens.issuer_of(f"x.{coded({'iss': 1})}.y") == ""
    assert tokens.issuer_of(f"x.{coded([])}.y") == ""


@pytest.mark.parametrize(
    ("subject", "name", "capability"),
    [
        ("bob:login", "bob", "login"),
        ("bob:apiKey", "bob", "apiKey"),
        ("bob", "bob", "apiKey"),
        ("bob:other", "bob", "apiKey"),
        ("bob:login:more", "bob", "login"),
    ],
)
def test_a_subject_is_an_account_and_what_for(subject, name, capability):
    assert tokens.subject_of(subject) == (name, capability)


@pytest.mark.parametrize(
    ("subject", "role"),
    [("proj:a:b", ("a", "b")), ("proj:a", None), ("proj:a:b:c", None), ("x:a:b", None), ("admin:login", None)],
)
def test_a_subject_may_be_a_project_role(subject, role):
    assert tokens.role_of(subject) == role


def test_claims_are_json_that_others_read():
    assert decode(tokens.verified(tokens.signed(CLAIMS, KEY), KEY)) == CLAIMS
