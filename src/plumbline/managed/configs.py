"""ProviderConfigs: found for a managed resource, and kept while somebody uses them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound
from plumbline.kernel.cache import Cached
from plumbline.kernel.conditions import Condition, merged
from plumbline.kernel.informer import Informer
from plumbline.kernel.outcomes import Wait
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Run, Seen
from plumbline.kinds.fields import Fields
from plumbline.kinds.kind import Kind, Version
from plumbline.kinds.status import ObservedStatus
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupKind, Ref
from plumbline.kube.patch import create_merge_patch
from plumbline.managed.external import Config
from plumbline.managed.indexing import Indexed
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.manifests import ConfigKind, config_kinds
from plumbline.managed.secrets import SECRETS, ReadSecrets, named_secrets
from plumbline.managed.spec import CLUSTER_CONFIG, LEGACY_CONFIG, ConfigName

IN_USE: Final = "in-use.crossplane.io"
_FRESH_S: Final = 5.0
"""How long it may take until a changed Secret is noticed."""
_BLOCKED: Final = "Blocking deletion while usages still exist"

Follow: TypeAlias = Callable[[ConfigKind], Informer | None]


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    provider_config_ref: ConfigName = ConfigName()


class _Head(msgspec.Struct, frozen=True):
    spec: _Spec = _Spec()


_head: Final = msgspec.json.Decoder(_Head)


def config_ref(kind: ManagedKind, said: ConfigName, namespace: str) -> Ref:
    """The ProviderConfig that *said* means, for a resource of *kind* in *namespace*."""
    if not kind.namespaced:
        return Ref(kind.provider.group, LEGACY_CONFIG, "", said.name)
    local = said.kind != CLUSTER_CONFIG
    return Ref(kind.provider.twin_group, said.kind, namespace if local else "", said.name)


def config_index(kind: ManagedKind) -> Callable[[Cached], Iterable[str]]:
    """Files managed resources by the config that they use, without decoding more of them than that."""

    def index(entry: Cached) -> Iterator[str]:
        try:
            said = _head.decode(entry.raw).spec.provider_config_ref
        except msgspec.DecodeError:
            return
        yield str(config_ref(kind, said, entry.meta.namespace))

    return index


class Configs:
    """Finds configs in copies of what there is; of Secrets that they name only versions are kept, and not for long."""

    def __init__(self, client: Client, clock: Clock, follow: Follow) -> None:
        self._client = client
        self._clock = clock
        self._follow = follow
        self._versions: dict[tuple[str, str], tuple[float, str]] = {}

    async def find(self, kind: ManagedKind, said: ConfigName, namespace: str) -> Config:
        """The config of a resource. Raises NotFound with what is missing and how to make it."""
        ref = config_ref(kind, said, namespace)
        entry = self._entry(kind, ref)
        if entry is None:
            where = f" in namespace {ref.namespace}" if ref.namespace else ""
            raise NotFound(
                f'cannot get referenced ProviderConfig: {GroupKind(ref.group, ref.kind)} "{ref.name}" not found{where}',
                hint=f"Create a {ref.kind} named {ref.name} with credentials, or name another in spec.providerConfigRef.",
            )
        obj = entry.object()
        spec = obj.get("spec")
        spec = spec if isinstance(spec, dict) else {}
        versions = [await self._version(*each) for each in sorted(set(named_secrets(spec, ref.namespace)))]
        secrets = ReadSecrets(self._client, ref.namespace)
        annotations = entry.meta.annotations
        told = (entry.meta.uid, str(entry.meta.generation), str(hash(frozenset(annotations.items()))), *versions)
        return Config(ref, spec, secrets, ":".join(told), annotations)

    def forget(self, ref: Ref) -> None:
        """Its credentials were refused: look at its Secrets anew next time."""
        del ref
        self._versions.clear()

    def _entry(self, kind: ManagedKind, ref: Ref) -> Cached | None:
        for each in config_kinds(kind.provider, namespaced=kind.namespaced):
            if each.kind == ref.kind and (informer := self._follow(each)) is not None:
                return informer.cache.get((ref.namespace, ref.name))
        return None

    async def _version(self, namespace: str, name: str) -> str:
        """The version of a Secret, asked for at most every few seconds; a missing one has none."""
        now_s = self._clock.monotonic()
        asked_s, version = self._versions.get((namespace, name), (float("-inf"), ""))
        if now_s - asked_s < _FRESH_S:
            return version
        try:
            raw = await self._client.get(Target(SECRETS, namespace, name), metadata_only=True)
            version = _versioned.decode(raw).metadata.resource_version
        except NotFound:
            version = "missing"
        self._versions[namespace, name] = now_s, version
        return version


class _Metadata(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""


class _Versioned(msgspec.Struct, frozen=True):
    metadata: _Metadata = _Metadata()


_versioned: Final = msgspec.json.Decoder(_Versioned)


class ConfigSpec(Fields):
    """Whatever the provider's schema says."""


class ConfigStatus(ObservedStatus):
    users: int = 0


class Counted(NamedTuple):
    users: int


class ConfigReconciler(Reconciler[ConfigSpec, ConfigStatus]):
    """Says how many resources use a ProviderConfig, and keeps it while there are any."""

    finalizer = IN_USE

    def __init__(self, kind: ConfigKind, users: Callable[[Ref], int]) -> None:
        self.name = f"providerconfig/{kind.group}/{kind.kind.lower()}"
        self.kind = Kind(
            group=kind.group,
            kind=kind.kind,
            plural=kind.plural,
            description=f"How to reach {kind.provider.name}.",
            versions=(Version[Any, Any](name=kind.provider.version, spec=ConfigSpec, status=ConfigStatus),),
            namespaced=kind.namespaced,
            keep_unknown=True,
        )
        self._users = users
        self.steps = (self.counted,)
        self.teardown = (self.counted, self.unused)

    async def counted(self, run: Run[ConfigSpec, ConfigStatus], at: None) -> Counted:
        del at
        return Counted(self._users(run.read.ref))

    async def unused(self, run: Run[ConfigSpec, ConfigStatus], at: Counted) -> Counted | Wait:
        """Whoever still uses it could otherwise neither be looked after nor taken away."""
        del run
        return Wait("InUse", _BLOCKED, 30.0) if at.users else at

    def change(self, seen: Seen[ConfigSpec, ConfigStatus], executed: Executed, now: str) -> Change:
        live = seen.object.get("status")
        before = live if isinstance(live, dict) else {}
        users = executed.state.users if isinstance(executed.state, Counted) else before.get("users", 0)
        after = {**before, "users": users}
        events: tuple[Event, ...] = ()
        if seen.run is not None and seen.run.deleting and users:
            terminating = Condition("Terminating", "True", "InUse", _BLOCKED)
            listed, changed = merged(before.get("conditions") or [], (terminating,), frozenset({"Terminating"}), now)
            after["conditions"] = listed
            events = (Event("UsageAccounting", _BLOCKED, warning=True),) if changed else ()
        patch = create_merge_patch(before, after)
        return Change({"status": patch} if patch else {}, events)


def users_of(collections: Iterable[Indexed], ref: Ref) -> int:
    return sum(len(each.filed("config", str(ref))) for each in collections)
