"""The declaration of a managed kind: what a provider's table says about it, besides how to talk to the provider."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind, GroupVersionResource
from plumbline.managed.external import Connector

EXTERNAL_NAME: Final = "external-name"

Schemas: TypeAlias = Callable[[], "Schema"]
"""Made when the kind is first used: most never are."""


class Schema(msgspec.Struct, frozen=True):
    """OpenAPI of the two parts that differ between kinds. What both share is added where CRDs are made."""

    for_provider: JsonObject
    at_provider: JsonObject
    required: tuple[str, ...] = ()
    """Fields of forProvider without which nothing can be created; initProvider may have them instead."""
    spec: JsonObject = {}
    """Further properties of `spec`, beside forProvider, where a kind has such: `references`."""
    status: JsonObject = {}
    """Further properties of `status`, beside atProvider."""


class Reference(msgspec.Struct, frozen=True):
    """A field that may be given as the name of another managed resource, or by selecting one.

    `subnetIds` with *many* has `subnetIdRefs` and `subnetIdSelector` unless *ref* and *selector* say otherwise.
    """

    field: str
    """A path below forProvider, such as `vpcConfig.subnetIds`."""
    to: GroupKind
    """As the cluster-scoped kind is called; a namespaced one refers to the namespaced twin."""
    many: bool = False
    extract: str = EXTERNAL_NAME
    """What of the other is taken: its external name, or a path such as `status.atProvider.arn`."""
    ref: str = ""
    selector: str = ""

    @property
    def ref_field(self) -> str:
        """The name of the field beside it that names another resource."""
        if self.ref:
            return self.ref
        return f"{self._single}Refs" if self.many else f"{self._single}Ref"

    @property
    def selector_field(self) -> str:
        return self.selector or f"{self._single}Selector"

    @property
    def _single(self) -> str:
        own = self.field.rpartition(".")[2]
        return own.removesuffix("s") if self.many else own


class Generated(msgspec.Struct, frozen=True):
    """A secret that is made up where the switch is on, and kept in the Secret that the reference names."""

    switch: str
    """Such as `autoGeneratePassword`."""
    reference: str
    """Such as `passwordSecretRef`."""


class ProviderKind(msgspec.Struct, frozen=True, kw_only=True):
    """A provider: where its ProviderConfigs are, and which packages bring it."""

    name: str
    """Such as `aws`."""
    group: str
    """Of its ProviderConfig, such as `aws.upbound.io`; the namespaced twins are in `twin_group`."""
    version: str
    schema: Callable[[], JsonObject]
    """OpenAPI of the spec of its ProviderConfigs."""
    packages: tuple[str, ...] = ()
    """Names of upstream's packages that it stands in for, as prefixes: `provider-aws-`, `provider-family-aws`."""
    namespaced_group: str = ""
    """Said where the twins' group is not `aws.m.upbound.io` for `aws.upbound.io`."""

    @property
    def twin_group(self) -> str:
        cloud, _, rest = self.group.partition(".")
        return self.namespaced_group or f"{cloud}.m.{rest}"


class ManagedKind(msgspec.Struct, frozen=True, kw_only=True):
    provider: ProviderKind
    group: str
    kind: str
    plural: str
    versions: tuple[str, ...]
    """The first one is how objects are stored; the others are served with the same fields."""
    namespaced: bool = False
    schemas: Schemas
    connector: Connector
    external_name: Literal["chosen", "assigned"] = "chosen"
    """Chosen: it is the object's name unless somebody says otherwise. Assigned: the provider answers a creation with it."""
    found_again: bool = True
    """Whether `observe` finds what a lost creation has made, by its name or tags. If not, a person has to look."""
    holds: str = ""
    """What is lost with one of them; empty for what can be made again: `a database`."""
    references: tuple[Reference, ...] = ()
    generates: tuple[Generated, ...] = ()
    connection_keys: tuple[str, ...] = ()
    """Keys that its connection Secret can have, for documentation and checks."""
    poll_s: float = 600.0

    @property
    def group_kind(self) -> GroupKind:
        return GroupKind(self.group, self.kind)

    @property
    def resource(self) -> GroupVersionResource:
        return GroupVersionResource(self.group, self.versions[0], self.plural)


class Catalogue:
    """Every managed kind that there could be. None of them exists in the API before somebody uses it."""

    def __init__(self, kinds: Iterable[ManagedKind]) -> None:
        self._kinds: dict[GroupKind, ManagedKind] = {kind.group_kind: kind for kind in kinds}

    @property
    def kinds(self) -> Mapping[GroupKind, ManagedKind]:
        return self._kinds

    @property
    def providers(self) -> tuple[ProviderKind, ...]:
        return tuple({kind.provider.name: kind.provider for kind in self._kinds.values()}.values())

    def get(self, kind: GroupKind) -> ManagedKind | None:
        return self._kinds.get(kind)


def with_namespaced_twin(kind: ManagedKind) -> tuple[ManagedKind, ManagedKind]:
    """A kind as both lineages know it: cluster-scoped, and namespaced in the group with `.m.`."""
    service = kind.group.removesuffix(kind.provider.group).removesuffix(".")
    twin_group = ".".join(part for part in (service, kind.provider.twin_group) if part)
    return kind, msgspec.structs.replace(kind, group=twin_group, namespaced=True, versions=(kind.versions[0],))
