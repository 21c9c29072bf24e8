"""The clusters behind ProviderConfigs: the one at hand, and those that a kubeconfig leads to."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.environment import environment
from plumbline.base.errors import BadKubeconfig, InvalidInput, NotFound, Refused, Transient
from plumbline.base.json import JsonObject, decode
from plumbline.kernel.kinds import Kinds
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.client.catalog import Resource
from plumbline.kube.client.credentials import read_bounded
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.managed.external import Config, SecretKey
from plumbline.providers.files import check_machines
from plumbline.providers.turns import Turns

_CLUSTERS: Final = 256
_LOCAL: Final = frozenset({"None", "InjectedIdentity"})
_OWN: Final = frozenset({"Environment", "Filesystem"})


class Cluster:
    def __init__(self, client: Client, kinds: Kinds | None = None, only: str = "") -> None:
        """*only* is the one namespace that may be looked into, where there is one."""
        self.client = client
        self.kinds = kinds or Kinds(client)
        self._only = only

    def within(self, namespace: str) -> "Cluster":
        """The same one, as somebody may see it who is of *namespace*."""
        return Cluster(self.client, self.kinds, namespace)

    async def resource(self, gvk: GroupVersionKind) -> Resource:
        """Where objects of the kind are, or Transient: its definition may be on the way."""
        found = await self.kinds.resource(gvk)
        if found is None:
            raise Transient(
                f"the cluster does not serve {gvk.api_version} {gvk.kind}", why="there is no such kind, or not yet"
            )
        return found

    async def target(self, obj: JsonObject) -> Target:
        """Where *obj* is; InvalidInput for one that has no namespace and needs one."""
        gvk, ref = GroupVersionKind.of(obj), Ref.of(obj)
        resource = await self.resource(gvk)
        if resource.namespaced and not ref.namespace:
            raise InvalidInput(f"{gvk.kind} {ref.name!r} cannot be anywhere", why="its manifest names no namespace")
        return self._admitted(gvk, resource.target(ref.namespace, ref.name))

    async def collection(self, gvk: GroupVersionKind, namespace: str) -> Target:
        """Where all objects of the kind are that are in *namespace*, or in any."""
        return self._admitted(gvk, (await self.resource(gvk)).target(namespace))

    async def find(self, gvk: GroupVersionKind, namespace: str, name: str) -> JsonObject | None:
        resource = await self.resource(gvk)
        try:
            return decode(await self.client.get(self._admitted(gvk, resource.target(namespace, name))))
        except NotFound:
            return None

    def _admitted(self, gvk: GroupVersionKind, target: Target) -> Target:
        """Who may write in one namespace must not have us read or write for them in another one."""
        if not self._only or target.namespace == self._only:
            return target
        where = f"in namespace {target.namespace}" if target.namespace else "in no namespace, or in all"
        raise Refused(
            f"{' '.join(filter(None, (gvk.kind, target.name)))} is not touched",
            why=f"it is {where}, and what is of namespace {self._only} reaches no further in the cluster at hand",
            hint="Use a ClusterProviderConfig that leads to the cluster at hand, if it may reach everything there.",
        )


class _Opened(NamedTuple):
    version: str
    cluster: Cluster
    stack: AsyncExitStack


class Clusters:
    """One connection for each config, opened when somebody first needs it. Close it when done."""

    def __init__(self, local: Client) -> None:
        self.local = Cluster(local)
        self._opened: dict[Ref, _Opened] = {}
        self._turns = Turns()

    async def find(self, config: Config) -> Cluster:
        credentials = config.spec.get("credentials")
        credentials = credentials if isinstance(credentials, dict) else {}
        if config.spec.get("identity"):
            hint = "Put a token or a client certificate into the kubeconfig."
            raise InvalidInput(f"{config.ref} cannot be used", why="identities of clouds are not known here", hint=hint)
        if credentials.get("source") in _LOCAL:
            return self.local
        version = config.version and config.version + _stamp(credentials)
        async with self._turns.of(config.ref):
            known = self._opened.get(config.ref)
            if known is not None and version and known.version == version:
                self._opened[config.ref] = self._opened.pop(config.ref)  # the first one is who was not used for longest
                return known.cluster
            connection = Connection.parse(await _kubeconfig(config, credentials), str(config.ref))
            return await self._replaced(config.ref, version, connection)

    async def close(self) -> None:
        while self._opened:
            await self._opened.popitem()[1].stack.aclose()

    async def _replaced(self, ref: Ref, version: str, connection: Connection) -> Cluster:
        stack = AsyncExitStack()
        cluster = Cluster(await stack.enter_async_context(Client.connect(connection)))
        replaced = self._opened.pop(ref, None)
        self._opened[ref] = _Opened(version, cluster, stack)
        if replaced is None and len(self._opened) > _CLUSTERS:
            replaced = self._opened.pop(next(iter(self._opened)))
        if replaced is not None:
            await replaced.stack.aclose()
        return cluster


def _stamp(credentials: JsonObject) -> str:
    """Which state of its file is meant, where it names one; empty where that is not there."""
    said = credentials.get("fs") if credentials.get("source") == "Filesystem" else None
    try:
        found = Path(str(said["path"])).stat() if isinstance(said, dict) and said.get("path") else None
    except (OSError, ValueError):
        return ""
    return f"@{found.st_ino}.{found.st_mtime_ns}.{found.st_size}" if found else ""


async def _kubeconfig(config: Config, credentials: JsonObject) -> bytes:
    """Its text. What is in it is trusted no further than to be connected to."""
    source = credentials.get("source")
    if source in _OWN:
        check_machines(config, source)
    match source:
        case "Secret":
            said = _named(config, credentials, "secretRef", "name", "key")
            return (
                await config.secrets.read(SecretKey(said["name"], said["key"], said.get("namespace") or ""))
            ).reveal()
        case "Environment":
            variable = _named(config, credentials, "env", "name")["name"]
            return environment().get(variable, "").encode()
        case "Filesystem":
            path = Path(_named(config, credentials, "fs", "path")["path"])
            return await asyncio.to_thread(read_bounded, path, f"kubeconfig of {config.ref}")
    raise BadKubeconfig(f"{config.ref} cannot be used", why=f"credentials.source {source!r} is not known")


def _named(config: Config, credentials: JsonObject, field: str, *needed: str) -> JsonObject:
    said = credentials.get(field)
    if not isinstance(said, dict) or not all(isinstance(said.get(each), str) and said[each] for each in needed):
        raise InvalidInput(
            f"{config.ref} cannot be used", why=f"credentials.{field} does not say {' and '.join(needed)}"
        )
    return said
