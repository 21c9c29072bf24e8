"""Ingresses: hosts, paths, backends, certificates."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import FieldError, invalid, required
from plumbline.apiserver.validation.addresses import ip_errors, parse_ip
from plumbline.apiserver.validation.checks import (
    annotation,
    choice_errors,
    collected,
    meta,
    meta_update,
    required_name_errors,
    subdomain_errors,
)
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import (
    dns_label,
    dns_subdomain,
    path_segment,
    port_name,
    port_number,
    wildcard_subdomain,
)
from plumbline.apiserver.validation.services import hostname_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, number, text, texts
from plumbline.base.json import JsonObject

_CLASS: Final = "kubernetes.io/ingress.class"
_BAD_SEQUENCES: Final = ("//", "/./", "/../", "%2f", "%2F")
_BAD_SUFFIXES: Final = ("/..", "/.")
_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")


class _Tolerance(NamedTuple):
    """What an Ingress may keep that a new one may not have."""

    secret_names: bool = False
    wildcard_rules: bool = False


def _spec_errors(spec: JsonObject, tolerance: _Tolerance) -> Iterator[FieldError]:
    rules, backend = mappings(spec.get("rules")), spec.get("defaultBackend")
    if not rules and backend is None:
        yield invalid("spec", spec.get("rules"), "either `defaultBackend` or `rules` must be specified")
    if isinstance(backend, dict):
        yield from _backend_errors(backend, "spec.defaultBackend")
    for index, rule in enumerate(rules):
        at, host = f"spec.rules[{index}]", text(rule.get("host"))
        yield from _host_errors(host, f"{at}.host")
        if not (tolerance.wildcard_rules and "*" in host):
            yield from _rule_errors(rule, at)
    for index, tls in enumerate(mappings(spec.get("tls"))):
        yield from _tls_errors(tls, f"spec.tls[{index}]", tolerance)
    if isinstance(class_ := spec.get("ingressClassName"), str):
        yield from subdomain_errors("spec.ingressClassName", class_)


def _host_errors(host: str, field: str) -> Iterator[FieldError]:
    if not host:
        return
    if parse_ip(host):
        yield invalid(field, host, "must be a DNS name, not an IP address")
    yield from faulty(field, host, wildcard_subdomain(host) if "*" in host else dns_subdomain(host))


def _rule_errors(rule: JsonObject, field: str) -> Iterator[FieldError]:
    if not isinstance(http := rule.get("http"), dict):
        return
    paths = mappings(http.get("paths"))
    if not paths:
        yield required(f"{field}.http.paths")
    for index, path in enumerate(paths):
        at, type_ = f"{field}.http.paths[{index}]", text(path.get("pathType"))
        if not type_:
            yield required(f"{at}.pathType", "pathType must be specified")
            continue
        yield from _path_errors(text(path.get("path")), type_, at)
        yield from _backend_errors(mapping(path.get("backend")), f"{at}.backend")


def _path_errors(path: str, type_: str, field: str) -> Iterator[FieldError]:
    if type_ not in _PATH_TYPES:
        yield from choice_errors(f"{field}.pathType", type_, _PATH_TYPES)
        return
    specific = type_ == "ImplementationSpecific"
    if not path.startswith("/") and (path or not specific):
        yield invalid(f"{field}.path", path, "must be an absolute path")
    if specific:
        return
    for bad in _BAD_SEQUENCES:
        if bad in path:
            yield invalid(f"{field}.path", path, f"must not contain '{bad}'")
    for bad in _BAD_SUFFIXES:
        if path.endswith(bad):
            yield invalid(f"{field}.path", path, f"cannot end with '{bad}'")


def _backend_errors(backend: JsonObject, field: str) -> Iterator[FieldError]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        yield invalid(field, "", "cannot set both resource and service backends")
    elif resource is not None:
        yield from _resource_errors(mapping(resource), f"{field}.resource")
    elif service is not None:
        yield from required_name_errors(f"{field}.service.name", text(mapping(service).get("name")), dns_label)
        yield from _port_errors(mapping(mapping(service).get("port")), field)
    else:
        yield invalid(field, "", "resource or service backend is required")


def _resource_errors(resource: JsonObject, field: str) -> Iterator[FieldError]:
    if isinstance(group := resource.get("apiGroup"), str):
        yield from subdomain_errors(f"{field}.apiGroup", group)
    for name in ("kind", "name"):
        yield from required_name_errors(f"{field}.{name}", text(resource.get(name)), path_segment)


def _port_errors(port: JsonObject, field: str) -> Iterator[FieldError]:
    name, listening = text(port.get("name")), number(port.get("number"))
    if name and listening:
        yield invalid(field, "", "cannot set both port name & port number")
    elif name:
        yield from faulty(f"{field}.service.port.name", name, port_name(name))
    elif listening:
        yield from faulty(f"{field}.service.port.number", listening, port_number(listening))
    else:
        yield required(field, "port name or number is required")


def _tls_errors(tls: JsonObject, field: str, tolerance: _Tolerance) -> Iterator[FieldError]:
    for index, host in enumerate(texts(tls.get("hosts"))):
        faults = wildcard_subdomain(host) if "*" in host else dns_subdomain(host)
        yield from faulty(f"{field}.hosts[{index}]", host, faults)
    secret = text(tls.get("secretName"))
    if secret and not tolerance.secret_names:
        yield from subdomain_errors(f"{field}.secretName", secret)


@collected
def ingress_created(ingress: JsonObject) -> Iterator[FieldError]:
    spec = mapping(ingress.get("spec"))
    yield from meta(ingress, namespaced=True)
    yield from _spec_errors(spec, _Tolerance())
    noted, class_ = annotation(ingress, _CLASS), spec.get("ingressClassName")
    if noted is not None and class_ is not None and noted != class_:
        yield invalid(f"annotations.{_CLASS}", noted, "must match `ingressClassName` when both are specified")


@collected
def ingress_updated(ingress: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    old_spec = mapping(old.get("spec"))
    secrets = (text(tls.get("secretName")) for tls in mappings(old_spec.get("tls")))
    wildcards = (rule for rule in mappings(old_spec.get("rules")) if "*" in text(rule.get("host")))
    tolerance = _Tolerance(
        secret_names=any(secret and dns_subdomain(secret) for secret in secrets),
        wildcard_rules=any(any(_rule_errors(rule, "")) for rule in wildcards),
    )
    yield from meta_update(ingress, old)
    yield from meta(ingress, namespaced=True)
    yield from _spec_errors(mapping(ingress.get("spec")), tolerance)


@collected
def ingress_status_updated(ingress: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(ingress, old)
    balancers, former = (_balancers(each) for each in (ingress, old))
    kept = {text(each.get("ip")) for each in former if each.get("ip")}
    for index, balancer in enumerate(balancers):
        at = f"status.loadBalancer.ingress[{index}]"
        if ip := text(balancer.get("ip")):
            yield from ip_errors(f"{at}.ip", ip, kept)
        yield from hostname_errors(f"{at}.hostname", text(balancer.get("hostname")))


def _balancers(ingress: JsonObject) -> list[JsonObject]:
    return mappings(mapping(mapping(ingress.get("status")).get("loadBalancer")).get("ingress"))


CREATE: Final = {"Ingress": ingress_created}
UPDATE: Final = {"Ingress": ingress_updated}
STATUS_UPDATE: Final = {"Ingress": ingress_status_updated}
