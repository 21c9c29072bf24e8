"""ClusterExternalSecret (external-secrets.io): the same ExternalSecret in several namespaces. As External Secrets has it."""

from typing import Annotated, Final

from msgspec import field

from plumbline.kinds.duration import Duration
from plumbline.kinds.externalsecrets.common import (
    CATEGORY,
    GROUP,
    OLDER,
    ONE_MAP,
    READY,
    NamespaceName,
    ObjectName,
)
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretSpec
from plumbline.kinds.externalsecrets.secretstore import LabelSelector
from plumbline.kinds.fields import Fields, Int64
from plumbline.kinds.kind import Column, Kind, Version


class ExternalSecretMetadata(Fields):
    """Metadata of the ExternalSecrets."""

    annotations: dict[str, str] = field(default_factory=dict)
    """Their annotations."""
    labels: dict[str, str] = field(default_factory=dict)
    """Their labels."""


class ClusterExternalSecretSpec(Fields):
    """Which ExternalSecret, and in which namespaces: those that fit any of what is said."""

    external_secret_spec: ExternalSecretSpec
    """What the ExternalSecrets ask for."""
    external_secret_name: ObjectName = ""
    """Their name; this object's if empty."""
    external_secret_metadata: ExternalSecretMetadata = ExternalSecretMetadata()
    """Their metadata."""
    namespace_selector: Annotated[LabelSelector | None, ONE_MAP] = None
    """Namespaces by their labels; `namespaceSelectors` is the newer place to say it."""
    namespace_selectors: tuple[Annotated[LabelSelector, ONE_MAP], ...] = ()
    """Namespaces by their labels; those that fit any of them."""
    namespaces: tuple[NamespaceName, ...] = ()
    """Namespaces by their names."""
    refresh_time: Duration | None = None
    """Time between looks at all of them; a change of a namespace is acted on at once."""


class NamespaceFailure(Fields):
    """A namespace in which there is no ExternalSecret of ours, and why."""

    namespace: str
    """Which one."""
    reason: str = ""
    """Why."""


class ClusterExternalSecretCondition(Fields):
    """Whether it is everywhere it should be. Upstream's says no more than this."""

    type: str
    """Ready."""
    status: str
    """True or False."""
    message: str = ""
    """What is wrong."""


class ClusterExternalSecretStatus(Fields):
    """Where there are ExternalSecrets of this object."""

    observed_generation: Int64 = 0
    """The generation of the object that was last looked at."""
    external_secret_name: str = ""
    """Their name."""
    failed_namespaces: tuple[NamespaceFailure, ...] = ()
    """Where there should be one and is not."""
    provisioned_namespaces: tuple[str, ...] = ()
    """Where there is one."""
    conditions: tuple[ClusterExternalSecretCondition, ...] = ()
    """Aspects of how this object is."""


_COLUMNS: Final = (
    Column(name="Store", path=".spec.externalSecretSpec.secretStoreRef.name"),
    Column(name="Refresh Interval", path=".spec.refreshTime"),
    READY,
)

CLUSTER_EXTERNAL_SECRET: Final = Kind(
    group=GROUP,
    kind="ClusterExternalSecret",
    plural="clusterexternalsecrets",
    namespaced=False,
    short_names=("ces",),
    categories=(CATEGORY,),
    description="The same ExternalSecret in several namespaces.",
    versions=tuple(
        Version(
            name=name,
            spec=ClusterExternalSecretSpec,
            status=ClusterExternalSecretStatus,
            columns=_COLUMNS,
            deprecation=deprecation,
        )
        for name, deprecation in (("v1", ""), ("v1beta1", OLDER))
    ),
    keep_unknown=True,
)
