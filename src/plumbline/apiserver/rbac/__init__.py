"""Role-based access control: who may do what, who may grant it, and what a cluster starts with."""

from plumbline.apiserver.rbac.aggregation import aggregated
from plumbline.apiserver.rbac.attributes import Attributes, Decision, forbidden, forbidden_message
from plumbline.apiserver.rbac.authorizer import Authorizer, HeldRules
from plumbline.apiserver.rbac.escalation import RoleWrite, escalation_error

__all__ = [
    "Attributes",
    "Authorizer",
    "Decision",
    "HeldRules",
    "RoleWrite",
    "aggregated",
    "escalation_error",
    "forbidden",
    "forbidden_message",
]
