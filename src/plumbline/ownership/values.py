"""What the ledger speaks of: resources, those who own them, and where somebody said so.

All values are frozen and compare by content. Resources and owners cache their hash: the ledger looks them up far more
often than they are made.
"""

from typing import Final, Literal, TypeAlias, get_args

import msgspec

from plumbline.kube.names import Ref

Engine: TypeAlias = Literal[
    "application",  # an Application delivers it
    "claim",  # a claim asked for it, through its composite
    "composite",  # a composite resource composes it
    "composition",  # a Composition would compose it; no composite is known yet
    "crossplane",  # a managed resource stands for it
    "terraform",  # a Terraform workspace: an object of ours, or a folder of HCL
    "secret",  # a SealedSecret or an ExternalSecret brings it
    "helm",  # a release made with Helm itself
    "flux",  # a Kustomization or HelmRelease of Flux
    "person",  # somebody with kubectl
    "controller",  # something in the cluster, known by its field manager
    "directory",  # manifests in a folder that no Application is known to deliver
]

FAMILIES: Final[dict[str, str]] = {
    engine: "crossplane" if engine in {"claim", "composite", "composition"} else engine for engine in get_args(Engine)
}
"""How policies name engines: a claim, its composite and their managed resources are one machinery."""

Strength: TypeAlias = Literal["declared", "observed"]


class ClusterObject(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """One object of one cluster; the empty cluster is the one at hand, where the control plane is."""

    ref: Ref
    cluster: str = ""

    @property
    def type(self) -> str:
        return f"{self.ref.kind}.{self.ref.group}" if self.ref.group else self.ref.kind

    def __str__(self) -> str:
        return f"{self.ref} on {self.cluster}" if self.cluster else str(self.ref)


class External(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """Something outside every cluster, under Terraform's name for its type.

    Made by `external.resource`, which brings all spellings of the same thing to this one. Where region or account are
    empty they are either unknown or do not tell two of them apart.
    """

    type: str
    id: str
    region: str = ""
    account: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Equal for all that may be the same thing."""
        return self.type, self.id

    def __str__(self) -> str:
        where = ", ".join(filter(None, (self.region, self.account)))
        return f"{self.type}/{self.id} ({where})" if where else f"{self.type}/{self.id}"


class Unnamed(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """Something outside whose id is not known from what was read; *address* tells it from others by the same owner.

    *pattern* is what is known of the id, with `*` for the rest. *assigned* where the provider picks the id at creation:
    then two declarations never mean the same thing.
    """

    type: str
    address: str
    pattern: str = "*"
    assigned: bool = False

    def __str__(self) -> str:
        return f"{self.type}/{self.pattern} ({self.address})"


Resource: TypeAlias = ClusterObject | External | Unnamed


class Owner(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """Who is responsible. *ref* is the object that it is, where it is one: that object may have an owner itself."""

    engine: Engine
    name: str
    ref: Ref | None = None
    cluster: str = ""

    @property
    def family(self) -> str:
        return FAMILIES[self.engine]

    @property
    def object(self) -> ClusterObject | None:
        return ClusterObject(self.ref, self.cluster) if self.ref else None

    def __str__(self) -> str:
        return f"{_NOUNS[self.engine]} {self.name}"

    @classmethod
    def of(cls, engine: Engine, ref: Ref, cluster: str = "") -> "Owner":
        """An owner that is an object. Kinds with one meaning go by namespace and name, others by kind too."""
        plain = f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name
        return cls(engine, plain if engine in _ONE_KIND else str(ref), ref, cluster)


_ONE_KIND: Final = frozenset({"application", "composition", "helm", "terraform"})
_NOUNS: Final[dict[str, str]] = {
    "application": "Application",
    "claim": "claim",
    "composite": "composite",
    "composition": "Composition",
    "crossplane": "managed resource",
    "terraform": "Terraform",
    "secret": "secret",
    "helm": "Helm release",
    "flux": "Flux",
    "person": "person",
    "controller": "controller",
    "directory": "folder",
}


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where it was said: in a file, or on an object; *said* is the evidence in words."""

    file: str = ""
    line: int = 0
    object: ClusterObject | None = None
    said: str = ""
    commit: str = ""

    @property
    def place(self) -> str:
        if self.file:
            at = f"{self.file}:{self.line}" if self.line else self.file
            return f"{at} at {self.commit[:10]}" if self.commit else at
        return str(self.object) if self.object else "somewhere unknown"


class Claim(msgspec.Struct, frozen=True, gc=False):
    """That *owner* has *resource*. An observed claim is a guess from traces; it never stands against a declared one."""

    resource: Resource
    owner: Owner
    source: Source = Source()
    strength: Strength = "declared"
    since: str = ""
    """When it began, in RFC 3339, where that is known."""

    @property
    def order(self) -> tuple[str, str, str, int, str, str]:
        """A total order that does not depend on who came first: reports look the same however claims arrived."""
        source = self.source
        return self.strength, str(self.owner), source.place, source.line, source.said, str(self.resource)


class Learned(msgspec.Struct, frozen=True):
    """All that one object or one file says about ownership."""

    claims: tuple[Claim, ...] = ()
    parents: tuple[tuple[ClusterObject, ClusterObject], ...] = ()
    """Objects that another object looks after, and that object: they have its owner and are no claims of their own."""
