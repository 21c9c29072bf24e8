"""What workloads are configured with and live in: ConfigMaps, Secrets, ServiceAccounts, Namespaces; and Bindings."""

import binascii
from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required, too_long
from plumbline.apiserver.validation.checks import annotation, collected, immutable, meta, meta_update
from plumbline.apiserver.validation.gojson import object_fault
from plumbline.apiserver.validation.metadata import faulty, metadata_of
from plumbline.apiserver.validation.names import byte_count, config_key, label_name, qualified_name
from plumbline.apiserver.validation.shapes import mapping, text, texts
from plumbline.base.json import JsonObject

MAX_BYTES: Final = 1048576
"""What the values of one ConfigMap or Secret may take together."""

_FROZEN: Final = "field is immutable when `immutable` is set"
_FINALIZERS: Final = ("foregroundDeletion", "kubernetes", "orphan")
_ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"
_DOCKER_KEYS: Final = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}


def _config_map_errors(config: JsonObject) -> Iterator[FieldError]:
    values, binaries = mapping(config.get("data")), mapping(config.get("binaryData"))
    size = 0
    for key, value in values.items():
        yield from faulty(f"data[{key}]", key, config_key(key))
        if key in binaries:
            yield invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
        size += byte_count(text(value))
    for key, value in binaries.items():
        yield from faulty(f"binaryData[{key}]", key, config_key(key))
        size += decoded_bytes(text(value))
    if size > MAX_BYTES:
        yield too_long("[]", MAX_BYTES)


def decoded_bytes(value: str) -> int:
    """How many bytes *value* holds in base64."""
    return len(value) * 3 // 4 - value[-2:].count("=")


@collected
def config_map_created(config: JsonObject) -> Iterator[FieldError]:
    yield from meta(config, namespaced=True)
    yield from _config_map_errors(config)


@collected
def config_map_updated(config: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(config, old)
    yield from _frozen_errors(config, old, ("data", "binaryData"))
    yield from config_map_created(config)


def _frozen_errors(new: JsonObject, old: JsonObject, fields: tuple[str, ...]) -> Iterator[FieldError]:
    if old.get("immutable") is not True:
        return
    if new.get("immutable") is not True:
        yield forbidden("immutable", _FROZEN)
    for field in fields:
        if mapping(new.get(field)) != mapping(old.get(field)):
            yield forbidden(field, _FROZEN)


def _secret_errors(secret: JsonObject) -> Iterator[FieldError]:
    size = 0
    for key, value in mapping(secret.get("data")).items():
        yield from faulty(f"data[{key}]", key, config_key(key))
        size += decoded_bytes(text(value))
    if size > MAX_BYTES:
        yield too_long("data", MAX_BYTES)
    yield from _secret_type_errors(secret)


def _secret_type_errors(secret: JsonObject) -> Iterator[FieldError]:
    type_, values = text(secret.get("type")), mapping(secret.get("data"))
    if type_ == "kubernetes.io/service-account-token":
        if not annotation(secret, _ACCOUNT_NAME):
            yield required(f"metadata.annotations[{_ACCOUNT_NAME}]")
    elif key := _DOCKER_KEYS.get(type_):
        yield from _docker_errors(key, values)
    elif type_ == "kubernetes.io/basic-auth":
        if "username" not in values and "password" not in values:
            yield required("data[username]")
            yield required("data[password]")
    elif type_ == "kubernetes.io/ssh-auth":
        if not values.get("ssh-privatekey"):
            yield required("data[ssh-privatekey]")
    elif type_ == "kubernetes.io/tls":
        for key in ("tls.crt", "tls.key"):
            if key not in values:
                yield required(f"data[{key}]")


def _docker_errors(key: str, values: JsonObject) -> Iterator[FieldError]:
    if key not in values:
        yield required(f"data[{key}]")
        return
    try:
        content = binascii.a2b_base64(text(values[key]))
    except ValueError:
        return
    if fault := object_fault(content):
        yield invalid(f"data[{key}]", "<secret contents redacted>", fault)


@collected
def secret_created(secret: JsonObject) -> Iterator[FieldError]:
    yield from meta(secret, namespaced=True)
    yield from _secret_errors(secret)


@collected
def secret_updated(secret: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(secret, old)
    yield from immutable("type", text(secret.get("type")), text(old.get("type")))
    yield from _frozen_errors(secret, old, ("data",))
    yield from secret_created(secret)


@collected
def service_account_created(account: JsonObject) -> Iterator[FieldError]:
    yield from meta(account, namespaced=True)


@collected
def service_account_updated(account: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(account, old)
    yield from meta(account, namespaced=True)


def _finalizer_errors(field: str, finalizer: str) -> Iterator[FieldError]:
    yield from faulty(field, finalizer, qualified_name(finalizer))
    if "/" not in finalizer and finalizer not in _FINALIZERS:
        yield invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified")


@collected
def namespace_created(namespace: JsonObject) -> Iterator[FieldError]:
    yield from meta(namespace, namespaced=False, names=label_name)
    for finalizer in texts(mapping(namespace.get("spec")).get("finalizers")):
        yield from _finalizer_errors("spec.finalizers", finalizer)


@collected
def namespace_updated(namespace: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from namespace_created(namespace)
    yield from meta_update(namespace, old)


@collected
def namespace_status_updated(namespace: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(namespace, old)
    phase = text(mapping(namespace.get("status")).get("phase"))
    leaving = bool(metadata_of(namespace).get("deletionTimestamp"))
    wanted = "Terminating" if leaving else "Active"
    if phase != wanted:
        empty = "not empty" if leaving else "empty"
        yield invalid("status.Phase", phase, f"may only be '{wanted}' if `deletionTimestamp` is {empty}")


@collected
def namespace_finalized(namespace: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(namespace, old)
    for index, finalizer in enumerate(texts(mapping(namespace.get("spec")).get("finalizers"))):
        yield from _finalizer_errors(f"spec.finalizers[{index}]", finalizer)


@collected
def binding_created(binding: JsonObject) -> Iterator[FieldError]:
    target = mapping(binding.get("target"))
    if (kind := text(target.get("kind"))) not in {"", "Node"}:
        yield not_supported("target.kind", kind, ("Node", "<empty>"))
    if not text(target.get("name")):
        yield required("target.name")


CREATE: Final = {
    "Binding": binding_created,
    "ConfigMap": config_map_created,
    "Namespace": namespace_created,
    "Secret": secret_created,
    "ServiceAccount": service_account_created,
}
UPDATE: Final = {
    "ConfigMap": config_map_updated,
    "Namespace": namespace_updated,
    "Secret": secret_updated,
    "ServiceAccount": service_account_updated,
}
STATUS_UPDATE: Final = {"Namespace": namespace_status_updated}
SUBRESOURCE_UPDATE: Final = {("Namespace", "finalize"): namespace_finalized}
