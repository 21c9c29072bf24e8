"""CompositeResourceDefinition (apiextensions.crossplane.io/v1 and v2): a kind that a platform offers.

Both versions are the same object, stored as v1. What v2 calls an XRD is one whose scope is Namespaced or Cluster.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

from plumbline.kinds.crossplane.common import (
    AGE,
    APIEXTENSIONS,
    CROSSPLANE,
    FIXED,
    FIXED_NAMES,
    ONE_MAP,
    ConditionedStatus,
    Conversion,
    LabelSelector,
    Named,
    Names,
    ObjectMeta,
    OpenApiSchema,
    PrinterColumn,
    ScaleSubresource,
    TypeReference,
    state_column,
)
from plumbline.kinds.fields import DEFAULTED, Fields, ruled
from plumbline.kinds.kind import Kind, Version

_COMPLETE_CONVERSION: Final = ruled(
    (
        "self.strategy != 'Webhook' || has(self.webhook)",
        "Webhook configuration is required when conversion strategy is Webhook",
    )
)


class XrdSubresources(Fields):
    """Subresources besides status, which every composite resource has."""

    scale: ScaleSubresource | None = None


class XrdVersion(Fields):
    """One version of the kind."""

    name: str
    """Such as v1alpha1."""
    referenceable: bool
    """Whether compositions refer to this version; exactly one is, and objects are stored in it."""
    served: bool
    """Whether the API offers it."""
    deprecated: bool = False
    """Whether those who use it are warned."""
    deprecation_warning: Annotated[str, Meta(max_length=256)] | None = None
    """The warning, in other words than the usual ones."""
    schema: OpenApiSchema | None = None
    additional_printer_columns: tuple[PrinterColumn, ...] = ()
    """Columns of `kubectl get`, before those that all composite resources have."""
    subresources: XrdSubresources | None = None


class XrdSpec(Fields):
    """A kind of composite resource, and perhaps of claims for it."""

    group: Annotated[str, FIXED]
    """API group of the kind; the definition is called PLURAL.GROUP."""
    names: Annotated[Names, FIXED_NAMES]
    """What composite resources are called."""
    scope: Annotated[Literal["LegacyCluster", "Namespaced", "Cluster"], DEFAULTED, FIXED] = "LegacyCluster"
    """Where composite resources live. LegacyCluster ones may have claims and connection secrets."""
    claim_names: Annotated[Names | None, FIXED_NAMES] = None
    """What claims are called; without it there are none."""
    connection_secret_keys: tuple[str, ...] = ()
    """Keys of connection secrets that are published; all of them if empty."""
    default_composite_delete_policy: Annotated[Literal["Background", "Foreground"] | None, DEFAULTED] = "Background"
    """Whether a claim that is deleted waits for its composite resource."""
    default_composition_ref: Named | None = None
    """The composition of those that name and select none."""
    default_composition_revision_selector: Annotated[LabelSelector | None, ONE_MAP] = None
    """The revisions of those that name and select none."""
    enforced_composition_ref: Annotated[Named | None, FIXED] = None
    """The composition of all of them, whatever they say."""
    default_composition_update_policy: Annotated[Literal["Automatic", "Manual"], DEFAULTED] = "Automatic"
    """Whether composite resources follow new revisions of their composition by themselves."""
    versions: tuple[XrdVersion, ...]
    """Versions of the kind."""
    conversion: Annotated[Conversion | None, _COMPLETE_CONVERSION] = None
    metadata: ObjectMeta | None = None
    """Labels and annotations of the CRDs that are made."""


class XrdSpecV2(XrdSpec):
    """A kind of composite resource."""

    scope: Annotated[Literal["Namespaced", "Cluster"], DEFAULTED, FIXED] = "Namespaced"
    """Where composite resources live."""
    claim_names: Names | None = None
    """Not for this version."""
    default_composite_delete_policy: Literal["Background", "Foreground"] | None = None
    """Without effect: there are no claims."""
    conversion: Conversion | None = None


class XrdControllers(Fields):
    """Kinds that are being looked after."""

    composite_resource_type: TypeReference | None = None
    composite_resource_claim_type: TypeReference | None = None


class XrdStatus(ConditionedStatus):
    """Whether the kind is offered."""

    controllers: XrdControllers | None = None


_COLUMNS: Final = (state_column("ESTABLISHED", "Established"), state_column("OFFERED", "Offered"), AGE)

COMPOSITE_RESOURCE_DEFINITION: Final = Kind(
    group=APIEXTENSIONS,
    kind="CompositeResourceDefinition",
    plural="compositeresourcedefinitions",
    short_names=("xrd", "xrds"),
    categories=CROSSPLANE,
    namespaced=False,
    description="A kind that a platform offers: composite resources, and perhaps claims for them.",
    versions=(
        Version(
            name="v1",
            spec=XrdSpec,
            status=XrdStatus,
            columns=_COLUMNS,
            rules=(
                (
                    "self.scope == 'LegacyCluster' || !has(self.claimNames)",
                    "Only LegacyCluster composite resources can offer claims",
                ),
                (
                    "self.scope == 'LegacyCluster' || !has(self.connectionSecretKeys)",
                    "Only LegacyCluster composite resources support connection secrets",
                ),
            ),
        ),
        Version(
            name="v2",
            spec=XrdSpecV2,
            status=XrdStatus,
            columns=_COLUMNS,
            rules=(
                ("!has(self.claimNames)", "Claims aren't supported in apiextensions.crossplane.io/v2"),
                (
                    "!has(self.connectionSecretKeys)",
                    "XR connection secrets aren't supported in apiextensions.crossplane.io/v2",
                ),
            ),
        ),
    ),
    keep_unknown=True,
)
