"""An authority that signs what tests need. Elliptic curves: those are made in no time."""

import datetime as dt
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_START = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    def __init__(self, name="authority"):
        self._name = _name(name)
        self._key = ec.generate_private_key(ec.SECP256R1())
        basic = x509.BasicConstraints(ca=True, path_length=None)
        self.pem = self._signed(self._name, self._key.public_key(), basic)

    def pair(self, name, *, encrypted=False):
        """Certificate and key."""
        key = ec.generate_private_key(ec.SECP256R1())
        own = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        how = serialization.BestAvailableEncryption(b"x") if encrypted else serialization.NoEncryption()
        form = serialization.PrivateFormat.PKCS8
        return self._signed(_name(name), key.public_key(), own), key.private_bytes(
            serialization.Encoding.PEM, form, how
        )

    def server(self, folder):
        """A context that serves, and looks at what clients show."""
        file = folder / "server.pem"
        file.write_bytes(b"".join(self.pair("server")))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(cadata=self.pem.decode())
        return context

    def _signed(self, subject, public_key, extension):
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(public_key)
        builder = builder.serial_number(x509.random_serial_number()).add_extension(extension, critical=True)
        builder = builder.not_valid_before(_START).not_valid_after(_START + dt.timedelta(days=36500))
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
