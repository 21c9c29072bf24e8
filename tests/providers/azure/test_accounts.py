"""Credentials: every source that a ProviderConfig can name, and what may not be."""

import base64
import datetime as dt

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID
from tests.providers.gcp.vendor.serving import InProcess, served

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import (
    GarbledReply,
    InvalidInput,
    NotFound,
    PlumblineError,
    Refused,
    ServerFault,
    Throttled,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.json import encode
from plumbline.kube.client.transport import Response
from plumbline.kube.names import Ref
from plumbline.managed.endpoints import Endpoints
from plumbline.managed.external import Config
from plumbline.providers.azure.accounts import Connections
from plumbline.providers.azure.arm import Call, ask
from plumbline.providers.rest.connections import ENDPOINT
from plumbline.providers.rest.tokens import segment

from .vendor.cloud import Cloud
from .vendor.identity import CLIENT, SUBSCRIPTION, TENANT
from .yard import KEY, REFERENCE, Secrets

GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop"
GET = Call(verb="GET", path=GROUP, version="2025-04-01")
MANAGER = "https://management.azure.com"
LOGIN = "https://login.microsoftonline.com"
WHO = {"clientID": CLIENT, "tenantID": TENANT, "subscriptionID": SUBSCRIPTION}


def stocked(**options):
    cloud = Cloud(**options)
    cloud.resources[GROUP.lower()] = {"id": GROUP, "name": "shop", "location": "westeurope"}
    return cloud


@pytest.fixture(scope="module")
def certificate():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key, signed(key, key)


def signed(key, by):
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "plumbline")])
    day = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 7, day, day + dt.timedelta(days=1))
    return builder.sign(by, None if isinstance(by, ed25519.Ed25519PrivateKey) else hashes.SHA256())


def bundle(key, certificate, password=b""):
    lock = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return base64.b64encode(pkcs12.serialize_key_and_certificates(b"x", key, certificate, None, lock)).decode()


class Scene:
    def __init__(self, **options):
        self.clock = VirtualClock()
        self.cloud = stocked(now=self.clock.monotonic)
        self.secrets = Secrets()
        self.opened = []
        self.accounts = Connections(self.clock, connect=self.connect, **options)

    def connect(self, base, credentials):
        self.opened.append(base)
        return InProcess(self.cloud, credentials)

    def key(self, value):
        self.secrets.values["system", "azure", "credentials"] = (
            value if isinstance(value, str) else encode(value).decode()
        )

    def config(self, annotations=None, version="", *, who=None, **credentials):
        spec = {"credentials": credentials, **(who or {})}
        ref = Ref("azure.upbound.io", "ProviderConfig", "", "default")
        return Config(ref, spec, self.secrets, version, annotations or {})

    async def ask(self, *, who=None, **credentials):
        return (await ask(await self.accounts.of(self.config(who=who, **credentials)), GET)).body


SECRET = {"source": "Secret", "secretRef": REFERENCE}


async def test_a_client_secret_is_exchanged_for_a_token():
    scene = Scene()
    assert (await scene.ask(**SECRET))["name"] == "shop"
    await scene.ask(**SECRET)
    assert len(scene.cloud.tokens) == 2, "a token serves until it is old"
    await scene.clock.advance(3500)
    await scene.ask(**SECRET)
    assert len(scene.cloud.tokens) == 3
    assert sorted(scene.opened) == [LOGIN, MANAGER]


async def test_a_token_that_azure_refuses_is_replaced_once():
    scene = Scene()
    await scene.ask(**SECRET)
    scene.cloud.tokens.clear()
    with pytest.raises(Unauthenticated):
        await scene.ask(**SECRET)
    await scene.clock.advance(60)
    assert await scene.ask(**SECRET)


async def test_the_config_says_more_than_the_key():
    scene = Scene()
    scene.key(
        {"clientId": "other", "clientSecret": KEY["clientSecret"], "tenantId": "other", "subscriptionId": "other"}
    )
    assert await scene.ask(who=WHO, **SECRET)


async def test_of_several_principals_the_first_is_used():
    scene = Scene()
    scene.key([KEY, {**KEY, "clientSecret": "another-secret"}])
    assert await scene.ask(**SECRET)


@pytest.mark.parametrize("password", ["", "certificate-password"], ids=["open", "with a password"])
async def test_a_certificate_signs_for_its_client(certificate, password):
    key, public = certificate
    scene = Scene()
    scene.cloud.certificates[segment(public.fingerprint(hashes.SHA256())).decode()] = public
    said = {name: value for name, value in KEY.items() if name != "clientSecret"}
    said |= {"clientCertificate": bundle(key, public, password.encode()), "clientCertificatePassword": password}
    scene.key(said)
    assert await scene.ask(**SECRET)


async def test_a_certificate_that_cannot_sign_is_refused(certificate):
    other = ed25519.Ed25519PrivateKey.generate()
    for wrong, text in ((bundle(other, signed(other, other)), "RSA"), ("bm9uc2Vuc2U=", "no PKCS#12")):
        scene = Scene()
        scene.key({**KEY, "clientCertificate": wrong})
        with pytest.raises(InvalidInput, match=text):
            await scene.ask(**SECRET)
    scene = Scene()
    scene.key({**KEY, "clientCertificate": bundle(*certificate)})
    with pytest.raises(Unauthenticated, match="not registered"):
        await scene.ask(**SECRET)


async def test_the_key_may_be_in_a_file(tmp_path):
    file = tmp_path / "key.json"
    file.write_bytes(encode(KEY))
    assert await Scene().ask(source="Filesystem", fs={"path": str(file)})


async def test_a_token_of_the_cluster_is_exchanged_and_read_anew(tmp_path):
    file = tmp_path / "token"
    file.write_text("cluster-token\n")
    scene = Scene()
    who = {**WHO, "oidcTokenFilePath": str(file)}
    assert await scene.ask(who=who, source="OIDCTokenFile")
    file.write_text("a-later-token")
    scene.cloud.federated.add("a-later-token")
    scene.cloud.federated.remove("cluster-token")
    await scene.clock.advance(3600)
    assert await scene.ask(who=who, source="OIDCTokenFile")


@pytest.mark.parametrize("kind", ["UserAssignedManagedIdentity", "SystemAssignedManagedIdentity"])
async def test_the_machines_own_identity_comes_from_its_metadata(kind):
    scene = Scene()
    assert await scene.ask(who=WHO, source=kind)
    assert "http://169.254.169.254" in scene.opened
    scene = Scene()
    endpoint = "http://127.0.0.1:40342/metadata/identity/oauth2/token"
    assert await scene.ask(who={**WHO, "msiEndpoint": endpoint}, source=kind)
    assert "http://127.0.0.1:40342" in scene.opened


@pytest.mark.parametrize(
    ("environment", "login", "manager"),
    [
        ("usgovernment", "https://login.microsoftonline.us", "https://management.usgovcloudapi.net"),
        ("china", "https://login.chinacloudapi.cn", "https://management.chinacloudapi.cn"),
    ],
)
async def test_other_clouds_are_elsewhere(environment, login, manager):
    scene = Scene()
    account = await scene.accounts.of(scene.config(who={"environment": environment}, **SECRET))
    with pytest.raises(Unauthenticated):
        await ask(account, GET)
    assert sorted(scene.opened) == sorted([login, manager])


MANAGED = {"source": "SystemAssignedManagedIdentity"}
UNUSABLE = [
    ({"source": "Secret"}, {}, None, InvalidInput, "no secretRef"),
    ({**SECRET, "secretRef": {**REFERENCE, "key": "x"}}, {}, None, NotFound, "no such key"),
    (SECRET, {}, "not json at all", InvalidInput, "no JSON"),
    (SECRET, {}, "[]", InvalidInput, "a list of nobody"),
    (SECRET, {}, {"clientId": CLIENT, "tenantId": TENANT, "subscriptionId": SUBSCRIPTION}, InvalidInput, "no secret"),
    (SECRET, {}, {**KEY, "subscriptionId": ""}, InvalidInput, "no subscription"),
    (SECRET, {}, {**KEY, "tenantId": "../evil"}, InvalidInput, "a tenant that is a path"),
    (SECRET, {}, {**KEY, "tenantId": "unknown"}, Unauthenticated, "a tenant that nobody knows"),
    (SECRET, {}, {**KEY, "clientSecret": "wrong-secret"}, Unauthenticated, "a wrong secret"),
    (SECRET, {"environment": "german"}, None, InvalidInput, "a cloud that is no more"),
    ({"source": "Filesystem", "fs": {"path": "/nowhere/key.json"}}, {}, None, NotFound, "no such file"),
    ({"source": "OIDCTokenFile"}, {}, None, InvalidInput, "nobody to be"),
    ({"source": "OIDCTokenFile"}, {**WHO, "oidcTokenFilePath": "/nowhere/token"}, None, NotFound, "no token"),
    ({"source": "UserAssignedManagedIdentity"}, {"subscriptionID": "s"}, None, InvalidInput, "which identity"),
    (MANAGED, {**WHO, "msiEndpoint": "http://evil.example"}, None, Refused, "metadata of somebody else"),
    (MANAGED, {**WHO, "msiEndpoint": "file:///etc/passwd"}, None, Refused, "no server at all"),
    ({"source": "None"}, WHO, None, InvalidInput, "Azure wants to know who it is"),
    ({"source": "Upbound"}, WHO, None, InvalidInput, "somebody else's cloud"),
    ({"source": 5}, {}, None, InvalidInput, "not even a word"),
]


@pytest.mark.parametrize(("credentials", "who", "key", "error", "why"), UNUSABLE, ids=[case[-1] for case in UNUSABLE])
async def test_credentials_that_cannot_be_used_are_refused_without_being_shown(credentials, who, key, error, why):
    scene = Scene()
    if key is not None:
        scene.key(key)
    with pytest.raises(error) as refused:
        await scene.ask(who=who, **credentials)
    shown = f"{refused.value}{refused.value.hint}"
    assert not any(secret in shown for secret in ("vendor-client-secret", "wrong-secret", "not json at all"))


class Says:
    """A server that says what it is told to, or nothing."""

    def __init__(self, status, body, headers=None):
        self.response = Response(status, headers or {}, body)

    async def send(self, request):
        if not self.response.status:
            raise Unreachable("no route")
        return self.response

    async def close(self):
        """Nothing is open."""


SAID = [
    (200, b"{}", GarbledReply),
    (200, b"<html>", GarbledReply),
    (503, b"", ServerFault),
    (429, b"", Throttled),
    (400, b'{"error":"invalid_request"}', Unauthenticated),
    (0, b"", Unauthenticated),
]


@pytest.mark.parametrize(("status", "body", "error"), SAID)
async def test_a_token_endpoint_that_gives_no_token_is_told_apart(status, body, error):
    accounts = Connections(VirtualClock(), connect=lambda base, credentials: Says(status, body))
    account = await accounts.of(Scene().config(who=WHO, **MANAGED))
    with pytest.raises(error):
        await account._credentials.renew(None)


async def test_how_long_a_token_lasts_may_be_no_number():
    body = b'{"access_token": "abcdefgh", "expires_in": "soon"}'
    accounts = Connections(VirtualClock(), connect=lambda base, credentials: Says(200, body))
    account = await accounts.of(Scene().config(who=WHO, **MANAGED))
    assert await account._credentials.renew(None)


async def test_an_account_is_kept_until_its_config_changes():
    scene = Scene()
    first = await scene.accounts.of(scene.config(version="1", **SECRET))
    transport = first.transport
    assert await scene.accounts.of(scene.config(version="1", **SECRET)) is first
    second = await scene.accounts.of(scene.config(version="2", **SECRET))
    assert second is not first
    assert transport.closed
    other = second.transport
    await scene.accounts.close()
    assert other.closed


@pytest.mark.parametrize("source", ["None", "Secret"])
async def test_an_endpoint_that_nobody_allows_is_refused(source):
    scene = Scene()
    with pytest.raises(Refused, match="not allowed"):
        await scene.accounts.of(scene.config({ENDPOINT: "http://127.0.0.1:1"}, who=WHO, source=source))


async def test_our_own_identity_goes_to_no_endpoint_whoever_allows_it():
    scene = Scene(endpoints=Endpoints(loopback=True))
    with pytest.raises(Refused, match="go to Azure only"):
        await scene.accounts.of(scene.config({ENDPOINT: "http://127.0.0.1:1"}, who=WHO, source="OIDCTokenFile"))


async def test_a_sandbox_on_this_machine_stands_in_for_all_of_azure():
    scene = Scene()
    async with served(stocked(open_to_all=True)) as address:
        for credentials in ({"source": "None"}, SECRET):
            accounts = Connections(scene.clock, endpoints=Endpoints(loopback=True))
            try:
                account = await accounts.of(scene.config({ENDPOINT: address}, who=WHO, **credentials))
                assert (await ask(account, GET)).body
            finally:
                await accounts.close()


async def test_base_urls_replace_the_addresses_of_services():
    cloud = stocked(open_to_all=True)
    cloud.lose("PATCH groups")
    async with served(cloud) as address:
        accounts = Connections(VirtualClock(), base_urls={MANAGER: address})
        account = await accounts.of(Scene().config(who=WHO, source="None"))
        try:
            with pytest.raises(Unreachable):
                await ask(account, Call(verb="PATCH", path=GROUP, version="2025-04-01", body={"tags": {}}))
            assert (await ask(account, GET)).body
        finally:
            await accounts.close()


ODD = [(200, b"<html>"), (200, b"[]"), (404, b"<html>not found</html>")]


@pytest.mark.parametrize(("status", "body"), ODD)
async def test_an_answer_that_is_none_of_azures_is_told_and_never_means_gone(status, body):
    accounts = Connections(VirtualClock(), base_urls={"x": "y"}, connect=lambda base, credentials: Says(status, body))
    account = await accounts.of(Scene().config(who=WHO, source="None"))
    with pytest.raises(PlumblineError) as told:
        await ask(account, GET)
    assert told.value.code == "garbled-reply"


@pytest.mark.parametrize(
    ("headers", "status", "operation"),
    [
        (
            {"azure-asyncoperation": "https://evil.example/subscriptions/s/op?a=b%2Fc"},
            200,
            "/subscriptions/s/op?a=b%2Fc",
        ),
        ({"location": f"{MANAGER}/subscriptions/s/op?x=1"}, 202, "/subscriptions/s/op?x=1"),
        ({"location": f"{MANAGER}/subscriptions/s/op"}, 200, ""),
        ({"azure-asyncoperation": "nonsense"}, 202, ""),
    ],
)
async def test_where_an_operation_is_looked_at_is_always_the_resource_manager(headers, status, operation):
    accounts = Connections(
        VirtualClock(), base_urls={"x": "y"}, connect=lambda base, credentials: Says(status, b"", headers)
    )
    account = await accounts.of(Scene().config(who=WHO, source="None"))
    assert (await ask(account, GET)).operation == operation


async def test_a_secret_that_is_replaced_in_its_file_is_used_with_the_next_token(tmp_path):
    file = tmp_path / "key.json"
    file.write_bytes(encode({**KEY, "clientSecret": "an-older-secret"}))
    scene = Scene()
    with pytest.raises(Unauthenticated):
        await scene.ask(source="Filesystem", fs={"path": str(file)})
    file.write_bytes(encode(KEY))
    assert await scene.ask(source="Filesystem", fs={"path": str(file)})
