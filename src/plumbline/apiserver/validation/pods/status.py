"""What nodes report of pods."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import (
    FieldError,
    Word,
    duplicate,
    forbidden,
    internal,
    invalid,
    required,
    too_long,
)
from plumbline.apiserver.validation.addresses import ip_errors, parse_ip
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import IMMUTABLE, faulty, object_meta_update_errors
from plumbline.apiserver.validation.names import byte_count, dns_subdomain, out_of_range, qualified_name
from plumbline.apiserver.validation.pods.choices import optional_errors
from plumbline.apiserver.validation.pods.updates import annotation_update_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, sequence, text
from plumbline.base.json import JsonObject

_SYSTEM_CONDITIONS: Final = {"PodScheduled", "Ready", "Initialized"}
_HEALTHS: Final = ("Healthy", "Unhealthy", "Unknown")
_LARGEST_ID: Final = 2**31 - 1
_MESSAGE_BYTES: Final = 1024
_ONE_PER_FAMILY: Final = "may specify no more than one IP for each IP family"
_STATUSES: Final = {
    "containerStatuses": "containers",
    "initContainerStatuses": "initContainers",
    "ephemeralContainerStatuses": "ephemeralContainers",
}


def pod_status_errors(new: JsonObject, old: JsonObject) -> list[FieldError]:
    errors = object_meta_update_errors(new.get("metadata"), old.get("metadata"), known_finalizers=True)
    errors += annotation_update_errors(new, old)
    status, before = mapping(new.get("status")), mapping(old.get("status"))
    spec, former = mapping(new.get("spec")), mapping(old.get("spec"))
    errors += _condition_errors(mappings(status.get("conditions")))
    errors += _nomination_errors(new, old)
    if number(status.get("observedGeneration")) < 0:
        detail = "must be a non-negative integer"
        errors.append(invalid("status.observedGeneration", status["observedGeneration"], detail))
    if text(status.get("qosClass")) != text(before.get("qosClass")):
        errors.append(invalid("status.qosClass", Word(text(status.get("qosClass"))), IMMUTABLE))
    for name, kind in _STATUSES.items():
        errors += _transition_errors(status, before, former, name, kind)
    errors += _claim_errors(mappings(status.get("resourceClaimStatuses")), spec)
    errors += _ip_errors(status, before, "podIPs", "PodIP")
    errors += _host_ip_errors(status, before)
    for name in _STATUSES:
        errors += _user_errors(status, name, text(mapping(spec.get("os")).get("name")) or "linux")
    for name, kind in _STATUSES.items():
        errors += _allocated_errors(mappings(status.get(name)), f"status.{name}", mappings(spec.get(kind)))
    return errors


def _condition_errors(conditions: list[JsonObject]) -> Iterator[FieldError]:
    for index, condition in enumerate(conditions):
        at, kind = f"status.conditions[{index}]", text(condition.get("type"))
        if number(condition.get("observedGeneration")) < 0:
            detail = "must be a non-negative integer"
            yield invalid(f"{at}.observedGeneration", condition["observedGeneration"], detail)
        if kind not in _SYSTEM_CONDITIONS:
            yield from faulty(f"{at}.Type", kind, qualified_name(kind))


def _nomination_errors(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    node = text(mapping(old.get("spec")).get("nodeName"))
    if text(mapping(new.get("spec")).get("nodeName")) != node:
        yield forbidden("status.nodeName", "may not be changed directly")
    nominated = text(mapping(new.get("status")).get("nominatedNodeName"))
    if not nominated or nominated == text(mapping(old.get("status")).get("nominatedNodeName")):
        return
    yield from faulty("status.nominatedNodeName", nominated, dns_subdomain(nominated))
    if node:
        yield forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node")


def _transition_errors(
    status: JsonObject, before: JsonObject, spec: JsonObject, name: str, kind: str
) -> Iterator[FieldError]:
    """Complaints about containers that ended and, without anything that would restart them, did not."""
    former = mappings(before.get(name))
    if not former or (kind != "ephemeralContainers" and _restarts_all(spec)):
        return
    now = {text(each.get("name")): each for each in mappings(status.get(name))}
    known = {text(each.get("name")): each for each in mappings(spec.get(kind))}
    for index, each in enumerate(former):
        ended, held = mapping(each.get("state")).get("terminated"), now.get(text(each.get("name")))
        if ended is None or held is None or mapping(held.get("state")).get("terminated") is not None:
            continue
        container = known.get(text(each.get("name")))
        code = number(mapping(ended).get("exitCode"))
        if kind == "ephemeralContainers" or container is None or not _restarts(container, spec, code):
            yield forbidden(f"status.{name}[{index}].state", "may not be transitioned to non-terminated state")


def _restarts_all(spec: JsonObject) -> bool:
    containers = (*mappings(spec.get("initContainers")), *mappings(spec.get("containers")))
    rules = (rule for each in containers for rule in mappings(each.get("restartPolicyRules")))
    return any(rule.get("action") == "RestartAllContainers" for rule in rules)


def _restarts(container: JsonObject, spec: JsonObject, code: int) -> bool:
    policy = text(container.get("restartPolicy"))
    if policy:
        for rule in mappings(container.get("restartPolicyRules")):
            codes = mapping(rule.get("exitCodes"))
            matched = code in sequence(codes.get("values"))
            if rule.get("exitCodes") is not None and matched == (codes.get("operator") == "In"):
                return True
    policy = policy or text(spec.get("restartPolicy"))
    return policy not in {"Never", "OnFailure"} or (policy == "OnFailure" and code != 0)


def _claim_errors(statuses: list[JsonObject], spec: JsonObject) -> Iterator[FieldError]:
    known = {text(each.get("name")) for each in mappings(spec.get("resourceClaims"))}
    seen: set[str] = set()
    for index, each in enumerate(statuses):
        at, name = f"status.resourceClaimStatuses[{index}]", text(each.get("name"))
        if name not in known:
            yield invalid(f"{at}.name", name, "must match the name of an entry in `spec.resourceClaims`")
        if name in seen:
            yield duplicate(f"{at}.name", name)
        seen.add(name)
        if isinstance(claim := each.get("resourceClaimName"), str):
            yield from faulty(f"{at}.resourceClaimName", Word(claim), dns_subdomain(claim))


def _ip_errors(status: JsonObject, before: JsonObject, name: str, type_name: str) -> Iterator[FieldError]:
    field = f"status.{name}"
    ips = [text(each.get("ip")) for each in mappings(status.get(name))]
    known = [text(each.get("ip")) for each in mappings(before.get(name))]
    for index, ip in enumerate(ips):
        yield from ip_errors(f"{field}[{index}]", ip, known)
    if len(ips) < 2:  # noqa: PLR2004 - one of each family
        return
    addresses = [parse_ip(ip) for ip in ips]
    bad = next((index for index, address in enumerate(addresses) if address is None), None)
    if bad is not None:
        yield internal(field, f"failed to check for dual stack with error:invalid IP[{bad}]: {ips[bad]}")
    families = {address.is_ipv4 for address in addresses if address}
    if bad is not None or len(families) < 2 or len(ips) > 2:  # noqa: PLR2004 - as above
        yield invalid(field, go_form(status.get(name), f"[{type_name}"), _ONE_PER_FAMILY)


def _host_ip_errors(status: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    ips = mappings(status.get("hostIPs"))
    if ips and text(ips[0].get("ip")) != text(status.get("hostIP")):
        yield invalid("status.hostIPs[0].ip", text(ips[0].get("ip")), "must be equal to `hostIP`")
    yield from _ip_errors(status, before, "hostIPs", "HostIP")


def _user_errors(status: JsonObject, name: str, system: str) -> Iterator[FieldError]:
    for index, each in enumerate(mappings(status.get(name))):
        user = mapping(each.get("user")).get("linux")
        if user is None:
            continue
        at = f"status.{name}[{index}].user.linux"
        if system == "windows":
            yield forbidden(at, "cannot be set for a windows pod")
            continue
        held = mapping(user)
        ids = [("uid", held.get("uid")), ("gid", held.get("gid"))]
        groups = sequence(held.get("supplementalGroups"))
        ids += [(f"supplementalGroups[{position}]", group) for position, group in enumerate(groups)]
        for field, value in ids:
            if (number_held := integer(value)) is not None and not 0 <= number_held <= _LARGEST_ID:
                yield invalid(f"{at}.{field}", number_held, out_of_range(0, _LARGEST_ID))


def _allocated_errors(statuses: list[JsonObject], field: str, containers: list[JsonObject]) -> Iterator[FieldError]:
    known = {text(each.get("name")): mapping(each.get("resources")) for each in containers}
    for index, each in enumerate(statuses):
        allocated = mappings(each.get("allocatedResourcesStatus"))
        if not allocated:
            continue
        at = f"{field}[{index}].allocatedResourcesStatus"
        if field == "status.ephemeralContainerStatuses":
            yield forbidden(at, "must not be specified in container status")
            continue
        for position, held in enumerate(allocated):
            resources = known.get(text(each.get("name")))
            if resources is not None:
                yield from _allocated_name_errors(text(held.get("name")), resources, f"{at}[{position}].name")
            yield from _health_errors(mappings(held.get("resources")), f"{at}[{position}].resources")


def _allocated_name_errors(name: str, resources: JsonObject, field: str) -> Iterator[FieldError]:
    if name.startswith("claim:"):
        claims = mappings(resources.get("claims"))
        keys = [(text(each.get("name")), text(each.get("request"))) for each in claims]
        if name not in {f"claim:{claim}/{request}" if request else f"claim:{claim}" for claim, request in keys}:
            detail = (
                "must match one of the container's resource claims in a format 'claim:<claimName>/<request>'"
                " or 'claim:<claimName>' if request is empty"
            )
            yield invalid(field, Word(name), detail)
    elif name not in mapping(resources.get("requests")):
        yield invalid(field, Word(name), "must match one of the container's resource requests")


def _health_errors(resources: list[JsonObject], field: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, each in enumerate(resources):
        at, key = f"{field}[{index}]", text(each.get("resourceID"))
        yield from optional_errors(text(each.get("health")), f"{at}.health", _HEALTHS)
        if isinstance(message := each.get("message"), str):
            if not message:
                yield required(f"{at}.message", "must be non-empty if specified")
            elif byte_count(message) > _MESSAGE_BYTES:
                yield too_long(f"{at}.message", _MESSAGE_BYTES)
        if key in seen:
            yield duplicate(f"{at}.resourceID", Word(key))
        seen.add(key)
