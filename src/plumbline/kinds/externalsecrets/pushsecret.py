"""PushSecret (external-secrets.io): values of Secrets of the cluster, put into stores elsewhere. As External Secrets has it."""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, field

from plumbline.kinds.duration import Duration
from plumbline.kinds.externalsecrets.common import CATEGORY, EXACTLY_ONE, GROUP, ONE_MAP, STATUS, Condition, ObjectName
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretTemplate, GeneratorRef
from plumbline.kinds.externalsecrets.secretstore import LabelSelector
from plumbline.kinds.fields import DEFAULTED, NULLABLE, Fields, Int64
from plumbline.kinds.kind import Column, Kind, Version
from plumbline.kinds.timestamp import Time


class PushStoreRef(Fields):
    """A store, or all that have certain labels."""

    name: ObjectName = ""
    """The store's name."""
    label_selector: Annotated[LabelSelector | None, ONE_MAP] = None
    """Stores by their labels, instead of a name."""
    kind: Annotated[Literal["SecretStore", "ClusterSecretStore"], DEFAULTED] = "SecretStore"
    """SecretStore, in the same namespace, unless ClusterSecretStore is said."""


class PushSecretSecret(Fields):
    """Secrets of the same namespace."""

    name: ObjectName = ""
    """One, by its name."""
    selector: Annotated[LabelSelector | None, ONE_MAP] = None
    """All that have these labels."""


class PushSelector(Fields):
    """Where the values come from: one of these."""

    secret: PushSecretSecret | None = None
    """Secrets."""
    generator_ref: GeneratorRef | None = None
    """A generator, which makes new values for each refresh."""


class PushRemoteRef(Fields):
    """A secret in the store, or a part of it."""

    remote_key: str
    """Its name there."""
    property: str = ""
    """Which part of it; all of it if empty."""


class PushMatch(Fields):
    """Which value goes where."""

    secret_key: str = ""
    """The key of the Secret; all of them, as JSON, if empty."""
    remote_ref: PushRemoteRef
    """Where it goes."""


class PushData(Fields):
    """One value that is pushed."""

    match: PushMatch
    """Which value goes where."""
    metadata: Annotated[
        dict[str, Any] | None, Meta(extra_json_schema={"x-kubernetes-preserve-unknown-fields": True})
    ] = None
    """What is noted about it there, in the form of the provider: `apiVersion`, `kind: PushSecretMetadata`, and its `spec`."""
    conversion_strategy: Annotated[Literal["None", "ReverseUnicode"], DEFAULTED] = "None"
    """Whether `_U` and a code point in the keys of the Secret become the character again."""


class PushSecretSpec(Fields):
    """Which values, and where they go."""

    refresh_interval: Annotated[Duration, DEFAULTED] = Duration(3_600_000_000_000)
    """Time between comparisons with the store; a changed Secret is pushed at once. 0s compares once."""
    secret_store_refs: tuple[PushStoreRef, ...]
    """The stores."""
    update_policy: Annotated[Literal["Replace", "IfNotExists"], DEFAULTED] = "Replace"
    """Whether what this controller has pushed is replaced, or what is there stays. What others wrote always stays."""
    deletion_policy: Annotated[Literal["Delete", "None"], DEFAULTED] = "None"
    """Whether values leave the store with this object, and with their entry in it."""
    selector: Annotated[PushSelector, EXACTLY_ONE]
    """Where the values come from."""
    data: tuple[PushData, ...] = ()
    """The values, one by one."""
    template: ExternalSecretTemplate | None = None
    """What is made of the values before they are pushed; what the Secret has stays beside it."""
    data_to: tuple[dict[str, Any], ...] = ()
    """Values by expressions, as newer versions of External Secrets have them. Not done here: the condition says so."""


class PushSecretStatus(Fields):
    """Whether the values are there."""

    observed_generation: Int64 = 0
    """The generation of the object that was last looked at."""
    refresh_time: Annotated[Time | None, NULLABLE] = None
    """When the stores were last compared."""
    synced_resource_version: str = ""
    """The form of this object that was last pushed."""
    synced_push_secrets: dict[str, dict[str, PushData]] = field(default_factory=dict)
    """What was pushed, or is about to be, by store and by its name there: what there is to delete."""
    conditions: tuple[Condition, ...] = ()
    """Aspects of how this object is."""


PUSH_SECRET: Final = Kind(
    group=GROUP,
    kind="PushSecret",
    plural="pushsecrets",
    short_names=("ps",),
    categories=(CATEGORY,),
    description="Values of Secrets of the cluster, put into stores elsewhere.",
    versions=(
        Version(
            name="v1alpha1",
            spec=PushSecretSpec,
            status=PushSecretStatus,
            columns=(Column(name="AGE", path=".metadata.creationTimestamp", type="date"), STATUS),
        ),
    ),
    keep_unknown=True,
)
