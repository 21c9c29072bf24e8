"""Credentials: every source that a ProviderConfig can name, and what may not be."""

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import (
    GarbledReply,
    InvalidInput,
    NotFound,
    PlumblineError,
    Refused,
    ServerFault,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.json import encode
from plumbline.kube.client.transport import Response
from plumbline.kube.names import Ref
from plumbline.managed.endpoints import Endpoints
from plumbline.managed.external import Config
from plumbline.providers.gcp.accounts import Connections
from plumbline.providers.gcp.facts import api
from plumbline.providers.gcp.rest import Call, ask
from plumbline.providers.rest.connections import ENDPOINT

from .vendor.cloud import Cloud
from .vendor.serving import InProcess, served
from .yard import PROJECT, Secrets

EMAIL = "plumbline@shop.iam.gserviceaccount.com"
GET = Call(method="projects.topics.get", place={"topic": f"projects/{PROJECT}/topics/orders"})
REFERENCE = {"namespace": "system", "name": "gcp", "key": "key"}


@pytest.fixture(scope="module")
def private():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(private):
    return private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def key_of(private, **changes):
    key = {
        "type": "service_account",
        "client_email": EMAIL,
        "private_key": pem(private),
        "private_key_id": "1",
        **changes,
    }
    return encode(key).decode()


class Scene:
    def __init__(self, private=None, **how):
        self.clock = VirtualClock()
        self.cloud = Cloud(self.clock.monotonic)
        self.cloud.resources[f"projects/{PROJECT}/topics/orders"] = {"name": f"projects/{PROJECT}/topics/orders"}
        if private is not None:
            self.cloud.keys[EMAIL] = private.public_key()
        self.secrets = Secrets()
        self.accounts = Connections(self.clock, connect=self._connect, variables=how.pop("variables", {}), **how)
        self.opened = []

    def _connect(self, base, credentials):
        self.opened.append(base)
        return InProcess(self.cloud, credentials)

    def config(self, annotations=None, version="", **credentials):
        spec = {"projectID": PROJECT, "credentials": credentials}
        return Config(
            Ref("gcp.upbound.io", "ProviderConfig", "", "default"), spec, self.secrets, version, annotations or {}
        )

    async def ask(self, **credentials):
        return await ask(await self.accounts.of(self.config(**credentials)), api("pubsub.v1"), GET)


async def test_a_service_accounts_key_is_exchanged_for_a_token(private):
    scene = Scene(private)
    scene.secrets.values["system", "gcp", "key"] = key_of(private)
    assert (await scene.ask(source="Secret", secretRef=REFERENCE))["name"]
    await scene.ask(source="Secret", secretRef=REFERENCE)
    assert len(scene.cloud.tokens) == 2, "a token serves until it is old"
    await scene.clock.advance(3500)
    await scene.ask(source="Secret", secretRef=REFERENCE)
    assert len(scene.cloud.tokens) == 3
    assert sorted(scene.opened) == ["https://oauth2.googleapis.com", "https://pubsub.googleapis.com"]


async def test_a_token_that_google_refuses_is_replaced_once(private):
    scene = Scene(private)
    scene.secrets.values["system", "gcp", "key"] = key_of(private)
    await scene.ask(source="Secret", secretRef=REFERENCE)
    scene.cloud.tokens.clear()
    with pytest.raises(Unauthenticated):
        await scene.ask(source="Secret", secretRef=REFERENCE)
    await scene.clock.advance(60)
    assert (await scene.ask(source="Secret", secretRef=REFERENCE))["name"]


async def test_the_key_may_come_from_the_environment_a_file_or_gcloud(private, tmp_path):
    file = tmp_path / "key.json"
    file.write_text(key_of(private))
    scene = Scene(private, variables={"GCP_KEY": key_of(private)})
    assert await scene.ask(source="Environment", env={"name": "GCP_KEY"})
    scene = Scene(private)
    assert await scene.ask(source="Filesystem", fs={"path": str(file)})
    scene = Scene(private, variables={"GOOGLE_APPLICATION_CREDENTIALS": str(file)})
    assert await scene.ask(source="InjectedIdentity")
    user = {"type": "authorized_user", "client_id": "a", "client_secret": "secret-b", "refresh_token": "refresh-c"}
    file.write_bytes(encode(user))
    scene = Scene()
    assert await scene.ask(source="Filesystem", fs={"path": str(file)})


async def test_the_machines_own_identity_comes_from_its_metadata(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    scene = Scene()
    assert await scene.ask(source="InjectedIdentity")
    assert "http://metadata.google.internal" in scene.opened


async def test_another_service_account_is_impersonated(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    scene = Scene()
    assert await scene.ask(source="ImpersonateServiceAccount", impersonateServiceAccount={"name": EMAIL})
    assert "https://iamcredentials.googleapis.com" in scene.opened
    scene = Scene()
    with pytest.raises(Unauthenticated, match="Unknown service account"):
        await scene.ask(source="ImpersonateServiceAccount", impersonateServiceAccount={"name": "nobody@example.com"})
    scene = Scene()
    scene.cloud.tokens.clear()
    scene.cloud.tokens = _Nobody()
    with pytest.raises(Unauthenticated):
        await scene.ask(source="ImpersonateServiceAccount", impersonateServiceAccount={"name": EMAIL})


class _Nobody(set):
    """Tokens of which none is ever good."""

    def __contains__(self, token):
        return False


async def test_an_access_token_is_used_as_it_is():
    scene = Scene()
    scene.secrets.values["system", "gcp", "key"] = "vendor-token\n"
    assert await scene.ask(source="AccessToken", secretRef=REFERENCE)


UNUSABLE = [
    ({"source": "Secret"}, None, InvalidInput, "no secretRef"),
    ({"source": "Secret", "secretRef": REFERENCE}, None, NotFound, "no such Secret"),
    ({"source": "Secret", "secretRef": REFERENCE}, "not json", InvalidInput, "no JSON"),
    ({"source": "Secret", "secretRef": REFERENCE}, '{"type": "external_account"}', InvalidInput, "another type of key"),
    ({"source": "AccessToken", "secretRef": REFERENCE}, "two\nlines", InvalidInput, "a token that smuggles a header"),
    ({"source": "AccessToken", "secretRef": REFERENCE}, " ", InvalidInput, "an empty token"),
    ({"source": "Environment", "env": {"name": "NOPE"}}, None, NotFound, "no such variable"),
    ({"source": "Filesystem", "fs": {"path": "/nowhere/key.json"}}, None, NotFound, "no such file"),
    ({"source": "ImpersonateServiceAccount"}, None, InvalidInput, "nobody to impersonate"),
    ({"source": "None"}, None, InvalidInput, "Google wants to know who it is"),
    ({"source": "Upbound"}, None, InvalidInput, "somebody else's cloud"),
    ({"source": 5}, None, InvalidInput, "not even a word"),
]


@pytest.mark.parametrize(("credentials", "secret", "error", "why"), UNUSABLE, ids=[why for *_, why in UNUSABLE])
async def test_credentials_that_cannot_be_used_are_refused_without_being_shown(credentials, secret, error, why):
    scene = Scene()
    if secret is not None:
        scene.secrets.values["system", "gcp", "key"] = secret
    with pytest.raises(error) as refused:
        await scene.ask(**credentials)
    assert not (secret or "").strip() or secret not in f"{refused.value}{refused.value.hint}"


@pytest.mark.parametrize(
    ("changes", "error", "why"),
    [
        ({"private_key": "nonsense"}, InvalidInput, "no key"),
        ({"client_email": "other@example.com"}, Unauthenticated, "unknown to Google"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_key_that_google_does_not_take_is_refused(private, changes, error, why):
    scene = Scene(private)
    scene.secrets.values["system", "gcp", "key"] = key_of(private, **changes)
    with pytest.raises(error):
        await scene.ask(source="Secret", secretRef=REFERENCE)


async def test_only_rsa_keys_sign_for_google(private):
    scene = Scene(private)
    other = pem(ed25519.Ed25519PrivateKey.generate())
    scene.secrets.values["system", "gcp", "key"] = key_of(private, private_key=other)
    with pytest.raises(InvalidInput, match="no RSA key"):
        await scene.ask(source="Secret", secretRef=REFERENCE)


class Says:
    """A token endpoint that says what it is told to, or nothing."""

    def __init__(self, status, body):
        self.response = Response(status, {}, body)

    async def send(self, request):
        if not self.response.status:
            raise Unreachable("no route")
        return self.response

    async def close(self):
        """Nothing is open."""


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, b"{}", GarbledReply),
        (200, b"<html>", GarbledReply),
        (503, b"", ServerFault),
        (400, b'{"error":{"message":"x"}}', Unauthenticated),
        (0, b"", Unauthenticated),
    ],
)
async def test_a_token_endpoint_that_gives_no_token_is_told_apart(status, body, error, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    accounts = Connections(
        VirtualClock(),
        connect=lambda base, credentials: Says(status, body) if credentials is None else None,
        variables={},
    )
    account = await accounts.of(Scene().config(source="InjectedIdentity"))
    with pytest.raises(error):
        await account._credentials.renew(None)


async def test_an_account_is_kept_until_its_config_changes():
    scene = Scene()
    scene.secrets.values["system", "gcp", "key"] = "vendor-token"
    credentials = {"source": "AccessToken", "secretRef": REFERENCE}
    first = await scene.accounts.of(scene.config(version="1", **credentials))
    transport = first.transport("https://pubsub.googleapis.com")
    assert await scene.accounts.of(scene.config(version="1", **credentials)) is first
    second = await scene.accounts.of(scene.config(version="2", **credentials))
    assert second is not first
    assert transport.closed
    other = second.transport("https://pubsub.googleapis.com")
    await scene.accounts.close()
    assert other.closed


@pytest.mark.parametrize("source", ["None", "Secret"])
async def test_an_endpoint_that_nobody_allows_is_refused(source):
    scene = Scene()
    with pytest.raises(Refused, match="not allowed"):
        await scene.accounts.of(scene.config({ENDPOINT: "http://127.0.0.1:1"}, source=source))


async def test_our_own_identity_goes_to_no_endpoint_whoever_allows_it():
    scene = Scene(endpoints=Endpoints(loopback=True))
    with pytest.raises(Refused, match="go to Google only"):
        await scene.accounts.of(scene.config({ENDPOINT: "http://127.0.0.1:1"}, source="InjectedIdentity"))


async def test_a_sandbox_on_this_machine_stands_in_for_all_of_google(private):
    cloud = Cloud(open_to_all=True)
    cloud.resources[f"projects/{PROJECT}/topics/orders"] = {"name": f"projects/{PROJECT}/topics/orders"}
    cloud.keys[EMAIL] = private.public_key()
    scene = Scene()
    scene.secrets.values["system", "gcp", "key"] = key_of(private)
    async with served(cloud) as address:
        for source in ("None", "Secret"):
            accounts = Connections(scene.clock, endpoints=Endpoints(loopback=True))
            config = scene.config({ENDPOINT: address}, source=source, secretRef=REFERENCE)
            try:
                assert await ask(await accounts.of(config), api("pubsub.v1"), GET)
            finally:
                await accounts.close()


async def test_base_urls_replace_the_addresses_of_services():
    cloud = Cloud(open_to_all=True)
    cloud.lose("projects.topics.create")
    async with served(cloud) as address:
        accounts = Connections(VirtualClock(), base_urls={"https://pubsub.googleapis.com": address})
        account = await accounts.of(Scene().config(source="None"))
        create = Call(method="projects.topics.create", place={"name": f"projects/{PROJECT}/topics/orders"}, body={})
        try:
            with pytest.raises(Unreachable):
                await ask(account, api("pubsub.v1"), create)
            assert await ask(account, api("pubsub.v1"), GET)
        finally:
            await accounts.close()


@pytest.mark.parametrize("body", [b"<html>", b"[]"])
async def test_an_answer_that_is_none_of_googles_is_told(body):
    accounts = Connections(VirtualClock(), base_urls={"x": "y"}, connect=lambda base, credentials: Says(200, body))
    account = await accounts.of(Scene().config(source="None"))
    with pytest.raises(PlumblineError) as told:
        await ask(account, api("pubsub.v1"), GET)
    assert told.value.code == "garbled-reply"


async def test_a_key_that_is_replaced_in_its_file_is_used_with_the_next_token(private, tmp_path):
    file = tmp_path / "key.json"
    file.write_text(key_of(private))
    scene = Scene(private)
    assert await scene.ask(source="Filesystem", fs={"path": str(file)})
    later = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    scene.cloud.keys[EMAIL] = later.public_key()
    file.write_text(key_of(later))
    await scene.clock.advance(3600)
    assert await scene.ask(source="Filesystem", fs={"path": str(file)})
