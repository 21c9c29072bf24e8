"""Where pods may run: affinities, tolerations, spreading, gates."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, duplicate, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import dns_label, label_value, qualified_name
from plumbline.apiserver.validation.pods.choices import optional_errors
from plumbline.apiserver.validation.selectors import (
    label_selector_errors,
    node_selector_errors,
    node_selector_term_errors,
)
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text, texts
from plumbline.base.json import Json, JsonObject

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS: Final = ("Equal", "Exists")
_COMPARING: Final = ("Lt", "Gt")
_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_NODE_POLICIES: Final = ("Honor", "Ignore")
_HEAVIEST: Final = 100


def affinity_errors(affinity: JsonObject, at: str) -> Iterator[FieldError]:
    if isinstance(node := affinity.get("nodeAffinity"), dict):
        yield from _node_affinity_errors(node, f"{at}.nodeAffinity")
    for name in ("podAffinity", "podAntiAffinity"):
        held = mapping(affinity.get(name))
        for index, term in enumerate(mappings(held.get(_REQUIRED))):
            yield from _pod_term_errors(term, f"{at}.{name}.{_REQUIRED}[{index}]")
        for index, weighted in enumerate(mappings(held.get(_PREFERRED))):
            field = f"{at}.{name}.{_PREFERRED}[{index}]"
            yield from _weight_errors(weighted, field)
            yield from _pod_term_errors(mapping(weighted.get("podAffinityTerm")), f"{field}.podAffinityTerm")


def _node_affinity_errors(affinity: JsonObject, at: str) -> Iterator[FieldError]:
    if isinstance(selector := affinity.get(_REQUIRED), dict):
        yield from node_selector_errors(selector, f"{at}.{_REQUIRED}")
    for index, term in enumerate(mappings(affinity.get(_PREFERRED))):
        field = f"{at}.{_PREFERRED}[{index}]"
        yield from _weight_errors(term, field)
        yield from node_selector_term_errors(mapping(term.get("preference")), f"{field}.preference", old_values=True)


def _weight_errors(term: JsonObject, at: str) -> Iterator[FieldError]:
    weight = number(term.get("weight"))
    if not 0 < weight <= _HEAVIEST:
        yield invalid(f"{at}.weight", weight, "must be in the range 1-100")


def _pod_term_errors(term: JsonObject, at: str) -> Iterator[FieldError]:
    selector = term.get("labelSelector")
    yield from label_selector_errors(selector, f"{at}.labelSelector")
    yield from label_selector_errors(term.get("namespaceSelector"), f"{at}.namespaceSelector")
    for namespace in texts(term.get("namespaces")):
        yield from faulty(f"{at}.namespace", namespace, dns_label(namespace))
    mismatched = texts(term.get("mismatchLabelKeys"))
    yield from _label_key_errors(texts(term.get("matchLabelKeys")), mismatched, selector, at)
    key = text(term.get("topologyKey"))
    if not key:
        yield required(f"{at}.topologyKey", "can not be empty")
    yield from faulty(f"{at}.topologyKey", key, qualified_name(key))


def _label_key_errors(keys: list[str], mismatched: list[str], selector: Json, at: str) -> Iterator[FieldError]:
    for name, held in (("matchLabelKeys", keys), ("mismatchLabelKeys", mismatched)):
        if held and selector is None:
            yield forbidden(f"{at}.{name}", "must not be specified when labelSelector is not set")
        elif held:
            for index, key in enumerate(held):
                yield from faulty(f"{at}.{name}[{index}]", key, qualified_name(key))
    if not keys:
        return
    places = {key: index for index, key in enumerate(keys)}
    selected = set(mapping(mapping(selector).get("matchLabels")))
    for expression in mappings(mapping(selector).get("matchExpressions")):
        key = text(expression.get("key"))
        if key in places and key in selected:
            yield invalid(f"{at}[{places[key]}]", key, "exists in both matchLabelKeys and labelSelector")
        selected.add(key)
    for index, key in enumerate(keys):
        if key in mismatched:
            detail = "exists in both matchLabelKeys and mismatchLabelKeys"
            yield invalid(f"{at}.matchLabelKeys[{index}]", key, detail)


def toleration_errors(tolerations: list[JsonObject], field: str) -> Iterator[FieldError]:
    for index, toleration in enumerate(tolerations):
        at, key = f"{field}[{index}]", text(toleration.get("key"))
        operator, effect = text(toleration.get("operator")), text(toleration.get("effect"))
        if key:
            if faults := qualified_name(key):
                yield from faulty(f"{at}.key", key, faults)
        elif operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield invalid(f"{at}.operator", Word(operator), detail)
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield invalid(f"{at}.effect", Word(effect), detail)
        yield from _tolerated_errors(operator, text(toleration.get("value")), f"{at}.operator")
        if effect and effect not in _EFFECTS:
            yield not_supported(f"{at}.effect", Word(effect), _EFFECTS)


def _tolerated_errors(operator: str, value: str, field: str) -> Iterator[FieldError]:
    if operator in {"", "Equal"}:
        if faults := label_value(value):
            yield invalid(field, value, ";".join(faults))
    elif operator == "Exists":
        if value:
            yield invalid(field, value, "value must be empty when `operator` is 'Exists'")
    else:
        supported = (*_OPERATORS, *_COMPARING) if operator in _COMPARING else _OPERATORS
        yield not_supported(field, Word(operator), supported)


def spread_errors(constraints: list[JsonObject], field: str) -> Iterator[FieldError]:
    for index, constraint in enumerate(constraints):
        at, action = f"{field}[{index}]", text(constraint.get("whenUnsatisfiable"))
        skew, key = number(constraint.get("maxSkew")), text(constraint.get("topologyKey"))
        if skew <= 0:
            yield invalid(f"{at}.maxSkew", skew, "must be greater than zero")
        if not key:
            yield required(f"{at}.topologyKey", "can not be empty")
        if action not in _ACTIONS:
            yield not_supported(f"{at}.whenUnsatisfiable", Word(action), _ACTIONS)
        if any(_same_spread(constraint, other) for other in constraints[index + 1 :]):
            yield duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}")
        yield from _min_domain_errors(integer(constraint.get("minDomains")), action, f"{at}.minDomains")
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            yield from optional_errors(constraint.get(name), f"{at}.{name}", _NODE_POLICIES)
        selector = constraint.get("labelSelector")
        yield from _label_key_errors(texts(constraint.get("matchLabelKeys")), [], selector, at)
        yield from label_selector_errors(selector, f"{at}.labelSelector")


def _same_spread(one: JsonObject, other: JsonObject) -> bool:
    return all(text(one.get(name)) == text(other.get(name)) for name in ("topologyKey", "whenUnsatisfiable"))


def _min_domain_errors(count: int | None, action: str, field: str) -> Iterator[FieldError]:
    if count is None:
        return
    if count <= 0:
        yield invalid(field, count, "must be greater than zero")
    if action != "DoNotSchedule":
        detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        yield invalid(field, count, detail)


def gate_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    """Complaints about what a pod waits for before it is ready, and before it is scheduled."""
    for index, gate in enumerate(mappings(spec.get("readinessGates"))):
        condition = text(gate.get("conditionType"))
        yield from faulty(f"{at}.readinessGates[{index}].conditionType", condition, qualified_name(condition))
    seen: set[str] = set()
    for index, gate in enumerate(mappings(spec.get("schedulingGates"))):
        name, field = text(gate.get("name")), f"{at}.schedulingGates[{index}]"
        yield from faulty(field, name, qualified_name(name))
        if name in seen:
            yield duplicate(field, name)
        seen.add(name)
