"""Composition, managed resources and the providers behind them, on one gate."""

from typing import Final, NamedTuple

from plumbline.base.errors import EvaluationFailed
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.composition.composition import Composition
from plumbline.composition.composition import Parts as CompositionParts
from plumbline.composition.functions.configuration import Configured
from plumbline.composition.functions.registry import Registry
from plumbline.composition.packages.values import PackageKind, Served, repository_of
from plumbline.composition.usages import Admissions, Reached, Usages
from plumbline.composition.usages import Parts as UsageParts
from plumbline.gate.gate import Gate
from plumbline.gate.records import GatedRecords
from plumbline.kernel.collections import Collections
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.kube.names import GroupKind
from plumbline.managed.endpoints import Endpoints
from plumbline.managed.kinds import Catalogue, ManagedKind
from plumbline.managed.managed import ManagedResources, unprepared
from plumbline.managed.managed import Parts as ManagedParts
from plumbline.ownership.ledger import Ledger
from plumbline.providers import aws, azure, gcp, kubernetes, sql
from plumbline.wiring.laptop import Laptop

_CLUSTER: Final = "in-cluster"


class Ground(NamedTuple):
    """What provisioning stands on."""

    client: Client
    world: World
    gate: Gate
    ledger: Ledger
    functions: Configured
    admissions: Admissions
    reached: Reached | None
    """Where an API server finds our webhook; None where it cannot."""
    endpoints: Endpoints
    """Where ProviderConfigs may send calls instead of to their clouds."""


class Provisioning:
    def __init__(self, ground: Ground, laptop: Laptop | None = None) -> None:
        client, world = ground.client, ground.world
        self._ground = ground
        self._collections = Collections(client, world.metrics)
        self._clouds = (
            aws.Clients(endpoints=ground.endpoints),
            gcp.Connections(world.clock, endpoints=ground.endpoints),
            azure.Connections(world.clock, endpoints=ground.endpoints),
            kubernetes.Clusters(client),
            sql.Servers(),
        )
        self._functions = Registry(ground.functions, self._package, world.clock, world.ids)
        self.catalogue = Catalogue(self._kinds(client))
        self.managed = self._managed(laptop)
        self.composition = self._composition()
        self.usages = Usages(
            UsageParts(client, world, ground.gate, self._records, self._collections, ground.admissions, ground.reached)
        )

    def _managed(self, laptop: Laptop | None) -> ManagedResources:
        return ManagedResources(
            ManagedParts(
                client=self._ground.client,
                world=self._ground.world,
                gate=self._ground.gate,
                ledger=self._ground.ledger,
                records=self._records("plumbline-managed"),
                collections=self._collections,
                catalogue=self.catalogue,
                prepare=unprepared if laptop is None else laptop.provide,
            )
        )

    def _composition(self) -> Composition:
        return Composition(
            CompositionParts(
                client=self._ground.client,
                world=self._ground.world,
                gate=self._ground.gate,
                ledger=self._ground.ledger,
                records=self._records,
                function=self._functions.function,
                collections=self._collections,
                serving=self._served,
                activate=self._activated,
            )
        )

    def _records(self, component: str) -> Records:
        return GatedRecords(
            self._ground.gate, self._ground.client, self._ground.world.clock, component, cluster=_CLUSTER
        )

    async def offered(self, kind: GroupKind) -> bool:
        """A kind that nobody serves yet, and that somebody asks for."""
        return await self.managed.activation.ensure(kind)

    def _kinds(self, client: Client) -> tuple[ManagedKind, ...]:
        amazon, google, microsoft, clusters, servers = self._clouds
        return (
            *aws.kinds(amazon),
            *gcp.kinds(google),
            *azure.kinds(microsoft),
            *kubernetes.kinds(client, clusters=clusters, query=_answered),
            *sql.kinds(servers),
        )

    async def run(self) -> None:
        try:
            async with task_group() as group:
                group.create_task(self._collections.run())
                group.create_task(self._functions.serve())
                group.create_task(self.managed.run())
                group.create_task(self.composition.run())
                group.create_task(self.usages.run())
        finally:
            await self._functions.close()
            for cloud in self._clouds:
                await cloud.close()

    def _package(self, name: str) -> str | None:
        """The package that a Function object installs."""
        return self.composition.package(name)

    def _served(self, package: str, kind: PackageKind) -> Served | None:
        """What of ours stands in for a package of upstream's."""
        name = repository_of(package).rpartition("/")[2]
        if kind == "Function":
            ours = self._functions.stands_in_for(package)
            return Served(ours, ("composition",)) if ours else None
        if kind == "Provider":
            for provider in self.catalogue.providers:
                if any(name.startswith(each) for each in provider.packages):
                    return Served(name)
        return None

    async def _activated(self, served: Served) -> None:
        """A package is of one service, such as provider-aws-s3, of a provider, or of a family, which brings configs alone."""
        for provider in self.catalogue.providers:
            if any(served.name.startswith(each) for each in provider.packages):
                await self.managed.activation.configure(provider)
        brought = [kind.group_kind for kind in self.catalogue.kinds.values() if _brings(served.name, kind)]
        await self.managed.activation.ensure_all(brought)


def _brings(package: str, kind: ManagedKind) -> bool:
    provider = kind.provider
    if package in provider.packages and not package.startswith("provider-family-"):
        return True
    if kind.group in {provider.group, provider.twin_group}:
        return any(package.startswith(each) for each in provider.packages)
    of_service = package.rpartition("-")[2] == kind.group.partition(".")[0]
    return of_service and any(package.startswith(each) for each in provider.packages)


def _answered(expression: str, obj: JsonObject) -> bool:
    """A `celQuery`, in the language of the embedded API server."""
    from plumbline.apiserver.cel.declarations import Declarations  # noqa: PLC0415 - rarely asked for
    from plumbline.apiserver.cel.program import compile_expression, evaluate  # noqa: PLC0415 - same
    from plumbline.apiserver.cel.types import DYN  # noqa: PLC0415 - same

    value = evaluate(compile_expression(expression, Declarations({"object": DYN})), {"object": obj}).value
    if not isinstance(value, bool):
        raise EvaluationFailed("celQuery does not return a bool type", hint="Correct spec.readiness.celQuery.")
    return value
