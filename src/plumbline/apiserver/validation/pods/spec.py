"""The spec of a pod, wherever one is: in a pod or in the template of a workload.

Upstream lets specs keep what they had before a rule was made. Here every stored spec has met every rule, so that there
is nothing to let pass.
"""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, invalid, required
from plumbline.apiserver.validation.metadata import faulty, label_errors
from plumbline.apiserver.validation.names import dns_subdomain, out_of_range
from plumbline.apiserver.validation.pods.choices import chosen_errors
from plumbline.apiserver.validation.pods.claims import resource_claim_errors
from plumbline.apiserver.validation.pods.containers import (
    Surroundings,
    ephemeral_container_errors,
    init_container_errors,
    main_container_errors,
)
from plumbline.apiserver.validation.pods.environment import file_volume_errors
from plumbline.apiserver.validation.pods.levels import pod_level_errors
from plumbline.apiserver.validation.pods.network import (
    dns_errors,
    host_alias_errors,
    host_network_errors,
    hostname_errors,
    hostname_override_errors,
)
from plumbline.apiserver.validation.pods.platforms import host_process_errors, platform_errors
from plumbline.apiserver.validation.pods.resources import container_resource_errors
from plumbline.apiserver.validation.pods.scheduling import (
    affinity_errors,
    gate_errors,
    spread_errors,
    toleration_errors,
)
from plumbline.apiserver.validation.pods.security import host_user_errors, pod_security_errors
from plumbline.apiserver.validation.pods.volumes import NOBODY, Owner, volume_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, text
from plumbline.base.json import Json, JsonObject

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")
_LONGEST_DEADLINE_S: Final = 2**31 - 1


def pod_spec_errors(spec: JsonObject, at: str, *, owner: Owner = NOBODY, annotations: Json = None) -> list[FieldError]:
    """Complaints about *spec*; *annotations* are those of the pod, where it is one."""
    errors = _container_part_errors(spec, at, owner, annotations)
    errors += _policy_errors(spec, at)
    errors += _placement_errors(spec, at)
    errors += _sharing_errors(spec, at)
    errors += _reference_errors(spec, at)
    errors += _late_errors(spec, at)
    return errors


def all_containers(spec: JsonObject, at: str) -> list[tuple[str, JsonObject]]:
    """Every container with its path, in the order in which upstream visits them."""
    return [
        (f"{at}.{name}[{index}]", container)
        for name in ("initContainers", "containers", "ephemeralContainers")
        if name in spec
        for index, container in enumerate(mappings(spec[name]))
    ]


def _container_part_errors(spec: JsonObject, at: str, owner: Owner, annotations: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    grace_s = integer(spec.get("terminationGracePeriodSeconds"))
    if grace_s is None:
        errors.append(required(f"{at}.terminationGracePeriodSeconds"))
    volumes, volume_faults = volume_errors(mappings(spec.get("volumes")), f"{at}.volumes", owner)
    errors += volume_faults
    claims = mappings(spec.get("resourceClaims"))
    names = frozenset(name for claim in claims if (name := text(claim.get("name"))))
    if claims:
        errors += resource_claim_errors(claims, f"{at}.resourceClaims", annotations)
    host_users = spec.get("hostUsers") is not False
    pod = Surroundings(volumes, names, text(spec.get("restartPolicy")), host_users, grace_s)
    containers, first = mappings(spec.get("containers")), mappings(spec.get("initContainers"))
    errors += main_container_errors(containers, f"{at}.containers", pod)
    if first:
        errors += init_container_errors(first, f"{at}.initContainers", pod, containers)
    if visiting := mappings(spec.get("ephemeralContainers")):
        errors += ephemeral_container_errors(visiting, f"{at}.ephemeralContainers", pod, [*containers, *first])
    if spec.get("resources") is not None:
        errors += pod_level_errors(spec, at, names)
    if spec.get("hostNetwork") is True:
        errors += host_network_errors(containers, f"{at}.containers", is_pod=owner.is_pod)
    return errors


def _policy_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    if spec.get("restartPolicy") not in _RESTART_POLICIES:
        yield from chosen_errors(spec.get("restartPolicy"), f"{at}.restartPolicy", _RESTART_POLICIES)
    if spec.get("dnsPolicy") not in _DNS_POLICIES:
        yield from chosen_errors(spec.get("dnsPolicy"), f"{at}.dnsPolicy", _DNS_POLICIES)
    if selector := spec.get("nodeSelector"):
        yield from label_errors(selector, f"{at}.nodeSelector")
    if spec.get("securityContext") or spec.get("shareProcessNamespace") is not None:
        yield from pod_security_errors(spec, f"{at}.securityContext")


def _placement_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    if affinity := spec.get("affinity"):
        yield from affinity_errors(mapping(affinity), f"{at}.affinity")
    if spec.get("dnsConfig") is not None or spec.get("dnsPolicy") == "None":
        yield from dns_errors(spec.get("dnsConfig"), text(spec.get("dnsPolicy")), f"{at}.dnsConfig")
    if spec.get("readinessGates") or spec.get("schedulingGates"):
        yield from gate_errors(spec, at)
    if constraints := spec.get("topologySpreadConstraints"):
        yield from spread_errors(mappings(constraints), f"{at}.topologySpreadConstraints")


def _sharing_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    containers = all_containers(spec, at)
    yield from host_process_errors(spec, at, containers)
    if spec.get("hostUsers") is False:
        yield from host_user_errors(spec, at, containers)
    if spec.get("hostnameOverride") is not None:
        yield from hostname_override_errors(spec, at)


def _reference_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    for name in ("serviceAccountName", "nodeName"):
        if held := text(spec.get(name)):
            yield from faulty(f"{at}.{name}", held, dns_subdomain(held))
    deadline_s = integer(spec.get("activeDeadlineSeconds"))
    if deadline_s is not None and not 0 < deadline_s <= _LONGEST_DEADLINE_S:
        yield invalid(f"{at}.activeDeadlineSeconds", deadline_s, out_of_range(1, _LONGEST_DEADLINE_S))
    if spec.get("hostname") or spec.get("subdomain"):
        yield from hostname_errors(spec, at)
    if tolerations := spec.get("tolerations"):
        yield from toleration_errors(mappings(tolerations), f"{at}.tolerations")
    if aliases := spec.get("hostAliases"):
        yield from host_alias_errors(mappings(aliases), f"{at}.hostAliases")
    if held := text(spec.get("priorityClassName")):
        yield from faulty(f"{at}.priorityClassName", held, dns_subdomain(held))


def _late_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    if spec.get("runtimeClassName") is not None:
        held = text(spec["runtimeClassName"])
        yield from faulty(f"{at}.runtimeClassName", held, dns_subdomain(held))
    if spec.get("preemptionPolicy") is not None:
        yield from chosen_errors(spec["preemptionPolicy"], f"{at}.preemptionPolicy", _PREEMPTION_POLICIES)
    if overhead := spec.get("overhead"):
        yield from container_resource_errors({"limits": overhead}, f"{at}.overhead", frozenset())
    if spec.get("os") is not None:
        yield from platform_errors(spec, at, all_containers(spec, at))
    volumes = {text(each.get("name")): each for each in mappings(spec.get("volumes"))}
    for path, container in all_containers(spec, at):
        if container.get("env"):
            yield from file_volume_errors(container, path, volumes)
