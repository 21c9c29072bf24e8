"""SecretStore and ClusterSecretStore (external-secrets.io): where secrets are kept, and how to sign in there.

A store of a kind that is not spoken here is kept as it is: `provider_name` says which, so that it can be reported.
"""

from typing import Annotated, ClassVar, Final, Self

from msgspec import field

from plumbline.base.json import Json, JsonObject
from plumbline.kinds.duration import BadDuration, Duration
from plumbline.kinds.externalsecrets.common import (
    CATEGORY,
    EXACTLY_ONE,
    GROUP,
    OLDER,
    ONE_MAP,
    READY,
    STATUS,
    Condition,
    NamespaceName,
)
from plumbline.kinds.externalsecrets.providers import SecretStoreProvider
from plumbline.kinds.fields import WHOLE, Fields, Int32, Int64
from plumbline.kinds.kind import Column, Kind, Version


class Seconds(Duration):
    """A time that may be said as a number of seconds too, as it had to be once."""

    openapi: ClassVar[JsonObject] = {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "x-kubernetes-int-or-string": True,
    }

    @classmethod
    def read(cls, raw: Json) -> Self:
        if isinstance(raw, int) and not isinstance(raw, bool):
            return cls(raw * 1_000_000_000)
        if isinstance(raw, str):
            return super().read(raw)
        raise BadDuration("a number of seconds, or a duration such as 5m")


class LabelRequirement(Fields):
    """A demand on one label."""

    key: str
    """Which label."""
    operator: str
    """In, NotIn, Exists or DoesNotExist."""
    values: Annotated[tuple[str, ...], WHOLE] = ()
    """What it is compared with, for In and NotIn."""


class LabelSelector(Fields):
    """Objects by their labels; all demands must be met."""

    match_labels: dict[str, str] = field(default_factory=dict)
    """Labels that are there with these values."""
    match_expressions: Annotated[tuple[LabelRequirement, ...], WHOLE] = ()
    """Further demands."""


class StoreCondition(Fields):
    """Namespaces that may use a ClusterSecretStore: those that fit any of these."""

    namespace_selector: Annotated[LabelSelector | None, ONE_MAP] = None
    """By their labels."""
    namespaces: tuple[NamespaceName, ...] = ()
    """By their names."""
    namespace_regexes: tuple[str, ...] = ()
    """By regular expressions in Go's dialect, found anywhere in the name."""


class RetrySettings(Fields):
    """How often a request that failed is made again before it is reported. The controller tries again anyway, soon."""

    max_retries: Int32 | None = None
    """How many times."""
    retry_interval: str | None = None
    """How long to wait between, such as 5s."""


class SecretStoreSpec(Fields):
    """Where secrets are kept, and who may ask for them."""

    controller: str = ""
    """Which controller looks after this store; one that has no such name leaves it alone."""
    provider: Annotated[SecretStoreProvider, EXACTLY_ONE]
    """What the store is."""
    retry_settings: RetrySettings | None = None
    """How often a request that failed is made again."""
    refresh_interval: Seconds = Seconds(0)
    """Time between looks at whether the store can be used, in seconds or as a duration; the controller's own if 0."""
    conditions: tuple[StoreCondition, ...] = ()
    """Namespaces that may use this store, of a ClusterSecretStore: those that fit any of these, or all if there are none."""


class SecretStoreStatus(Fields):
    """Whether the store can be used."""

    observed_generation: Int64 = 0
    """The generation of the object that was last looked at."""
    conditions: tuple[Condition, ...] = ()
    """Aspects of how this object is."""
    capabilities: str = ""
    """ReadOnly, WriteOnly or ReadWrite."""


def provider_name(store: JsonObject) -> str:
    """What *store* says that it is, spoken here or not; empty if it says nothing, or several things."""
    spec = store.get("spec")
    provider = spec.get("provider") if isinstance(spec, dict) else None
    names = list(provider) if isinstance(provider, dict) else []
    return names[0] if len(names) == 1 else ""


def _versions() -> tuple[Version[SecretStoreSpec, SecretStoreStatus], ...]:
    columns = (
        Column(name="AGE", path=".metadata.creationTimestamp", type="date"),
        STATUS,
        Column(name="Capabilities", path=".status.capabilities"),
        READY,
    )
    return tuple(
        Version(name=name, spec=SecretStoreSpec, status=SecretStoreStatus, columns=columns, deprecation=deprecation)
        for name, deprecation in (("v1", ""), ("v1beta1", OLDER))
    )


SECRET_STORE: Final = Kind(
    group=GROUP,
    kind="SecretStore",
    plural="secretstores",
    short_names=("ss",),
    categories=(CATEGORY,),
    description="Where secrets of one namespace are kept, and how to sign in there.",
    versions=_versions(),
    keep_unknown=True,
)

CLUSTER_SECRET_STORE: Final = Kind(
    group=GROUP,
    kind="ClusterSecretStore",
    plural="clustersecretstores",
    namespaced=False,
    short_names=("css",),
    categories=(CATEGORY,),
    description="Where secrets of several namespaces are kept, and how to sign in there.",
    versions=_versions(),
    keep_unknown=True,
)
