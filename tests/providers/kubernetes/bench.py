"""A control plane in this process, Objects on it, and whoever else writes there."""

import asyncio
import inspect
from contextlib import asynccontextmanager
from functools import wraps

from plumbline.apiserver.cel.declarations import Declarations
from plumbline.apiserver.cel.program import compile_expression, evaluate
from plumbline.apiserver.cel.types import DYN
from plumbline.apiserver.plane import Plane
from plumbline.base.errors import EvaluationFailed, NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupKind, GroupVersionResource, Ref
from plumbline.managed.external import Config, Managed
from plumbline.managed.manifests import managed_crd
from plumbline.providers.kubernetes import Clusters, kinds
from plumbline.providers.kubernetes.kinds import GROUP, NAMESPACED_GROUP

CRDS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
SECRETS = GroupVersionResource("", "v1", "secrets")
OBJECTS = GroupVersionResource(GROUP, "v1alpha2", "objects")
BY_HAND = Writing(field_manager="kubectl")
KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: far
contexts: [{name: far, context: {cluster: far, user: me}}]
clusters: [{name: far, cluster: {server: "https://127.0.0.1:%d"}}]
users: [{name: me, user: {token: hush}}]
"""


def cel(expression, obj):
    """As wiring gives it: the language of the embedded API server."""
    program = compile_expression(expression, Declarations({"object": DYN}))
    value = evaluate(program, {"object": obj}).value
    if not isinstance(value, bool):
        raise EvaluationFailed("celQuery does not return a bool type")
    return value


class Secrets:
    def __init__(self, values):
        self.values = values

    async def read(self, key):
        try:
            return Plaintext(self.values[key.namespace, key.name, key.key])
        except KeyError:
            raise NotFound(f"no Secret {key.name}") from None


class Bench:
    def __init__(self, client):
        self.client = client
        self.clusters = Clusters(client)
        self.kinds = {kind.group_kind: kind for kind in kinds(client, clusters=self.clusters, query=cel)}
        self.config = Config(Ref(GROUP, "ProviderConfig", "", "default"), {"credentials": {"source": "InjectedIdentity"}}, Secrets({}), "1")  # fmt: skip

    async def create(self, resource, body, namespace="shop"):
        return decode(await self.client.create(Target(resource, namespace), encode(body), BY_HAND))

    async def get(self, resource, name, namespace="shop"):
        try:
            return decode(await self.client.get(Target(resource, namespace, name)))
        except NotFound:
            return None

    async def patch(self, resource, name, change, namespace="shop"):
        return decode(await self.client.patch(Target(resource, namespace, name), encode(change), "merge", BY_HAND))

    async def delete(self, resource, name, namespace="shop"):
        await self.client.delete(Target(resource, namespace, name))

    def resource(self, kind="Object", name="o", **spec):
        return Resource(self, kind, name, **spec)


class Resource:
    """One managed resource; the reconciler's part is played here."""

    def __init__(self, bench, kind, name, *, namespace="", uid="u-1", **spec):
        self.bench, self.kind, self.name, self.namespace, self.uid = bench, kind, name, namespace, uid
        self.group = NAMESPACED_GROUP if namespace else GROUP
        self.spec = {"forProvider": {}, **spec}
        self.metadata = {"name": name, "uid": uid}
        self.writes = 0

    @property
    def managed(self):
        return Managed(
            ref=Ref(self.group, self.kind, self.namespace, self.name),
            uid=self.uid,
            external_name=self.name,
            wanted=self.spec["forProvider"],
            secrets=Secrets({}),
            object={
                "apiVersion": f"{self.group}/v1alpha1",
                "kind": self.kind,
                "metadata": self.metadata,
                "spec": self.spec,
            },
        )

    async def external(self):
        kind = self.bench.kinds[GroupKind(self.group, self.kind)]
        return await kind.connector.connect(self.managed, self.bench.config)

    async def look(self):
        return await (await self.external()).observe(self.managed)

    async def reconcile(self):
        observed = await self.look()
        external = await self.external()
        if observed.exists and not observed.differences:
            return observed
        self.writes += 1
        await (external.update(self.managed, observed) if observed.exists else external.create(self.managed))
        return await self.look()

    async def leave(self):
        """As the reconciler deletes: not again while it is going."""
        self.metadata = {**self.metadata, "deletionTimestamp": "2026-01-01T00:00:00Z"}
        observed = await self.look()
        if observed.exists and observed.state != "Deleting":
            await (await self.external()).delete(self.managed, observed)
        return await self.look()


@asynccontextmanager
async def bench():
    clock, ids = LoopClock(), Ids(3)
    plane = Plane(clock, ids, authority_pem="the authority", workloads=False)
    async with plane.running():
        client = Client(plane.transport(), clock=clock, ids=ids)
        made = Bench(client)
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
        await client.create(Target(GroupVersionResource("", "v1", "namespaces")), encode(namespace))
        yield made


def story(function):
    @wraps(function)
    def test(**arguments):
        async def main():
            async with bench() as made:
                await function(made, **arguments)

        run_virtually(main)

    # What pytest asks for is what is left once the bench is given.
    test.__signature__ = _without_first(function)
    return test


def _without_first(function):
    signature = inspect.signature(function)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


async def serve(made, *group_kinds):
    """The CRDs of our own kinds, as the reconciler would make them."""
    for group_kind in group_kinds:
        await made.client.create(Target(CRDS), encode(managed_crd(made.kinds[group_kind])))
    await asyncio.sleep(2)
    made.client.discovery.forget()


def config_map(name="web", namespace="shop", **data):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
