"""What every managed resource has in common, typed, and the names that upstream gave to what is written on it."""

from datetime import datetime
from typing import Any, Final, Literal

from msgspec import field

from plumbline.kinds.fields import Fields, FreeObject
from plumbline.kinds.kind import Kind, Version
from plumbline.kinds.status import ObservedStatus
from plumbline.managed.kinds import ManagedKind

FINALIZER: Final = "finalizer.managedresource.crossplane.io"
EXTERNAL_NAME: Final = "crossplane.io/external-name"
PAUSED: Final = "crossplane.io/paused"
POLL_INTERVAL: Final = "crossplane.io/poll-interval"
REQUESTED: Final = "crossplane.io/reconcile-requested-at"

LEGACY_CONFIG: Final = "ProviderConfig"
CLUSTER_CONFIG: Final = "ClusterProviderConfig"


class ConfigName(Fields):
    """Which ProviderConfig; the kind is said in the namespaced lineage only."""

    name: str = "default"
    kind: str = CLUSTER_CONFIG


class SecretName(Fields):
    """Where connection details go; a namespaced resource says no namespace, it is its own."""

    name: str
    namespace: str = ""


class ManagedSpec(Fields):
    for_provider: FreeObject = field(default_factory=dict)
    init_provider: FreeObject = field(default_factory=dict)
    provider_config_ref: ConfigName = ConfigName()
    write_connection_secret_to_ref: SecretName | None = None
    management_policies: tuple[str, ...] = ("*",)
    deletion_policy: Literal["Delete", "Orphan"] = "Delete"


class ManagedStatus(ObservedStatus):
    at_provider: FreeObject = field(default_factory=dict)
    last_handled_reconcile_at: str = ""


def typed_kind(kind: ManagedKind) -> Kind[ManagedSpec, ManagedStatus]:
    """*kind* as the kernel reads it. What its CRD says is made in `manifests`."""
    versions = tuple(Version[Any, Any](name=name, spec=ManagedSpec, status=ManagedStatus) for name in kind.versions)
    return Kind(
        group=kind.group,
        kind=kind.kind,
        plural=kind.plural,
        description=f"A {kind.kind} of {kind.provider.name}.",
        versions=versions,
        namespaced=kind.namespaced,
        keep_unknown=True,
    )


def moment(text: str) -> datetime | None:
    """A time as people and controllers write it on objects; None where it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
