"""Who calls Google, by what a ProviderConfig says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.environment import environment, home
from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.kube.client.credentials import Credentials
from plumbline.kube.client.transport import Headers, Transport
from plumbline.managed.endpoints import NO_OTHERS, Endpoints
from plumbline.managed.external import Config, SecretKey
from plumbline.providers.files import check_machines
from plumbline.providers.gcp.tokens import Fixed, Impersonated, Metadata, RefreshToken, ServiceAccountKey
from plumbline.providers.rest.accounts import Kept, Ways, spec_of
from plumbline.providers.rest.connections import ANONYMOUS, Opened, file_of, secret_of
from plumbline.providers.rest.tokens import Bearer, Connect, ReadAnew, Source

_WELL_KNOWN: Final = ".config/gcloud/application_default_credentials.json"
_OWN: Final = frozenset({"None", "Secret", "AccessToken"})


class _Named(msgspec.Struct, frozen=True):
    name: str = ""


class _File(msgspec.Struct, frozen=True):
    path: str = ""


class _Credentials(msgspec.Struct, frozen=True, rename="camel"):
    source: str = ""
    secret_ref: SecretKey | None = None
    env: _Named = _Named()
    fs: _File = _File()
    impersonate_service_account: _Named = _Named()


class _Spec(msgspec.Struct, frozen=True):
    credentials: _Credentials = _Credentials()
    project: str = msgspec.field(default="", name="projectID")
    billing_project: str = msgspec.field(default="", name="billingProject")
    user_project_override: bool = msgspec.field(default=False, name="userProjectOverride")


class GcpAccount:
    """One ProviderConfig: a connection for each of Google's services, all with the same token."""

    def __init__(self, spec: _Spec, credentials: Credentials, connections: Opened) -> None:
        self.project = spec.project
        billed = (spec.billing_project or spec.project) if spec.user_project_override else ""
        self.headers: Headers = (("X-Goog-User-Project", billed),) if billed else ()
        self._credentials = credentials
        self._connections = connections

    def transport(self, base: str) -> Transport:
        return self._connections.connect(base, self._credentials)

    async def close(self) -> None:
        await self._connections.close()


class Connections:
    """One account for each ProviderConfig, made anew when it or its Secret changes.

    *base_urls* replaces the addresses of Google's services, by the address that the facts have; *endpoints* are the servers that
    a ProviderConfig may name instead of all of them.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        base_urls: Mapping[str, str] | None = None,
        endpoints: Endpoints = NO_OTHERS,
        connect: Connect | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._clock = clock
        self._ways = Ways("Google", _OWN, endpoints, base_urls or {}, connect)
        self._variables = environment() if variables is None else variables
        self._kept = Kept(self._made)

    async def of(self, config: Config) -> GcpAccount:
        """Raises Refused or InvalidInput for a ProviderConfig that cannot be used."""
        return await self._kept.of(config)

    async def close(self) -> None:
        await self._kept.close()

    async def _made(self, config: Config) -> GcpAccount:
        spec = spec_of(config.spec, _Spec)
        connections = self._ways.opened(config, spec.credentials.source)
        return GcpAccount(spec, await self._credentials(config, spec.credentials, connections), connections)

    async def _credentials(self, config: Config, said: _Credentials, connections: Opened) -> Credentials:
        what, connect = f"{config.ref} cannot be used", connections.connect
        match said.source:
            case "Secret":
                return self._bearer(self._keyed(await secret_of(config, said.secret_ref), what, connect))
            case "AccessToken":
                return self._bearer(Fixed(await secret_of(config, said.secret_ref)))
            case "Environment":
                check_machines(config, said.source)
                value = self._variables.get(said.env.name, "")
                if not value:
                    raise NotFound(what, why=f"the environment has no variable {said.env.name}")
                return self._bearer(self._keyed(Plaintext(value), what, connect))
            case "Filesystem":
                check_machines(config, said.source)
                return self._bearer(await self._filed(Path(said.fs.path), what, connect))
            case "InjectedIdentity":
                return self._bearer(await self._injected(what, connect))
            case "ImpersonateServiceAccount":
                name = said.impersonate_service_account.name
                if not name:
                    raise InvalidInput(what, why="credentials.impersonateServiceAccount.name is empty")
                return self._bearer(Impersonated(name, self._bearer(await self._injected(what, connect)), connect))
            case "None" if connections.replaced:
                return ANONYMOUS
            case _:
                hint = (
                    "Use Secret, AccessToken, ImpersonateServiceAccount, InjectedIdentity, Environment or Filesystem."
                )
                raise InvalidInput(what, why=f"credentials.source {said.source!r} is not supported", hint=hint)

    def _bearer(self, source: Source) -> Bearer:
        return Bearer(source, self._clock)

    async def _injected(self, what: str, connect: Connect) -> Source:
        """As Google's own libraries look for it: a file that the environment names, gcloud's file, the metadata server."""
        named = self._variables.get("GOOGLE_APPLICATION_CREDENTIALS", "")
        path = Path(named) if named else home() / _WELL_KNOWN
        if named or path.exists():
            return await self._filed(path, what, connect)
        return Metadata(connect)

    async def _filed(self, path: Path, what: str, connect: Connect) -> Source:
        async def read() -> Source:
            return self._keyed(await file_of(path, what), what, connect)

        await read()  # what is wrong with it is told now
        return ReadAnew(read)

    def _keyed(self, raw: Plaintext, what: str, connect: Connect) -> Source:
        key = _key(raw, what)
        match key.get("type"):
            case "service_account":
                known.add(str(key.get("private_key", "")))
                return ServiceAccountKey(key, connect, self._clock)
            case "authorized_user":
                known.add(str(key.get("refresh_token", "")))
                return RefreshToken(key, connect)
            case other:
                why = f"the credentials are of the type {str(other)[:40]!r}"
                hint = "Use the JSON key of a service account, or InjectedIdentity with workload identity."
                raise InvalidInput(what, why=why, hint=hint)


def _key(raw: Plaintext, what: str) -> JsonObject:
    try:
        return msgspec.json.decode(raw.reveal(), type=dict[str, object])
    except msgspec.DecodeError:
        # The cause would quote the key.
        raise InvalidInput(what, why="the credentials are no JSON key of a service account") from None
