"""An Application as the steps see it: what its names are, and which sources count. Pure."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.kinds.application import ApplicationSource, ApplicationSpec
from plumbline.kube.names import Ref
from plumbline.ownership.refs import application_ref
from plumbline.ownership.values import Owner

_GENERATE_PATHS: Final = "argocd.argoproj.io/manifest-generate-paths"


class AppFacts(NamedTuple):
    namespace: str
    name: str
    control_namespace: str
    """Where Applications are that are known by their name alone."""

    @property
    def instance(self) -> str:
        """The name that marks on objects carry."""
        return self.name if self.namespace == self.control_namespace else f"{self.namespace}_{self.name}"

    @property
    def ref(self) -> Ref:
        return application_ref(self.namespace, self.name)

    @property
    def owner(self) -> Owner:
        return Owner.of("application", self.ref)


def generate_paths(annotations: Mapping[str, str]) -> tuple[str, ...]:
    """Which files the manifests depend on, where the application says so."""
    return tuple(path for each in annotations.get(_GENERATE_PATHS, "").split(";") if (path := each.strip()))


def sources_of(spec: ApplicationSpec) -> tuple[ApplicationSource, ...]:
    """The sources that count: those that are synced from after hydration, else several, else the one."""
    hydrator = spec.source_hydrator
    if hydrator is not None:
        synced = hydrator.sync_source
        url = synced.repo_url or hydrator.dry_source.repo_url
        return (ApplicationSource(repo_url=url, path=synced.path, target_revision=synced.target_branch),)
    if spec.sources:
        return spec.sources
    return (spec.source,) if spec.source is not None else ()


def project_of(spec: ApplicationSpec) -> str:
    return spec.project or "default"


def key_of(instance: str, control_namespace: str) -> tuple[str, str]:
    """The namespace and name of the Application that marks call *instance*."""
    namespace, separator, name = instance.partition("_")
    return (namespace, name) if separator else (control_namespace, instance)
