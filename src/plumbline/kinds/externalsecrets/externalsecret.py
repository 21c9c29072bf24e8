"""ExternalSecret (external-secrets.io): values kept elsewhere, as a Secret of the cluster. As External Secrets has it.

The older v1beta1 is the same kind with fewer fields: here it knows all of them, so nothing is lost on the way.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, field

from plumbline.kinds.duration import Duration
from plumbline.kinds.externalsecrets.common import (
    CATEGORY,
    EXACTLY_ONE,
    GROUP,
    OLDER,
    ONE_MAP,
    READY,
    STATUS,
    KeyName,
    ObjectName,
)
from plumbline.kinds.fields import DEFAULTED, NULLABLE, Fields, Int64
from plumbline.kinds.kind import Column, Kind, Version
from plumbline.kinds.timestamp import Time

Conversion: TypeAlias = Literal["Default", "Unicode"]
Decoding: TypeAlias = Literal["Auto", "Base64", "Base64URL", "None"]
NullBytes: TypeAlias = Literal["Ignore", "Fail"]

GENERATORS: Final = (
    *("ACRAccessToken", "ClusterGenerator", "CloudsmithAccessToken", "ECRAuthorizationToken", "Fake", "GCRAccessToken"),
    *("GithubAccessToken", "QuayAccessToken", "Password", "SSHKey", "STSSessionToken", "UUID", "VaultDynamicSecret"),
    *("Webhook", "Grafana", "MFA"),
)
"""Kinds of External Secrets that make values up instead of fetching them. They can be named; nothing here runs them."""


class SecretStoreRef(Fields):
    """A store."""

    name: ObjectName = ""
    """The store's name."""
    kind: Literal["SecretStore", "ClusterSecretStore"] = "SecretStore"
    """SecretStore, in the same namespace, unless ClusterSecretStore is said."""


class GeneratorRef(Fields):
    """An object that makes values up."""

    api_version: Annotated[str, DEFAULTED] = "generators.external-secrets.io/v1alpha1"
    """Group and version of the generator."""
    kind: Annotated[str, Meta(extra_json_schema={"enum": sorted(GENERATORS)})]
    """Kind of the generator."""
    name: ObjectName
    """The generator's name."""


class SourceRef(Fields):
    """Where to fetch from, if not from the store of the whole ExternalSecret: one of these."""

    store_ref: SecretStoreRef | None = None
    """Another store."""
    generator_ref: GeneratorRef | None = None
    """A generator. Only under dataFrom, without extract and find."""


class RemoteRef(Fields):
    """A secret in the store, or a part of it."""

    key: str
    """The secret's name there."""
    property: str = ""
    """Which part of it; all of it if empty."""
    version: str = ""
    """Which version of it; the current one if empty."""
    metadata_policy: Annotated[Literal["None", "Fetch"], DEFAULTED] = "None"
    """Fetch asks for what is noted about the secret, such as tags, instead of its value."""
    conversion_strategy: Annotated[Conversion, DEFAULTED] = "Default"
    """How names become keys of a Secret: what is not allowed there becomes _, or with Unicode _U and the code point."""
    decoding_strategy: Annotated[Decoding, DEFAULTED] = "None"
    """How the value is written there. Auto decodes what can be decoded and takes the rest as it is."""
    null_byte_policy: NullBytes = "Ignore"
    """Fail refuses a value with a zero byte in it."""


class FindName(Fields):
    """Names of secrets."""

    regexp: str = ""
    """A regular expression in Go's dialect, found anywhere in the name."""


class Find(Fields):
    """Secrets in the store by name or tags; all that fit what is said."""

    path: str | None = None
    """Where in the store to begin."""
    name: FindName | None = None
    """By their names."""
    tags: dict[str, str] = field(default_factory=dict)
    """By their tags, all of which must be there."""
    conversion_strategy: Annotated[Conversion, DEFAULTED] = "Default"
    """How names become keys of a Secret: what is not allowed there becomes _, or with Unicode _U and the code point."""
    decoding_strategy: Annotated[Decoding, DEFAULTED] = "None"
    """How the values are written there. Auto decodes what can be decoded and takes the rest as it is."""
    null_byte_policy: NullBytes = "Ignore"
    """Fail refuses a value with a zero byte in it."""


class RewriteRegexp(Fields):
    """Names of keys, changed by a regular expression in Go's dialect."""

    source: str
    """What is found."""
    target: str
    """What stands there instead; $1 is the first group."""


class RewriteTransform(Fields):
    """Names of keys, changed by a template."""

    template: str
    """A Go template whose .value is the name."""


class RewriteMerge(Fields):
    """Values that are JSON objects, put together."""

    into: Annotated[str, DEFAULTED] = ""
    """The key that holds all of it, with the strategy JSON."""
    priority: tuple[str, ...] = ()
    """Keys that come last, so that theirs count."""
    priority_policy: Annotated[Literal["IgnoreNotFound", "Strict"], DEFAULTED] = "Strict"
    """Whether a key of `priority` may be missing."""
    conflict_policy: Annotated[Literal["Ignore", "Error"], DEFAULTED] = "Error"
    """Whether two of them may have the same key."""
    strategy: Annotated[Literal["Extract", "JSON"], DEFAULTED] = "Extract"
    """Extract makes every key of theirs a key of the Secret, JSON makes one key of all of them."""


class Rewrite(Fields):
    """A change to what was fetched: one of these."""

    merge: RewriteMerge | None = None
    """Puts values together."""
    regexp: RewriteRegexp | None = None
    """Changes names of keys by a regular expression."""
    transform: RewriteTransform | None = None
    """Changes names of keys by a template."""


class ExternalSecretItem(Fields):
    """One key of the Secret."""

    secret_key: KeyName
    """The key."""
    remote_ref: RemoteRef
    """What it holds."""
    source_ref: Annotated[SourceRef | None, EXACTLY_ONE] = None
    """Where that is, if not in the store of the whole ExternalSecret."""


class ExternalSecretItems(Fields):
    """Several keys of the Secret at once."""

    extract: RemoteRef | None = None
    """All parts of one secret."""
    find: Find | None = None
    """Several secrets."""
    rewrite: tuple[Annotated[Rewrite, EXACTLY_ONE], ...] = ()
    """Changes to what was fetched, one after the other."""
    source_ref: Annotated[SourceRef | None, EXACTLY_ONE] = None
    """Where they are, if not in the store of the whole ExternalSecret."""


class TemplateMetadata(Fields):
    """Metadata of the Secret. The values of annotations and labels are templates too."""

    annotations: dict[str, str] = field(default_factory=dict)
    """Annotations of the Secret."""
    labels: dict[str, str] = field(default_factory=dict)
    """Labels of the Secret."""
    finalizers: tuple[str, ...] = ()
    """Finalizers of the Secret."""


class TemplateItem(Fields):
    """A template in an entry of a ConfigMap or a Secret."""

    key: KeyName
    """Which entry."""
    template_as: Annotated[Literal["Values", "KeysAndValues"], DEFAULTED] = "Values"
    """Values makes the entry's key a key of the Secret; KeysAndValues makes keys of the YAML that the template becomes."""


class TemplateRef(Fields):
    """Templates in a ConfigMap or a Secret of the same namespace."""

    name: ObjectName
    """Its name."""
    items: tuple[TemplateItem, ...]
    """Which of its entries."""


class TemplateFrom(Fields):
    """Templates from elsewhere."""

    config_map: TemplateRef | None = None
    """In a ConfigMap."""
    secret: TemplateRef | None = None
    """In a Secret."""
    literal: str | None = None
    """Here: a template that becomes YAML of keys and values."""
    target: Annotated[str, DEFAULTED] = "Data"
    """Where the outcome goes: Data, Annotations or Labels of a Secret."""
    values_decoding_strategy: Decoding = "None"
    """How the values of the outcome are written."""


class ExternalSecretTemplate(Fields):
    """What the Secret is made to look like. Templates are Go's, over what was fetched."""

    type: str = ""
    """Type of the Secret; Opaque if empty."""
    engine_version: Annotated[Literal["v2"], DEFAULTED] = "v2"
    """Which functions templates have."""
    metadata: TemplateMetadata = TemplateMetadata()
    """Metadata of the Secret."""
    merge_policy: Annotated[Literal["Replace", "Merge"], DEFAULTED] = "Replace"
    """Whether the Secret has only the keys of `data` and `templateFrom`, or also all that was fetched."""
    data: dict[str, str] = field(default_factory=dict)
    """Keys of the Secret, each a template."""
    template_from: tuple[TemplateFrom, ...] = ()
    """Templates from elsewhere; those in `data` come after them and count."""


class TargetManifest(Fields):
    """Another kind of object than a Secret."""

    api_version: Annotated[str, Meta(min_length=1)]
    """Its group and version."""
    kind: Annotated[str, Meta(min_length=1)]
    """Its kind."""


class ExternalSecretTarget(Fields):
    """The Secret that is made."""

    name: ObjectName = ""
    """The Secret's name; the ExternalSecret's if empty."""
    creation_policy: Annotated[Literal["Owner", "Orphan", "Merge", "CreateOrMerge", "None"], DEFAULTED] = "Owner"
    """Whose the Secret is: Owner makes it and takes it along when it goes, Orphan makes it and leaves it, Merge adds keys to
    one that is there, CreateOrMerge makes one where none is, None makes nothing.
    """
    deletion_policy: Annotated[Literal["Delete", "Merge", "Retain"], DEFAULTED] = "Retain"
    """What happens when the store has none of it any more: the Secret goes, its keys go, or all stays and is reported."""
    immutable: bool = False
    """Whether the Secret is made once and never changed."""
    template: ExternalSecretTemplate | None = None
    """What the Secret is made to look like; the keys that were fetched if absent."""
    manifest: TargetManifest | None = None
    """Another kind of object that is made instead of a Secret."""


class SyncWindow(Fields):
    """A span of time that comes again."""

    schedule: Annotated[str, Meta(min_length=1)]
    """When it begins, in UTC: five fields as cron has them, or @daily and its like."""
    duration: Duration
    """How long it lasts."""


class SyncWindows(Fields):
    """When values may be fetched again by the clock. A change to this object is acted on at any time."""

    kind: Literal["allow", "deny"]
    """Whether it is done only in the windows, or only outside them."""
    windows: Annotated[tuple[SyncWindow, ...], Meta(min_length=1)]
    """The windows."""


_TARGET: Final = Meta(extra_json_schema={"default": {"creationPolicy": "Owner", "deletionPolicy": "Retain"}})


class ExternalSecretSpec(Fields):
    """Which values, from where, and the Secret that they become."""

    secret_store_ref: SecretStoreRef = SecretStoreRef()
    """The store of everything that does not name another."""
    target: Annotated[ExternalSecretTarget, _TARGET] = ExternalSecretTarget()
    """The Secret that is made."""
    refresh_policy: Literal["CreatedOnce", "Periodic", "OnChange"] = "Periodic"
    """When values are fetched again: never once the Secret is there, by the clock, or when this object changes."""
    refresh_interval: Annotated[Duration, DEFAULTED] = Duration.of_seconds(3600)
    """Time between fetches; 0s fetches once."""
    sync_windows: SyncWindows | None = None
    """When values may be fetched again by the clock; at any time if absent."""
    data: tuple[ExternalSecretItem, ...] = ()
    """Keys of the Secret, one by one. They count where `dataFrom` has the same key."""
    data_from: tuple[ExternalSecretItems, ...] = ()
    """Keys of the Secret, several at once; a later entry counts where an earlier one has the same key."""


class ExternalSecretCondition(Fields):
    """One aspect of how an ExternalSecret is."""

    type: Annotated[str, Meta(extra_json_schema={"enum": ["Deleted", "Ready"]})]
    """Ready, or Deleted where the Secret went because the store has none of it any more."""
    status: str
    """True, False or Unknown."""
    reason: str = ""
    """One word for programs: SecretSynced, SecretSyncedError, SecretDeleted, SecretMissing."""
    message: str = ""
    """One sentence for people: which item failed, and what to do."""
    last_transition_time: Time | None = None
    """When the status last changed."""


class Binding(Fields):
    """The Secret, as servicebinding.io has it."""

    name: Annotated[str, DEFAULTED] = ""
    """The Secret's name."""


class ExternalSecretStatus(Fields):
    """Whether the Secret is there, as this object asks for it."""

    observed_generation: Int64 = 0
    """The generation of the object that was last looked at."""
    refresh_time: Annotated[Time | None, NULLABLE] = None
    """When values were last fetched."""
    synced_resource_version: str = ""
    """The form of this object that the Secret was last made from."""
    conditions: tuple[ExternalSecretCondition, ...] = ()
    """Aspects of how this object is."""
    binding: Annotated[Binding | None, ONE_MAP] = None
    """The Secret, for whoever binds services."""


_COLUMNS: Final = (
    Column(name="StoreType", path=".spec.secretStoreRef.kind"),
    Column(name="Store", path=".spec.secretStoreRef.name"),
    Column(name="Refresh Interval", path=".spec.refreshInterval"),
    STATUS,
    READY,
)
_SELECTABLE: Final = (
    ".spec.secretStoreRef.name",
    ".spec.secretStoreRef.kind",
    ".spec.target.name",
    ".spec.refreshInterval",
)

EXTERNAL_SECRET: Final = Kind(
    group=GROUP,
    kind="ExternalSecret",
    plural="externalsecrets",
    short_names=("es",),
    categories=(CATEGORY,),
    description="Values that are kept in a store elsewhere, as a Secret of the cluster.",
    versions=tuple(
        Version(
            name=name,
            spec=ExternalSecretSpec,
            status=ExternalSecretStatus,
            columns=_COLUMNS,
            selectable=_SELECTABLE,
            deprecation=deprecation,
        )
        for name, deprecation in (("v1", ""), ("v1beta1", OLDER))
    ),
    keep_unknown=True,
)
