"""Keys and certificates that are made once, and templates that are executed in one line."""

from datetime import UTC, datetime
from functools import cache
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import Surroundings
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretTemplate
from plumbline.secrets.external.shaping.templating import Sources, rendered

SURROUNDINGS = Surroundings(lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), Ids(seed=7))


def plain(**values):
    return {key: Plaintext(value) for key, value in values.items()}


def opened(values):
    return {key: value.reveal() for key, value in values.items()}


def printed(text, **values):
    """What a template prints over *values*, as bytes."""
    template = ExternalSecretTemplate(data={"out": text})
    made = rendered(template, plain(**values), Sources(), SURROUNDINGS)
    return made.values["out"].reveal()


@cache
def rsa_key():
    return rsa.generate_private_key(65537, 2048)


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def signed(name, key, issuer=None, issuer_key=None, *, identified=True):
    """A certificate; its own issuer unless one is given."""
    subject = x509.Name(
        [x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Org, Inc"), x509.NameAttribute(NameOID.COMMON_NAME, name)]
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2040, 1, 1, tzinfo=UTC))
    )
    alternatives = [
        x509.DNSName(f"{name}.example.org"),
        x509.IPAddress(ip_address("10.0.0.1")),
        x509.IPAddress(ip_address("2001:db8::1")),
        x509.RFC822Name(f"{name}@example.org"),
        x509.UniformResourceIdentifier(f"spiffe://example.org/{name}"),
    ]
    builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    if identified:
        parent = issuer_key or key
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
        ).add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(parent.public_key()), critical=False)
    return builder.sign(issuer_key or key, hashes.SHA256())


def cert_pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


class Chain:
    """A root, what it signed, and what that signed."""

    def __init__(self):
        self.keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(3)]
        root = signed("root", self.keys[0])
        middle = signed("middle", self.keys[1], root, self.keys[0])
        leaf = signed("leaf", self.keys[2], middle, self.keys[1])
        self.root, self.middle, self.leaf = map(cert_pem, (root, middle, leaf))
        self.key = pem(self.keys[2])

    @property
    def full(self):
        return self.leaf + self.middle + self.root


chain = cache(Chain)
