"""Boundaries: who may own what, as a team writes it down in Git.

    apiVersion: plumbline.dev/v1alpha1
    kind: Boundary
    metadata: {name: platform}
    spec:
      rules:
        - name: foundations
          reason: Networks, clusters and identities change rarely, and with a review.
          external: [aws_vpc, aws_subnet, aws_eks_*]
          engines: [terraform]

The first rule that is about a resource decides, so exceptions come before what they are exceptions of.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.kinds.fields import Fields
from plumbline.kinds.kind import Kind, NoStatus, Version
from plumbline.kinds.read import read
from plumbline.ownership.patterns import allowed, fits
from plumbline.ownership.values import Claim, ClusterObject, External, Owner, Resource

EngineName: TypeAlias = Literal[
    "application", "crossplane", "terraform", "secret", "helm", "flux", "person", "controller"
]
Patterns: TypeAlias = tuple[Annotated[str, Meta(min_length=1, max_length=256)], ...]


class Rule(Fields):
    """Who may own some resources. What a field does not say, it does not restrict."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    """Name of the rule; violations are reported under it."""
    reason: str = ""
    """Why there is this rule, for whoever breaks it."""
    kinds: Patterns = ()
    """Objects in clusters that it is about, as KIND.GROUP with `*` for anything; `!` before one leaves it out."""
    external: Patterns = ()
    """Things outside that it is about, by Terraform's name of their type, such as `aws_iam_*`; `!` leaves out."""
    namespaces: Patterns = ()
    """Namespaces of the objects that it is about; objects without one are in the namespace with the empty name."""
    names: Patterns = ()
    """Names of objects, or ids of things outside, that it is about."""
    engines: tuple[EngineName, ...] = ()
    """Engines that may own them; every other one is a violation."""
    owners: Patterns = ()
    """Names of owners that may own them, such as `infra/*`; every other one is a violation."""


class BoundarySpec(Fields):
    """Rules, of which the first that is about a resource decides."""

    rules: Annotated[tuple[Rule, ...], Meta(max_length=1000)] = ()
    """Rules in the order in which they are tried."""
    otherwise: Literal["allow", "deny"] = "allow"
    """What holds for resources that no rule is about."""


BOUNDARY: Final = Kind(
    group="plumbline.dev",
    kind="Boundary",
    plural="boundaries",
    description="Who may own which resources: a file in Git, at .plumbline/boundaries.yaml.",
    versions=(Version(name="v1alpha1", spec=BoundarySpec, status=NoStatus),),
    namespaced=False,
)


class Placed(msgspec.Struct, frozen=True):
    """A rule and where it is written."""

    rule: Rule
    file: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


class Policy(msgspec.Struct, frozen=True):
    """All rules in force, in order."""

    rules: tuple[Placed, ...] = ()
    otherwise: Literal["allow", "deny"] = "allow"
    file: str = ""


class Violation(msgspec.Struct, frozen=True):
    """A claim that a rule does not allow. *rule* is None where none is about it and all others are denied."""

    claim: Claim
    rule: Placed | None
    why: str

    @property
    def order(self) -> tuple[str, tuple[str, str, str, int, str, str]]:
        return str(self.claim.resource), self.claim.order


def boundary(obj: JsonObject) -> BoundarySpec:
    """The object as a Boundary. Refuses fields that it does not know: a typing error here would allow too much."""
    found = read(BOUNDARY, obj)
    if found.unknown:
        raise InvalidInput(
            f"{found.ref} cannot be used",
            why=f"{', '.join(found.unknown[:5])}: no such field",
            hint="Correct the spelling; docs/ownership.md lists the fields.",
        )
    for at, rule in enumerate(found.spec.rules):
        if not (rule.kinds or rule.external or rule.namespaces or rule.names):
            raise InvalidInput(f"{found.ref}: spec.rules[{at}] cannot be used", why="it does not say what it is about")
        if not (rule.engines or rule.owners):
            raise InvalidInput(f"{found.ref}: spec.rules[{at}] cannot be used", why="it allows nobody")
    return found.spec


def judge(policy: Policy, claim: Claim) -> Violation | None:
    """What is wrong with *claim*; None where nothing is.

    Traces are not judged, being guesses, nor are manifests that nobody is known to deliver.
    """
    if claim.strength == "observed" or claim.owner.engine == "directory":
        return None
    placed = next((each for each in policy.rules if about(each.rule, claim.resource)), None)
    if placed is None:
        denied = policy.otherwise == "deny" and policy.rules
        return Violation(claim, None, "no rule allows anybody to own it") if denied else None
    rule = placed.rule
    if permits(rule, claim.owner):
        return None
    return Violation(claim, placed, f"only {_allowed(rule)} may own it, and {claim.owner} claims it")


def about(rule: Rule, resource: Resource) -> bool:
    if isinstance(resource, ClusterObject):
        if rule.external and not rule.kinds:
            return False
        if rule.namespaces and not allowed(resource.ref.namespace, rule.namespaces):
            return False
        selected = not rule.kinds or allowed(resource.type, rule.kinds)
        return selected and (not rule.names or allowed(resource.ref.name, rule.names))
    if not rule.external and (rule.kinds or rule.namespaces):
        return False
    name = resource.id if isinstance(resource, External) else resource.pattern
    selected = not rule.external or allowed(resource.type, rule.external)
    return selected and (not rule.names or allowed(name, rule.names))


def permits(rule: Rule, owner: Owner) -> bool:
    by_engine = not rule.engines or owner.family in rule.engines
    return by_engine and (not rule.owners or any(fits(owner.name, each) for each in rule.owners))


def _allowed(rule: Rule) -> str:
    who = " or ".join(rule.engines) or "an owner"
    return f"{who} named {' or '.join(rule.owners)}" if rule.owners else who
