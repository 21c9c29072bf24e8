"""Annotations of pods that mean something: older ways to say what fields say today."""

import re
from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid
from plumbline.apiserver.validation.pods.claims import MIRROR
from plumbline.apiserver.validation.pods.paths import descending_errors
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import Json, JsonObject

Containers = list[tuple[str, JsonObject]]

_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP: Final = "container.seccomp.security.alpha.kubernetes.io/"
_APPARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_LOCALHOST: Final = "localhost/"
_RUNTIME_DEFAULTS: Final = {"runtime/default", "docker/default"}
_cost: Final = re.compile(r"-?[0-9]{1,10}").fullmatch
_INT32: Final = range(-(2**31), 2**31)


def annotation_meaning_errors(
    annotations: Json, field: str, spec: JsonObject, containers: Containers
) -> Iterator[FieldError]:
    held = mapping(annotations)
    if not held:
        return
    if MIRROR in held and not spec.get("nodeName"):
        yield invalid(f"{field}[{MIRROR}]", held[MIRROR], "must set spec.nodeName if mirror pod annotation is set")
    if _DELETION_COST in held and not _sound_cost(text(held[_DELETION_COST])):
        yield invalid(f"{field}[{_DELETION_COST}]", held[_DELETION_COST], "must be a 32bit integer")
    if _SECCOMP_POD in held:
        yield from _seccomp_errors(text(held[_SECCOMP_POD]), f"{field}.{_SECCOMP_POD}")
    for key, value in held.items():
        if key.startswith(_SECCOMP):
            yield from _seccomp_errors(text(value), f"{field}.{key}")
    for key, value in held.items():
        if key.startswith(_APPARMOR):
            yield from _apparmor_errors(key, text(value), f"{field}[{key}]", containers)


def _sound_cost(value: str) -> bool:
    leading = value != "0" and value.startswith("0")
    return _cost(value) is not None and not leading and int(value) in _INT32


def _seccomp_errors(profile: str, field: str) -> Iterator[FieldError]:
    if profile in _RUNTIME_DEFAULTS or profile == "unconfined":
        return
    if profile.startswith(_LOCALHOST):
        yield from descending_errors(profile.removeprefix(_LOCALHOST), field)
    else:
        yield invalid(field, profile, "must be a valid seccomp profile")


def _apparmor_errors(key: str, profile: str, field: str, containers: Containers) -> Iterator[FieldError]:
    name = key.removeprefix(_APPARMOR)
    if not any(text(container.get("name")) == name for _, container in containers):
        yield invalid(field, name, "container not found")
    if profile not in {"", "runtime/default", "unconfined"} and not profile.startswith(_LOCALHOST):
        yield invalid(field, profile, f'invalid AppArmor profile name: "{profile}"')


def annotation_match_errors(
    annotations: Json, spec: JsonObject, at: str, containers: Containers
) -> Iterator[FieldError]:
    """Complaints about annotations and fields that say different things of the same."""
    held = mapping(annotations)
    if not held:
        return
    context = mapping(spec.get("securityContext"))
    if _SECCOMP_POD in held:
        field = f"{at}.securityContext.seccompProfile"
        yield from _match_errors(text(held[_SECCOMP_POD]), context.get("seccompProfile"), field, "seccomp")
    for path, container in containers:
        key = f"{_SECCOMP}{text(container.get('name'))}"
        if key in held:
            profile = mapping(container.get("securityContext")).get("seccompProfile")
            yield from _match_errors(text(held[key]), profile, f"{path}.securityContext.seccompProfile", "seccomp")
    if mapping(spec.get("os")).get("name") == "windows":
        return
    for path, container in containers:
        key = f"{_APPARMOR}{text(container.get('name'))}"
        if key in held:
            profile = mapping(container.get("securityContext")).get("appArmorProfile") or context.get("appArmorProfile")
            yield from _match_errors(text(held[key]), profile, f"{path}.securityContext.appArmorProfile", "apparmor")


def _match_errors(annotation: str, profile: Json, at: str, kind: str) -> Iterator[FieldError]:
    if not isinstance(profile, dict):
        return
    wanted = {
        "Unconfined": annotation == "unconfined",
        "RuntimeDefault": annotation == "runtime/default" or (annotation == "docker/default" and kind == "seccomp"),
        "Localhost": annotation.startswith(_LOCALHOST),
    }
    if not wanted.get(text(profile.get("type")), True):
        yield forbidden(f"{at}.type", f"{kind} type in annotation and field must match")
    elif profile.get("type") == "Localhost" and annotation != f"{_LOCALHOST}{profile.get('localhostProfile')}":
        yield forbidden(f"{at}.localhostProfile", f"{kind} profile in annotation and field must match")
