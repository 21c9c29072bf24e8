"""Usage and ClusterUsage: what must not be deleted while something uses it.

protection.crossplane.io/v1beta1 has one for namespaces and one for the cluster; apiextensions.crossplane.io has the
older one, for the cluster.
"""

from typing import Annotated, Final

from msgspec import field

from plumbline.kinds.crossplane.common import AGE, APIEXTENSIONS, CROSSPLANE, ConditionedStatus, state_column
from plumbline.kinds.fields import Fields, ruled
from plumbline.kinds.kind import Column, Kind, Version

PROTECTION: Final = "protection.crossplane.io"
_REFERRED: Final = ruled(
    (
        "has(self.resourceRef) || has(self.resourceSelector)",
        "either a resource reference or a resource selector should be set.",
    )
)
_REASONED: Final = ("has(self.by) || has(self.reason)", 'either "spec.by" or "spec.reason" must be specified.')
_SAME_NAMESPACE: Final = (
    (
        "has(self.by) || (!has(self.of.resourceRef) || !has(self.of.resourceRef.__namespace__))"
        " && (!has(self.of.resourceSelector) || !has(self.of.resourceSelector.__namespace__))"
    ),
    'cross-namespace "spec.of" is not allowed without "spec.by" resource.',
)


class ResourceRef(Fields):
    """An object, by its name."""

    name: str


class ResourceSelector(Fields):
    """An object, by its labels."""

    match_labels: dict[str, str] = field(default_factory=dict)
    """Labels that it has."""
    match_controller_ref: bool | None = None
    """Whether it must have the same controller as the usage."""


class Resource(Fields):
    """An object that is used, or uses."""

    api_version: str = ""
    """Group and version, such as example.org/v1."""
    kind: str = ""
    resource_ref: ResourceRef | None = None
    resource_selector: ResourceSelector | None = None


class PlacedRef(ResourceRef):
    """An object, by its name and namespace."""

    namespace: str | None = None


class PlacedSelector(ResourceSelector):
    """An object, by its labels and namespace."""

    namespace: str | None = None


class PlacedResource(Resource):
    """An object that is used, perhaps in another namespace."""

    resource_ref: PlacedRef | None = None
    resource_selector: PlacedSelector | None = None


class UsageSpec(Fields):
    """What is used, and by what or why."""

    of: Annotated[Resource, _REFERRED]
    """What must not be deleted."""
    by: Annotated[Resource | None, _REFERRED] = None
    """What uses it; when that goes, so does the usage."""
    reason: str | None = None
    """Why it must not be deleted, where nothing uses it."""
    replay_deletion: bool | None = None
    """Whether a deletion that was refused is asked for again when the usage has gone."""


class NamespacedUsageSpec(UsageSpec):
    """What is used, and by what or why."""

    of: Annotated[PlacedResource, _REFERRED]
    """What must not be deleted."""


_COLUMNS: Final = (
    Column(name="DETAILS", path=r".metadata.annotations.crossplane\.io/usage-details"),
    state_column("READY", "Ready"),
    AGE,
)
_DESCRIPTION: Final = "What must not be deleted while something uses it."
_DEPRECATION: Final = (
    "apiextensions.crossplane.io Usage is deprecated; migrate to protection.crossplane.io Usage or ClusterUsage"
)


def _legacy(name: str) -> Version[UsageSpec, ConditionedStatus]:
    return Version(
        name=name,
        spec=UsageSpec,
        status=ConditionedStatus,
        columns=_COLUMNS,
        deprecation=_DEPRECATION,
        rules=(_REASONED,),
    )


LEGACY_USAGE: Final = Kind(
    group=APIEXTENSIONS,
    kind="Usage",
    plural="usages",
    categories=CROSSPLANE,
    namespaced=False,
    description=_DESCRIPTION,
    versions=(_legacy("v1alpha1"), _legacy("v1beta1")),
    keep_unknown=True,
)

USAGE: Final = Kind(
    group=PROTECTION,
    kind="Usage",
    plural="usages",
    categories=CROSSPLANE,
    description=_DESCRIPTION,
    versions=(
        Version(
            name="v1beta1",
            spec=NamespacedUsageSpec,
            status=ConditionedStatus,
            columns=_COLUMNS,
            rules=(_REASONED, _SAME_NAMESPACE),
        ),
    ),
    keep_unknown=True,
)

CLUSTER_USAGE: Final = Kind(
    group=PROTECTION,
    kind="ClusterUsage",
    plural="clusterusages",
    categories=CROSSPLANE,
    namespaced=False,
    description=_DESCRIPTION,
    versions=(Version(name="v1beta1", spec=UsageSpec, status=ConditionedStatus, columns=_COLUMNS, rules=(_REASONED,)),),
    keep_unknown=True,
)
