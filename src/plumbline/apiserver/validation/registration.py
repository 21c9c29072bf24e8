"""Webhooks that the server calls, rules of what they are called for, and APIServices."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import FieldError, duplicate, invalid, required, too_many
from plumbline.apiserver.validation.checks import (
    choice_errors,
    collected,
    meta,
    meta_update,
    qualified_domain_errors,
    qualified_errors,
)
from plumbline.apiserver.validation.config import decoded_bytes
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import NameFaults, dns_1035_label, dns_subdomain, path_segment, port_number
from plumbline.apiserver.validation.selectors import bad_label_selector, label_selector_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text, texts
from plumbline.apiserver.validation.webhookurls import webhook_url_errors
from plumbline.base.json import JsonObject
from plumbline.kube.equality import identical
from plumbline.kube.gotext import quoted

FAILURE_POLICIES: Final = ("Fail", "Ignore")
MATCH_POLICIES: Final = ("Equivalent", "Exact")
REINVOCATION_POLICIES: Final = ("IfNeeded", "Never")
_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_HARMLESS: Final = ("None", "NoneOnDryRun")
_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun", "Some", "Unknown")
_REVIEWS: Final = ("v1", "v1beta1")
_LONGEST_S: Final = 30
_MOST_CONDITIONS: Final = 64
_LARGEST_GROUP_PRIORITY: Final = 20000
_LARGEST_VERSION_PRIORITY: Final = 1000
_SELECTORS: Final = ("namespaceSelector", "objectSelector")


def rule_errors(rule: JsonObject, field: str) -> Iterator[FieldError]:
    """Complaints about which operations on which resources a webhook or policy is for."""
    operations = texts(rule.get("operations"))
    if not operations:
        yield required(f"{field}.operations")
    if len(operations) > 1 and "*" in operations:
        yield invalid(f"{field}.operations", operations, "if '*' is present, must not specify other operations")
    for index, operation in enumerate(operations):
        yield from choice_errors(f"{field}.operations[{index}]", operation, _OPERATIONS)
    for name, what in (("apiGroups", "API groups"), ("apiVersions", "API versions")):
        values = texts(rule.get(name))
        if not values:
            yield required(f"{field}.{name}")
        if len(values) > 1 and "*" in values:
            yield invalid(f"{field}.{name}", values, f"if '*' is present, must not specify other {what}")
        if name == "apiVersions":
            yield from (required(f"{field}.{name}[{index}]") for index, value in enumerate(values) if not value)
    yield from _resource_errors(texts(rule.get("resources")), f"{field}.resources")
    yield from choice_errors(f"{field}.scope", rule.get("scope"), _SCOPES)


def _resource_errors(resources: list[str], field: str) -> Iterator[FieldError]:
    if not resources:
        yield required(field)
    whole: set[str] = set()
    everywhere: set[str] = set()
    bare = False
    for index, each in enumerate(resources):
        if not each:
            yield required(f"{field}[{index}]")
            continue
        resource, slash, subresource = each.partition("/")
        if not slash:
            bare = each != "*"
            continue
        if resource in whole:
            yield invalid(f"{field}[{index}]", each, f"if '{resource}/*' is present, must not specify {each}")
        if subresource in everywhere:
            yield invalid(f"{field}[{index}]", each, f"if '*/{subresource}' is present, must not specify {each}")
        if subresource == "*":
            whole.add(resource)
        if resource == "*":
            everywhere.add(subresource)
    if len(resources) > 1 and "*/*" in resources:
        yield invalid(field, resources, "if '*/*' is present, must not specify other resources")
    if "*" in resources and bare:
        detail = "if '*' is present, must not specify other resources without subresources"
        yield invalid(field, resources, detail)


def match_condition_errors(conditions: list[JsonObject], field: str) -> Iterator[FieldError]:
    if len(conditions) > _MOST_CONDITIONS:
        yield too_many(field, len(conditions), _MOST_CONDITIONS)
    names: set[str] = set()
    for index, condition in enumerate(conditions):
        at, name = f"{field}[{index}]", text(condition.get("name"))
        if not text(condition.get("expression")).strip():
            yield required(f"{at}.expression")
        if not name:
            yield required(f"{at}.name")
            continue
        yield from qualified_errors(f"{at}.name", name)
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)


class _Options(NamedTuple):
    """What webhooks may keep that new ones may not have."""

    conditions: bool = False
    side_effects: bool = False
    reviews: bool = False
    names: bool = False
    selector_values: bool = False


def _kept(hooks: list[JsonObject], former: list[JsonObject]) -> _Options:
    conditions = [[hook.get("matchConditions") or None for hook in each] for each in (hooks, former)]
    reviews = [texts(hook.get("admissionReviewVersions")) for hook in former]
    names = [text(hook.get("name")) for hook in former]
    return _Options(
        conditions=identical(*conditions),
        side_effects=any(hook.get("sideEffects") not in _HARMLESS for hook in former),
        reviews=any(versions and not set(versions) & set(_REVIEWS) for versions in reviews),
        names=len(set(names)) < len(names),
        selector_values=any(bad_label_selector(hook.get(name)) for hook in former for name in _SELECTORS),
    )


def _configuration_errors(configuration: JsonObject, options: _Options, *, mutating: bool) -> Iterator[FieldError]:
    yield from meta(configuration, namespaced=False, core=False)
    names: set[str] = set()
    for index, hook in enumerate(mappings(configuration.get("webhooks"))):
        at, name = f"webhooks[{index}]", text(hook.get("name"))
        yield from _hook_errors(hook, at, options, mutating=mutating)
        versions = texts(hook.get("admissionReviewVersions"))
        yield from _review_errors(versions, f"{at}.admissionReviewVersions", recognized=not options.reviews)
        if name in names and not options.names:
            yield duplicate(f"{at}.name", name)
        if name:
            names.add(name)


def _hook_errors(hook: JsonObject, field: str, options: _Options, *, mutating: bool) -> Iterator[FieldError]:
    yield from qualified_domain_errors(f"{field}.name", text(hook.get("name")), segments=3)
    for index, rule in enumerate(mappings(hook.get("rules"))):
        yield from rule_errors(rule, f"{field}.rules[{index}]")
    yield from choice_errors(f"{field}.failurePolicy", hook.get("failurePolicy"), FAILURE_POLICIES)
    yield from choice_errors(f"{field}.matchPolicy", hook.get("matchPolicy"), MATCH_POLICIES)
    effects = _SIDE_EFFECTS if options.side_effects else _HARMLESS
    if effect := text(hook.get("sideEffects")):
        yield from choice_errors(f"{field}.sideEffects", effect, effects)
    else:
        yield required(f"{field}.sideEffects", f"must specify one of {', '.join(effects)}")
    timeout_s = integer(hook.get("timeoutSeconds"))
    if timeout_s is not None and not 1 <= timeout_s <= _LONGEST_S:
        yield invalid(f"{field}.timeoutSeconds", timeout_s, "the timeout value must be between 1 and 30 seconds")
    for name in _SELECTORS:
        yield from label_selector_errors(hook.get(name), f"{field}.{name}", old_values=options.selector_values)
    if mutating:
        yield from choice_errors(f"{field}.reinvocationPolicy", hook.get("reinvocationPolicy"), REINVOCATION_POLICIES)
    yield from _client_errors(mapping(hook.get("clientConfig")), f"{field}.clientConfig")
    if not options.conditions:
        yield from match_condition_errors(mappings(hook.get("matchConditions")), f"{field}.matchConditions")


def _client_errors(client: JsonObject, field: str) -> Iterator[FieldError]:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(field, "exactly one of url or service is required")
    elif url is not None:
        yield from webhook_url_errors(f"{field}.url", text(url))
    else:
        yield from _service_errors(mapping(service), f"{field}.service")


def _service_errors(service: JsonObject, field: str) -> Iterator[FieldError]:
    # Upstream passes name and namespace in the wrong order, so that each complaint names the other.
    if not service.get("namespace"):
        yield required(f"{field}.name")
    if not service.get("name"):
        yield required(f"{field}.namespace")
    port = number(service.get("port"))
    if faults := port_number(port):
        yield invalid(f"{field}.port", port, f"port is not valid: {', '.join(faults)}")
    path = text(service.get("path"))
    if path in {"", "/"}:
        return
    if path == "//":
        yield invalid(f"{field}.path", path, "segment[0] may not be empty")
        return
    if not path.startswith("/"):
        yield invalid(f"{field}.path", path, "must start with a '/'")
    for index, step in enumerate(path[1:].removesuffix("/").split("/")):
        faults = dns_subdomain(step) if step else []
        if not step:
            yield invalid(f"{field}.path", path, f"segment[{index}] may not be empty")
        yield from (invalid(f"{field}.path", path, f"segment[{index}]: {fault}") for fault in faults)


def _review_errors(versions: list[str], field: str, *, recognized: bool) -> Iterator[FieldError]:
    if not versions:
        yield required(field, f"must specify one of {', '.join(_REVIEWS)}")
        return
    for index, version in enumerate(versions):
        if version in versions[:index]:
            yield invalid(f"{field}[{index}]", version, "duplicate version")
        else:
            yield from faulty(f"{field}[{index}]", version, dns_1035_label(version))
    if recognized and not set(versions) & set(_REVIEWS):
        yield invalid(field, versions, f"must include at least one of {', '.join(_REVIEWS)}")


@collected
def mutating_webhooks_created(configuration: JsonObject) -> Iterator[FieldError]:
    yield from _configuration_errors(configuration, _Options(), mutating=True)


@collected
def validating_webhooks_created(configuration: JsonObject) -> Iterator[FieldError]:
    yield from _configuration_errors(configuration, _Options(), mutating=False)


@collected
def mutating_webhooks_updated(configuration: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    options = _kept(mappings(configuration.get("webhooks")), mappings(old.get("webhooks")))
    yield from _configuration_errors(configuration, options, mutating=True)


@collected
def validating_webhooks_updated(configuration: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    options = _kept(mappings(configuration.get("webhooks")), mappings(old.get("webhooks")))
    yield from _configuration_errors(configuration, options, mutating=False)


def _api_service_name(version: str, group: str) -> NameFaults:
    wanted = f"{version}.{group}"

    def faults(name: str, prefix: bool) -> list[str]:  # noqa: ARG001, FBT001 - NameFaults; names are never generated here
        found = path_segment(name)
        if not found and name != wanted:
            found = [f'must be `spec.version+"."+spec.group`: {quoted(wanted)}']
        return found

    return faults


@collected
def api_service_created(api_service: JsonObject) -> Iterator[FieldError]:
    spec = mapping(api_service.get("spec"))
    group, version = text(spec.get("group")), text(spec.get("version"))
    yield from meta(api_service, namespaced=False, names=_api_service_name(version, group), core=False)
    if group:
        yield from faulty("spec.group", group, dns_subdomain(group))
    elif version != "v1":
        yield required("spec.group", "only v1 may have an empty group and it better be legacy kube")
    yield from faulty("spec.version", version, dns_1035_label(version))
    priority, order = number(spec.get("groupPriorityMinimum")), number(spec.get("versionPriority"))
    if not 0 < priority <= _LARGEST_GROUP_PRIORITY:
        detail = f"must be positive and less than {_LARGEST_GROUP_PRIORITY}"
        yield invalid("spec.groupPriorityMinimum", priority, detail)
    if not 0 < order <= _LARGEST_VERSION_PRIORITY:
        yield invalid("spec.versionPriority", order, f"must be positive and less than {_LARGEST_VERSION_PRIORITY}")
    yield from _served_elsewhere_errors(spec)


def _served_elsewhere_errors(spec: JsonObject) -> Iterator[FieldError]:
    bundle, insecure = text(spec.get("caBundle")), spec.get("insecureSkipTLSVerify") is True
    service = spec.get("service")
    if not isinstance(service, dict):
        if bundle:
            shown = f"{decoded_bytes(bundle)} bytes"
            yield invalid("spec.caBundle", shown, "local APIServices may not have a caBundle")
        if insecure:
            detail = "local APIServices may not have insecureSkipTLSVerify"
            yield invalid("spec.insecureSkipTLSVerify", insecure, detail)
        return
    yield from (required(f"spec.service.{name}") for name in ("namespace", "name") if not service.get(name))
    port = number(service.get("port"))
    if faults := port_number(port):
        yield invalid("spec.service.port", port, f"port is not valid: {', '.join(faults)}")
    if insecure and bundle:
        yield invalid("spec.insecureSkipTLSVerify", insecure, "may not be true if caBundle is present")


@collected
def api_service_updated(api_service: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(api_service, old, core=False)
    yield from api_service_created(api_service)


@collected
def api_service_status_updated(api_service: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(api_service, old, core=False)
    for index, condition in enumerate(mappings(mapping(api_service.get("status")).get("conditions"))):
        status = text(condition.get("status"))
        yield from choice_errors(f"status.conditions[{index}].status", status, ("True", "False", "Unknown"))


CREATE: Final = {
    "APIService": api_service_created,
    "MutatingWebhookConfiguration": mutating_webhooks_created,
    "ValidatingWebhookConfiguration": validating_webhooks_created,
}
UPDATE: Final = {
    "APIService": api_service_updated,
    "MutatingWebhookConfiguration": mutating_webhooks_updated,
    "ValidatingWebhookConfiguration": validating_webhooks_updated,
}
STATUS_UPDATE: Final = {"APIService": api_service_status_updated}
