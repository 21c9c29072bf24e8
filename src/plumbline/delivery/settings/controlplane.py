"""argocd-cm: most of what people set."""

from typing import Final, Literal, cast
from urllib.parse import urlsplit

import msgspec

from plumbline.base.json import Json
from plumbline.base.limits import MIB
from plumbline.delivery.settings.customizations import CompareOptions, read_customizations
from plumbline.delivery.settings.filters import FilteredResource, ResourceFilter
from plumbline.delivery.settings.keys import Keys
from plumbline.delivery.settings.values import (
    Display,
    GlobalProject,
    Helm,
    Hydrating,
    Impersonation,
    Kustomize,
    KustomizeVersion,
    Link,
    Links,
    Rendering,
    Settings,
    Timing,
    Webhooks,
)
from plumbline.kube.selectors import LabelSelector
from plumbline.kube.spelling import label_key_faults
from plumbline.ownership.learn.tracking import INSTANCE_LABEL, Tracking

_BUILD_OPTIONS: Final = "kustomize.buildOptions"
_PATHS: Final = ("kustomize.path.", "kustomize.version.")
_STATUS_FIELD: Final = {"off": "none", "false": "none", "": "all"}
_MOST_PAYLOAD_MB: Final = 1024
_DEFAULT_PAYLOAD_MB: Final = 50


def read_control_plane(keys: Keys, namespace: str) -> Settings:
    """Everything that argocd-cm says; the rest is at its default."""
    compare = _compare(keys)
    return Settings(
        namespace=namespace,
        tracking=_tracking(keys, namespace),
        filter=ResourceFilter(
            keys.items("resource.exclusions", FilteredResource), keys.items("resource.inclusions", FilteredResource)
        ),
        customizations=read_customizations(keys, compare),
        compare=compare,
        ignore_resource_updates=keys.flag("resource.ignoreResourceUpdatesEnabled", default=True),
        respect_rbac=cast(
            "Literal['', 'normal', 'strict']", keys.chosen("resource.respectRBAC", ("", "normal", "strict"), "")
        ),
        timing=Timing(
            reconciliation_s=keys.seconds("timeout.reconciliation", 120),
            reconciliation_jitter_s=keys.seconds("timeout.reconciliation.jitter", 60),
            hard_reconciliation_s=keys.seconds("timeout.hard.reconciliation", 0),
        ),
        rendering=_rendering(keys),
        display=_display(keys),
        webhooks=_webhooks(keys),
        impersonation=Impersonation(
            enabled=keys.flag("application.sync.impersonation.enabled", default=False),
            enforced=keys.flag("application.sync.impersonation.enforced", default=True),
        ),
        hydrating=Hydrating(
            commit_message=keys.text("sourceHydrator.commitMessageTemplate"),
            readme=keys.text("sourceHydrator.readmeMessageTemplate"),
            author_name=keys.text("commit.author.name", Hydrating().author_name),
            author_email=keys.text("commit.author.email", Hydrating().author_email),
        ),
        global_projects=keys.each("globalProjects", keys.document("globalProjects"), _global_project),
        in_cluster_enabled=keys.flag("cluster.inClusterEnabled", default=True),
        revision_needs_override=keys.flag("application.sync.requireOverridePrivilegeForRevisionSync", default=False),
    )


def _tracking(keys: Keys, namespace: str) -> Tracking:
    label = keys.text("application.instanceLabelKey", INSTANCE_LABEL)
    if faults := label_key_faults(label):
        keys.told("application.instanceLabelKey", "; ".join(faults))
        label = INSTANCE_LABEL
    method = keys.chosen(
        "application.resourceTrackingMethod", ("annotation", "label", "annotation+label"), "annotation"
    )
    return Tracking(
        method=cast("Literal['annotation', 'label', 'annotation+label']", method),
        label_key=label,
        installation_id=keys.text("installationID"),
        namespace=namespace,
    )


def _compare(keys: Keys) -> CompareOptions:
    key = "resource.compareoptions"
    found = keys.document(key)
    if isinstance(found, dict):
        # YAML reads an unquoted `off` as a boolean, and upstream takes it for what was meant.
        status = str(found.get("ignoreResourceStatusField", "all"))
        status = _STATUS_FIELD.get(status.lower(), status)
        if status not in {"all", "crd", "none"}:
            keys.told(key, "ignoreResourceStatusField is none of all, crd and none, and all counts")
            status = "all"
        found = {**found, "ignoreResourceStatusField": status}
    return keys.value(key, found, CompareOptions) or CompareOptions()


def _rendering(keys: Keys) -> Rendering:
    schemes: tuple[str, ...] = Helm().value_file_schemes
    if "helm.valuesFileSchemes" in keys.entries:
        schemes = keys.list("helm.valuesFileSchemes")
    return Rendering(
        kustomize=Kustomize(
            enabled=keys.flag("kustomize.enable", default=True, otherwise=False),
            build_options=keys.text(_BUILD_OPTIONS),
            versions=_kustomize_versions(keys),
            remote=keys.flag("kustomize.remote.enable", default=False, otherwise=False),
        ),
        helm=Helm(enabled=keys.flag("helm.enable", default=True, otherwise=False), value_file_schemes=schemes),
        jsonnet=keys.flag("jsonnet.enable", default=True, otherwise=False),
    )


def _kustomize_versions(keys: Keys) -> dict[str, KustomizeVersion]:
    versions: dict[str, KustomizeVersion] = {}
    for key, path in sorted(keys.entries.items()):
        prefix = next((each for each in _PATHS if key.startswith(each)), "")
        name = key.removeprefix(prefix) if prefix else ""
        if name in versions:
            keys.told(key, f"found duplicate kustomize version: {name}")
        elif name:
            versions[name] = KustomizeVersion(path, keys.text(f"{_BUILD_OPTIONS}.{name}"))
    return versions


def _display(keys: Keys) -> Display:
    additional = keys.items("additionalUrls", str)
    return Display(
        url=_external(keys, "url", keys.text("url")),
        additional_urls=tuple(filter(None, (_external(keys, "additionalUrls", each) for each in additional))),
        status_badge=keys.flag("statusbadge.enabled", default=False),
        status_badge_url=_external(keys, "statusbadge.url", keys.text("statusbadge.url")),
        custom_labels=keys.list("resource.customLabels"),
        node_labels=_node_labels(keys),
        event_labels=keys.list("resource.includeEventLabelKeys"),
        hidden_event_labels=keys.list("resource.excludeEventLabelKeys"),
        masked_annotations=frozenset(keys.list("resource.sensitive.mask.annotations")),
        links=Links(*(keys.items(f"{what}.links", Link) for what in ("application", "project", "resource"))),
    )


def _external(keys: Keys, key: str, url: str) -> str:
    """An address that people's browsers are sent to: http or https, and nothing that runs."""
    try:
        usable = not url or urlsplit(url).scheme in {"http", "https"}
    except ValueError:
        usable = False
    if not usable:
        keys.told(key, "URL must include http or https protocol")
    return url if usable else ""


def _node_labels(keys: Keys) -> tuple[str, ...]:
    key = "application.allowedNodeLabels"
    usable = []
    for label in keys.list(key):
        if faults := label_key_faults(label):
            keys.told(key, f"{label}: {'; '.join(faults)}")
        else:
            usable.append(label)
    return tuple(usable)


def _webhooks(keys: Keys) -> Webhooks:
    megabytes = keys.number("webhook.maxPayloadSizeMB", _DEFAULT_PAYLOAD_MB, least=1, most=_MOST_PAYLOAD_MB)
    return Webhooks(
        max_payload_bytes=megabytes * MIB,
        refresh_jitter_s=keys.seconds("webhook.refresh.jitter", 0),
        jitter_threshold=keys.number("webhook.refresh.jitter.threshold", 10),
    )


class _GlobalProject(msgspec.Struct, rename="camel"):
    project_name: str
    label_selector: Json = None


def _global_project(item: Json) -> GlobalProject:
    """Without a selector it counts everywhere, as upstream's empty selector does."""
    found = msgspec.convert(item, _GlobalProject)
    return GlobalProject(found.project_name, LabelSelector.from_object(found.label_selector or {}))
