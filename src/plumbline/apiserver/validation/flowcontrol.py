"""FlowSchemas and PriorityLevelConfigurations: who waits for whom at the server's door."""

from collections.abc import Iterator
from functools import cache
from math import ceil, log2
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.checks import (
    annotation,
    choice_errors,
    collected,
    label_errors,
    meta,
    name_of,
    required_name_errors,
    subdomain_errors,
)
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import dns_label
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text, texts
from plumbline.base.json import JsonObject

_LAST: Final = 10000
_MOST_QUEUES: Final = 10_000_000
_HASH_BITS: Final = 60
_ZERO_SHARES: Final = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
_NOBODY: Final = "verbs must contain at least one value"
_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_SUBJECTS: Final = {"ServiceAccount": "serviceAccount", "User": "user", "Group": "group"}
_EVERYTHING: Final = {
    "resourceRules": [
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
    ],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
}


def _groups(*names: str) -> list[JsonObject]:
    return [{"kind": "Group", "group": {"name": name}} for name in names]


@cache
def _mandatory_schemas() -> dict[str, JsonObject]:
    """The schemas that must stay as they are, for the server to stay reachable."""
    everybody = _groups("system:unauthenticated", "system:authenticated")
    specs: dict[str, JsonObject] = {
        "exempt": {
            "priorityLevelConfiguration": {"name": "exempt"},
            "matchingPrecedence": 1,
            "rules": [{"subjects": _groups("system:masters"), **_EVERYTHING}],
        },
        "catch-all": {
            "priorityLevelConfiguration": {"name": "catch-all"},
            "matchingPrecedence": _LAST,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{"subjects": everybody, **_EVERYTHING}],
        },
    }
    return {name: go_form(spec, "FlowSchemaSpec") for name, spec in specs.items()}


_CATCH_ALL: Final = {
    "type": "Limited",
    "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}, "lendablePercent": 0},
}


@collected
def flow_schema_created(schema: JsonObject) -> Iterator[FieldError]:
    spec, name = mapping(schema.get("spec")), name_of(schema)
    yield from meta(schema, namespaced=False)
    yield from _schema_spec_errors(spec, name)
    fixed = _mandatory_schemas().get(name)
    shown = go_form(spec, "FlowSchemaSpec") if fixed else None
    if shown != fixed:
        yield invalid("spec", shown, f"spec of '{name}' must equal the fixed value")
    yield from _condition_errors(schema)


@collected
def flow_schema_updated(schema: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    yield from flow_schema_created(schema)


def _condition_errors(obj: JsonObject) -> Iterator[FieldError]:
    types: set[str] = set()
    for index, condition in enumerate(mappings(mapping(obj.get("status")).get("conditions"))):
        at, type_ = f"status.conditions[{index}].type", text(condition.get("type"))
        if type_ in types:
            yield duplicate(at, type_)
        types.add(type_)
        if not type_:
            yield required(at)


@collected
def conditions_updated(obj: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    yield from _condition_errors(obj)


def _schema_spec_errors(spec: JsonObject, name: str) -> Iterator[FieldError]:
    field, precedence = "spec.matchingPrecedence", number(spec.get("matchingPrecedence"))
    if precedence <= 0:
        yield invalid(field, precedence, "must be a positive value")
    if precedence > _LAST:
        yield invalid(field, precedence, f"must not be greater than {_LAST}")
    if precedence == 1 and name != "exempt":
        yield invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")
    method = spec.get("distinguisherMethod")
    if isinstance(method, dict) and method.get("type") not in ("ByNamespace", "ByUser"):
        shown = go_form(method, "FlowDistinguisherMethod")
        yield not_supported("spec.distinguisherMethod.type", shown, ("ByNamespace", "ByUser"))
    level, at = (
        text(mapping(spec.get("priorityLevelConfiguration")).get("name")),
        "spec.priorityLevelConfiguration.name",
    )
    if level:
        yield from subdomain_errors(at, level)
    else:
        yield required(at, "must reference a priority level")
    for index, rule in enumerate(mappings(spec.get("rules"))):
        yield from _rule_errors(rule, f"spec.rules[{index}]")


def _rule_errors(rule: JsonObject, field: str) -> Iterator[FieldError]:
    subjects = mappings(rule.get("subjects"))
    for index, subject in enumerate(subjects):
        yield from _subject_errors(subject, f"{field}.subjects[{index}]")
    if not subjects:
        yield required(f"{field}.subjects", "subjects must contain at least one value")
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        yield required(field, "at least one of resourceRules and nonResourceRules has to be non-empty")
    for index, each in enumerate(mappings(rule.get("resourceRules"))):
        yield from _resource_rule_errors(each, f"{field}.resourceRules[{index}]")
    for index, each in enumerate(mappings(rule.get("nonResourceRules"))):
        yield from _url_rule_errors(each, f"{field}.nonResourceRules[{index}]")


def _subject_errors(subject: JsonObject, field: str) -> Iterator[FieldError]:
    kind = text(subject.get("kind"))
    wanted = _SUBJECTS.get(kind)
    if wanted is None:
        yield from choice_errors(f"{field}.kind", kind, ("Group", "ServiceAccount", "User"))
        return
    held = subject.get(wanted)
    if not isinstance(held, dict):
        yield required(f"{field}.{wanted}", f"{wanted} is required when subject kind is '{kind}'")
    elif kind == "ServiceAccount":
        yield from _account_errors(held, f"{field}.{wanted}")
    elif not held.get("name"):
        yield required(f"{field}.{wanted}.name")
    for other in ("ServiceAccount", "User", "Group"):
        name = _SUBJECTS[other]
        if other != kind and subject.get(name) is not None:
            yield forbidden(f"{field}.{name}", f"{name} is forbidden when subject kind is not '{other}'")


def _account_errors(account: JsonObject, field: str) -> Iterator[FieldError]:
    if account.get("name") != "*":
        yield from required_name_errors(f"{field}.name", text(account.get("name")))
    if namespace := text(account.get("namespace")):
        yield from label_errors(f"{field}.namespace", namespace)
    else:
        yield required(f"{field}.namespace", "must specify namespace for service account")


def _verb_errors(rule: JsonObject, field: str) -> Iterator[FieldError]:
    verbs = texts(rule.get("verbs"))
    if not verbs:
        yield required(f"{field}.verbs", _NOBODY)
    elif "*" in verbs:
        yield from _lonely_errors(verbs, f"{field}.verbs", "verbs")
    elif not set(verbs) <= set(_VERBS):
        yield not_supported(f"{field}.verbs", verbs, _VERBS)


def _lonely_errors(values: list[str], field: str, what: str) -> Iterator[FieldError]:
    if len(values) > 1 and "*" in values:
        yield invalid(field, values, f"if '*' is present, must not specify other {what}")


def _resource_rule_errors(rule: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _verb_errors(rule, field)
    for name, what, one in (("apiGroups", "api groups", "api group"), ("resources", "resources", "resource")):
        values = texts(rule.get(name))
        if not values:
            yield required(f"{field}.{name}", f"resource rules must supply at least one {one}")
        yield from _lonely_errors(values, f"{field}.{name}", what)
    namespaces = texts(rule.get("namespaces"))
    if not namespaces and rule.get("clusterScope") is not True:
        detail = "resource rules that are not cluster scoped must supply at least one namespace"
        yield required(f"{field}.namespaces", detail)
    elif "*" in namespaces:
        yield from _lonely_errors(namespaces, f"{field}.namespaces", "namespaces")
    else:
        for index, namespace in enumerate(namespaces):
            faults = [
                f"each member of this list must be '*' or a DNS-1123 label; {each}" for each in dns_label(namespace)
            ]
            yield from faulty(f"{field}.namespaces[{index}]", namespace, faults)


def _url_rule_errors(rule: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _verb_errors(rule, field)
    urls, at = texts(rule.get("nonResourceURLs")), f"{field}.nonResourceURLs"
    if not urls:
        yield required(at, "nonResourceURLs must contain at least one value")
    elif "*" in urls:
        yield from _lonely_errors(urls, at, "non-resource URLs")
    else:
        for index, url in enumerate(urls):
            if fault := _url_fault(url):
                yield invalid(f"{at}[{index}]", url, fault)


def _url_fault(url: str) -> str:
    if not url:
        return "must not be empty"
    if not url.startswith("/"):
        return "must start with slash"
    if " " in url:
        return "must not contain white-space"
    if "//" in url:
        return "must not contain double slash"
    stars = url.count("*")
    return "wildcard can only do suffix matching" if stars > 1 or (stars and not url.endswith("/*")) else ""


@collected
def priority_level_created(level: JsonObject) -> Iterator[FieldError]:
    spec, name = mapping(level.get("spec")), name_of(level)
    yield from meta(level, namespaced=False)
    if annotation(level, _ZERO_SHARES) is not None:
        yield forbidden("metadata.annotations", f"annotation '{_ZERO_SHARES}' is forbidden")
    yield from _level_spec_errors(spec, name)
    shown = go_form(spec, "PriorityLevelConfigurationSpec")
    if name == "exempt" and {**shown, "Exempt": None} != {"Type": "Exempt", "Limited": None, "Exempt": None}:
        yield invalid("spec", shown, "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value")
    if name == "catch-all" and shown != go_form(_CATCH_ALL, "PriorityLevelConfigurationSpec"):
        yield invalid("spec", shown, "spec of 'catch-all' must equal the fixed value")
    yield from _condition_errors(level)


@collected
def priority_level_updated(level: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    yield from priority_level_created(level)


def _level_spec_errors(spec: JsonObject, name: str) -> Iterator[FieldError]:
    type_, limited, exempt = text(spec.get("type")), spec.get("limited"), spec.get("exempt")
    if (name == "exempt") != (type_ == "Exempt"):
        yield invalid("spec.type", type_, "must be 'Exempt' if and only if `name` is 'exempt'")
    if type_ == "Exempt":
        if limited is not None:
            yield forbidden("spec.limited", "must be nil if the type is not Limited")
        yield from _share_errors(mapping(exempt), "spec.exempt")
        yield from _lent_errors(mapping(exempt), "spec.exempt")
    elif type_ == "Limited":
        if exempt is not None:
            yield forbidden("spec.exempt", "must be nil if the type is Limited")
        if limited is None:
            yield required("spec.limited", "must not be empty when type is Limited")
        else:
            yield from _limited_errors(mapping(limited), "spec.limited")
    elif type_:
        yield from choice_errors("spec.type", type_, ("Exempt", "Limited"))
    else:
        yield required("spec.type")


def _limited_errors(limited: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _share_errors(limited, field)
    yield from _response_errors(mapping(limited.get("limitResponse")), f"{field}.limitResponse")
    yield from _lent_errors(limited, field)
    borrowed = integer(limited.get("borrowingLimitPercent"))
    if borrowed is not None and borrowed < 0:
        yield invalid(f"{field}.borrowingLimitPercent", borrowed, "if specified, must be a non-negative integer")


def _share_errors(level: JsonObject, field: str) -> Iterator[FieldError]:
    if (shares := number(level.get("nominalConcurrencyShares"))) < 0:
        yield invalid(f"{field}.nominalConcurrencyShares", shares, "must be a non-negative integer")


def _lent_errors(level: JsonObject, field: str) -> Iterator[FieldError]:
    lent = integer(level.get("lendablePercent"))
    if lent is not None and not 0 <= lent <= 100:  # noqa: PLR2004 - percent
        yield invalid(f"{field}.lendablePercent", lent, "must be between 0 and 100, inclusive")


def _response_errors(response: JsonObject, field: str) -> Iterator[FieldError]:
    type_, queuing = text(response.get("type")), response.get("queuing")
    if type_ == "Reject":
        if queuing is not None:
            yield forbidden(f"{field}.queuing", "must be nil if limited.limitResponse.type is not Limited")
    elif type_ == "Queue":
        if queuing is None:
            yield required(f"{field}.queuing", "must not be empty if limited.limitResponse.type is Limited")
        else:
            yield from _queuing_errors(mapping(queuing), f"{field}.queuing")
    elif type_:
        yield from choice_errors(f"{field}.type", type_, ("Queue", "Reject"))
    else:
        yield required(f"{field}.type")


def _queuing_errors(queuing: JsonObject, field: str) -> Iterator[FieldError]:
    length, queues, hand = (number(queuing.get(name)) for name in ("queueLengthLimit", "queues", "handSize"))
    if length <= 0:
        yield invalid(f"{field}.queueLengthLimit", length, "must be positive")
    if queues <= 0:
        yield invalid(f"{field}.queues", queues, "must be positive")
    elif queues > _MOST_QUEUES:
        yield invalid(f"{field}.queues", queues, f"must not be greater than {_MOST_QUEUES}")
    if hand <= 0:
        yield invalid(f"{field}.handSize", hand, "must be positive")
    elif hand > queues:
        yield invalid(f"{field}.handSize", hand, f"should not be greater than queues ({queues})")
    elif ceil(log2(queues) * hand) > _HASH_BITS:
        detail = (
            f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {_HASH_BITS}"
        )
        yield invalid(f"{field}.handSize", hand, detail)


CREATE: Final = {"FlowSchema": flow_schema_created, "PriorityLevelConfiguration": priority_level_created}
UPDATE: Final = {"FlowSchema": flow_schema_updated, "PriorityLevelConfiguration": priority_level_updated}
STATUS_UPDATE: Final = {"FlowSchema": conditions_updated, "PriorityLevelConfiguration": conditions_updated}
