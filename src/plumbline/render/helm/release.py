"""One run of `helm template`, known from the request alone: as Argo CD composes it."""

from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject, encode_sorted
from plumbline.base.tree import followed
from plumbline.kinds.application import ApplicationSourceHelm
from plumbline.render.environment import environment
from plumbline.render.helm.dependencies import Dependency, local, missing
from plumbline.render.helm.parameters import Parameters, parameters
from plumbline.render.helm.values import ValueFile, named_file, value_files
from plumbline.render.requests import Request
from plumbline.render.tools.content import content
from plumbline.render.tools.versions import kube_version
from plumbline.render.values import Values, version_of

_PLAIN: Final = ApplicationSourceHelm()
_VERSIONS: Final = ("", "v3", "v4")


class Release(NamedTuple):
    name: str
    namespace: str
    kube_version: str
    api_versions: tuple[str, ...]
    parameters: Parameters
    file_parameters: tuple[tuple[str, ValueFile], ...]
    value_files: tuple[ValueFile, ...]
    values: str | JsonObject
    """What the Application says itself, beating its files and what comes from outside."""
    flags: tuple[str, ...]
    missing: tuple[Dependency, ...]
    given: Values | None = None
    """From outside, beating files."""

    def inputs(self) -> tuple[str, ...]:
        """Everything but the chart."""
        files = (*self.value_files, *(file for _, file in self.file_parameters))
        return (
            self.name,
            self.namespace,
            self.kube_version,
            ",".join(self.api_versions),
            "\0".join(self.parameters.plain),
            "\0".join(self.parameters.texts),
            "\0".join(name for name, _ in self.file_parameters),
            "\0".join(f"{each.ref}\0{each.place}\0{each.digest}\0{each.address}" for each in files),
            self.values if isinstance(self.values, str) else encode_sorted(self.values).decode(),
            " ".join(self.flags),
            *filter(None, (version_of(self.given),)),
        )


def release(request: Request) -> Release:
    helm = request.source.helm or _PLAIN
    if helm.version not in _VERSIONS:
        raise InvalidInput(
            "Cannot render the chart",
            why=f"helm version {helm.version!r} is not supported",
            hint="Leave helm.version out.",
        )
    variables = environment(request)
    files = {each.name: named_file(request, each.path, variables) for each in helm.file_parameters}
    capabilities = request.capabilities
    return Release(
        name=helm.release_name or request.app.name,
        namespace=helm.namespace or request.app.namespace,
        kube_version=kube_version(helm.kube_version or capabilities.kube_version),
        api_versions=helm.api_versions or capabilities.api_versions,
        parameters=parameters(helm.parameters, variables),
        file_parameters=tuple(files.items()),
        value_files=value_files(request, variables),
        values=helm.values if helm.values_object is None else helm.values_object,
        flags=_flags(helm),
        missing=missing(request.tree, request.place),
        given=request.values,
    )


def chart_content(request: Request, made: Release) -> tuple[str, ...]:
    """Texts that change with the chart, and with the charts beside it that it asks for."""
    beside = [place for each in made.missing if (place := local(each, request.place)) is not None]
    return tuple(
        text for place in (request.place, *beside) for text in content(request.tree, followed(request.tree, place)[0])
    )


def _flags(helm: ApplicationSourceHelm) -> tuple[str, ...]:
    chosen = {
        "--include-crds": not helm.skip_crds,
        "--skip-schema-validation": helm.skip_schema_validation,
        "--skip-tests": helm.skip_tests,
    }
    return tuple(flag for flag, wanted in chosen.items() if wanted)
