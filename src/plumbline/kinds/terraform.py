"""TerraformPolicy and PlanApproval (plumbline.dev/v1alpha1): what Terraform objects may do unasked, and who has agreed to what."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from plumbline.kinds.fields import DEFAULTED, DISTINCT, Fields, Int32, ruled
from plumbline.kinds.kind import Column, Kind, NoStatus, Version

Danger: TypeAlias = Literal["destroy", "replace", "forget", "unprotect"]
Allowed: TypeAlias = Literal["Allow", "Deny"]


class Auto(Fields):
    """What `approvePlan: auto` applies without asking, besides what creates and changes in place."""

    allow: Annotated[tuple[Danger, ...], DISTINCT] = ()
    """Kinds of loss that pass."""
    types: tuple[str, ...] = ()
    """Only of these resource types, with * and ?; all where none is given."""


class Approvers(Fields):
    """Who may approve. Where nobody is named, whoever may create PlanApprovals."""

    users: Annotated[tuple[str, ...], DISTINCT] = ()
    """Names of users, as the API server knows them."""
    groups: Annotated[tuple[str, ...], DISTINCT] = ()
    """Names of groups: whoever is in one of them."""


class TerraformPolicySpec(Fields):
    names: tuple[str, ...] = ()
    """Terraform objects that it is about, with * and ?; all of the namespace where none is given."""
    approvals: Annotated[Int32, DEFAULTED] = 1
    """How many people must approve a plan that waits."""
    approvers: Approvers = Approvers()
    auto: Auto = Auto()
    drift: Annotated[Literal["Correct", "Report"], DEFAULTED] = "Correct"
    """Report: what differs from the state is shown and never corrected unasked, not even with `approvePlan: auto`."""
    providers: tuple[str, ...] = ()
    """Providers that may run, as host/namespace/type with * and ?; all where none is given."""
    external_data: Annotated[Allowed, DEFAULTED] = "Allow"
    """Whether a plan may run programs of the repository through the `external` data source."""
    provisioners: Annotated[Allowed, DEFAULTED] = "Allow"
    """Whether resources may run programs through provisioners."""


TERRAFORM_POLICY: Final = Kind(
    group="plumbline.dev",
    kind="TerraformPolicy",
    plural="terraformpolicies",
    description="What Terraform objects of a namespace may do unasked. Those in the installation's own namespace hold everywhere.",
    versions=(
        Version(
            name="v1alpha1",
            spec=TerraformPolicySpec,
            status=NoStatus,
            columns=(
                Column(name="Approvals", path=".spec.approvals", type="integer"),
                Column(name="Drift", path=".spec.drift"),
            ),
        ),
    ),
)


class PlanApprovalSpec(Fields):
    """Nothing in it changes once it is made: somebody who thinks again deletes it."""

    terraform: Annotated[str, ruled(("size(self) > 0", "names a Terraform object"))]
    """The Terraform object of the same namespace."""
    plan: Annotated[str, ruled(("self.matches('^[0-9a-f]{64}$')", "is the whole digest of a plan"))]
    """Digest of the plan: this one and no other is approved."""
    decision: Annotated[Literal["Approve", "Reject"], DEFAULTED] = "Approve"
    """Reject: nothing is applied, whoever else approves, while this stands."""
    by: str = ""
    """Who says so; the one who makes the object, or it is refused."""
    groups: Annotated[tuple[str, ...], DISTINCT] = ()
    """Groups of theirs that count."""
    comment: str = ""
    """Why, in their own words."""


PLAN_APPROVAL: Final = Kind(
    group="plumbline.dev",
    kind="PlanApproval",
    plural="planapprovals",
    description="Somebody's agreement, or refusal, to apply one plan of a Terraform object.",
    versions=(
        Version(
            name="v1alpha1",
            spec=PlanApprovalSpec,
            status=NoStatus,
            columns=(
                Column(name="Terraform", path=".spec.terraform"),
                Column(name="Decision", path=".spec.decision"),
                Column(name="By", path=".spec.by"),
            ),
            rules=(("self == oldSelf", "an approval cannot be changed; delete it and make another"),),
        ),
    ),
)

TERRAFORM_KINDS: Final[tuple[Kind[Any, Any], ...]] = (TERRAFORM_POLICY, PLAN_APPROVAL)
