"""Labels of nodes that have new names."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.validation.names import label_value
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.base.json import Json

DEPRECATED_LABELS: Final = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def term_warnings(field: str, term: Json, *, check_values: bool) -> Iterator[str]:
    """Of one term of a node selector."""
    for index, expression in enumerate(mappings(mapping(term).get("matchExpressions"))):
        key, at = text(expression.get("key")), f"{field}.matchExpressions[{index}]"
        if key in DEPRECATED_LABELS:
            yield f"{at}.key: {key} is {DEPRECATED_LABELS[key]}"
        if not check_values:
            continue
        for place, value in enumerate(texts(expression.get("values"))):
            for fault in label_value(value):
                yield f"{at}.values[{place}]: {value} is invalid, {fault}"


def label_selector_warnings(field: str, selector: Json) -> Iterator[str]:
    found = mapping(selector)
    for index, expression in enumerate(mappings(found.get("matchExpressions"))):
        key = text(expression.get("key"))
        if key in DEPRECATED_LABELS:
            yield f"{field}.matchExpressions[{index}].key: {key} is {DEPRECATED_LABELS[key]}"
    for label in sorted(mapping(found.get("matchLabels"))):
        if label in DEPRECATED_LABELS:
            yield f"{field}.matchLabels.{label}: {DEPRECATED_LABELS[label]}"
