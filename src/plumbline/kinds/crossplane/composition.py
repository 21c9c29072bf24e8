"""Composition and CompositionRevision (apiextensions.crossplane.io/v1): what a composite resource is made of.

Both lineages are one kind here: mode Resources with its templates, and mode Pipeline with its functions. Which mode it is
when nobody says so differs between them; here the pipeline says so by being there.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta, field

from plumbline.kinds.crossplane.common import (
    AGE,
    APIEXTENSIONS,
    CROSSPLANE,
    FIXED,
    ConditionedStatus,
    Named,
    TypeReference,
)
from plumbline.kinds.crossplane.patches import ComposedTemplate, PatchSet
from plumbline.kinds.fields import EMBEDDED, Fields, FreeObject, Int64, keyed_by, ruled
from plumbline.kinds.kind import Column, Kind, NoStatus, Version

_SECRET_NAMED: Final = ruled(
    ("self.source != 'Secret' || has(self.secretRef)", "the Secret source requires a secretRef")
)
_NAME_OR_LABELS: Final = ruled(
    ("!(has(self.name) && has(self.matchLabels))", "name and matchLabels are mutually exclusive")
)
_MOST_STEPS: Final = 99


class SecretReference(Fields):
    """A Secret."""

    name: str
    namespace: str


class FunctionCredentials(Fields):
    """A secret that a function is given."""

    name: str
    source: Literal["None", "Secret"]
    """Where it comes from."""
    secret_ref: SecretReference | None = None


class RequiredResource(Fields):
    """Objects that a function is given."""

    requirement_name: str
    """The name under which the function finds them."""
    api_version: str
    """Group and version, such as example.org/v1."""
    kind: str
    namespace: str | None = None
    name: str | None = None
    """Give this or matchLabels."""
    match_labels: dict[str, str] = field(default_factory=dict)
    """Labels that they have. Give this or name."""


class RequiredSchema(Fields):
    """The schema of a kind that a function is given."""

    requirement_name: str
    """The name under which the function finds it."""
    api_version: str
    """Group and version, such as example.org/v1."""
    kind: str


class FunctionRequirements(Fields):
    """What a function is given from the first call on."""

    required_resources: Annotated[
        tuple[Annotated[RequiredResource, _NAME_OR_LABELS], ...], keyed_by("requirementName")
    ] = ()
    """Objects."""
    required_schemas: Annotated[tuple[RequiredSchema, ...], keyed_by("requirementName")] = ()
    """Schemas."""


class PipelineStep(Fields):
    """One function of the pipeline."""

    step: str
    """Its name, of which there is only one."""
    function_ref: Named
    """The Function."""
    input: Annotated[FreeObject | None, EMBEDDED] = None
    """What the function is told, in its own form."""
    credentials: Annotated[tuple[Annotated[FunctionCredentials, _SECRET_NAMED], ...], keyed_by("name")] = ()
    """Secrets that the function is given."""
    requirements: FunctionRequirements | None = None


class CompositionSpec(Fields):
    """How composite resources of a kind are composed."""

    composite_type_ref: Annotated[TypeReference, FIXED]
    """The kind of composite resource, in the version that compositions refer to."""
    mode: Literal["Resources", "Pipeline"] | None = None
    """Resources: by templates and patches. Pipeline: by functions."""
    patch_sets: tuple[PatchSet, ...] = ()
    """Patches that several templates use."""
    resources: tuple[ComposedTemplate, ...] = ()
    """Templates, in mode Resources."""
    pipeline: Annotated[tuple[PipelineStep, ...], keyed_by("step"), Meta(max_length=_MOST_STEPS)] | None = None
    """Functions, in mode Pipeline, in order."""
    write_connection_secrets_to_namespace: str | None = None
    """Where connection secrets of composite resources are kept."""
    publish_connection_details_with_store_config_ref: Named | None = None
    """Without effect: connection details are kept in Secrets."""

    @property
    def composed_by(self) -> Literal["Resources", "Pipeline"]:
        return self.mode or ("Pipeline" if self.pipeline is not None else "Resources")


class CompositionRevisionSpec(CompositionSpec):
    """A composition as it was at one time."""

    revision: Int64
    """Its number: the highest one is the newest."""


_COLUMNS: Final = (
    Column(name="XR-KIND", path=".spec.compositeTypeRef.kind"),
    Column(name="XR-APIVERSION", path=".spec.compositeTypeRef.apiVersion"),
    AGE,
)

COMPOSITION: Final = Kind(
    group=APIEXTENSIONS,
    kind="Composition",
    plural="compositions",
    short_names=("comp",),
    categories=CROSSPLANE,
    namespaced=False,
    description="How composite resources of a kind are composed.",
    versions=(
        Version(
            name="v1",
            spec=CompositionSpec,
            status=NoStatus,
            status_apart=False,
            columns=_COLUMNS,
            rules=(
                (
                    "!has(self.mode) || self.mode != 'Pipeline' || has(self.pipeline)",
                    "an array of pipeline steps is required in Pipeline mode",
                ),
            ),
        ),
    ),
    keep_unknown=True,
)

COMPOSITION_REVISION: Final = Kind(
    group=APIEXTENSIONS,
    kind="CompositionRevision",
    plural="compositionrevisions",
    short_names=("comprev",),
    categories=CROSSPLANE,
    namespaced=False,
    description="A composition as it was at one time.",
    versions=(
        Version(
            name="v1",
            spec=CompositionRevisionSpec,
            status=ConditionedStatus,
            columns=(Column(name="REVISION", path=".spec.revision"), *_COLUMNS),
        ),
    ),
    keep_unknown=True,
)
