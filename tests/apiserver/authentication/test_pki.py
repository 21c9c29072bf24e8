"""Certificates are made once, kept safe, renewed in time, and make TLS that real clients accept."""

import base64
import ssl
import stat
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from plumbline.apiserver.authentication.certificates import certificate_identity
from plumbline.apiserver.authentication.issuing import Holder, issue, new_authority, read_issued, serves
from plumbline.apiserver.authentication.pki import open_pki
from plumbline.base.clock import VirtualClock
from plumbline.base.errors import Corrupted, StorageFailed

# TLS looks at the real clock.
NOW = datetime.now(UTC)


def opened(folder, *, after=timedelta(), **more):
    return open_pki(folder, VirtualClock(NOW + after), key_kind="P-256", **more)


def test_what_was_made_is_kept(tmp_path):
    first = opened(tmp_path / "pki")
    second = opened(tmp_path / "pki", after=timedelta(days=300))
    for part in ("authority", "server", "admin"):
        assert getattr(first, part).certificate == getattr(second, part).certificate
    assert first.signing_key.public.id == second.signing_key.public.id


def test_nobody_else_can_read_it(tmp_path):
    opened(tmp_path / "pki")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "pki").iterdir()}
    assert modes == dict.fromkeys(("ca.pem", "ca.crt", "server.pem", "admin.pem", "sa.key"), 0o600)
    assert stat.S_IMODE((tmp_path / "pki").stat().st_mode) == 0o700


def test_certificates_are_renewed_a_month_before_they_expire(tmp_path):
    first = opened(tmp_path)
    second = opened(tmp_path, after=timedelta(days=336))
    assert second.authority.certificate == first.authority.certificate
    assert second.server.certificate != first.server.certificate
    assert second.admin.certificate.not_valid_after_utc > NOW + timedelta(days=700)
    assert second.signing_key.public.id == first.signing_key.public.id


def test_a_new_authority_issues_everything_anew(tmp_path):
    first = opened(tmp_path)
    second = opened(tmp_path, after=timedelta(days=3630))
    assert second.authority.certificate != first.authority.certificate
    assert serves(second.admin, second.authority, Holder("kubernetes-admin", "system:masters"))
    assert second.signing_key.public.id == first.signing_key.public.id
    assert (tmp_path / "ca.crt").read_bytes() == second.authority.certificate_pem


def test_a_server_gets_the_names_that_it_is_called_by(tmp_path):
    first = opened(tmp_path)
    more = opened(tmp_path, hosts=["plane.example", "10.96.0.1"])
    assert more.server.certificate != first.server.certificate
    assert opened(tmp_path, hosts=["plane.example"]).server.certificate == more.server.certificate


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_certificate_is_made_anew(tmp_path, damage):
    first = opened(tmp_path)
    (tmp_path / "server.pem").write_bytes(
        damage if damage is not None else first.admin.key_pem + first.server.certificate_pem
    )
    assert serves(opened(tmp_path).server, first.authority, Holder("kube-apiserver", hosts=("localhost",)))


@pytest.mark.parametrize("file", ["ca.pem", "sa.key"])
def test_what_others_rely_on_is_never_replaced_silently(tmp_path, file):
    opened(tmp_path)
    (tmp_path / file).write_bytes(b"nonsense")
    with pytest.raises(Corrupted):
        opened(tmp_path)
    assert (tmp_path / file).read_bytes() == b"nonsense"


def test_a_folder_that_cannot_be_used_is_said_to_be_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed):
        opened(tmp_path / "file")


def test_a_crash_while_writing_leaves_nothing_in_the_way(tmp_path):
    (tmp_path / "ca.pem.partial").write_text("half of it")
    opened(tmp_path)
    assert not list(tmp_path.glob("*.partial"))


def test_the_token_key_is_rsa_unless_asked_otherwise(tmp_path):
    assert open_pki(tmp_path / "a", VirtualClock(NOW)).signing_key.public.algorithm == "RS256"
    assert opened(tmp_path / "b").signing_key.public.algorithm == "ES256"
    assert opened(tmp_path / "a").signing_key.public.algorithm == "RS256", "it stays what it is"


def shaken(server, client):
    """Both ends of a handshake in memory; the client's certificate as the server saw it."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server_end = server.wrap_bio(to_server, to_client, server_side=True)
    client_end = client.wrap_bio(to_client, to_server, server_hostname="127.0.0.1")
    waiting = [client_end, server_end]
    while waiting:
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                pass
    return server_end.getpeercert(binary_form=True)


def client_of(config, folder, *, certificate=True):
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    if certificate:
        file = folder / "client.pem"
        file.write_bytes(base64.b64decode(user["client-key-data"]) + base64.b64decode(user["client-certificate-data"]))
        context.load_cert_chain(file)
    return context


def test_the_kubeconfig_makes_its_bearer_an_administrator(tmp_path):
    pki = opened(tmp_path / "pki")
    config = pki.kubeconfig("https://127.0.0.1:6443")
    assert config["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:6443"
    assert config["current-context"] == config["contexts"][0]["name"]
    der = shaken(pki.server_context(), client_of(config, tmp_path))
    found = certificate_identity(der, NOW)
    assert (found.name, found.groups) == ("kubernetes-admin", ("system:masters", "system:authenticated"))


def test_a_client_needs_no_certificate(tmp_path):
    pki = opened(tmp_path / "pki")
    config = pki.kubeconfig("https://x")
    assert shaken(pki.server_context(), client_of(config, tmp_path, certificate=False)) is None


def test_a_client_of_another_cluster_is_turned_away(tmp_path):
    pki, other = opened(tmp_path / "a"), opened(tmp_path / "b")
    foreign = client_of(other.kubeconfig("https://x"), tmp_path)
    foreign.load_verify_locations(cadata=pki.authority.certificate_pem.decode())
    with pytest.raises(ssl.SSLError):
        shaken(pki.server_context(), foreign)


def test_a_certificate_serves_only_whom_it_was_issued_to():
    authority, other = new_authority(NOW), new_authority(NOW)
    ann = issue(authority, Holder("ann", "crew"), NOW)
    assert serves(ann, authority, Holder("ann", "crew"))
    assert not serves(ann, authority, Holder("ann"))
    assert not serves(ann, other, Holder("ann", "crew"))
    assert not serves(ann, authority, Holder("ann", "crew", ("localhost",)))


def test_a_key_and_its_certificate_belong_together():
    authority = new_authority(NOW)
    assert read_issued(authority.pem).pem == authority.pem
    assert read_issued(new_authority(NOW).key_pem + authority.certificate_pem) is None
    assert read_issued(authority.certificate_pem) is None
    odd = ed25519.Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    assert read_issued(odd + authority.certificate_pem) is None
    assert repr(authority) == "Issued(CN=plumbline-ca)"
