"""A token holds for whom it was issued, as long as it was issued for, and not a moment longer than what it is bound to."""

import base64
import hashlib
import hmac

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from plumbline.access.identity import Identity
from plumbline.apiserver.authentication import tokens as tokens_module
from plumbline.apiserver.authentication.authenticator import Authenticator
from plumbline.apiserver.authentication.keys import SigningKey, url_safe
from plumbline.apiserver.authentication.openid import jwks, openid_configuration
from plumbline.apiserver.authentication.tokens import StaticTokens
from plumbline.base.errors import Corrupted
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext

from .sample import EC_KEY, ISSUER, RSA_KEY, Cluster, bound, refused

GROUPS = ("system:serviceaccounts", "system:serviceaccounts:home", "system:authenticated")
CRYPTO = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]"
INVALIDATED = "[invalid bearer token, service account token has been invalidated]"


def claims_of(token):
    return decode(base64.urlsafe_b64decode(token.split(".")[1] + "=="))


def unauthorized(cluster, token):
    code, said = refused(lambda: cluster.authenticator.identity(authorization=f"Bearer {token}"))
    return (code, said) == (401, "Unauthorized")


@pytest.mark.parametrize("key", [RSA_KEY, EC_KEY], ids=["RS256", "ES256"])
def test_a_token_makes_its_service_account(key):
    cluster = Cluster(key)
    token = cluster.token()
    jti = claims_of(token)["jti"]
    extra = {"authentication.kubernetes.io/credential-id": (f"JTI={jti}",)}
    expected = Identity("system:serviceaccount:home:robot", "u-robot", GROUPS, extra)
    assert cluster.authenticator.identity(authorization=f"Bearer {token}") == expected


@pytest.mark.parametrize(
    ("spec", "extra"),
    [
        (bound("Pod", "web"), {"pod-name": "web", "pod-uid": "u-web", "node-name": "n1", "node-uid": "u-n1"}),
        (bound("Pod", "lost"), {"pod-name": "lost", "pod-uid": "u-lost", "node-name": "gone"}),
        (bound("Pod", "new"), {"pod-name": "new", "pod-uid": "u-new"}),
        (bound("Node", "n1"), {"node-name": "n1", "node-uid": "u-n1"}),
        (bound("Secret", "sec"), {}),
    ],
)
def test_a_bound_token_says_what_it_is_bound_to(spec, extra):
    cluster = Cluster()
    identity = cluster.authenticator.identity(authorization=f"Bearer {cluster.token(**spec)}")
    found = {key.removeprefix("authentication.kubernetes.io/"): value[0] for key, value in identity.extra.items()}
    found.pop("credential-id")
    assert found == extra


def forged(header, payload, signature=b""):
    return ".".join(url_safe(part) for part in (encode(header), encode(payload), signature))


def stolen(key, alg="RS256"):
    """Ways to sign without the key, with what everybody may know."""
    cluster = Cluster(key)
    good = cluster.token()
    head, body, signature = good.split(".")
    claims = claims_of(good)
    public = encode(key.public.jwk())
    other = SigningKey(rsa.generate_private_key(public_exponent=65537, key_size=2048))
    kid = key.public.id
    hashed = forged({"alg": "HS256", "kid": kid}, claims).rpartition(".")[0]
    return cluster, {
        "alg none": forged({"alg": "none"}, claims),
        "alg none with the kid": forged({"alg": "none", "kid": kid}, claims),
        "no alg": forged({"kid": kid}, claims, b"x"),
        "hashed with the public key": f"{hashed}.{url_safe(hmac.digest(public, hashed.encode(), 'sha256'))}",
        "another algorithm for the same signature": f"{url_safe(encode({'alg': 'PS256', 'kid': kid}))}.{body}.{signature}",
        "claims changed": f"{head}.{url_safe(encode(claims | {'sub': 'system:admin'}))}.{signature}",
        "signature cut": f"{head}.{body}.{signature[:-4]}",
        "signature empty": f"{head}.{body}.",
        "another key under our kid": forged(
            {"alg": other.public.algorithm, "kid": kid}, claims, base64.urlsafe_b64decode(other.token(claims).split(".")[2] + "==")
        ),
    }  # fmt: skip


@pytest.mark.parametrize("key", [RSA_KEY, EC_KEY], ids=["RS256", "ES256"])
def test_nobody_signs_without_the_key(key):
    cluster, forgeries = stolen(key)
    for why, token in forgeries.items():
        assert cluster.fault(token) == CRYPTO, why
        assert unauthorized(cluster, token), why


def test_a_token_of_another_key_is_refused():
    cluster = Cluster()
    assert cluster.fault(Cluster(RSA_KEY).token()) == "[invalid bearer token, invalid signature, no keys found]"
    without_kid = forged({"alg": "ES256"}, claims_of(cluster.token()), b"x" * 64)
    assert cluster.fault(without_kid) == CRYPTO


NOT_OURS = [
    ("abc", "no token"),
    ("a.b", "two parts"),
    ("a.b.c.d", "four parts"),
    ("{}", "JSON"),
    ("é.é.é", "not ASCII"),
    ("\udc80", "not even text"),
    ("a b.c.d", "not base64"),
    ("abcde.abcde.abcde", "no length of base64"),
    (f"{url_safe(b'{}')}.{url_safe(b'nonsense')}.AA", "claims that are no JSON"),
    (f"{url_safe(b'[]')}.{url_safe(encode({'iss': ISSUER}))}.AA", "a header that is no object"),
    (f"{url_safe(b'nope')}.{url_safe(encode({'iss': ISSUER}))}.AA", "a header that is no JSON"),
    (forged({"kid": 5}, {"iss": ISSUER}), "a kid that is no text"),
    (forged({}, {"iss": ["x"]}), "an issuer that is no text"),
    (forged({}, {"iss": "https://elsewhere"}), "another issuer"),
    (f"{url_safe(b'{}')}.{url_safe(b'[' * 5000)}.AA", "deep"),
    ("x" * 100_000, "long"),
]


@pytest.mark.parametrize(("token", "why"), NOT_OURS, ids=[why for _, why in NOT_OURS])
def test_what_is_no_token_of_ours_is_no_token(token, why):
    cluster = Cluster()
    assert cluster.fault(token.split()[0]) == "invalid bearer token", why
    assert unauthorized(cluster, token), why


@given(st.text(max_size=40) | st.lists(st.binary(max_size=12).map(url_safe), min_size=3, max_size=3).map(".".join))
def test_no_text_is_taken_for_a_token(text):
    assert Cluster().tokens.authenticate(text, [ISSUER]) is None


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"exp": 1}, "service account token has expired"),
        ({"nbf": 2**40}, "service account token is not valid yet"),
        ({"iat": 2**40}, "service account token is issued in the future"),
        (
            {"aud": ["x", "y"]},
            f'token audiences ["x" "y"] is invalid for the target audiences ["{ISSUER}"]',
        ),
        ({"aud": "x"}, f'token audiences ["x"] is invalid for the target audiences ["{ISSUER}"]'),
    ],
)
def test_claims_that_do_not_hold_are_refused(change, text):
    cluster = Cluster()
    token = cluster.key.token(claims_of(cluster.token()) | change)
    assert cluster.fault(token) == f"[invalid bearer token, {text}]"
    assert unauthorized(cluster, token)


def test_a_token_without_times_or_audiences_is_one_of_the_old_kind():
    cluster = Cluster()
    claims = {key: value for key, value in claims_of(cluster.token()).items() if key in {"iss", "sub", "kubernetes.io"}}
    identity = cluster.authenticator.identity(authorization=f"Bearer {cluster.key.token(claims)}")
    assert identity.extra == {}


async def test_clocks_may_differ_by_a_minute():
    cluster = Cluster()
    token = cluster.token(expirationSeconds=600)
    await cluster.clock.advance(600 + 59)
    assert cluster.fault(token) == ""
    await cluster.clock.advance(2)
    assert cluster.fault(token) == "[invalid bearer token, service account token has expired]"
    assert unauthorized(cluster, token)


ENDINGS = [
    (("ServiceAccount", "home", "robot"), {}, '[invalid bearer token, serviceaccounts "robot" not found]'),
    (("Pod", "home", "web"), bound("Pod", "web"), INVALIDATED),
    (("Secret", "home", "sec"), bound("Secret", "sec"), INVALIDATED),
    (("Node", "", "n1"), bound("Node", "n1"), INVALIDATED),
]


@pytest.mark.parametrize(("place", "spec", "text"), ENDINGS, ids=[place[0] for place, _, _ in ENDINGS])
def test_a_token_ends_with_what_it_is_bound_to(place, spec, text):
    cluster = Cluster()
    token = cluster.token(**spec)
    assert cluster.fault(token) == ""
    gone = cluster.objects.pop(place)
    assert cluster.fault(token) == text
    assert unauthorized(cluster, token)
    cluster.objects[place] = {"metadata": gone["metadata"] | {"uid": "another"}}
    assert "UID (another) does not match" in cluster.fault(token)
    assert unauthorized(cluster, token)


async def test_a_deletion_that_lasts_ends_the_token_too():
    for place, spec, _ in ENDINGS:
        cluster = Cluster()
        token = cluster.token(**spec)
        cluster.objects[place]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        assert cluster.fault(token) == "", "clocks may differ"
        await cluster.clock.advance(61)
        assert cluster.fault(token) != "", place
        cluster.objects[place]["metadata"]["deletionTimestamp"] = "nonsense"
        assert cluster.fault(token) == ""
        cluster.objects[place]["metadata"] = None
        assert cluster.fault(token) != ""


def test_a_pod_token_outlives_the_record_of_its_node():
    cluster = Cluster()
    token = cluster.token(**bound("Pod", "web"))
    del cluster.objects["Node", "", "n1"]
    assert cluster.fault(token) == ""


def test_a_signature_is_checked_once_and_everything_else_each_time(monkeypatch):
    checked = []
    cluster = Cluster()
    monkeypatch.setattr(
        type(cluster.key.public), "verifies", lambda self, *_: not checked.append(self)
    )  # fmt: skip
    token = cluster.token()
    seen = cluster.lookups
    first = cluster.authenticator.identity(authorization=f"Bearer {token}")
    assert cluster.authenticator.identity(authorization=f"Bearer {token}") is first
    assert len(checked) == 1
    assert cluster.lookups == seen + 2


async def test_remembered_tokens_stay_within_bounds(monkeypatch):
    monkeypatch.setattr(tokens_module, "_VERIFIED", 3)
    cluster = Cluster()
    for _ in range(5):
        assert cluster.fault(cluster.token(expirationSeconds=600)) == ""
    assert len(cluster.tokens._verified) == 3
    await cluster.clock.advance(601)
    assert cluster.fault(cluster.token()) == ""
    assert len(cluster.tokens._verified) == 1


def test_known_tokens_are_compared_as_hashes():
    admin = Identity("boss", groups=("system:masters",))
    static = StaticTokens([(Plaintext("canary-1"), admin), (Plaintext("canary-2"), Identity("other"))], [ISSUER])
    authenticator = Authenticator([static, Cluster().tokens], [ISSUER], Cluster().clock)
    found = authenticator.identity(authorization="Bearer canary-1")
    assert found == Identity("boss", groups=("system:masters", "system:authenticated"))
    assert refused(lambda: authenticator.identity(authorization="Bearer canary"))[0] == 401
    assert "canary" not in repr(vars(static))
    assert hashlib.sha256(b"canary-1").digest() in {digest for digest, _ in static._known}
    review = authenticator.review({"spec": {"token": "canary-1", "audiences": ["elsewhere"]}})
    assert review["status"] == {"user": {}, "error": "invalid bearer token"}


@pytest.mark.parametrize("spec", [None, {}, {"token": ""}, {"token": 5}, []])
def test_a_review_needs_a_token(spec):
    said = refused(lambda: Cluster().authenticator.review({"spec": spec}))
    assert said == (400, "token is required for TokenReview in authentication")


def test_a_review_tells_who_it_is_and_keeps_the_question():
    cluster = Cluster()
    token = cluster.token(audiences=[ISSUER, "b"])
    review = {"metadata": {"name": "x"}, "spec": {"token": token, "audiences": ["b", "c", 5]}}
    answered = cluster.authenticator.review(review)
    assert answered["spec"] is review["spec"]
    status = answered["status"]
    assert list(status) == ["authenticated", "user", "audiences"]
    assert status["audiences"] == ["b"]
    assert status["user"]["groups"] == list(GROUPS)
    assert cluster.authenticator.review({"spec": {"token": " "}})["status"] == {"user": {}}


@pytest.mark.parametrize("key", [RSA_KEY, EC_KEY], ids=["RSA", "P-256"])
def test_a_published_key_checks_our_signatures(key):
    published = jwks([key.public])["keys"][0]
    number = {
        name: int.from_bytes(base64.urlsafe_b64decode(published[name] + "==")) for name in "nexy" if name in published
    }
    if published["kty"] == "RSA":
        public = rsa.RSAPublicNumbers(number["e"], number["n"]).public_key()
    else:
        public = ec.EllipticCurvePublicNumbers(number["x"], number["y"], ec.SECP256R1()).public_key()
    assert public == key.public._public
    assert published["kid"] == decode(base64.urlsafe_b64decode(key.token({}).split(".")[0] + "=="))["kid"]
    configuration = openid_configuration(ISSUER, "127.0.0.1:6443", [key.public, key.public])
    assert configuration["jwks_uri"] == "https://127.0.0.1:6443/openid/v1/jwks"
    assert configuration["id_token_signing_alg_values_supported"] == [published["alg"]]


@pytest.mark.parametrize(
    ("pem", "why"),
    [
        (b"nonsense", "not PEM"),
        (ec.generate_private_key(ec.SECP384R1()), "another curve"),
        (ed25519.Ed25519PrivateKey.generate(), "another kind"),
    ],
)
def test_a_key_that_cannot_sign_tokens_is_refused(pem, why):
    if not isinstance(pem, bytes):
        pem = pem.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with pytest.raises(Corrupted):
        SigningKey.from_pem(pem)


def test_a_signing_key_prints_nothing_secret():
    assert repr(EC_KEY) == f"SigningKey({EC_KEY.public.id})"
