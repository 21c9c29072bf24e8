"""Objects from a cluster: by the name that people type, or the live one beside a manifest."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.kube.client import Client, Connection
from plumbline.kube.names import GroupVersionKind


class Cluster:
    """One cluster as this user; *namespace* is meant where an object names none."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    async def named(self, names: Sequence[str]) -> list[JsonObject]:
        """Objects by KIND/NAME, as kubectl takes it. Raises NotFound, UnknownKind."""
        async with task_group() as tasks:
            asked = [tasks.create_task(self._named(name)) for name in names]
        return [each.result() for each in asked]

    async def _named(self, text: str) -> JsonObject:
        kind, _, name = text.partition("/")
        if not kind or not name:
            raise InvalidInput(f"{text!r} does not name an object", hint="Write KIND/NAME, such as deployment/web.")
        from plumbline.cli.looking.asking import Wanted, found, resource  # noqa: PLC0415 - it looks for names alike

        return await found(self.client, Wanted(await resource(self.client, kind), name), self.namespace)

    async def live(self, manifest: JsonObject) -> JsonObject | None:
        """The object that *manifest* would become, as it is now; None where there is none."""
        resource = await self.client.discovery.resource(GroupVersionKind.of(manifest))
        metadata = manifest["metadata"]
        target = resource.target(str(metadata.get("namespace") or self.namespace), metadata["name"])
        try:
            return decode(await self.client.get(target))
        except NotFound:
            return None

    async def crd(self, kind: GroupVersionKind) -> JsonObject | None:
        """The CRD that defines *kind*; None where the kind is built in or served by somebody else."""
        definitions = await self.client.discovery.resource("customresourcedefinitions.apiextensions.k8s.io")
        resource = await self.client.discovery.resource(kind)
        try:
            return decode(await self.client.get(definitions.target(name=f"{resource.name}.{kind.group}")))
        except NotFound:
            return None


@asynccontextmanager
async def opened(kubeconfig: Path | None, context: str, namespace: str) -> AsyncIterator[Cluster]:
    connection = Connection.load(kubeconfig, context=context)
    async with Client.connect(connection) as client:
        yield Cluster(client, namespace or connection.namespace)
