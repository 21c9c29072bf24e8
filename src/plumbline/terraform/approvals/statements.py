"""Whether an approval says the truth about who makes it. Pure."""

from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kinds.read import read
from plumbline.kinds.terraform import PLAN_APPROVAL, Approvers, PlanApprovalSpec
from plumbline.terraform.policies import Policy

_SHOWN: Final = 10


class Statement(NamedTuple):
    """What somebody is about to say."""

    spec: PlanApprovalSpec
    namespace: str
    user: str
    groups: frozenset[str]
    """All that the API server knows them to be in."""


def statement(request: JsonObject) -> Statement | None:
    """None where nothing is said that was not said before. Raises InvalidInput for what nobody can judge."""
    operation, obj, old = request.get("operation"), request.get("object"), request.get("oldObject")
    if operation not in ("CREATE", "UPDATE") or not isinstance(obj, dict):
        raise InvalidInput("The review is not about a PlanApproval that is made or changed")
    if operation == "UPDATE" and isinstance(old, dict) and old.get("spec") == obj.get("spec"):
        return None
    user, groups = _user(request.get("userInfo"))
    return Statement(read(PLAN_APPROVAL, obj).spec, str(request.get("namespace") or ""), user, groups)


def lie(said: Statement, operation: Json) -> str:
    """What of it is not so; empty where all is."""
    if operation == "UPDATE":
        return "An approval cannot be changed; delete it and make another"
    if not said.spec.by:
        return f'spec.by is missing: whoever approves says so under their name, which is "{said.user}"'
    if said.spec.by != said.user:
        return f'spec.by says "{said.spec.by}", and "{said.user}" makes it: nobody approves in the name of another'
    foreign = sorted(set(said.spec.groups) - said.groups)
    if foreign:
        return f'"{said.user}" is not in {", ".join(foreign[:_SHOWN])}, which spec.groups says'
    return ""


def objection(said: Statement, policy: Policy) -> str:
    """Why what they say would not count; empty where it does."""
    if policy.may_approve(said.user, said.spec.groups):
        return ""
    who = f'"{said.user}" may not approve plans of Terraform {said.spec.terraform}'
    if policy.may_approve(said.user, said.groups):
        named = sorted({each for approvers in policy.approvers for each in approvers.groups} & said.groups)
        return f"{who} without saying as whom: name {', '.join(named[:_SHOWN])} in spec.groups"
    return f"{who}: a TerraformPolicy names {'; and also '.join(map(_named, policy.approvers))}"


def _named(approvers: Approvers) -> str:
    return ", ".join((*approvers.users[:_SHOWN], *(f"members of {each}" for each in approvers.groups[:_SHOWN])))


def _user(told: Json) -> tuple[str, frozenset[str]]:
    name = told.get("username") if isinstance(told, dict) else None
    groups = told.get("groups") if isinstance(told, dict) else None
    if not isinstance(name, str) or not name or not isinstance(groups, list | None):
        raise InvalidInput("The review does not say who asks")
    return name, frozenset(each for each in groups or () if isinstance(each, str))
