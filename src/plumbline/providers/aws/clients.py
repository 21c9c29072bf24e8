"""Connections to AWS: one client for each service, region and ProviderConfig in use, a bounded number of them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

from plumbline.base.errors import InvalidInput, PlumblineError
from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.kube.names import Ref
from plumbline.managed.endpoints import NO_OTHERS, Endpoints
from plumbline.managed.external import Config
from plumbline.providers.aws import config as configs
from plumbline.providers.aws import faults, models
from plumbline.providers.aws.credentials import Addressed, session_for
from plumbline.providers.turns import Turns

_LIMIT: Final = 48
_SESSIONS: Final = 256
_CONNECTIONS: Final = 16
_CONNECT_TIMEOUT_S: Final = 5
_READ_TIMEOUT_S: Final = 30
_MOST_PAGES: Final = 100
_READING: Final = ("Get", "List", "Describe", "Head")


class _Session:
    """One identity: the session of one version of one ProviderConfig, and where its calls go."""

    def __init__(self, version: bytes, spec: configs.Spec, address: Addressed, session: Any) -> None:
        self.version = version
        self.spec = spec
        self.address = address
        self.session = session
        self.account_id = ""


class _Lent:
    """A client, and how many calls it is in. It is closed once it is retired and the last call has ended."""

    def __init__(self, session: _Session, client: Any) -> None:
        self.session = session
        self.client = client
        self.users = 0
        self.retired = False


class Clients:
    """Belongs to one event loop. `close` when done. *endpoints* are the servers that a ProviderConfig may name instead of AWS's."""

    def __init__(self, *, endpoints: Endpoints = NO_OTHERS, limit: int = _LIMIT) -> None:
        self._endpoints = endpoints
        self._limit = limit
        self._sessions: dict[Ref, _Session] = {}
        self._open: dict[tuple[Ref, str, str], _Lent] = {}
        self._turns = Turns()

    def __len__(self) -> int:
        return len(self._open)

    async def account(self, config: Config, region: str) -> "Account":
        """The account that *config* opens, as seen from *region*. The network is not asked yet."""
        session = await self._session(config)
        spec = session.spec
        if not spec.skip_region_validation and spec.endpoint is None and region not in models.regions():
            raise InvalidInput(
                f"There is no region {region}", hint="Check spec.forProvider.region; for a new one, set skip_region_validation in the ProviderConfig."
            )  # fmt: skip
        return Account(self, config.ref, session, region)

    async def _session(self, config: Config) -> _Session:
        version = config.version.encode() or encode_sorted(config.spec)
        async with self._turns.of(config.ref):
            known = self._sessions.pop(config.ref, None)
            if known is not None and known.version == version:
                self._sessions[config.ref] = known  # at the end: the first one is who was not used for longest
                return known
            spec = configs.parse(config.spec)
            address = partial(_address, self._endpoints, config.ref, spec)
            session = await session_for(spec, config, address)
            made = self._sessions[config.ref] = _Session(version, spec, address, session)
            for key in [key for key in self._open if key[0] == config.ref]:
                await self._retire(key)
            if len(self._sessions) > _SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            return made

    @asynccontextmanager
    async def lend(self, config: Ref, session: _Session, region: str, service: str) -> AsyncIterator[Any]:
        key = (config, region, service)
        async with self._turns.of(key):
            if key in self._open and self._open[key].session is not session:
                await self._retire(key)
            if key not in self._open:
                self._open[key] = _Lent(session, await _made(session, region, service))
            lent = self._open[key] = self._open.pop(key)  # at the end, as with sessions
            lent.users += 1
            while len(self._open) > self._limit:
                await self._retire(next(iter(self._open)))
        try:
            yield lent.client
        finally:
            lent.users -= 1
            if lent.retired and not lent.users:
                await lent.client.__aexit__(None, None, None)

    async def _retire(self, key: tuple[Ref, str, str]) -> None:
        lent = self._open.pop(key, None)
        if lent is None:
            return
        lent.retired = True
        if not lent.users:
            await lent.client.__aexit__(None, None, None)

    async def close(self) -> None:
        for key in list(self._open):
            await self._retire(key)
        self._sessions.clear()


def _address(endpoints: Endpoints, config: Ref, spec: configs.Spec, service: str, region: str) -> str | None:
    """Where calls of *service* go; None for AWS's own address. Raises Refused for what only the ProviderConfig allows."""
    said = spec.address(service, region)
    return said and endpoints.admitted(said, config, "spec.endpoint", own=models.own_hosts(service, region))


async def _made(session: _Session, region: str, service: str) -> Any:
    # Unpacking and reading a model takes up to a tenth of a second: not on the loop that everybody shares.
    await asyncio.to_thread(models.service_model, service)
    spec = session.spec
    options: dict[str, Any] = {
        "connect_timeout": _CONNECT_TIMEOUT_S,
        "read_timeout": _READ_TIMEOUT_S,
        "max_pool_connections": _CONNECTIONS,
        # Nobody repeats a write behind our back: some creations would make a second one.
        "retries": {"total_max_attempts": 1, "mode": "standard"},
        "user_agent_extra": "plumbline",
    }
    if spec.s3_use_path_style and service == "s3":
        options["s3"] = {"addressing_style": "path"}
    settings = models.settings(**options)
    opened = session.session.create_client(
        service, region_name=region, endpoint_url=session.address(service, region), config=settings
    )
    client = await opened.__aenter__()
    if spec.endpoint is not None and (spec.endpoint.signing_region or spec.endpoint.signing_name):
        client.meta.events.register("before-call", _signing(spec.endpoint))
    return client


def _signing(endpoint: configs.Endpoint) -> Any:
    def sign_as(context: dict[str, Any], **_: object) -> None:
        signing = context.setdefault("signing", {})
        if endpoint.signing_region:
            signing["region"] = endpoint.signing_region
        if endpoint.signing_name:
            signing["signing_name"] = endpoint.signing_name

    return sign_as


class Account:
    """One account in one region. Every call is one request, but that a question over a broken connection is asked again."""

    def __init__(self, clients: Clients, config: Ref, session: _Session, region: str) -> None:
        self._clients = clients
        self._config = config
        self._session = session
        self.region = region

    @property
    def partition(self) -> str:
        endpoint = self._session.spec.endpoint
        return (endpoint.partition_id if endpoint else "") or models.partition_of(self.region)

    async def call(self, service: str, operation: str, params: Mapping[str, Json]) -> JsonObject:
        """The answer. What AWS says instead is raised as an error of the tree, whose cause has AWS's code (`faults.code_of`)."""
        reading = operation.startswith(_READING)
        for last in (False, True) if reading else (True,):
            with suppress(_BrokenError):
                return await self._call(service, operation, params, raises=last)
        raise AssertionError("unreachable: the last attempt raises")

    async def _call(self, service: str, operation: str, params: Mapping[str, Json], *, raises: bool) -> JsonObject:
        what = f"{service}:{operation} did not succeed"
        try:
            async with self._clients.lend(self._config, self._session, self.region, service) as client:
                method = getattr(client, models.library("botocore").xform_name(operation))
                answer: JsonObject = dict(await method(**params))
        except PlumblineError:
            raise
        except Exception as error:
            if not raises and isinstance(error, models.library("botocore.exceptions").ConnectionClosedError):
                raise _BrokenError from error
            fault = faults.translated(error, what)
            if fault is None:
                raise
            raise fault from error
        answer.pop("ResponseMetadata", None)
        return answer

    async def pages(self, service: str, operation: str, params: Mapping[str, Json]) -> JsonObject:
        """Like `call`, with the lists of all pages in one answer."""
        how = models.pages(service, operation)
        answer = await self.call(service, operation, params)
        whole = answer
        for _ in range(_MOST_PAGES):
            if how is None or not (more := _continued(how, answer)):
                break
            answer = await self.call(service, operation, {**params, **more})
            whole = _joined(whole, answer)
        return whole

    async def account_id(self) -> str:
        """Asked for once. Empty where the ProviderConfig says not to ask."""
        session = self._session
        if not session.account_id and not session.spec.skip_requesting_account_id:
            session.account_id = str((await self.call("sts", "GetCallerIdentity", {}))["Account"])
        return session.account_id


class _BrokenError(Exception):
    """A kept connection that the other side had closed meanwhile."""


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _continued(how: JsonObject, answer: JsonObject) -> JsonObject:
    tokens = zip(_list(how["input_token"]), _list(how["output_token"]), strict=True)
    return {name: token for name, at in tokens if (token := models.pick(at, answer))}


def _joined(whole: JsonObject, page: JsonObject) -> JsonObject:
    result = dict(whole)
    for name, value in page.items():
        before = result.get(name)
        result[name] = [*before, *value] if isinstance(before, list) and isinstance(value, list) else value
    return result
