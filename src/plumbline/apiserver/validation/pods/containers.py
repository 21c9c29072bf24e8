"""Containers: those that run, those that run before, and those that visit."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import (
    FieldError,
    Word,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
    too_many,
)
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import dns_label, port_name, port_number
from plumbline.apiserver.validation.pods.choices import PULL_POLICIES, chosen_errors
from plumbline.apiserver.validation.pods.environment import env_errors, env_from_errors
from plumbline.apiserver.validation.pods.mounts import device_errors, mount_errors
from plumbline.apiserver.validation.pods.probes import lifecycle_errors, probe_errors
from plumbline.apiserver.validation.pods.resources import container_resource_errors
from plumbline.apiserver.validation.pods.security import container_security_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, number, sequence, text
from plumbline.base.json import Json, JsonObject

_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_RESTART_POLICIES: Final = ("Always", "Never", "OnFailure")
_RESTART_ACTIONS: Final = ("Restart", "RestartAllContainers")
_RESTART_OPERATORS: Final = ("In", "NotIn")
_RESIZED: Final = ("cpu", "memory")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")
_MOST_RULES: Final = 20
_MOST_EXIT_CODES: Final = 255
_NOT_EPHEMERAL: Final = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)


class Surroundings(NamedTuple):
    """What of its pod a container depends on."""

    volumes: Mapping[str, JsonObject]
    claims: frozenset[str]
    restart_policy: str
    host_users: bool
    grace_s: int | None


def main_container_errors(containers: list[JsonObject], field: str, pod: Surroundings) -> Iterator[FieldError]:
    if not containers:
        yield required(field)
        return
    names: set[str] = set()
    for index, container in enumerate(containers):
        at, name = f"{field}[{index}]", text(container.get("name"))
        yield from _container_errors(container, at, pod)
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)
        yield from _called_errors(container, at, pod)
        if "restartPolicy" in container or container.get("restartPolicyRules"):
            yield from _restart_errors(container, at)
    yield from _host_port_errors(containers, field)


def init_container_errors(
    containers: list[JsonObject], field: str, pod: Surroundings, others: list[JsonObject]
) -> Iterator[FieldError]:
    names = {text(each.get("name")) for each in others} if containers else set()
    for index, container in enumerate(containers):
        at, name = f"{field}[{index}]", text(container.get("name"))
        yield from _container_errors(container, at, pod)
        if "restartPolicy" in container or container.get("restartPolicyRules"):
            yield from _restart_errors(container, at)
        if name in names:
            yield duplicate(f"{at}.name", name)
        elif name:
            names.add(name)
        yield from _host_port_errors([container], field)
        if container.get("restartPolicy") == "Always":
            yield from _called_errors(container, at, pod)
        else:
            yield from _run_once_errors(container, at)


def ephemeral_container_errors(
    containers: list[JsonObject], field: str, pod: Surroundings, others: list[JsonObject]
) -> Iterator[FieldError]:
    targets = {text(each.get("name")) for each in others} if containers else set()
    names = set(targets)
    for index, container in enumerate(containers):
        at, name = f"{field}[{index}]", text(container.get("name"))
        yield from _container_errors(container, at, pod)
        yield from image_errors(container, at)
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)
        target = text(container.get("targetContainerName"))
        if target and target not in targets:
            yield not_found(f"{at}.targetContainerName", target)
        yield from _visitor_errors(container, at)


def _visitor_errors(container: JsonObject, at: str) -> Iterator[FieldError]:
    detail = "cannot be set for an Ephemeral Container"
    for name in _NOT_EPHEMERAL:
        if container.get(name):
            yield forbidden(f"{at}.{name}", detail)
    for index, mount in enumerate(mappings(container.get("volumeMounts"))):
        for name in ("subPath", "subPathExpr"):
            if mount.get(name):
                yield forbidden(f"{at}.volumeMounts[{index}].{name}", detail)


def image_errors(container: JsonObject, at: str) -> Iterator[FieldError]:
    """What templates may still get wrong, but pods may not."""
    image = text(container.get("image"))
    if image != image.strip():
        yield invalid(f"{at}.image", image, "must not have leading or trailing whitespace")


def _container_errors(container: JsonObject, at: str, pod: Surroundings) -> Iterator[FieldError]:
    name = text(container.get("name"))
    if not name:
        yield required(f"{at}.name")
    elif faults := dns_label(name):
        yield from faulty(f"{at}.name", name, faults)
    if not container.get("image"):
        yield required(f"{at}.image")
    policy = container.get("terminationMessagePolicy")
    if policy not in _MESSAGE_POLICIES:
        yield from chosen_errors(policy, f"{at}.terminationMessagePolicy", _MESSAGE_POLICIES)
    if ports := container.get("ports"):
        yield from _port_errors(mappings(ports), f"{at}.ports")
    if variables := container.get("env"):
        yield from env_errors(variables, f"{at}.env")
    if sources := container.get("envFrom"):
        yield from env_from_errors(sources, f"{at}.envFrom")
    yield from _needed_errors(container, at, pod)


def _needed_errors(container: JsonObject, at: str, pod: Surroundings) -> Iterator[FieldError]:
    if container.get("volumeMounts"):
        yield from mount_errors(container, f"{at}.volumeMounts", pod.volumes)
    if container.get("volumeDevices"):
        yield from device_errors(container, f"{at}.volumeDevices", pod.volumes)
    policy = container.get("imagePullPolicy")
    if policy not in PULL_POLICIES:
        yield from chosen_errors(policy, f"{at}.imagePullPolicy", PULL_POLICIES)
    if resources := container.get("resources"):
        yield from container_resource_errors(mapping(resources), f"{at}.resources", pod.claims)
    if policies := container.get("resizePolicy"):
        yield from _resize_errors(mappings(policies), f"{at}.resizePolicy", pod.restart_policy)
    if context := container.get("securityContext"):
        field = f"{at}.securityContext"
        yield from container_security_errors(mapping(context), field, host_users=pod.host_users)


def _called_errors(container: JsonObject, at: str, pod: Surroundings) -> Iterator[FieldError]:
    if (lifecycle := container.get("lifecycle")) is not None:
        yield from lifecycle_errors(mapping(lifecycle), f"{at}.lifecycle", pod.grace_s)
    yield from probe_errors(container, at, pod.grace_s)


def _run_once_errors(container: JsonObject, at: str) -> Iterator[FieldError]:
    for name in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
        if container.get(name) is not None:
            yield forbidden(f"{at}.{name}", "may not be set for init containers without restartPolicy=Always")
    for index, policy in enumerate(mappings(container.get("resizePolicy"))):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield invalid(f"{at}.resizePolicy[{index}].restartPolicy", Word("RestartContainer"), detail)


def _port_errors(ports: list[JsonObject], field: str) -> Iterator[FieldError]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        at, name = f"{field}[{index}]", text(port.get("name"))
        if name:
            if faults := port_name(name):
                yield from faulty(f"{at}.name", name, faults)
            elif name in names:
                yield duplicate(f"{at}.name", name)
            names.add(name)
        inside, outside = number(port.get("containerPort")), number(port.get("hostPort"))
        if not inside:
            yield required(f"{at}.containerPort")
        elif faults := port_number(inside):
            yield from faulty(f"{at}.containerPort", inside, faults)
        if outside:
            yield from faulty(f"{at}.hostPort", outside, port_number(outside))
        if port.get("protocol") not in _PROTOCOLS:
            yield from chosen_errors(port.get("protocol"), f"{at}.protocol", _PROTOCOLS)


def _host_port_errors(containers: list[JsonObject], field: str) -> Iterator[FieldError]:
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for position, port in enumerate(mappings(container.get("ports"))):
            outside = number(port.get("hostPort"))
            if not outside:
                continue
            place = f"{text(port.get('protocol'))}/{text(port.get('hostIP'))}/{outside}"
            if place in taken:
                yield duplicate(f"{field}[{index}].ports[{position}].hostPort", place)
            taken.add(place)


def _resize_errors(policies: list[JsonObject], field: str, restart_policy: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        resource, restart = text(policy.get("resourceName")), text(policy.get("restartPolicy"))
        if resource in seen:
            yield duplicate(f"{field}[{index}]", Word(resource))
        seen.add(resource)
        yield from chosen_errors(resource, field, _RESIZED)
        yield from chosen_errors(restart, field, _RESIZE_POLICIES)
        if restart_policy == "Never" and restart != "NotRequired":
            yield invalid(field, Word(restart), "must be 'NotRequired' when pod `restartPolicy` is 'Never'")


def _restart_errors(container: JsonObject, at: str) -> Iterator[FieldError]:
    policy, rules = container.get("restartPolicy"), mappings(container.get("restartPolicyRules"))
    if policy is None:
        if not rules:
            return
        yield required(f"{at}.restartPolicy", "must specify restartPolicy when restart rules are used")
    elif policy not in _RESTART_POLICIES:
        yield not_supported(f"{at}.restartPolicy", Word(text(policy)), _RESTART_POLICIES)
    if len(rules) > _MOST_RULES:
        yield too_many(f"{at}.restartPolicyRules", len(rules), _MOST_RULES)
    for index, rule in enumerate(rules):
        yield from _restart_rule_errors(rule, f"{at}.restartPolicyRules[{index}]")


def _restart_rule_errors(rule: JsonObject, at: str) -> Iterator[FieldError]:
    if rule.get("action") not in _RESTART_ACTIONS:
        yield not_supported(f"{at}.action", Word(text(rule.get("action"))), _RESTART_ACTIONS)
    codes: Json = rule.get("exitCodes")
    if not isinstance(codes, dict):
        yield required(f"{at}.exitCodes", "must be specified")
        return
    if codes.get("operator") not in _RESTART_OPERATORS:
        yield not_supported(f"{at}.exitCodes.operator", Word(text(codes.get("operator"))), _RESTART_OPERATORS)
    count = len(sequence(codes.get("values")))
    if count > _MOST_EXIT_CODES:
        yield too_many(f"{at}.exitCodes.values", count, _MOST_EXIT_CODES)
