"""Terraform (infra.contrib.fluxcd.io): a root module from a source, planned, approved and applied. As Flux's tofu-controller has it.

The version v1alpha1 is the same kind with fewer fields: here it knows all of them, so nothing is lost on the way.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import field

from plumbline.kinds.duration import Duration
from plumbline.kinds.fields import DEFAULTED, Fields, Int32, Int64, shaped
from plumbline.kinds.flux.common import (
    AGE,
    NEVER_OBSERVED,
    ONE_MAP,
    READY,
    STATUS,
    Condition,
    Name,
)
from plumbline.kinds.flux.runnerpod import EnvVarSource, RunnerPodTemplate
from plumbline.kinds.kind import Kind, Version
from plumbline.kinds.timestamp import Time

Holder: TypeAlias = Literal["Secret", "ConfigMap"]


class Variable(Fields):
    """A variable of the root module."""

    name: str
    value: Any = None
    """Any JSON."""
    value_from: EnvVarSource | None = None
    """Where the value is, if it is not said here."""


class VarsReference(Fields):
    """Variables from a Secret or a ConfigMap."""

    kind: Holder
    name: Name
    vars_keys: tuple[str, ...] = ()
    """Keys that are taken, each `key` or `key:variable`; all of them if there are none."""
    optional: bool = False
    """Whether it may be missing."""


class BackendConfigsReference(Fields):
    """Settings of the backend from a Secret or a ConfigMap."""

    kind: Holder
    name: Name
    keys: tuple[str, ...] = ()
    """Keys that are taken; all of them if there are none."""
    optional: bool = False
    """Whether it may be missing."""


class BackendConfig(Fields):
    """Where the state is kept; in Secrets beside this object if nothing is said."""

    disable: bool = False
    """Whether the module brings a backend of its own."""
    secret_suffix: str = ""
    """End of the name of the Secret; the name of this object if empty."""
    in_cluster_config: bool = False
    """Whether the backend speaks to the cluster that it runs in."""
    custom_configuration: str = ""
    """A whole `backend` block in HCL."""
    config_path: str = ""
    """Path of a kubeconfig."""
    labels: dict[str, str] = field(default_factory=dict)
    """Further labels of the Secret."""


class CloudWorkspaces(Fields):
    """Workspaces of HCP Terraform: one by name, or several by tags."""

    name: str = ""
    tags: tuple[str, ...] = ()
    """Every workspace that has all of them."""


class Cloud(Fields):
    """Runs in HCP Terraform or Terraform Enterprise."""

    organization: str
    """Who the workspaces belong to."""
    workspaces: CloudWorkspaces
    hostname: str = ""
    """Of Terraform Enterprise; app.terraform.io if empty."""
    token: str = ""
    """Better in cliConfigSecretRef: whoever may read this object may read it."""


class SecretReference(Fields):
    """A Secret, perhaps in another namespace."""

    name: str = ""
    namespace: str = ""


class PlacedReference(Fields):
    """An object, in the same namespace if none is said."""

    namespace: str = ""
    name: str


class SecretKeyReference(Fields):
    """One key of a Secret."""

    name: str
    key: str = ""
    """Which key of it."""


class FileMapping(Fields):
    """A file from a Secret, for the time of a run."""

    secret_ref: SecretKeyReference
    location: Literal["home", "workspace"]
    """Below the home folder, or below the root of the source."""
    # The language of upstream's pattern, said without the two readings of one text that make matchers slow.
    path: Annotated[str, shaped(r"^([^/_a-zA-Z0-9\n]?[/_a-zA-Z0-9])*$")]
    """Below the location."""


class HealthCheck(Fields):
    """What must answer once everything is applied."""

    name: Name
    type: Literal["tcp", "http"]
    """How it is asked."""
    url: str = ""
    """For http; outputs can be used in it, as in `${{ .url }}`."""
    address: str = ""
    """Host and port for tcp; outputs can be used in it."""
    timeout: Annotated[Duration, DEFAULTED] = Duration.of_seconds(20)
    """How long an answer may take."""


class InputsReference(Fields):
    """A Secret whose values templates may use."""

    name: str
    as_: str = field(name="as")
    """What it is called in templates."""


class WriteOutputsToSecret(Fields):
    """The Secret that outputs are written to."""

    name: str
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    """Each `output` or `output:key`; all of them if there are none."""


class Webhook(Fields):
    """Somebody who is asked before a plan goes on."""

    stage: Annotated[Literal["post-planning"], DEFAULTED] = "post-planning"
    """When it is asked."""
    enabled: Annotated[bool, DEFAULTED] = True
    """Whether it is asked."""
    url: str
    """Where it is asked, by POST."""
    payload_type: Annotated[str, DEFAULTED] = "SpecAndPlan"
    """SpecAndPlan, SpecOnly or PlanOnly."""
    error_message_template: str = ""
    """Go template over the answer, with `${{ }}`."""
    test_expression: str
    """Go template over the answer, with `${{ }}`, that must come out true or yes."""


class PlanOptions(Fields):
    """How plans are made."""

    lock: bool | None = None
    """Whether the state is locked for a plan; it is if absent."""


class TfState(Fields):
    """What is done about a lock that somebody left behind."""

    force_unlock: Annotated[Literal["yes", "no", "auto"], DEFAULTED] = "no"
    """`yes` unlocks the lock named below, `auto` whichever was found."""
    lock_identifier: str = ""
    """Which lock, for `yes`."""
    lock_timeout: Annotated[Duration, DEFAULTED] = Duration(0)
    """How long a plan waits for the lock."""


class Remediation(Fields):
    """How often a failure is tried again."""

    retries: Int64 = 0
    """Negative for always."""


class BranchPlanner(Fields):
    """Plans of pull requests."""

    enable_path_scope: bool = False
    """Whether only pull requests that touch the module's path are planned."""


class SourceReference(Fields):
    """Where the files come from."""

    api_version: str = ""
    """Group and version; source.toolkit.fluxcd.io/v1 if empty."""
    kind: Literal["GitRepository", "Bucket", "OCIRepository"]
    name: str
    namespace: str = ""
    """This object's own if empty."""


class TerraformSpec(Fields):
    """Which module is run, with what, and who has the last word."""

    approve_plan: str = ""
    """Empty for by hand, auto, disable, or the name of the pending plan."""
    destroy: bool = False
    """Whether everything is destroyed."""
    backend_config: BackendConfig | None = None
    backend_configs_from: tuple[BackendConfigsReference, ...] = ()
    """Settings of the backend that are secret or shared."""
    cloud: Cloud | None = None
    workspace: Annotated[str, DEFAULTED] = "default"
    """The workspace of the state."""
    vars: tuple[Variable, ...] = ()
    """Variables of the root module."""
    vars_from: tuple[VarsReference, ...] = ()
    """Later ones win, and win over vars."""
    tf_vars_files: tuple[str, ...] = ()
    """Paths of variable files, below the root of the source."""
    values: Any = None
    """Becomes the variable `values`."""
    file_mappings: tuple[FileMapping, ...] = ()
    """Files that are not in the source."""
    interval: Duration
    """Time from one successful look to the next."""
    retry_interval: Duration = Duration.of_seconds(15)
    """Time until a failure is tried again; 15s if absent."""
    retry_strategy: Annotated[Literal["StaticInterval", "ExponentialBackoff"], DEFAULTED] = "StaticInterval"
    """Whether failures are tried again at the same pace or ever more slowly."""
    max_retry_interval: Duration = Duration.of_seconds(86_400)
    """The longest that ExponentialBackoff waits; 24h if absent."""
    remediation: Remediation | None = None
    path: str = ""
    """Folder of the root module in the source."""
    source_ref: SourceReference
    suspend: bool = False
    """Whether this object is left alone."""
    force: Annotated[bool, DEFAULTED] = False
    """Whether every plan is applied, approved or not."""
    read_inputs_from_secrets: tuple[InputsReference, ...] = ()
    """Secrets whose values `values` may use."""
    write_outputs_to_secret: WriteOutputsToSecret | None = None
    disable_drift_detection: Annotated[bool, DEFAULTED] = False
    """Whether changes that are made elsewhere go unseen."""
    cli_config_secret_ref: Annotated[SecretReference | None, ONE_MAP] = None
    """Secret with one key that ends in .tfrc: the tool's own configuration."""
    health_checks: tuple[HealthCheck, ...] = ()
    """What must answer once everything is applied."""
    destroy_resources_on_deletion: Annotated[bool, DEFAULTED] = False
    """Whether everything is destroyed with this object."""
    service_account_name: Annotated[str, DEFAULTED] = "tf-runner"
    """As whom the tool runs."""
    always_cleanup_runner_pod: Annotated[bool, DEFAULTED] = True
    """Whether the pod of a run goes when the run is over."""
    runner_termination_grace_period_seconds: Annotated[Int64, DEFAULTED] = 30
    """How long a run may take to end when it is told to."""
    refresh_before_apply: Annotated[bool, DEFAULTED] = False
    """Whether the state is brought up to date before a plan is applied."""
    runner_pod_template: RunnerPodTemplate = RunnerPodTemplate()
    enable_inventory: bool = False
    """Whether the status lists what was made."""
    tfstate: TfState | None = None
    targets: tuple[str, ...] = ()
    """Addresses of resources; nothing else is planned or applied."""
    parallelism: Annotated[Int32, DEFAULTED] = 0
    """How many resources are worked on at a time; 0 for as many as the tool thinks."""
    store_readable_plan: Annotated[Literal["none", "json", "human"], DEFAULTED] = "none"
    """Whether and how plans are also kept for reading: json in a Secret, human in a ConfigMap."""
    webhooks: tuple[Webhook, ...] = ()
    """Who is asked before a plan goes on."""
    depends_on: tuple[PlacedReference, ...] = ()
    """Other Terraform objects that must be applied first."""
    enterprise: Any = None
    """Nothing uses it."""
    plan_only: bool = False
    """Whether plans are made and never applied."""
    break_the_glass: bool = False
    """Whether the runner waits for a person."""
    branch_planner: BranchPlanner | None = None
    upgrade_on_init: Annotated[bool, DEFAULTED] = True
    """Whether providers and modules are brought up to date at every run."""
    plan: PlanOptions | None = None


class PlanStatus(Fields):
    """Which plan was applied, and which one waits."""

    last_applied: str = ""
    pending: str = ""
    is_destroy_plan: bool = False
    is_drift_detection_plan: bool = False


class ResourceInventoryEntry(Fields):
    """Something that was made."""

    name: str = field(name="n")
    type: str = field(name="t")
    identifier: str = field(name="id")


class ResourceInventory(Fields):
    """What was made."""

    entries: tuple[ResourceInventoryEntry, ...]


class LockStatus(Fields):
    """Which lock was opened by force, and which one is in the way."""

    last_applied: str = ""
    pending: str = ""


class TerraformStatus(Fields):
    """How far it has come."""

    last_handled_reconcile_at: str = ""
    """Value of the annotation reconcile.fluxcd.io/requestedAt at the last look."""
    observed_generation: Int64 = 0
    """The generation of the object that was last looked at."""
    conditions: tuple[Condition, ...] = ()
    last_applied_revision: str = ""
    last_attempted_revision: str = ""
    last_planned_revision: str = ""
    last_planned_generation: Int64 = 0
    last_plan_at: Time | None = None
    last_successful_reconcile_at: Time | None = None
    last_drift_detected_at: Time | None = None
    last_applied_by_drift_detection_at: Time | None = None
    available_outputs: tuple[str, ...] = ()
    plan: PlanStatus = PlanStatus()
    inventory: ResourceInventory | None = None
    lock: LockStatus = LockStatus()
    reconciliation_failures: Int64 = 0


_DEPRECATION: Final = "v1alpha1 Terraform is deprecated, upgrade to v1alpha2"
_COLUMNS: Final = (READY, STATUS, AGE)

TERRAFORM: Final = Kind(
    group="infra.contrib.fluxcd.io",
    kind="Terraform",
    plural="terraforms",
    short_names=("tf",),
    description="A root module of Terraform or OpenTofu from a source, planned, approved and applied.",
    versions=(
        Version(
            name="v1alpha2",
            spec=TerraformSpec,
            status=TerraformStatus,
            columns=_COLUMNS,
            status_default=NEVER_OBSERVED,
        ),
        Version(
            name="v1alpha1",
            spec=TerraformSpec,
            status=TerraformStatus,
            columns=_COLUMNS,
            deprecation=_DEPRECATION,
        ),
    ),
    keep_unknown=True,
)
