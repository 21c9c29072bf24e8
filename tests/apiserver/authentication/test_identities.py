"""Names of people, nodes and service accounts; certificates; and who speaks first."""

from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from plumbline.access.identity import (
    ANONYMOUS,
    AccountName,
    Identity,
    authenticated,
    node_of,
    service_account_groups,
    service_account_name,
    service_account_of,
)
from plumbline.apiserver.authentication.authenticator import bearer_token, user_info
from plumbline.apiserver.authentication.certificates import certificate_identity
from plumbline.base.errors import Unauthenticated

from .sample import START, Cluster, refused

UID = x509.ObjectIdentifier("1.3.6.1.4.1.57683.2")
KEY = ec.generate_private_key(ec.SECP256R1())
CN, O = NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME  # noqa: E741 - what certificates call it


def certificate(*subject, days=30):
    name = x509.Name([x509.NameAttribute(oid, value, _validate=False) for oid, value in subject])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(1)
        .not_valid_before(START - timedelta(days=1))
        .not_valid_after(START + timedelta(days=days))
    )
    return builder.sign(KEY, SHA256()).public_bytes(Encoding.DER)


def test_a_certificate_names_a_user_and_groups():
    found = certificate_identity(certificate((O, "crew"), (CN, "ann"), (O, "more")), START)
    assert (found.name, found.uid, found.groups) == ("ann", "", ("crew", "more", "system:authenticated"))
    assert found.extra["authentication.kubernetes.io/credential-id"][0].startswith("X509SHA256=")


def test_the_last_name_counts_and_a_uid_is_taken():
    found = certificate_identity(certificate((CN, "first"), (CN, "last"), (UID, "u-1")), START)
    assert (found.name, found.uid) == ("last", "u-1")


def test_a_certificate_without_a_name_is_nobody():
    assert certificate_identity(certificate((O, "system:masters")), START) is None


@pytest.mark.parametrize(
    ("der", "why"),
    [
        (b"nonsense", "not a certificate"),
        (certificate((CN, "a"), (UID, "1"), (UID, "2")), "two uids"),
        (certificate((CN, "a"), (UID, "")), "an empty uid"),
        (certificate((CN, "a"), days=0.5), "expired by then"),
    ],
)
def test_a_bad_certificate_is_refused(der, why):
    with pytest.raises(Unauthenticated):
        certificate_identity(der, START + timedelta(days=2))
    cluster = Cluster()
    cluster.clock.jump(2 * 24 * 3600)
    assert refused(lambda: cluster.authenticator.identity(certificate=der))[0] == 401, why


def test_a_certificate_speaks_before_a_token():
    cluster = Cluster()
    ann = certificate((CN, "ann"))
    assert cluster.authenticator.identity(certificate=ann, authorization="Bearer bad").name == "ann"
    nameless = certificate((O, "x"))
    token = f"Bearer {cluster.token()}"
    assert cluster.authenticator.identity(certificate=nameless, authorization=token).name.endswith("robot")
    assert cluster.authenticator.identity(certificate=nameless) == ANONYMOUS
    assert cluster.authenticator.identity(certificate=b"bad", authorization=token).name.endswith("robot")


@pytest.mark.parametrize("header", ["", "Basic eDp5", "Bearer", "Bearer ", "Bearer  x", "Digest x"])
def test_who_brings_no_token_is_anonymous(header):
    assert Cluster().authenticator.identity(authorization=header) == ANONYMOUS


@pytest.mark.parametrize("header", ["Bearer x", "bearer x", " BEARER x y"])
def test_a_bearer_token_is_found(header):
    assert bearer_token(header) == "x"


ACCOUNTS = [
    ("system:serviceaccount:home:robot", AccountName("home", "robot")),
    ("system:serviceaccount:home:a.b-c", AccountName("home", "a.b-c")),
    ("system:serviceaccount:a.b:robot", None),
    ("system:serviceaccount:home", None),
    ("system:serviceaccount:home:a:b", None),
    ("system:serviceaccount:Home:robot", None),
    ("system:serviceaccount:home:", None),
    (f"system:serviceaccount:{'x' * 64}:robot", None),
    (f"system:serviceaccount:home:{'x' * 254}", None),
    ("robot", None),
]


@pytest.mark.parametrize(("name", "expected"), ACCOUNTS)
def test_service_accounts_are_told_by_their_names(name, expected):
    assert service_account_of(name) == expected
    if expected:
        assert service_account_name(*expected) == name


def test_service_accounts_share_groups():
    assert service_account_groups("home") == ("system:serviceaccounts", "system:serviceaccounts:home")


@pytest.mark.parametrize(("name", "node"), [("system:node:n1", "n1"), ("system:node:", None), ("n1", None)])
def test_nodes_are_told_by_their_names(name, node):
    assert node_of(name) == node


@pytest.mark.parametrize(
    ("identity", "groups"),
    [
        (Identity("a"), ("system:authenticated",)),
        (Identity("a", groups=("x",)), ("x", "system:authenticated")),
        (Identity("a", groups=("system:unauthenticated",)), ("system:unauthenticated",)),
        (Identity("a", groups=("system:authenticated", "x")), ("system:authenticated", "x")),
        (Identity("system:anonymous"), ()),
    ],
)
def test_who_is_known_is_in_the_group_of_the_known(identity, groups):
    assert authenticated(identity).groups == groups


def test_identities_are_values():
    assert Identity("a", extra={"k": ("v",)}) == Identity("a", extra={"k": ("v",)})
    assert Identity("a", extra={"k": ("v",)}) != Identity("a")
    assert hash(Identity("a", extra={"k": ("v",)})) == hash(Identity("a"))
    assert Identity("a", groups=("system:masters",)).master
    assert not ANONYMOUS.master


def test_what_is_empty_is_not_shown():
    assert user_info(Identity("a")) == {"username": "a"}
    assert list(user_info(Identity("a", "u", ("g",), {"z": ("1",), "b": ("2",)}))["extra"]) == ["b", "z"]
