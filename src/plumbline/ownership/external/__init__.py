"""Things outside every cluster: one name for each, whoever speaks of it.

The type is Terraform's (`aws_db_instance`), because HCL uses it, Crossplane's kinds are generated from it, and people
know it. Tables say what names a thing of each type and how far such a name is unique; ARNs, URLs, ARM ids and Google's
paths are taken apart to the same.
"""

from plumbline.ownership.external.resource import Described, Partial, Value, named, parse, resource
from plumbline.ownership.external.rules import camel, rule_of_kind, rule_of_type, type_of_kind
from plumbline.ownership.external.shape import Rule, Scope

__all__ = [
    "Described",
    "Partial",
    "Rule",
    "Scope",
    "Value",
    "camel",
    "named",
    "parse",
    "resource",
    "rule_of_kind",
    "rule_of_type",
    "type_of_kind",
]
