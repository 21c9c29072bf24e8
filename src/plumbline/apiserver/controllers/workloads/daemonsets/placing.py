"""On which nodes a DaemonSet's pods belong, and how each of them is tied to its node."""

from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.kinds import REVISION_LABEL
from plumbline.apiserver.controllers.workloads.placement import (
    NAME_FIELD,
    NO_EXECUTE,
    NO_SCHEDULE,
    fits_affinity,
    untolerated,
)
from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.apiserver.controllers.workloads.templates import pod_from_template
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
GENERATION_LABEL: Final = "pod-template-generation"
_ALWAYS_TOLERATED: Final = (
    ("node.kubernetes.io/not-ready", NO_EXECUTE),
    ("node.kubernetes.io/unreachable", NO_EXECUTE),
    ("node.kubernetes.io/disk-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/memory-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/pid-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/unschedulable", NO_SCHEDULE),
)
_TOLERATED_BY_HOSTS: Final = ("node.kubernetes.io/network-unavailable", NO_SCHEDULE)


class Verdict(NamedTuple):
    starts: bool
    """A pod should be there."""
    stays: bool
    """One that is there already may stay."""


def template_spec(owner: Object) -> JsonObject:
    return (owner.spec.get("template") or {}).get("spec") or {}


def verdict(owner: Object, node: Object) -> Verdict:
    spec = template_spec(owner)
    if spec.get("nodeName") not in (None, "", node.name) or not fits_affinity(spec, node):
        return Verdict(starts=False, stays=False)
    accepted = tolerations(spec)
    if not any(untolerated(node, accepted, (NO_SCHEDULE, NO_EXECUTE))):
        return Verdict(starts=True, stays=True)
    return Verdict(starts=False, stays=not any(untolerated(node, accepted, (NO_EXECUTE,))))


def tolerations(spec: JsonObject) -> list[JsonObject]:
    """Those of the template, and those that make daemons stay where others must go."""
    accepted = list(spec.get("tolerations") or ())
    added = (*_ALWAYS_TOLERATED, _TOLERATED_BY_HOSTS) if spec.get("hostNetwork") else _ALWAYS_TOLERATED
    for key, effect in added:
        toleration = {"key": key, "operator": "Exists", "effect": effect}
        same = [index for index, each in enumerate(accepted) if _matches(each, toleration)]
        for index in same:
            accepted[index] = toleration
        if not same:
            accepted.append(toleration)
    return accepted


def _matches(left: JsonObject, right: JsonObject) -> bool:
    return all((left.get(field) or "") == (right.get(field) or "") for field in ("key", "effect", "operator", "value"))


def template_generation(owner: Object) -> str | None:
    text = owner.annotations.get(TEMPLATE_GENERATION, "")
    return str(int(text)) if text.isascii() and text.isdigit() else None


def pod_template(owner: Object, revision_hash: str) -> JsonObject:
    """The template that all its pods share."""
    template = owner.spec.get("template") or {}
    metadata = template.get("metadata") or {}
    labels = {**(metadata.get("labels") or {}), REVISION_LABEL: revision_hash}
    generation = template_generation(owner)
    if generation is not None:
        labels[GENERATION_LABEL] = generation
    spec = template_spec(owner)
    return {
        **template,
        "metadata": {**metadata, "labels": labels},
        "spec": {**spec, "tolerations": tolerations(spec)},
    }


def pod_for_node(owner: Object, template: JsonObject, node: str) -> JsonObject:
    """The scheduler binds it, and can bind it nowhere else."""
    term = {"matchFields": [{"key": NAME_FIELD, "operator": "In", "values": [node]}]}
    spec = template["spec"]
    affinity = spec.get("affinity") or {}
    tied = {
        **(affinity.get("nodeAffinity") or {}),
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]},
    }
    tied_spec = {**spec, "affinity": {**affinity, "nodeAffinity": tied}}
    return pod_from_template({**template, "spec": tied_spec}, owner)


def target_node(pod: Pod) -> str:
    """The node that it is on or tied to; nothing, where it is tied to none."""
    if pod.node:
        return pod.node
    affinity = (pod.spec.affinity or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field.get("key") == NAME_FIELD and field.get("operator") == "In":
                values = list(field.get("values") or ())
                return str(values[0]) if len(values) == 1 else ""
    return ""
