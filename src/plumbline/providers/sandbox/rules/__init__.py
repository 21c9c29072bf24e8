"""Rules of AWS that moto does not have, one file of rows for each service.

A service with rules of its own is a file here with a tuple `RULES`, and a name in `SERVICES`. What the models say already
(required parameters, ranges, patterns, choices) holds for every service: see `modelled`.
"""

from functools import cache
from importlib import import_module
from typing import Any, Final

from plumbline.providers.sandbox.calls import Call, Refusal, World
from plumbline.providers.sandbox.rules.modelled import violation
from plumbline.providers.sandbox.rules.rule import Rule, objected

SERVICES: Final = frozenset(
    {"dynamodb", "ec2", "eks", "elasticache", "iam", "kms", "rds", "route53", "s3", "secretsmanager", "sqs", "sns"}
)

__all__ = ["SERVICES", "objection", "rules_of"]


def objection(call: Call, operation: Any, world: World) -> Refusal | None:
    """Why AWS would refuse the call; None where it would not, as far as we know."""
    refusal = violation(call, operation) if operation is not None else None
    if refusal is not None:
        return refusal
    for rule in rules_of(call.service).get(call.operation, ()):
        refusal = objected(rule, call, world)
        if refusal is not None:
            return refusal
    return None


@cache
def rules_of(service: str) -> dict[str, tuple[Rule, ...]]:
    """By operation, in the order of their rows: the first that objects is heard."""
    if service not in SERVICES:
        return {}
    found: dict[str, tuple[Rule, ...]] = {}
    for rule in import_module(f"{__name__}.{service}").RULES:
        for operation in rule.operations.split():
            found[operation] = (*found.get(operation, ()), rule)
    return found
