"""What Flux's kinds have in common: conditions, artifacts, names of objects, the columns that say how they are."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, field

from plumbline.kinds.fields import Fields, Int64, shaped
from plumbline.kinds.kind import Column
from plumbline.kinds.timestamp import Time

RECONCILE_REQUEST: Final = "reconcile.fluxcd.io/requestedAt"
"""Annotation: whoever changes its value wants a look now; the value comes back in status.lastHandledReconcileAt."""

NEVER_OBSERVED: Final = (("observedGeneration", -1),)
"""The status of an object that nobody has looked at."""

AGE: Final = Column(name="Age", path=".metadata.creationTimestamp", type="date")
READY: Final = Column(name="Ready", path='.status.conditions[?(@.type=="Ready")].status')
STATUS: Final = Column(name="Status", path='.status.conditions[?(@.type=="Ready")].message')
ONE_MAP: Final = Meta(extra_json_schema={"x-kubernetes-map-type": "atomic"})

ConditionType: TypeAlias = Annotated[
    str,
    Meta(max_length=316),
    shaped(
        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
    ),
]
Reason: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=1024), shaped(r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
]
Digest: TypeAlias = Annotated[str, shaped(r"^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$")]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=253)]
"""Of an object, where upstream says how long it may be."""


class Condition(Fields):
    """One aspect of how an object is."""

    type: ConditionType
    """Which aspect; Ready sums up the others."""
    status: Literal["True", "False", "Unknown"]
    observed_generation: Annotated[int, Meta(ge=0, extra_json_schema={"format": "int64"})] = 0
    """The generation of the object that this was found for."""
    last_transition_time: Time
    """When the status last changed."""
    reason: Reason
    """One word for programs."""
    message: Annotated[str, Meta(max_length=32768)]
    """One sentence for people."""


class LocalReference(Fields):
    """An object in the same namespace."""

    name: str


class Artifact(Fields):
    """Files of a source at one revision, packed."""

    path: str
    """Where it is, below the root of the server that has it."""
    url: str
    """Where it is fetched from."""
    revision: str
    """What it was made of, such as main@sha1:… of a branch."""
    digest: Digest
    """Of the packed bytes, such as sha256:…"""
    last_update_time: Time
    """When this was last found to be what the source holds, or made."""
    size: Int64 | None = None
    """Of the packed bytes."""
    metadata: dict[str, str] = field(default_factory=dict)
    """What else the source says about it."""
