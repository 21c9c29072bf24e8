"""Who calls Azure, by what a ProviderConfig says."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, Refused
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.kube.client.credentials import Credentials
from plumbline.kube.client.proxies import is_loopback
from plumbline.kube.client.transport import Transport
from plumbline.managed.endpoints import NO_OTHERS, Endpoints
from plumbline.managed.external import Config, SecretKey
from plumbline.providers.azure.tokens import (
    CLOUDS,
    IMDS,
    ClientCertificate,
    ClientSecret,
    Cloud,
    Federated,
    ManagedIdentity,
    Tenant,
)
from plumbline.providers.files import check_machines
from plumbline.providers.rest.accounts import Kept, Ways, spec_of
from plumbline.providers.rest.connections import ANONYMOUS, Opened, file_of, secret_of
from plumbline.providers.rest.tokens import Bearer, Connect, ReadAnew, Source

TOKEN_FILE: Final = "/var/run/secrets/azure/tokens/azure-identity-token"  # noqa: S105 - where it is, not what it is
_OWN: Final = frozenset({"None", "Secret"})
_name: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,127}").fullmatch


class _File(msgspec.Struct, frozen=True):
    path: str = ""


class _Credentials(msgspec.Struct, frozen=True, rename="camel"):
    source: str = ""
    secret_ref: SecretKey | None = None
    fs: _File = _File()


class _Postgres(msgspec.Struct, frozen=True, rename="camel"):
    restart_server_on_configuration_value_change: bool = False


class _Features(msgspec.Struct, frozen=True):
    postgres: _Postgres = msgspec.field(default=_Postgres(), name="postgreSQLFlexibleServer")


class _Spec(msgspec.Struct, frozen=True):
    credentials: _Credentials = _Credentials()
    client: str = msgspec.field(default="", name="clientID")
    subscription: str = msgspec.field(default="", name="subscriptionID")
    tenant: str = msgspec.field(default="", name="tenantID")
    msi_endpoint: str = msgspec.field(default="", name="msiEndpoint")
    environment: str = "public"
    token_file: str = msgspec.field(default=TOKEN_FILE, name="oidcTokenFilePath")
    features: _Features = _Features()


class _Key(msgspec.Struct, frozen=True, rename="camel"):
    """A service principal, as `az ad sp create-for-rbac --sdk-auth` writes it."""

    client_id: str = ""
    client_secret: str = ""
    client_certificate: str = ""
    client_certificate_password: str = ""
    tenant_id: str = ""
    subscription_id: str = ""


class _Who(msgspec.Struct, frozen=True):
    subscription: str
    credentials: Credentials


class AzureAccount:
    """One ProviderConfig: a subscription, and a connection to the Resource Manager."""

    def __init__(self, who: _Who, manager: str, connections: Opened, *, restarts: bool) -> None:
        self.subscription = who.subscription
        self.restarts = restarts
        self._credentials = who.credentials
        self._manager = manager
        self._connections = connections

    @property
    def transport(self) -> Transport:
        return self._connections.connect(self._manager, self._credentials)

    async def close(self) -> None:
        await self._connections.close()


class Connections:
    """One account for each ProviderConfig, made anew when it or its Secret changes.

    *base_urls* replaces the addresses of Azure's services, by the address that they have; *endpoints* are the servers that
    a ProviderConfig may name instead of all of them.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        base_urls: Mapping[str, str] | None = None,
        endpoints: Endpoints = NO_OTHERS,
        connect: Connect | None = None,
    ) -> None:
        self._clock = clock
        self._ways = Ways("Azure", _OWN, endpoints, base_urls or {}, connect)
        self._kept = Kept(self._made)

    async def of(self, config: Config) -> AzureAccount:
        """Raises Refused or InvalidInput for a ProviderConfig that cannot be used."""
        return await self._kept.of(config)

    async def close(self) -> None:
        await self._kept.close()

    async def _made(self, config: Config) -> AzureAccount:
        spec, what = spec_of(config.spec, _Spec), f"{config.ref} cannot be used"
        cloud = CLOUDS.get(spec.environment)
        if cloud is None:
            hint = f"Use one of {', '.join(CLOUDS)}."
            raise InvalidInput(what, why=f"there is no environment {spec.environment[:40]!r}", hint=hint)
        connections = self._ways.opened(config, spec.credentials.source)
        who = await self._who(config, spec, cloud, connections)
        restarts = spec.features.postgres.restart_server_on_configuration_value_change
        return AzureAccount(who, cloud.manager, connections, restarts=restarts)

    async def _who(self, config: Config, spec: _Spec, cloud: Cloud, connections: Opened) -> _Who:
        what, connect = f"{config.ref} cannot be used", connections.connect
        match spec.credentials.source:
            case "Secret":
                raw = await secret_of(config, spec.credentials.secret_ref)
                subscription, source = self._principal(raw, spec, what, cloud, connect)
                return self._as(subscription, what, source)
            case "Filesystem":
                check_machines(config, spec.credentials.source)
                return await self._filed(spec, what, cloud, connect)
            case "OIDCTokenFile":
                if spec.token_file != TOKEN_FILE:
                    check_machines(config, "oidcTokenFilePath")
                tenant = _tenant(cloud, spec.tenant, spec.client, what)
                return self._as(spec.subscription, what, Federated(tenant, Path(spec.token_file), connect))
            case "UserAssignedManagedIdentity" | "SystemAssignedManagedIdentity" as kind:
                if kind.startswith("User") and not spec.client:
                    raise InvalidInput(what, why="clientID is missing", hint="Say which identity is meant.")
                if is_loopback(spec.msi_endpoint):
                    check_machines(config, "msiEndpoint")
                client = spec.client if kind.startswith("User") else ""
                source = ManagedIdentity(cloud, client, _metadata(spec.msi_endpoint, what), connect)
                return self._as(spec.subscription, what, source)
            case "None" if connections.replaced:
                return _Who(_said(spec.subscription, "subscriptionID", what), ANONYMOUS)
            case other:
                hint = "Use Secret, Filesystem, OIDCTokenFile, UserAssignedManagedIdentity or SystemAssignedManagedIdentity."
                raise InvalidInput(what, why=f"credentials.source {other!r} is not supported", hint=hint)

    async def _filed(self, spec: _Spec, what: str, cloud: Cloud, connect: Connect) -> _Who:
        async def read() -> tuple[str, Source]:
            raw = await file_of(Path(spec.credentials.fs.path), what)
            return self._principal(raw, spec, what, cloud, connect)

        async def source() -> Source:
            return (await read())[1]

        subscription, _ = await read()
        return self._as(subscription, what, ReadAnew(source))

    def _principal(self, raw: Plaintext, spec: _Spec, what: str, cloud: Cloud, connect: Connect) -> tuple[str, Source]:
        key = _key(raw, what)
        tenant = _tenant(cloud, spec.tenant or key.tenant_id, spec.client or key.client_id, what)
        subscription = spec.subscription or key.subscription_id
        secret, password = Plaintext(key.client_secret), Plaintext(key.client_certificate_password)
        for value in (key.client_secret, key.client_certificate_password, key.client_certificate):
            known.add(value)
        if key.client_certificate:
            bundle = Plaintext(key.client_certificate)
            return subscription, ClientCertificate(tenant, bundle, password, connect, self._clock)
        if not key.client_secret:
            raise InvalidInput(what, why="the credentials have neither clientSecret nor clientCertificate")
        return subscription, ClientSecret(tenant, secret, connect)

    def _as(self, subscription: str, what: str, source: Source) -> _Who:
        return _Who(_said(subscription, "subscriptionID", what), Bearer(source, self._clock))


def _tenant(cloud: Cloud, tenant: str, client: str, what: str) -> Tenant:
    return Tenant(cloud, _said(tenant, "tenantID", what), _said(client, "clientID", what))


def _said(value: str, field: str, what: str) -> str:
    if not _name(value):
        why = f"{field} is no id" if value else f"{field} is missing"
        raise InvalidInput(what, why=why, hint="Set it in the ProviderConfig, or in the credentials.")
    return value


def _metadata(endpoint: str, what: str) -> str:
    """Where the machine's own identity is asked for: on the machine, and nowhere else."""
    if not endpoint:
        return IMDS
    host = urlsplit(endpoint).hostname
    if urlsplit(endpoint).scheme != "http" or not (is_loopback(endpoint) or host == urlsplit(IMDS).hostname):
        raise Refused(what, why="msiEndpoint names no address of this machine", hint=f"Use {IMDS}, or leave it out.")
    return endpoint.rstrip("/")


def _key(raw: Plaintext, what: str) -> _Key:
    try:
        found = msgspec.json.decode(raw.reveal(), type=_Key | list[_Key])
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The cause would quote the key.
        raise InvalidInput(what, why="the credentials are no JSON of a service principal") from None
    if isinstance(found, list):
        if not found:
            raise InvalidInput(what, why="the credentials name no service principal")
        return found[0]
    return found
