"""ManagedResourceDefinition and ManagedResourceActivationPolicy (apiextensions.crossplane.io/v1alpha1)."""

from typing import Annotated, Final, Literal

from msgspec import Meta, field

from plumbline.kinds.crossplane.common import (
    AGE,
    APIEXTENSIONS,
    CROSSPLANE,
    FIXED,
    FIXED_NAMES,
    ConditionedStatus,
    Conversion,
    Names,
    OpenApiSchema,
    PrinterColumn,
    ScaleSubresource,
    state_column,
)
from plumbline.kinds.fields import DEFAULTED, WHOLE, Fields, ruled
from plumbline.kinds.kind import Column, Kind, Version

_ONE_WAY: Final = ruled(("self == oldSelf || oldSelf != 'Active'", "state cannot be changed once it becomes Active"))


class ConnectionKey(Fields):
    """A key of the connection secret."""

    name: str
    description: str
    """What it holds."""


class SelectableField(Fields):
    """A field by which lists can be filtered."""

    json_path: str = field(name="jsonPath")
    """Where it is."""


class StatusSubresource(Fields):
    """Status is written apart."""


class CrdSubresources(Fields):
    """Subresources of the kind."""

    status: StatusSubresource | None = None
    scale: ScaleSubresource | None = None


class CrdVersion(Fields):
    """One version of the kind."""

    name: str
    served: bool
    """Whether the API offers it."""
    storage: bool
    """Whether objects are stored in it."""
    deprecated: bool = False
    """Whether those who use it are warned."""
    deprecation_warning: str | None = None
    """The warning, in other words than the usual ones."""
    schema: OpenApiSchema | None = None
    subresources: CrdSubresources | None = None
    additional_printer_columns: Annotated[tuple[PrinterColumn, ...], WHOLE] = ()
    """Columns of `kubectl get`."""
    selectable_fields: Annotated[tuple[SelectableField, ...], WHOLE] = ()
    """Fields by which lists can be filtered."""


class ManagedResourceDefinitionSpec(Fields):
    """A managed kind, and whether it is served."""

    group: Annotated[str, FIXED]
    names: Annotated[Names, FIXED_NAMES]
    scope: Annotated[Literal["Namespaced", "Cluster"], DEFAULTED, FIXED] = "Namespaced"
    """Where its objects live."""
    versions: Annotated[tuple[CrdVersion, ...], WHOLE]
    """Versions of the kind."""
    conversion: Conversion | None = None
    preserve_unknown_fields: bool | None = None
    """Of old CRDs; false in all that can be made today."""
    connection_details: tuple[ConnectionKey, ...] = ()
    """Keys that its connection secret can have."""
    state: Annotated[Literal["Active", "Inactive"], DEFAULTED, _ONE_WAY] = "Inactive"
    """Whether it is served; once it is, it stays so."""


MANAGED_RESOURCE_DEFINITION: Final = Kind(
    group=APIEXTENSIONS,
    kind="ManagedResourceDefinition",
    plural="managedresourcedefinitions",
    short_names=("mrd", "mrds"),
    categories=CROSSPLANE,
    namespaced=False,
    description="A managed kind, and whether it is served.",
    versions=(
        Version(
            name="v1alpha1",
            spec=ManagedResourceDefinitionSpec,
            status=ConditionedStatus,
            columns=(Column(name="STATE", path=".spec.state"), state_column("ESTABLISHED", "Established"), AGE),
        ),
    ),
    keep_unknown=True,
)


class ManagedResourceActivationPolicySpec(Fields):
    """Which managed kinds are served."""

    activate: Annotated[tuple[str, ...], Meta(min_length=1)]
    """Names of definitions, or patterns for them, such as *.aws.upbound.io."""


class ManagedResourceActivationPolicyStatus(ConditionedStatus):
    """What came of it."""

    activated: tuple[str, ...] = ()
    """Definitions that are served because of it."""


MANAGED_RESOURCE_ACTIVATION_POLICY: Final = Kind(
    group=APIEXTENSIONS,
    kind="ManagedResourceActivationPolicy",
    plural="managedresourceactivationpolicies",
    short_names=("mrap",),
    categories=CROSSPLANE,
    namespaced=False,
    description="Which managed kinds are served.",
    versions=(
        Version(
            name="v1alpha1",
            spec=ManagedResourceActivationPolicySpec,
            status=ManagedResourceActivationPolicyStatus,
            columns=(AGE,),
        ),
    ),
    keep_unknown=True,
)
