"""What stands in for clouds on a laptop: an AWS that is simulated, and a real PostgreSQL, each begun when it is first used."""

import asyncio
import base64
from collections.abc import Mapping
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

from plumbline.base.errors import AlreadyExists, PlumblineError
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.log import logger
from plumbline.base.plaintext import Plaintext
from plumbline.kernel.installing import AS_US, made
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.manifests import ConfigKind, config_kinds
from plumbline.providers.sandbox import sandbox
from plumbline.providers.sql import local_postgres

NAMESPACE: Final = "crossplane-system"
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_DEFAULT: Final = "default"
_KEYS: Final = b"[default]\naws_access_key_id = sandbox\naws_secret_access_key = sandbox\n"
_OURS: Final = {
    "plumbline.dev/laptop": "This is kept up to date while plumb up runs; without this annotation it is left alone."
}
_SIMULATED: Final = {"plumbline.dev/simulated": "This is a simulation on this machine; nothing here reaches AWS."}

log = logger(__name__)


class Laptop:
    """Gives kinds of AWS and PostgreSQL a `default` config, where nobody has made one. A context: it ends what it began."""

    def __init__(self, client: Client, data: Path, sandbox_port: int) -> None:
        self._client = client
        self._data = data
        self._port = sandbox_port
        self._stack = AsyncExitStack()
        self._lock = asyncio.Lock()
        self._given: set[str] = set()
        self._address: dict[str, JsonObject] = {}
        self.sandbox = ""
        """Where the simulated AWS is; empty where there is none."""

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        if find_spec("moto") is not None:
            self.sandbox = await self._simulating()
        return self

    async def _simulating(self) -> str:
        """At the port that was asked for, or where somebody has that, at another: whoever uses it is told where it is."""
        folder = self._data / "sandbox"
        try:
            running = await self._stack.enter_async_context(sandbox(folder, port=self._port))
        except OSError as taken:
            log.warning("port of the simulated AWS is taken", port=self._port, error=str(taken))
            running = await self._stack.enter_async_context(sandbox(folder))
        return running.url

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def provide(self, kind: ManagedKind) -> None:
        """Somebody uses *kind*: see that its provider has a config."""
        provider = kind.provider.name
        for config in config_kinds(kind.provider, namespaced=kind.namespaced):
            if config.namespaced or str(config.resource) in self._given:
                continue
            async with self._lock:
                try:
                    spec = await self._spec(provider)
                except PlumblineError as error:
                    log.warning(
                        "nothing to stand in for a provider", provider=provider, code=error.code, error=str(error)
                    )
                    return
                if spec is not None:
                    await self._configured(config, spec)
                self._given.add(str(config.resource))

    async def has_postgresql(self) -> bool:
        """Whether there is one to use, which only starting it tells; it stays up."""
        if find_spec("psycopg") is None:
            return False
        async with self._lock:
            try:
                await self._spec("sql")
            except PlumblineError as error:
                log.info("no local PostgreSQL", code=error.code, error=str(error))
                return False
        return True

    async def _spec(self, provider: str) -> JsonObject | None:
        if provider not in self._address:
            if provider == "aws" and self.sandbox:
                self._address[provider] = await self._simulated_aws()
            elif provider == "sql":
                self._address[provider] = await self._local_postgres()
        return self._address.get(provider)

    async def _simulated_aws(self) -> JsonObject:
        await self._secret("aws-sandbox", {"credentials": Plaintext(_KEYS)})
        url = {"type": "Static", "static": self.sandbox}
        services = ["dynamodb", "ec2", "eks", "elasticache", "iam", "kms", "rds", "route53", "s3", "secretsmanager", "sns", "sqs", "sts"]  # fmt: skip
        return {
            "credentials": {
                "source": "Secret",
                "secretRef": {"namespace": NAMESPACE, "name": "aws-sandbox", "key": "credentials"},
            },
            "endpoint": {"services": services, "url": url, "hostnameImmutable": True},
            "skip_credentials_validation": True,
            "skip_metadata_api_check": True,
            "s3_use_path_style": True,
        }

    async def _local_postgres(self) -> JsonObject:
        server = await self._stack.enter_async_context(local_postgres(self._data / "postgres"))
        await self._secret("local-postgres", server.secret())
        return {
            "credentials": {
                "source": "PostgreSQLConnectionSecret",
                "connectionSecretRef": {"namespace": NAMESPACE, "name": "local-postgres"},
            },
            "sslMode": "disable",
        }

    async def _configured(self, config: ConfigKind, spec: JsonObject) -> None:
        body: JsonObject = {
            "apiVersion": config.resource.api_version,
            "kind": config.kind,
            "metadata": {
                "name": _DEFAULT,
                "annotations": _OURS | (_SIMULATED if config.provider.name == "aws" else {}),
            },
            "spec": spec,
        }
        await self._kept(Target(config.resource, name=_DEFAULT), body)

    async def _secret(self, name: str, values: Mapping[str, Plaintext]) -> None:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
        await made(self._client, Target(GroupVersionResource("", "v1", "namespaces")), namespace)
        body = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": NAMESPACE, "annotations": _OURS},
            "data": {key: base64.b64encode(value.reveal()).decode() for key, value in values.items()},
        }
        await self._kept(Target(_SECRETS, NAMESPACE, name), body)

    async def _kept(self, target: Target, body: JsonObject) -> None:
        """Make it, or bring it up to date: ports may be others than the last time. What people have made stays as it is."""
        try:
            await self._client.create(target.collection, encode(body), AS_US)
        except AlreadyExists:
            live = decode(await self._client.get(target))
            ours = (live["metadata"].get("annotations") or {}).keys() & _OURS.keys()
            content = {part: value for part, value in body.items() if part in {"spec", "data"}}
            if ours and {part: live.get(part) for part in content} != content:
                await self._client.patch(target, encode(content), "merge", AS_US)
