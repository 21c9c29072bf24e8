"""What one build consists of, known from the request alone: nothing is run and nothing written."""

import posixpath
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import followed, joined, read_text
from plumbline.kinds.application import ApplicationSourceKustomize
from plumbline.render.environment import environment
from plumbline.render.kustomize.closure import Closure, closure
from plumbline.render.kustomize.kustomization import NAMES, parsed
from plumbline.render.kustomize.options import BuildOptions, build_options
from plumbline.render.kustomize.outside import OUTSIDE, outside, with_outside
from plumbline.render.kustomize.overrides import changes, overridden, substituted
from plumbline.render.kustomize.references import Role
from plumbline.render.requests import Request
from plumbline.render.tools.globs import patterned, shallow
from plumbline.render.tools.versions import kube_version

_UNCHANGED: Final = ApplicationSourceKustomize()


class Build(NamedTuple):
    wanted: ApplicationSourceKustomize
    """What is changed in the kustomization, variables replaced and components looked up."""
    options: BuildOptions
    charts: tuple[str, ...]
    """Arguments for the charts in it."""
    sees: Closure


def build(request: Request) -> Build:
    asked = request.source.kustomize or _UNCHANGED
    settings = request.settings
    default = settings.kustomize_build_options
    options = build_options(settings.kustomize_build_options_by_version.get(asked.version, default))
    wanted = _with_components(request, substituted(asked, environment(request))) if changes(asked) else asked
    patches: list[tuple[Role, str]] = [("file", each.path) for each in wanted.patches if each.path]
    components: list[tuple[Role, str]] = [("component", each) for each in wanted.components]
    sees = closure(request.tree, request.place, (*patches, *components))
    return Build(wanted, options, _chart_arguments(request, asked) if options.helm else (), sees)


def edited(request: Request, wanted: ApplicationSourceKustomize) -> dict[str, bytes]:
    """Files that are other than in the tree: the kustomization with *wanted* in it, and values from outside beside it."""
    if not changes(wanted) and request.values is None:
        return {}
    from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - loads YAML

    tree = request.tree
    paths = [f"{request.place}/{name}" if request.place else name for name in NAMES]
    present = [path for path in paths if tree.entry(path) is not None]
    if len(present) != 1:
        many = f"there are several: {', '.join(present)}" if present else "kustomization file not found in the path"
        raise InvalidInput(f"Cannot change the kustomization in {request.place or '.'}", why=many)
    document = parsed(read_text(tree, followed(tree, present[0])[0]), present[0])
    changed = overridden(document, wanted)
    if request.values is None:
        return {present[0]: dump_yaml(changed).encode()}
    values = f"{request.place}/{OUTSIDE}" if request.place else OUTSIDE
    return {present[0]: dump_yaml(with_outside(changed)).encode(), values: outside(request.values)}


def _with_components(request: Request, wanted: ApplicationSourceKustomize) -> ApplicationSourceKustomize:
    components: list[str] = []
    for each in wanted.components:
        if wanted.ignore_missing_components and not _there(request, each):
            continue
        components += _looked_up(request, each) if patterned(each) else [each]
    return msgspec.structs.replace(wanted, components=tuple(components), ignore_missing_components=False)


def _there(request: Request, component: str) -> bool:
    try:
        return followed(request.tree, joined(request.place, component))[1] is not None
    except InvalidInput:
        return False


def _looked_up(request: Request, pattern: str) -> list[str]:
    found = shallow(request.tree, joined(request.place, pattern))
    if not found:
        raise InvalidInput(f"Cannot add the component {pattern}", why="it has no match")
    return [posixpath.relpath(f"/{path}", f"/{request.place}") for path in found]


def _chart_arguments(request: Request, asked: ApplicationSourceKustomize) -> tuple[str, ...]:
    version = kube_version(asked.kube_version or request.capabilities.kube_version)
    told = [f"--helm-kube-version={version}"] if version else []
    apis = asked.api_versions or request.capabilities.api_versions
    return (*told, *(f"--helm-api-versions={each}" for each in apis))
