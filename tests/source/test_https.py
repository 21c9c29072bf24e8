"""What a repository's server has to prove, and what is shown to it."""

import datetime as dt
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.source import https
from plumbline.source.repository import Credentials, Repository

KEY = ec.generate_private_key(ec.SECP256R1())
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ca.example")])
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
CERTIFICATE = (
    x509.CertificateBuilder()
    .subject_name(NAME)
    .issuer_name(NAME)
    .public_key(KEY.public_key())
    .serial_number(7)
    .not_valid_before(START)
    .not_valid_after(START + dt.timedelta(days=3650))
    .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    .sign(KEY, hashes.SHA256())
    .public_bytes(serialization.Encoding.PEM)
    .decode()
)


def pem(encryption=None):
    return KEY.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption or serialization.NoEncryption()
    )


def repository(certificate="", key=None, **more):
    return Repository(
        "https://u:hunter2@git.example/a", credentials=Credentials(tls_certificate=certificate, tls_key=key), **more
    )


def test_certificates_of_the_repository_are_trusted_beside_those_of_the_system():
    plain, more = https.context(repository()), https.context(repository(ca_pem=CERTIFICATE))
    assert more.verify_mode is ssl.CERT_REQUIRED
    assert more.check_hostname
    assert len(more.get_ca_certs()) == len(plain.get_ca_certs()) + 1


def test_an_insecure_repository_is_not_checked():
    context = https.context(repository(insecure=True, ca_pem="nonsense"))
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_NONE, False)


def test_a_client_certificate_is_shown_and_leaves_no_file():
    https.context(repository(CERTIFICATE, Plaintext(pem())))


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"ca_pem": "nonsense"}, "authorities that are none"),
        ({"ca_pem": "höst"}, "authorities that are not ASCII"),
        ({"certificate": "nonsense", "key": Plaintext(pem())}, "a certificate that is none"),
        ({"certificate": CERTIFICATE, "key": Plaintext("nonsense")}, "a key that is none"),
        (
            {"certificate": CERTIFICATE, "key": Plaintext(pem(serialization.BestAvailableEncryption(b"x")))},
            "a key under a password, for which nobody is asked",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_without_showing_it(asked, why):
    with pytest.raises(InvalidInput) as refused:
        https.context(repository(**asked))
    assert "hunter2" not in str(refused.value)
    assert "nonsense" not in str(refused.value)


def test_where_files_cannot_be_nameless_they_are_gone_at_once(monkeypatch, tmp_path):
    monkeypatch.delattr("os.memfd_create")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    https.context(repository(CERTIFICATE, Plaintext(pem())))
    assert list(tmp_path.iterdir()) == []


def test_the_proxy_of_the_repository_comes_before_that_of_the_environment(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://outer:1")
    named = https.proxy(repository(proxy="http://u:p@inner:2", no_proxy="*.spared"), "https://git.example")
    assert named is not None
    assert named.url == "http://inner:2"
    assert named.authorization == Plaintext(b"Basic dTpw")
    assert https.proxy(repository(proxy="http://inner:2", no_proxy=".spared"), "https://a.spared") is None
    outer = https.proxy(repository(), "https://git.example")
    assert outer is not None
    assert outer.url == "http://outer:1"


@pytest.mark.parametrize("proxy", ["socks5://h:1", "http://", "http://[::1"])
def test_a_proxy_that_cannot_be_used_is_refused(proxy):
    with pytest.raises(InvalidInput):
        https.proxy(repository(proxy=proxy), "https://git.example")
