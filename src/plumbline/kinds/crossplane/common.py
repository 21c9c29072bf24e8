"""What Crossplane's kinds have in common: conditions, names of kinds, references, the shape of a CRD's parts."""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta, field

from plumbline.kinds.fields import WHOLE, Fields, FreeObject, Int32, Int64, keyed_by, ruled
from plumbline.kinds.kind import Column

APIEXTENSIONS: Final = "apiextensions.crossplane.io"
CROSSPLANE: Final = ("crossplane",)

IMMUTABLE: Final = ("self == oldSelf", "Value is immutable")
FIXED: Final = ruled(IMMUTABLE)
_LOWER: Final = (
    ("self.plural == self.plural.lowerAscii()", "Plural name must be lowercase"),
    ("!has(self.singular) || self.singular == self.singular.lowerAscii()", "Singular name must be lowercase"),
)
FIXED_NAMES: Final = ruled(IMMUTABLE, *_LOWER)
ONE_MAP: Final = Meta(extra_json_schema={"x-kubernetes-map-type": "atomic"})
AGE: Final = Column(name="AGE", path=".metadata.creationTimestamp", type="date")

Moment: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Whole: TypeAlias = Annotated[tuple[str, ...], WHOLE]


def state_column(name: str, condition: str) -> Column:
    return Column(name=name, path=f".status.conditions[?(@.type=='{condition}')].status")


class Condition(Fields):
    """One aspect of how an object is."""

    type: str
    """Which aspect."""
    status: str
    """True, False or Unknown."""
    last_transition_time: Moment
    """When the status last changed."""
    reason: str
    """One word for programs."""
    message: str = ""
    """One sentence for people."""
    observed_generation: Int64 = 0
    """The generation of the object that this was found for."""


class ConditionedStatus(Fields):
    """What is known about an object."""

    conditions: Annotated[tuple[Condition, ...], keyed_by("type")] = ()


class Names(Fields):
    """What a kind is called."""

    plural: str
    """In addresses, lower case."""
    singular: str = ""
    """On command lines, lower case; the kind in lower case if empty."""
    short_names: Whole = ()
    """Abbreviations for command lines."""
    kind: str
    list_kind: str = ""
    """Kind of a list of them; the kind and List if empty."""
    categories: Whole = ()
    """Groups of kinds that `kubectl get` knows, such as all."""


class TypeReference(Fields):
    """A kind and its version."""

    api_version: str
    """Group and version, such as example.org/v1."""
    kind: str


class Named(Fields):
    """An object, by its name."""

    name: str


class ObjectMeta(Fields):
    """Labels and annotations for what is made."""

    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)


class LabelExpression(Fields):
    """What one label must be."""

    key: str
    """The label."""
    operator: str
    """One of In, NotIn, Exists, DoesNotExist."""
    values: Whole = ()
    """For In and NotIn."""


class LabelSelector(Fields):
    """Objects by their labels."""

    match_labels: dict[str, str] = field(default_factory=dict)
    """Labels and the values that they must have."""
    match_expressions: Annotated[tuple[LabelExpression, ...], WHOLE] = ()
    """Further demands; all of them must hold."""


class PrinterColumn(Fields):
    """What `kubectl get` prints beside the name."""

    name: str
    type: str
    """OpenAPI type of the value."""
    format: str = ""
    """OpenAPI format of the value."""
    description: str = ""
    """What it says."""
    priority: Int32 = 0
    """0 is always shown, others with -o wide."""
    json_path: str = field(name="jsonPath")
    """Where in the object the value is."""


class ScaleSubresource(Fields):
    """Where `kubectl scale` and autoscalers find the numbers."""

    spec_replicas_path: str
    """Path of the wanted number."""
    status_replicas_path: str
    """Path of the present number."""
    label_selector_path: str = ""
    """Path of the selector of pods."""


class OpenApiSchema(Fields):
    """The form of objects, as CRDs say it."""

    open_api_v3_schema: FreeObject = field(name="openAPIV3Schema", default_factory=dict)
    """An OpenAPI v3 schema."""


class ServiceReference(Fields):
    """A Service that answers."""

    name: str
    namespace: str
    path: str = ""
    port: Int32 | None = None
    """443 if absent."""


class WebhookClientConfig(Fields):
    """Where a webhook is."""

    url: str = ""
    """Its address. Give this or service."""
    service: ServiceReference | None = None
    ca_bundle: Annotated[str, Meta(extra_json_schema={"format": "byte"})] = ""
    """Certificates to trust, PEM in base64."""


class WebhookConversion(Fields):
    """A webhook that converts objects between versions."""

    client_config: WebhookClientConfig | None = None
    conversion_review_versions: Whole
    """Versions of ConversionReview that it understands, best first."""


class Conversion(Fields):
    """How objects are converted between versions."""

    strategy: str
    """None: only the version changes. Webhook: a webhook converts."""
    webhook: WebhookConversion | None = None
