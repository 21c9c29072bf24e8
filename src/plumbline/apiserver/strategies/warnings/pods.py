"""Pods and templates of pods."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.strategies import apparmor
from plumbline.apiserver.strategies.warnings.addresses import ip_warnings, listed_ip_warnings
from plumbline.apiserver.strategies.warnings.claims import GONE_VOLUMES, PRINTED, claim_spec_warnings, fraction_warning
from plumbline.apiserver.strategies.warnings.nodes import DEPRECATED_LABELS, term_warnings
from plumbline.apiserver.strategies.warnings.paths import overlap_warnings
from plumbline.apiserver.strategies.warnings.ports import Placed, port_warnings
from plumbline.apiserver.validation.shapes import mapping, mappings, number, text, texts
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}
_SECCOMP: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_POD_SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"
_CONTAINER_SECCOMP: Final = "container.seccomp.security.alpha.kubernetes.io/"
_NULL_SELECTOR: Final = "a null labelSelector results in matching no pod"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_BYTES: Final = ("memory", "ephemeral-storage")


def pod_warnings(pod: JsonObject) -> list[str]:
    return list(_warnings("", pod))


def template_warnings(at: str, template: Json) -> list[str]:
    """Of a template in the field *at*."""
    return list(_warnings(f"{at}.", template)) if isinstance(template, dict) else []


def _warnings(at: str, pod: JsonObject) -> Iterator[str]:
    spec, annotations = mapping(pod.get("spec")), mapping(mapping(pod.get("metadata")).get("annotations"))
    containers = _containers(f"{at}spec", spec)
    yield from _node_warnings(f"{at}spec", spec)
    yield from _spread_warnings(f"{at}spec", spec)
    yield from (f"{at}metadata.annotations[{key}]: {why}" for key, why in _ANNOTATIONS.items() if key in annotations)
    yield from _volume_warnings(f"{at}spec", spec)
    yield from overlap_warnings(spec.get("volumes"))
    yield from _repeated(f"{at}spec.hostAliases", spec.get("hostAliases"), "ip")
    yield from _pull_secret_warnings(f"{at}spec.imagePullSecrets", spec.get("imagePullSecrets"))
    for name in _BYTES:
        yield from fraction_warning(f"{at}spec.overhead", spec.get("overhead"), name)
    context = mapping(spec.get("securityContext"))
    if context.get("seccompProfile") is None and _POD_SECCOMP in annotations:
        yield f"{at}metadata.annotations[{_POD_SECCOMP}]: {_SECCOMP}"
    for place, container in containers:
        yield from _profile_warnings(at, container, annotations, context.get("appArmorProfile"))
        yield from _resource_warnings(place, container)
        yield from _env_warnings(place, container)
    yield from port_warnings(containers)
    if number(spec.get("terminationGracePeriodSeconds")) < 0:
        yield f"{at}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"
    yield from _affinity_warnings(f"{at}spec", spec)
    for index, server in enumerate(texts(mapping(spec.get("dnsConfig")).get("nameservers"))):
        yield from ip_warnings(f"{at}spec.dnsConfig.nameservers[{index}]", server)
    yield from listed_ip_warnings(f"{at}spec.hostAliases", spec.get("hostAliases"), "ip")


def _containers(at: str, spec: JsonObject) -> list[Placed]:
    return [
        (f"{at}.{field}[{index}]", container)
        for field in ("initContainers", "containers", "ephemeralContainers")
        for index, container in enumerate(mappings(spec.get(field)))
    ]


def _node_warnings(at: str, spec: JsonObject) -> Iterator[str]:
    for label in sorted(mapping(spec.get("nodeSelector"))):
        if label in DEPRECATED_LABELS:
            yield f"{at}.nodeSelector[{label}]: {DEPRECATED_LABELS[label]}"
    affinity, field = mapping(mapping(spec.get("affinity")).get("nodeAffinity")), f"{at}.affinity.nodeAffinity"
    terms = mappings(mapping(affinity.get(_REQUIRED)).get("nodeSelectorTerms"))
    for index, term in enumerate(terms):
        yield from term_warnings(f"{field}.{_REQUIRED}.nodeSelectorTerms[{index}]", term, check_values=False)
    for index, preferred in enumerate(mappings(affinity.get(_PREFERRED))):
        place = f"{field}.{_PREFERRED}[{index}].preference"
        yield from term_warnings(place, preferred.get("preference"), check_values=True)


def _spread_warnings(at: str, spec: JsonObject) -> Iterator[str]:
    for index, constraint in enumerate(mappings(spec.get("topologySpreadConstraints"))):
        place, key = f"{at}.topologySpreadConstraints[{index}]", text(constraint.get("topologyKey"))
        if key in DEPRECATED_LABELS:
            yield f"{place}.topologyKey: {key} is {DEPRECATED_LABELS[key]}"
        if constraint.get("labelSelector") is None:
            yield f"{place}.labelSelector: {_NULL_SELECTOR}"


def _volume_warnings(at: str, spec: JsonObject) -> Iterator[str]:
    for index, volume in enumerate(mappings(spec.get("volumes"))):
        place = f"{at}.volumes[{index}]"
        found = [name for name in GONE_VOLUMES if name in volume]
        for name in found:
            yield f"{place}.{PRINTED.get(name, name)}: {GONE_VOLUMES[name]}"
        template = mapping(mapping(volume.get("ephemeral")).get("volumeClaimTemplate"))
        yield from claim_spec_warnings(f"{place}.ephemeral.volumeClaimTemplate.spec", template.get("spec"))


def _repeated(at: str, items: Json, name: str) -> Iterator[str]:
    seen: set[str] = set()
    for index, item in enumerate(mappings(items)):
        value = text(item.get(name))
        if value in seen:
            yield f"{at}[{index}].{name}: duplicate {name} {quoted(value)}"
        seen.add(value)


def _pull_secret_warnings(at: str, secrets: Json) -> Iterator[str]:
    yield from _repeated(at, secrets, "name")
    for index, secret in enumerate(mappings(secrets)):
        if not secret.get("name"):
            yield f'{at}[{index}].name: invalid empty name ""'


def _profile_warnings(at: str, container: JsonObject, annotations: JsonObject, whole: Json) -> Iterator[str]:
    name, context = text(container.get("name")), mapping(container.get("securityContext"))
    key = f"{_CONTAINER_SECCOMP}{name}"
    if context.get("seccompProfile") is None and key in annotations:
        yield f"{at}metadata.annotations[{key}]: {_SECCOMP}"
    key = f"{apparmor.PREFIX}{name}"
    # Pods have it turned into a field, and are warned when that happens.
    if not at or key not in annotations or context.get("appArmorProfile") is not None:
        return
    if whole is None or whole != apparmor.profile_from(annotations[key]):
        yield f"{at}metadata.annotations[{key}]: {apparmor.DEPRECATED}"


def _resource_warnings(at: str, container: JsonObject) -> Iterator[str]:
    resources = mapping(container.get("resources"))
    for name in _BYTES:
        for field in ("limits", "requests"):
            yield from fraction_warning(f"{at}.resources.{field}", resources.get(field), name)


def _env_warnings(at: str, container: JsonObject) -> Iterator[str]:
    seen: set[str] = set()
    for index, variable in enumerate(mappings(container.get("env"))):
        name, value = text(variable.get("name")), text(variable.get("value"))
        reference = f"$({name})"
        hides = variable.get("valueFrom") is not None or value == reference or reference not in value
        if name in seen and hides:
            hidden = f"hides previous definition of {quoted(name)}"
            yield f"{at}.env[{index}]: {hidden}, which may be dropped when using apply"
        seen.add(name)


def _affinity_warnings(at: str, spec: JsonObject) -> Iterator[str]:
    for field in ("podAffinity", "podAntiAffinity"):
        affinity, place = mapping(mapping(spec.get("affinity")).get(field)), f"{at}.affinity.{field}"
        for index, term in enumerate(mappings(affinity.get(_REQUIRED))):
            if term.get("labelSelector") is None:
                yield f"{place}.{_REQUIRED}[{index}].labelSelector: {_NULL_SELECTOR}"
        for index, weighted in enumerate(mappings(affinity.get(_PREFERRED))):
            if mapping(weighted.get("podAffinityTerm")).get("labelSelector") is None:
                yield f"{place}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector: {_NULL_SELECTOR}"
