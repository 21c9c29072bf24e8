"""Flags that say what a project permits, as `create` and `set` take them."""

from collections.abc import Iterable
from functools import wraps
from typing import Any, Final

import click

from plumbline.base.json import JsonObject
from plumbline.cli.options import Decorated
from plumbline.cli.projecting.values import resource

_NAMES: Final = (
    "description", "destinations", "sources", "signature_keys", "orphaned", "orphaned_warn", "allowed_cluster",
    "denied_cluster", "allowed_namespaced", "denied_namespaced", "source_namespaces", "accounts",
)  # fmt: skip
_ACCOUNT_PARTS: Final = 3


def spec_flags(command: Decorated) -> Decorated:
    """The verb gets `given`."""

    @wraps(command)
    def verb(*args: Any, **more: Any) -> Any:
        given = {name: more.pop(name) for name in _NAMES}
        return command(*args, given=given, **more)

    wrapped: Decorated = verb
    for names, about, extra in reversed(_FLAGS):
        wrapped = click.option(*names, help=about, **extra)(wrapped)
    return wrapped


_SEVERAL: Final[dict[str, Any]] = {"multiple": True}
_SWITCH: Final[dict[str, Any]] = {"is_flag": True, "default": None}
_FLAGS: Final[tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...]] = (
    (("--description",), "What it is for.", {"default": None}),
    (("-d", "--dest", "destinations"), "Destination as SERVER,NAMESPACE.", {**_SEVERAL, "metavar": "SERVER,NAMESPACE"}),
    (("-s", "--src", "sources"), "Repository that may be used.", _SEVERAL),
    (("--signature-keys", "signature_keys"), "Keys that commits have to be signed with, separated by commas.", _SEVERAL),
    (("--orphaned-resources/--no-orphaned-resources", "orphaned"), "Look for objects that belong to no application.", _SWITCH),
    (("--orphaned-resources-warn/--no-orphaned-resources-warn", "orphaned_warn"), "Have applications warn about them.", _SWITCH),
    (("--allow-cluster-resource", "allowed_cluster"), "Kind without namespaces that is allowed, as [GROUP/]KIND[/NAME].", _SEVERAL),
    (("--deny-cluster-resource", "denied_cluster"), "Kind without namespaces that is denied, as [GROUP/]KIND[/NAME].", _SEVERAL),
    (("--allow-namespaced-resource", "allowed_namespaced"), "Kind in namespaces that is allowed, as [GROUP/]KIND.", _SEVERAL),
    (("--deny-namespaced-resource", "denied_namespaced"), "Kind in namespaces that is denied, as [GROUP/]KIND.", _SEVERAL),
    (("--source-namespaces", "source_namespaces"), "Namespaces that applications may be in, separated by commas.", _SEVERAL),
    (("--dest-service-accounts", "accounts"), "Account to deliver as, as SERVER,NAMESPACE,ACCOUNT.", _SEVERAL),
)  # fmt: skip


def spec_of(given: dict[str, Any], before: JsonObject) -> JsonObject:
    """*before* with what was given; what was not given stays."""
    spec: JsonObject = {
        "description": given["description"],
        "destinations": [_destination(each) for each in given["destinations"]],
        "sourceRepos": list(given["sources"]),
        "signatureKeys": [{"keyID": each} for each in _split(given["signature_keys"])],
        "clusterResourceWhitelist": [_kind(each, names=True) for each in given["allowed_cluster"]],
        "clusterResourceBlacklist": [_kind(each, names=True) for each in given["denied_cluster"]],
        "namespaceResourceWhitelist": [_kind(each) for each in given["allowed_namespaced"]],
        "namespaceResourceBlacklist": [_kind(each) for each in given["denied_namespaced"]],
        "sourceNamespaces": _split(given["source_namespaces"]),
        "destinationServiceAccounts": [_account(each) for each in given["accounts"]],
    }
    said = {key: value for key, value in spec.items() if value not in (None, [])}
    after: JsonObject = {**before, **said}
    return _orphans(after, given["orphaned"], given["orphaned_warn"])


def _orphans(spec: JsonObject, enabled: bool | None, warn: bool | None) -> JsonObject:
    if enabled is False:
        return {key: value for key, value in spec.items() if key != "orphanedResources"}
    if enabled is None and warn is None:
        return spec
    before = spec.get("orphanedResources") or {}
    return {**spec, "orphanedResources": {**before, **({"warn": warn} if warn is not None else {})}}


def _split(texts: Iterable[str]) -> list[str]:
    return [part for text in texts for part in text.split(",") if part]


def _destination(text: str) -> JsonObject:
    server, comma, namespace = text.partition(",")
    if not comma or "," in namespace:
        raise click.UsageError(f"{text!r} is no destination: it should be SERVER,NAMESPACE.")
    return {"server": server, "namespace": namespace}


def _account(text: str) -> JsonObject:
    parts = text.split(",")
    if len(parts) != _ACCOUNT_PARTS:
        raise click.UsageError(f"{text!r} is no account: it should be SERVER,NAMESPACE,ACCOUNT.")
    return {"server": parts[0], "namespace": parts[1], "defaultServiceAccount": parts[2]}


def _kind(text: str, *, names: bool = False) -> JsonObject:
    parts = text.split("/")
    if len(parts) > (3 if names else 2):
        raise click.UsageError(f"{text!r} is no kind: it should be [GROUP/]KIND{'[/NAME]' if names else ''}.")
    return resource("", parts[0]) if len(parts) == 1 else resource(*parts)
