"""A plane with its housekeeping controllers on time that costs nothing, and the few words that stories about it need."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.plane import Plane
from plumbline.apiserver.statuses import failure
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kube.names import GroupKind, GroupVersionKind

AUTHORITY = "-----BEGIN CERTIFICATE-----\nhere\n-----END CERTIFICATE-----\n"
CM = GroupKind("", "ConfigMap")
EVENT = GroupKind("", "Event")
NAMESPACE = GroupKind("", "Namespace")
ROLE = GroupKind("rbac.authorization.k8s.io", "ClusterRole")
SECRET = GroupKind("", "Secret")


def virtually(test: Callable[..., Coroutine[None, None, None]]) -> Callable[..., None]:
    """Run a test on a virtual loop of its own."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        run_virtually(lambda: test(*args, **kwargs))

    return run


class Guarding:
    """A validating webhook that refuses to let some objects go, or be changed, by their names."""

    def __init__(self, *names: str, operation: Operation = Operation.DELETE) -> None:
        self.names = set(names)
        self.operation = operation
        self.slow_s = 0.0

    async def mutated(self, attributes: Attributes) -> JsonObject:
        return attributes.obj or {}

    async def check(self, attributes: Attributes) -> None:
        name = attributes.scope.name
        if attributes.operation is self.operation and name in self.names:
            await asyncio.sleep(self.slow_s)
            raise failure(403, "Forbidden", f'admission webhook "guard.example.org" denied the request: {name} stays')


class House:
    def __init__(self, plane: Plane) -> None:
        self.plane = plane
        self.cluster = plane.cluster

    def guard(self, guard: Guarding) -> Guarding:
        """Asked from now on about every write."""
        self.plane.context.admission.webhooks = guard
        return guard

    async def make(self, obj: JsonObject) -> JsonObject:
        return await self.cluster.create(obj)

    async def config(self, name: str, *owners: JsonObject, namespace: str = "default", **metadata) -> JsonObject:
        """A ConfigMap that is owned by *owners*."""
        about = {"name": name, "namespace": namespace, **metadata}
        if owners:
            about["ownerReferences"] = list(owners)
        return await self.make({"apiVersion": "v1", "kind": "ConfigMap", "metadata": about})

    def find(self, name: str, namespace: str = "default", kind: GroupKind = CM) -> JsonObject | None:
        return self.cluster.get(kind, namespace, name)

    def get(self, name: str, namespace: str = "default", kind: GroupKind = CM) -> JsonObject:
        found = self.find(name, namespace, kind)
        assert found is not None, f"{kind} {name} is not there"
        return found

    def names(self, namespace: str = "default") -> set[str]:
        found = {each["metadata"]["name"] for each in self.cluster.objects(CM, namespace)}
        return found - {"kube-root-ca.crt"}

    async def finish(self, name: str, namespace: str = "default") -> None:
        """Take away its finalizers, whoever they are for."""
        await self.cluster.edit(self.get(name, namespace), _without_finalizers)

    async def rest(self, for_s: float = 0.0) -> None:
        """Wait until nobody has anything to do, and then for that long."""
        await asyncio.sleep(for_s)
        calm = 0
        while calm < 5:
            await asyncio.sleep(0)
            calm = calm + 1 if self.plane._controllers.idle else 0


def _without_finalizers(obj: JsonObject) -> JsonObject:
    metadata = {field: value for field, value in obj["metadata"].items() if field != "finalizers"}
    return {**obj, "metadata": metadata}


def owner(obj: JsonObject, **more) -> JsonObject:
    """A reference to *obj*."""
    kind, metadata = GroupVersionKind.of(obj), obj["metadata"]
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "name": metadata["name"],
        "uid": metadata["uid"],
        **more,
    }


@asynccontextmanager
async def house(make: Callable[[], Plane] | None = None) -> AsyncIterator[House]:
    plane = make() if make else Plane(LoopClock(), Ids(7), authority_pem=AUTHORITY)
    async with plane.running():
        there = House(plane)
        await there.rest()
        yield there


__all__ = [
    "AUTHORITY",
    "CM",
    "EVENT",
    "NAMESPACE",
    "ROLE",
    "SECRET",
    "Guarding",
    "House",
    "Operation",
    "RequestRefused",
    "house",
    "owner",
    "virtually",
]
