"""Provider, Function and Configuration with their revisions (pkg.crossplane.io/v1): what extends a control plane."""

from typing import Annotated, Final, TypeVar

from msgspec import field

from plumbline.kinds.crossplane.common import AGE, ONE_MAP, ConditionedStatus, Named, state_column
from plumbline.kinds.fields import DEFAULTED, WHOLE, Fields, Int64
from plumbline.kinds.kind import Column, Kind, Version

PKG: Final = "pkg.crossplane.io"

S = TypeVar("S", bound=Fields)
T = TypeVar("T", bound=Fields)


class PullSecret(Fields):
    """A Secret with credentials for a registry."""

    name: Annotated[str, DEFAULTED] = ""


class RuntimeConfigReference(Fields):
    """How a package's program would be run."""

    api_version: Annotated[str, DEFAULTED] = "pkg.crossplane.io/v1beta1"
    """Group and version, such as pkg.crossplane.io/v1beta1."""
    kind: Annotated[str, DEFAULTED] = "DeploymentRuntimeConfig"
    name: str


class _Fetched(Fields):
    package_pull_secrets: tuple[Annotated[PullSecret, ONE_MAP], ...] = ()
    """Secrets with credentials for the registry."""
    package_pull_policy: Annotated[str, DEFAULTED] = "IfNotPresent"
    """When a package is fetched."""
    ignore_crossplane_constraints: Annotated[bool, DEFAULTED] = False
    """Whether the version of Crossplane that it asks for is ignored."""
    skip_dependency_resolution: Annotated[bool, DEFAULTED] = False
    """Whether what it depends on is ignored."""
    common_labels: dict[str, str] = field(default_factory=dict)
    """Labels of all that it brings."""
    common_annotations: dict[str, str] = field(default_factory=dict)
    """Annotations of all that it brings."""


class ConfigurationSpec(_Fetched):
    """A package, and how its revisions come and go."""

    package: str
    """Name of the package in a registry, with tag or digest."""
    revision_activation_policy: Annotated[str, DEFAULTED] = "Automatic"
    """Whether a new revision becomes active by itself."""
    revision_history_limit: Annotated[Int64, DEFAULTED] = 1
    """How many inactive revisions are kept."""


class RunPackageSpec(ConfigurationSpec):
    """A package with a program, and how its revisions come and go."""

    runtime_config_ref: Annotated[RuntimeConfigReference, DEFAULTED] = RuntimeConfigReference(name="default")
    """Without effect: what the package does is done here, and no program of it is run."""
    controller_config_ref: Named | None = None
    """Likewise, as it was called before."""


class AppliedImageConfig(Fields):
    """An ImageConfig that was taken into account."""

    name: str
    reason: str
    """For what."""


class PackageStatus(ConditionedStatus):
    """Whether the package is installed and well."""

    current_revision: str = ""
    """The revision at hand."""
    current_identifier: str = ""
    """The package that it came from."""
    resolved_package: str = ""
    """The package's name after rewriting."""
    applied_image_config_refs: tuple[AppliedImageConfig, ...] = ()
    """ImageConfigs that were taken into account."""


class ConfigurationRevisionSpec(_Fetched):
    """One revision of a package."""

    desired_state: str
    """Active or Inactive."""
    image: str
    """The package."""
    revision: Int64
    """Its number: the highest one is the newest."""


class RunPackageRevisionSpec(ConfigurationRevisionSpec):
    """One revision of a package with a program."""

    runtime_config_ref: Annotated[RuntimeConfigReference, DEFAULTED] = RuntimeConfigReference(name="default")
    """Without effect: what the package does is done here, and no program of it is run."""
    controller_config_ref: Named | None = None
    """Likewise, as it was called before."""
    tls_server_secret_name: str | None = None
    """Without effect: there is no server."""
    tls_client_secret_name: str | None = None
    """Without effect: there is no client."""


class ObjectReference(Fields):
    """An object that the revision brought."""

    api_version: str
    kind: str
    name: str
    uid: str = ""


class PermissionRequest(Fields):
    """Permissions that a package's program asks for."""

    api_groups: Annotated[tuple[str, ...], WHOLE] = ()
    resources: Annotated[tuple[str, ...], WHOLE] = ()
    resource_names: Annotated[tuple[str, ...], WHOLE] = ()
    non_resource_ur_ls: Annotated[tuple[str, ...], WHOLE] = field(name="nonResourceURLs", default=())
    verbs: Annotated[tuple[str, ...], WHOLE]


class ConfigurationRevisionStatus(ConditionedStatus):
    """Whether the revision is well."""

    found_dependencies: Int64 = 0
    """How many packages it depends on."""
    installed_dependencies: Int64 = 0
    """How many of them are there."""
    invalid_dependencies: Int64 = 0
    """How many of them are there in a version that does not fit."""
    object_refs: tuple[ObjectReference, ...] = ()
    """What it brought."""
    permission_requests: tuple[PermissionRequest, ...] = ()
    """Permissions that it asks for."""
    applied_image_config_refs: tuple[AppliedImageConfig, ...] = ()
    """ImageConfigs that were taken into account."""
    resolved_image: str = ""
    """The package's name after rewriting."""
    capabilities: tuple[str, ...] = ()
    """What it can do."""


class RunPackageRevisionStatus(ConfigurationRevisionStatus):
    """Whether the revision and its program are well."""

    tls_server_secret_name: str = ""
    tls_client_secret_name: str = ""


class FunctionRevisionStatus(RunPackageRevisionStatus):
    """Whether the revision and its program are well, and where that is."""

    endpoint: str = ""
    """Where the function is called; empty for those that run in this process."""


_INSTALLED: Final = (
    state_column("INSTALLED", "Installed"),
    state_column("HEALTHY", "Healthy"),
    Column(name="PACKAGE", path=".spec.package"),
    AGE,
)
_HEALTHY: Final = state_column("HEALTHY", "RevisionHealthy")
_REVISION: Final = (
    Column(name="IMAGE", path=".spec.image"),
    Column(name="STATE", path=".spec.desiredState"),
    AGE,
    Column(name="REVISION", path=".spec.revision", priority=1),
    Column(name="DEP-FOUND", path=".status.foundDependencies", priority=1),
    Column(name="DEP-INSTALLED", path=".status.installedDependencies", priority=1),
)
_RUN_REVISION: Final = (_HEALTHY, state_column("RUNTIME", "RuntimeHealthy"), *_REVISION)


def _package(kind: str, spec: type[S], description: str, *also: str) -> Kind[S, PackageStatus]:
    versions = tuple(Version(name=name, spec=spec, status=PackageStatus, columns=_INSTALLED) for name in ("v1", *also))
    return _kind(kind, description, versions, "pkg")


def _revision(kind: str, spec: type[S], status: type[T], columns: tuple[Column, ...], *also: str) -> Kind[S, T]:
    versions = tuple(Version(name=name, spec=spec, status=status, columns=columns) for name in ("v1", *also))
    return _kind(f"{kind}Revision", f"One revision of a {kind}.", versions, "pkgrev")


def _kind(kind: str, description: str, versions: tuple[Version[S, T], ...], category: str) -> Kind[S, T]:
    return Kind(
        group=PKG,
        kind=kind,
        plural=f"{kind.lower()}s",
        categories=("crossplane", category),
        namespaced=False,
        description=description,
        versions=versions,
        keep_unknown=True,
    )


PROVIDER: Final = _package("Provider", RunPackageSpec, "A package of managed kinds.")
FUNCTION: Final = _package("Function", RunPackageSpec, "A package of a composition function.", "v1beta1")
CONFIGURATION: Final = _package("Configuration", ConfigurationSpec, "A package of definitions and compositions.")
PROVIDER_REVISION: Final = _revision("Provider", RunPackageRevisionSpec, RunPackageRevisionStatus, _RUN_REVISION)
FUNCTION_REVISION: Final = _revision(
    "Function", RunPackageRevisionSpec, FunctionRevisionStatus, _RUN_REVISION, "v1beta1"
)
CONFIGURATION_REVISION: Final = _revision(
    "Configuration", ConfigurationRevisionSpec, ConfigurationRevisionStatus, (_HEALTHY, *_REVISION)
)
