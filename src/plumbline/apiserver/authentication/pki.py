"""The certificates and keys of one cluster, made when first needed, kept in a folder, and renewed before they expire.

Keys for TLS are on P-256, where a handshake is cheap. The key for tokens is RSA unless asked otherwise: checking a
signature, which everybody does who trusts them, takes half the time of P-256, and RS256 is what all of those understand.
The price is paid once: some 50 ms to make it.
"""

import base64
import os
import ssl
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from plumbline.access.identity import MASTERS
from plumbline.apiserver.authentication.issuing import (
    Holder,
    Issued,
    issue,
    lasting,
    new_authority,
    read_issued,
    serves,
)
from plumbline.apiserver.authentication.keys import SigningKey
from plumbline.base.clock import Clock
from plumbline.base.errors import Corrupted, StorageFailed
from plumbline.base.json import JsonObject

KeyKind: TypeAlias = Literal["RSA", "P-256"]

ADMIN: Final = "kubernetes-admin"
LOCAL_HOSTS: Final = (
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)
_RSA_BITS: Final = 2048


class Pki(NamedTuple):
    folder: Path
    authority: Issued
    server: Issued
    admin: Issued
    signing_key: SigningKey

    def server_context(self) -> ssl.SSLContext:
        """TLS for the server: clients may bring a certificate of ours, and need not."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.folder / "server.pem")
        context.load_verify_locations(cadata=self.authority.certificate_pem.decode())
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    def kubeconfig(self, server: str, name: str = "plumbline") -> JsonObject:
        """A kubeconfig for the administrator that needs no other file; *server* is the URL. It holds a private key."""
        cluster = {"server": server, "certificate-authority-data": _embedded(self.authority.certificate_pem)}
        user = {
            "client-certificate-data": _embedded(self.admin.certificate_pem),
            "client-key-data": _embedded(self.admin.key_pem),
        }
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": f"{name}-admin", "user": user}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": f"{name}-admin"}}],
            "current-context": name,
        }


def open_pki(folder: Path, clock: Clock, *, hosts: Sequence[str] = (), key_kind: KeyKind = "RSA") -> Pki:
    """What *folder* holds, with what is missing or about to expire made anew; *hosts* are further ones of the server.

    A new authority issues all certificates anew. The key for tokens is never replaced, since they would end with it; of
    which kind it is matters only when it is made. Raises Corrupted where it, or the authority, is there and cannot be
    read, and StorageFailed where the folder cannot be used.
    """
    now = clock.now()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        authority = _authority(folder, now)
        server = _held(folder, "server", authority, _server(hosts), now)
        admin = _held(folder, "admin", authority, Holder(ADMIN, MASTERS), now)
        return Pki(folder, authority, server, admin, SigningKey.from_pem(_signing_key(folder, key_kind)))
    except OSError as failed:
        raise StorageFailed(f"cannot keep certificates in {folder}", why=str(failed)) from failed


def _authority(folder: Path, now: datetime) -> Issued:
    text = _read(folder / "ca.pem")
    if text is not None:
        found = read_issued(text)
        if found is None:
            raise Corrupted(f"{folder / 'ca.pem'} is not a certificate with its key")
        if lasting(found, now):
            return found
    authority = new_authority(now)
    _write(folder / "ca.pem", authority.pem)
    _write(folder / "ca.crt", authority.certificate_pem)
    return authority


def _held(folder: Path, stem: str, authority: Issued, holder: Holder, now: datetime) -> Issued:
    path = folder / f"{stem}.pem"
    found = read_issued(_read(path) or b"")
    if found is not None and lasting(found, now) and serves(found, authority, holder):
        return found
    made = issue(authority, holder, now)
    _write(path, made.pem)
    return made


def _server(hosts: Sequence[str]) -> Holder:
    return Holder("kube-apiserver", hosts=tuple(dict.fromkeys((*LOCAL_HOSTS, *hosts))))


def _signing_key(folder: Path, kind: KeyKind) -> bytes:
    path = folder / "sa.key"
    if (found := _read(path)) is not None:
        return found
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
    if kind == "RSA":
        key = rsa.generate_private_key(public_exponent=65537, key_size=_RSA_BITS)
    else:
        key = ec.generate_private_key(ec.SECP256R1())
    made = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _write(path, made)
    return made


def _read(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _write(path: Path, text: bytes) -> None:
    """Whole or not at all, and for nobody else to read."""
    partial = path.with_suffix(path.suffix + ".partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _embedded(text: bytes) -> str:
    return base64.b64encode(text).decode()
