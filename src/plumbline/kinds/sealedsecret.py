"""SealedSecret (bitnami.com): a Secret that only the cluster can read, safe to keep in Git. As Sealed Secrets has it.

Where upstream's definition makes the API server drop a null without a word (a key taken out by the template, an item that
was left empty), ours keeps it: whoever wrote it meant something, and the controller acts on it or says what is wrong.
"""

from typing import Annotated, Any, Final

from msgspec import Meta, field

from plumbline.kinds.fields import DEMANDED, NULLABLE, Fields, FreeObject, Int64
from plumbline.kinds.kind import Column, Kind, Version
from plumbline.kinds.timestamp import Time

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "object", "additionalProperties": _TEXT}
_FORCED: Final = "Of no account: it is always that of the SealedSecret."
_METADATA: Final = Meta(
    extra_json_schema={
        "nullable": True,
        "properties": {
            "annotations": {**_TEXTS, "description": "Annotations of the Secret."},
            "finalizers": {"type": "array", "items": _TEXT, "description": "Finalizers of the Secret."},
            "labels": {**_TEXTS, "description": "Labels of the Secret."},
            "name": {**_TEXT, "description": _FORCED},
            "namespace": {**_TEXT, "description": _FORCED},
        },
    }
)
_SEALED: Final = Meta(extra_json_schema={"additionalProperties": {"type": "string", "nullable": True}})


class SecretTemplate(Fields):
    """What the Secret has besides the values that were sealed."""

    metadata: Annotated[FreeObject | None, _METADATA] = None
    """Labels, annotations and finalizers of the Secret. Its name and namespace are always those of the SealedSecret."""
    type: str = ""
    """Type of the Secret; Opaque if empty."""
    immutable: bool | None = None
    """Whether the Secret can never be changed, only replaced."""
    data: Annotated[dict[str, Annotated[str | None, NULLABLE]] | None, NULLABLE] = None
    """Further keys, each a Go template over the opened values; null takes an opened key out of the Secret.

    Where a sealed item has the same key, the sealed one counts.
    """


class SealedSecretSpec(Fields):
    """Sealed values, and the Secret that they become."""

    encrypted_data: Annotated[dict[str, Any], DEMANDED, _SEALED] = field(default_factory=dict)
    """Keys of the Secret, each with its sealed value in base64.

    A value that is no string is kept as it is, so that it can be named in the status instead of emptying the whole map.
    """
    data: Annotated[str, Meta(extra_json_schema={"format": "byte"})] = ""
    """The old form: a whole Secret, sealed as one value in base64. Not together with encryptedData."""
    template: SecretTemplate = SecretTemplate()


class SealedSecretCondition(Fields):
    """One aspect of how a SealedSecret is."""

    type: str
    """Synced is the only one: whether the Secret is what this object asks for."""
    status: str
    """True, False or Unknown."""
    last_update_time: Time | None = None
    """When anything in this condition last changed."""
    last_transition_time: Time | None = None
    """When the status last changed."""
    reason: str = ""
    """One word for programs."""
    message: str = ""
    """What failed and what to do about it; empty if nothing did."""


class SealedSecretStatus(Fields):
    """Whether the Secret is there, as this object asks for it."""

    observed_generation: Int64 = 0
    """The generation of the object that was last looked at."""
    conditions: tuple[SealedSecretCondition, ...] = ()
    """Aspects of how this object is."""


SEALED_SECRET: Final = Kind(
    group="bitnami.com",
    kind="SealedSecret",
    plural="sealedsecrets",
    description="A Secret that only the cluster can read: safe to keep in Git, opened where it belongs.",
    versions=(
        Version(
            name="v1alpha1",
            spec=SealedSecretSpec,
            status=SealedSecretStatus,
            columns=(
                Column(name="Status", path=".status.conditions[0].message"),
                Column(name="Synced", path=".status.conditions[0].status"),
                Column(name="Age", path=".metadata.creationTimestamp", type="date"),
            ),
        ),
    ),
    keep_unknown=True,
)
