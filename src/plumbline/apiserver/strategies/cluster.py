"""Namespaces, nodes, and other objects that the cluster itself is made of."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.strategies.parts import (
    fresh_status,
    keep_status,
    only_status,
    with_field,
    zero_status,
)
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.apiserver.strategies.warnings.addresses import cidr_warnings
from plumbline.apiserver.strategies.warnings.keypairs import key_pair_fault
from plumbline.apiserver.strategies.warnings.nodes import DEPRECATED_LABELS
from plumbline.apiserver.strategies.warnings.quotas import quota_warnings
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

_QUOTA: Final = GroupVersionKind("", "v1", "ResourceQuota")
_NAME_LABEL: Final = "kubernetes.io/metadata.name"
_FINALIZER: Final = "kubernetes"
_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"
_MOUNTABLE_WARNING: Final = (
    f"metadata.annotations[{_MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to "
    "mounted secrets"
)


def _prepare_namespace(namespace: JsonObject, _: Writing) -> JsonObject:
    metadata, spec = mapping(namespace.get("metadata")), mapping(namespace.get("spec"))
    finalizers = texts(spec.get("finalizers"))
    if _FINALIZER not in finalizers:
        finalizers = [*finalizers, _FINALIZER]
    labels = {**mapping(metadata.get("labels")), _NAME_LABEL: text(metadata.get("name"))}
    return {
        **namespace,
        "metadata": {**metadata, "labels": labels},
        "spec": {**spec, "finalizers": finalizers},
        "status": {"phase": "Active"},
    }


def _prepare_namespace_update(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    spec = with_field(mapping(new.get("spec")), "finalizers", mapping(old.get("spec")).get("finalizers"))
    return {**keep_status(new, old, writing), "spec": spec}


def _terminating(namespace: JsonObject, _: Writing) -> JsonObject:
    return {**namespace, "status": {**mapping(namespace.get("status")), "phase": "Terminating"}}


NAMESPACE: Final = Strategy(
    answers_deleted=True,
    prepare_create=_prepare_namespace,
    prepare_update=_prepare_namespace_update,
    prepare_subresource={"status": only_status(), "finalize": keep_status},
    begin_deletion=_terminating,
    held=lambda namespace: bool(mapping(namespace.get("spec")).get("finalizers")),
)


def _prepare_node(node: JsonObject, _: Writing) -> JsonObject:
    spec = with_field(mapping(node.get("spec")), "configSource", None)
    return {**node, "spec": spec, "status": with_field(mapping(node.get("status")), "config", None)}


def _prepare_node_update(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    node = keep_status(new, old, writing)
    if "configSource" in mapping(old.get("spec")):
        return node
    return {**node, "spec": with_field(mapping(new.get("spec")), "configSource", None)}


def _prepare_node_status(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    node = only_status()(new, old, writing)
    if "config" in mapping(old.get("status")):
        return node
    return {**node, "status": with_field(mapping(node.get("status")), "config", None)}


def _node_warnings(node: JsonObject) -> Sequence[str]:
    spec, warnings = mapping(node.get("spec")), []
    if spec.get("configSource") is not None:
        warnings.append("spec.configSource: the feature is removed")
    if spec.get("externalID"):
        warnings.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, cidr in enumerate(texts(spec.get("podCIDRs"))):
        warnings.extend(cidr_warnings(f"spec.podCIDRs[{index}]", cidr))
    return warnings


NODE: Final = Strategy(
    prepare_create=_prepare_node,
    prepare_update=_prepare_node_update,
    prepare_subresource={"status": _prepare_node_status},
    create_warnings=_node_warnings,
    update_warnings=lambda new, _: _node_warnings(new),
)


def _named_secrets(account: JsonObject, _: Writing) -> JsonObject:
    """Of the secrets that it may use, an account keeps the names."""
    secrets = account.get("secrets")
    if not secrets:
        return account
    names = [text(each.get("name")) for each in mappings(secrets)]
    return {**account, "secrets": [{"name": name} if name else {} for name in names]}


def _notes_mountable(account: JsonObject) -> bool:
    return _MOUNTABLE in mapping(mapping(account.get("metadata")).get("annotations"))


def _account_update_warnings(new: JsonObject, old: JsonObject) -> Sequence[str]:
    return [_MOUNTABLE_WARNING] if _notes_mountable(new) and not _notes_mountable(old) else []


SERVICE_ACCOUNT: Final = Strategy(
    answers_deleted=True,
    prepare_create=_named_secrets,
    prepare_update=lambda new, _, writing: _named_secrets(new, writing),
    create_warnings=lambda account: _account_update_warnings(account, {}),
    update_warnings=_account_update_warnings,
)


def _secret_warnings(secret: JsonObject) -> Sequence[str]:
    if secret.get("type") != "kubernetes.io/tls":
        return ()
    held = mapping(secret.get("data"))
    fault = key_pair_fault(held.get("tls.crt"), held.get("tls.key"))
    return [fault] if fault else []


SECRET: Final = Strategy(create_warnings=_secret_warnings, update_warnings=lambda new, _: _secret_warnings(new))


def _named(limits: JsonObject, writing: Writing) -> JsonObject:
    """The one kind that need not be named by anybody."""
    metadata = mapping(limits.get("metadata"))
    return limits if metadata.get("name") else {**limits, "metadata": {**metadata, "name": writing.ids.uid()}}


LIMIT_RANGE: Final = Strategy(create_on_update=True, prepare_create=_named)
QUOTA: Final = Strategy(
    answers_deleted=True,
    prepare_create=fresh_status(_QUOTA),
    prepare_update=keep_status,
    prepare_subresource={"status": only_status()},
    create_warnings=quota_warnings,
)


def _runtime_warnings(runtime: JsonObject) -> Sequence[str]:
    selector = mapping(mapping(runtime.get("scheduling")).get("nodeSelector"))
    found = (label for label in sorted(selector) if label in DEPRECATED_LABELS)
    return [f"scheduling.nodeSelector: {DEPRECATED_LABELS[label]}" for label in found]


RUNTIME_CLASS: Final = Strategy(
    create_on_update=True,
    unconditional_update=False,
    create_warnings=_runtime_warnings,
    update_warnings=lambda new, _: _runtime_warnings(new),
)


def _enabled_lease(new: JsonObject, old: JsonObject) -> JsonObject:
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    dropped = [field for field in ("strategy", "preferredHolder") if field in spec and field not in before]
    for field in dropped:
        spec = with_field(spec, field, None)
    return {**new, "spec": spec} if dropped else new


LEASE: Final = Strategy(
    create_on_update=True,
    unconditional_update=False,
    prepare_create=lambda lease, _: _enabled_lease(lease, {}),
    prepare_update=lambda new, old, _: _enabled_lease(new, old),
)


def _prepare_api_service(service: JsonObject, writing: Writing) -> JsonObject:
    kind = GroupVersionKind("apiregistration.k8s.io", "v1", "APIService")
    status = zero_status(kind)
    if mapping(service.get("spec")).get("service") is None:
        local = {
            "type": "Available",
            "status": "True",
            "lastTransitionTime": writing.now,
            "reason": "Local",
            "message": "Local APIServices are always available",
        }
        status = {**status, "conditions": [local]}
    return {**service, "status": status}


API_SERVICE: Final = Strategy(
    unconditional_update=False,
    prepare_create=_prepare_api_service,
    prepare_update=keep_status,
    prepare_subresource={"status": only_status("labels", "annotations", "finalizers", "ownerReferences")},
)
