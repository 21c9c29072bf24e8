import datetime as dt
import ipaddress
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.source.charts import ChartSources, Pace
from plumbline.source.repository import Credentials, Repository

from .server import HelmServer, OciServer


@pytest.fixture
def helm():
    with HelmServer().running() as running:
        yield running


@pytest.fixture
def registry():
    with OciServer().running() as running:
        yield running


class Settings:
    """What settings say about repositories: the same for all, unless there is an entry for the project or the address."""

    def __init__(self):
        self.all = {}
        self.projects = {}
        self.addresses = {}
        """What holds for one address alone."""
        self.fault = None

    def __call__(self, url, project):
        if self.fault:
            raise self.fault
        settings = {**self.all, **self.projects.get(project, {}), **self.addresses.get(url, {})}
        return Repository(url=url, project=project, **settings)

    def come_as(self, project=None, **credentials):
        target = self.all if project is None else self.projects.setdefault(project, {})
        target["credentials"] = Credentials(**credentials)


@pytest.fixture
def settings():
    return Settings()


@pytest.fixture
def plain(settings):
    """Registries without TLS."""
    settings.all["plain_http"] = True
    return settings


@pytest.fixture
def make(tmp_path, settings):
    """Sources whose folder outlives them."""

    def made(*, folder="charts", pace=None, clock=None, **more):
        world = World(clock or SystemClock(), Ids(7), Metrics())
        slow = Pace(poll_s=3600, jitter_s=0, deadline_s=20, quiet_s=5)
        return ChartSources(tmp_path / folder, world, settings, pace=pace or slow, **more)

    return made


class Authority:
    """Issues certificates for loopback, and for those who come from there."""

    def __init__(self):
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
        self.pem = self._signed(self._name, self._key.public_key(), x509.BasicConstraints(ca=True, path_length=0))

    def pair(self):
        key = ec.generate_private_key(ec.SECP256R1())
        loopback = ipaddress.ip_address("127.0.0.1")
        names = x509.SubjectAlternativeName([x509.IPAddress(loopback), x509.DNSName("localhost")])
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "peer")])
        plain = serialization.PrivateFormat.PKCS8
        pem = key.private_bytes(serialization.Encoding.PEM, plain, serialization.NoEncryption())
        return self._signed(subject, key.public_key(), names), pem.decode()

    def server(self, folder, *, clients=False):
        certificate, key = self.pair()
        (folder / "server.pem").write_text(certificate + key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem")
        if clients:
            context.verify_mode = ssl.CERT_OPTIONAL
            context.load_verify_locations(cadata=self.pem)
        return context

    def _signed(self, subject, public_key, extension):
        start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(public_key)
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(start - dt.timedelta(days=3650)).not_valid_after(
            start + dt.timedelta(days=3650)
        )
        signed = builder.add_extension(extension, critical=False).sign(self._key, hashes.SHA256())
        return signed.public_bytes(serialization.Encoding.PEM).decode()


@pytest.fixture(scope="session")
def authority():
    return Authority()
