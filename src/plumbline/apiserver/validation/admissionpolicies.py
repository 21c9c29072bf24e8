"""Admission policies and their bindings. Whether their expressions compile is asked elsewhere."""

import re
from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import (
    FieldError,
    Word,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from plumbline.apiserver.validation.checks import (
    choice_errors,
    collected,
    condition_errors,
    meta,
    name_of,
    qualified_errors,
    required_name_errors,
)
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import byte_count, dns_1035_label, dns_subdomain, path_segment
from plumbline.apiserver.validation.registration import (
    FAILURE_POLICIES,
    MATCH_POLICIES,
    REINVOCATION_POLICIES,
    match_condition_errors,
    rule_errors,
)
from plumbline.apiserver.validation.selectors import label_selector_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.base.json import JsonObject
from plumbline.kube.equality import identical

_MOST_ANNOTATIONS: Final = 20
_VALUE_BYTES: Final = 5 * 1024
_ACTIONS: Final = ("Audit", "Deny", "Warn")
_MUTATING_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "UPDATE")
_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_MISSING: Final = "expression is not specified"
_identifier: Final = re.compile("[_a-zA-Z][_a-zA-Z0-9]*").fullmatch
_RESERVED: Final = frozenset(
    [
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"),
        *("import", "let", "loop", "package", "namespace", "return", "var", "void", "while"),
    ]
)


def _param_kind_errors(kind: JsonObject, field: str) -> Iterator[FieldError]:
    version, name = text(kind.get("apiVersion")), text(kind.get("kind"))
    if not version:
        yield required(f"{field}.apiVersion")
    elif version.count("/") > 1:
        yield invalid(f"{field}.apiVersion", version, f"unexpected GroupVersion string: {version}")
    else:
        yield from _group_version_errors(version, f"{field}.apiVersion")
    if not name:
        yield required(f"{field}.kind")
    elif faults := dns_1035_label(name.lower()):
        detail = f"may have mixed case, but should otherwise match: {','.join(faults)}"
        yield invalid(f"{field}.kind", name, detail)


def _group_version_errors(api_version: str, field: str) -> Iterator[FieldError]:
    group, _, version = api_version.rpartition("/")
    if group and (faults := dns_subdomain(group)):
        yield invalid(field, group, ",".join(faults))
    if not version:
        yield invalid(field, api_version, "version must be specified")
    elif faults := dns_1035_label(version):
        yield invalid(field, version, ",".join(faults))


def _match_errors(resources: JsonObject, field: str) -> Iterator[FieldError]:
    if resources.get("matchPolicy") is None:
        yield required(f"{field}.matchPolicy")
    yield from choice_errors(f"{field}.matchPolicy", resources.get("matchPolicy"), MATCH_POLICIES)
    for name in ("namespaceSelector", "objectSelector"):
        if resources.get(name) is None:
            yield required(f"{field}.{name}")
        yield from label_selector_errors(resources.get(name), f"{field}.{name}")
    for name in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(mappings(resources.get(name))):
            yield from _named_rule_errors(rule, f"{field}.{name}[{index}]")


def _named_rule_errors(rule: JsonObject, field: str) -> Iterator[FieldError]:
    names = texts(rule.get("resourceNames"))
    for index, name in enumerate(names):
        at = f"{field}.resourceNames[{index}]"
        yield from faulty(at, name, path_segment(name))
        if name in names[:index]:
            yield duplicate(at, name)
    yield from rule_errors(rule, field)


def _constraint_errors(spec: JsonObject, *, mutating: bool) -> Iterator[FieldError]:
    policy, constraints, field = spec.get("failurePolicy"), spec.get("matchConstraints"), "spec.matchConstraints"
    if policy is None:
        yield required("spec.failurePolicy")
    yield from choice_errors("spec.failurePolicy", policy, FAILURE_POLICIES)
    if isinstance(kind := spec.get("paramKind"), dict):
        yield from _param_kind_errors(kind, "spec.paramKind")
    if not isinstance(constraints, dict):
        yield required(field)
        return
    yield from _match_errors(constraints, field)
    if not constraints.get("resourceRules"):
        yield required(f"{field}.resourceRules")
    if mutating:
        yield from _mutating_operation_errors(constraints, field)


def _mutating_operation_errors(resources: JsonObject, field: str) -> Iterator[FieldError]:
    for rule in mappings(resources.get("resourceRules")):
        for operation in texts(rule.get("operations")):
            yield from choice_errors(f"{field}.resourceRules.operations", operation, _MUTATING_OPERATIONS)


def _variable_errors(spec: JsonObject) -> Iterator[FieldError]:
    for index, variable in enumerate(mappings(spec.get("variables"))):
        at, name = f"spec.variables[{index}]", text(variable.get("name"))
        if not name.strip():
            yield required(f"{at}.name", "name is not specified")
        elif not _identifier(name) or name in _RESERVED:
            yield invalid(f"{at}.name", name, "must be a valid CEL identifier")
        if not text(variable.get("expression")).strip():
            yield required(f"{at}.expression", _MISSING)


def _policy_errors(policy: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    spec = mapping(policy.get("spec"))
    yield from meta(policy, namespaced=False, core=False)
    yield from _constraint_errors(spec, mutating=False)
    if not _same_conditions(spec, old):
        yield from match_condition_errors(mappings(spec.get("matchConditions")), "spec.matchConditions")
    yield from _variable_errors(spec)
    validations, notes = mappings(spec.get("validations")), mappings(spec.get("auditAnnotations"))
    if not validations and not notes:
        detail = "validations or auditAnnotations must contain at least one item"
        yield required("spec.validations", detail)
        yield required("spec.auditAnnotations", detail)
    for index, validation in enumerate(validations):
        yield from _validation_errors(validation, f"spec.validations[{index}]")
    yield from _audit_annotation_errors(notes, name_of(policy))


def _same_conditions(spec: JsonObject, old: JsonObject | None) -> bool:
    """Whether what held of the match conditions before still holds."""
    if old is None:
        return False
    old_spec = mapping(old.get("spec"))
    return all(
        identical(spec.get(name) or None, old_spec.get(name) or None) for name in ("paramKind", "matchConditions")
    )


def _validation_errors(validation: JsonObject, field: str) -> Iterator[FieldError]:
    message, expression = text(validation.get("message")), text(validation.get("messageExpression"))
    if not text(validation.get("expression")).strip():
        yield required(f"{field}.expression", _MISSING)
    if expression and not expression.strip():
        yield invalid(f"{field}.messageExpression", expression, "must be non-empty if specified")
    if message and not message.strip():
        yield invalid(f"{field}.message", message, "must be non-empty if specified")
    elif "\n" in message.strip() or "\r" in message.strip():
        yield invalid(f"{field}.message", message, "must not contain line breaks")
    yield from choice_errors(f"{field}.reason", validation.get("reason"), _REASONS)


def _audit_annotation_errors(notes: list[JsonObject], policy: str) -> Iterator[FieldError]:
    if len(notes) > _MOST_ANNOTATIONS:
        detail = f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations"
        yield invalid("spec.auditAnnotations", go_form(notes, "[AuditAnnotation"), detail)
    keys: set[str] = set()
    for index, note in enumerate(notes):
        at, key = f"spec.auditAnnotations[{index}]", text(note.get("key"))
        expression = text(note.get("valueExpression")).strip()
        if policy:
            yield from qualified_errors(f"{at}.key", f"{policy}/{key}")
        else:
            yield invalid(f"{at}.key", key, "requires metadata.name be non-empty")
        if not expression:
            yield required(f"{at}.valueExpression", "valueExpression is not specified")
        elif byte_count(expression) > _VALUE_BYTES:
            yield required(f"{at}.valueExpression", f"must not exceed {_VALUE_BYTES} bytes in length")
        if key in keys:
            yield duplicate(f"{at}.key", key)
        keys.add(key)


@collected
def validating_policy_created(policy: JsonObject) -> Iterator[FieldError]:
    yield from _policy_errors(policy, None)


@collected
def validating_policy_updated(policy: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _policy_errors(policy, old)


@collected
def validating_policy_status_updated(policy: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    status = mapping(policy.get("status"))
    for index, warning in enumerate(mappings(mapping(status.get("typeChecking")).get("expressionWarnings"))):
        at = f"status.typeChecking.expressionWarnings[{index}]"
        if not warning.get("warning"):
            yield required(f"{at}.warning")
        if not text(warning.get("fieldRef")).strip():
            yield required(f"{at}.fieldRef")
    yield from condition_errors(status.get("conditions"), "status.conditions")


def _mutating_policy_errors(policy: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    spec = mapping(policy.get("spec"))
    yield from meta(policy, namespaced=False, core=False)
    yield from _constraint_errors(spec, mutating=True)
    if not _same_conditions(spec, old):
        yield from match_condition_errors(mappings(spec.get("matchConditions")), "spec.matchConditions")
    yield from _variable_errors(spec)
    mutations = mappings(spec.get("mutations"))
    if not mutations:
        yield required("spec.mutations", "mutations must contain at least one item")
    for index, mutation in enumerate(mutations):
        yield from _mutation_errors(mutation, f"spec.mutations[{index}]")
    if reinvocation := text(spec.get("reinvocationPolicy")):
        yield from choice_errors("spec.reinvocationPolicy", reinvocation, REINVOCATION_POLICIES)
    else:
        yield required("spec.reinvocationPolicy")


_PATCHES: Final = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}


def _mutation_errors(mutation: JsonObject, field: str) -> Iterator[FieldError]:
    type_ = text(mutation.get("patchType"))
    if not type_:
        yield required(f"{field}.patchType")
        return
    wanted = _PATCHES.get(type_)
    if wanted is None:
        yield not_supported(f"{field}.patchType", Word(type_), tuple(_PATCHES))
        return
    held = mutation.get(wanted)
    if not isinstance(held, dict):
        yield required(f"{field}.{wanted}", f"must be specified when patchType is {type_}")
    elif not text(held.get("expression")).strip():
        yield required(f"{field}.{wanted}.expression")
    for other in _PATCHES.values():
        if other != wanted and mutation.get(other) is not None:
            yield invalid(f"{field}.{other}", f"{{{other}}}", f"must not be specified when patchType is {type_}")


@collected
def mutating_policy_created(policy: JsonObject) -> Iterator[FieldError]:
    yield from _mutating_policy_errors(policy, None)


@collected
def mutating_policy_updated(policy: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _mutating_policy_errors(policy, old)


def _binding_errors(binding: JsonObject) -> Iterator[FieldError]:
    spec = mapping(binding.get("spec"))
    yield from meta(binding, namespaced=False, core=False)
    yield from required_name_errors("spec.policyName", text(spec.get("policyName")))
    if isinstance(ref := spec.get("paramRef"), dict):
        yield from _param_ref_errors(ref, "spec.paramRef")
    if isinstance(resources := spec.get("matchResources"), dict):
        yield from _match_errors(resources, "spec.matchResources")


def _param_ref_errors(ref: JsonObject, field: str) -> Iterator[FieldError]:
    name, selector, both = text(ref.get("name")), ref.get("selector"), "name and selector are mutually exclusive"
    if name:
        yield from faulty(f"{field}.name", name, path_segment(name))
    if name and selector is not None:
        yield forbidden(f"{field}.name", both)
    if selector is not None:
        yield from label_selector_errors(selector, f"{field}.selector")
    if name and selector is not None:
        yield forbidden(f"{field}.selector", both)
    if not name and selector is None:
        yield required(field, "one of name or selector must be specified")
    if action := text(ref.get("parameterNotFoundAction")):
        yield from choice_errors(f"{field}.parameterNotFoundAction", action, ("Deny", "Allow"))
    else:
        yield required(f"{field}.parameterNotFoundAction")


@collected
def validating_binding_created(binding: JsonObject) -> Iterator[FieldError]:
    yield from _binding_errors(binding)
    field = "spec.validationActions"
    actions = texts(mapping(binding.get("spec")).get("validationActions"))
    for index, action in enumerate(actions):
        yield from choice_errors(f"{field}[{index}]", action, _ACTIONS)
        if action in actions[:index]:
            yield duplicate(f"{field}[{index}]", Word(action))
    if {"Deny", "Warn"} <= set(actions):
        detail = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the API response"
            " and headers serves no purpose)"
        )
        yield invalid(field, actions, detail)
    if not actions:
        yield required(field, "at least one validation action is required")


@collected
def validating_binding_updated(binding: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    yield from validating_binding_created(binding)


@collected
def mutating_binding_created(binding: JsonObject) -> Iterator[FieldError]:
    yield from _binding_errors(binding)
    resources = mapping(mapping(binding.get("spec")).get("matchResources"))
    yield from _mutating_operation_errors(resources, "spec.matchResources")


@collected
def mutating_binding_updated(binding: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    yield from mutating_binding_created(binding)


CREATE: Final = {
    "MutatingAdmissionPolicy": mutating_policy_created,
    "MutatingAdmissionPolicyBinding": mutating_binding_created,
    "ValidatingAdmissionPolicy": validating_policy_created,
    "ValidatingAdmissionPolicyBinding": validating_binding_created,
}
UPDATE: Final = {
    "MutatingAdmissionPolicy": mutating_policy_updated,
    "MutatingAdmissionPolicyBinding": mutating_binding_updated,
    "ValidatingAdmissionPolicy": validating_policy_updated,
    "ValidatingAdmissionPolicyBinding": validating_binding_updated,
}
STATUS_UPDATE: Final = {"ValidatingAdmissionPolicy": validating_policy_status_updated}
