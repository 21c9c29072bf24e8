"""Kinds that Kubernetes itself defines, and Argo's Workflow: rules as functions, one file per family.

Each takes the object alone. A version that the rule was not written for, or a field that breaks the kind's schema,
raises SchemaViolation; whoever asked turns that into Unknown.
"""

from collections.abc import Mapping

from plumbline.kube.health.builtin import (
    apiservices,
    autoscaling,
    batch,
    networking,
    pods,
    storage,
    workflows,
    workloads,
)
from plumbline.kube.health.rules import Rule

RULES: Mapping[str, Rule] = {
    **workloads.RULES,
    **pods.RULES,
    **networking.RULES,
    **storage.RULES,
    **batch.RULES,
    **autoscaling.RULES,
    **apiservices.RULES,
    **workflows.RULES,
}
