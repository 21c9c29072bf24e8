"""How people make the same manifests by hand, in a clone of the dry source. Pure."""

import posixpath
from collections.abc import Iterator
from shlex import join
from typing import Final

from plumbline.kinds.application.sources import (
    ApplicationSource,
    ApplicationSourceHelm,
    ApplicationSourceKustomize,
)
from plumbline.render.requests import Request, SourceType

_PATCHES: Final = "# Add the patches that the Application has to kustomization.yaml: no command does that."
_VALUES: Final = "values-of-the-application.yaml"


def commands(request: Request, source_type: SourceType) -> tuple[str, ...]:
    """None for plain manifests, which are what they are. *request* is one that is prepared."""
    if source_type == "Kustomize":
        return tuple(_kustomize(request.source))
    return tuple(_helm(request)) if source_type == "Helm" else ()


def _kustomize(source: ApplicationSource) -> Iterator[str]:
    place = _place(source.path)
    edits = list(_edits(source.kustomize or ApplicationSourceKustomize()))
    if not edits:
        yield join(("kustomize", "build", place))
        return
    yield join(("cd", place))
    yield from edits
    yield "kustomize build ."


def _edits(said: ApplicationSourceKustomize) -> Iterator[str]:
    for what, value in (("nameprefix", said.name_prefix), ("namesuffix", said.name_suffix)):
        if value:
            yield _edit("set", what, "--", value)
    if said.images:
        yield _edit("set", "image", *said.images)
    if said.replicas:
        yield _edit("set", "replicas", *(f"{each.name}={each.count}" for each in said.replicas))
    if said.common_labels:
        flags = (
            (said.force_common_labels, "--force"),
            (said.label_without_selector, "--without-selector"),
            (said.label_include_templates, "--include-templates"),
        )
        yield _edit("add", "label", *(flag for wanted, flag in flags if wanted), _pairs(said.common_labels))
    if said.common_annotations:
        force = ("--force",) if said.force_common_annotations else ()
        yield _edit("add", "annotation", *force, _pairs(said.common_annotations))
    if said.namespace:
        yield _edit("set", "namespace", "--", said.namespace)
    if said.patches:
        yield _PATCHES
    if said.components:
        yield _edit("add", "component", *said.components)


def _edit(*words: str) -> str:
    return join(("kustomize", "edit", *words))


def _pairs(entries: dict[str, str]) -> str:
    return ",".join(f"{name}:{value}" for name, value in sorted(entries.items()))


def _helm(request: Request) -> Iterator[str]:
    source, said = request.source, request.source.helm or ApplicationSourceHelm()
    namespace = said.namespace or request.app.namespace
    version = said.kube_version or request.capabilities.kube_version
    words = ["helm", "template", _place(source.path)]
    for flag, value in (
        ("--name-template", said.release_name or request.app.known_as),
        ("--namespace", namespace),
        ("--kube-version", version),
    ):
        words += (flag, value) if value else ()
    for each in said.parameters:
        words += ("--set-string" if each.force_string else "--set", f"{each.name}={each.value}")
    for file in said.file_parameters:
        words += ("--set-file", f"{file.name}={_place(source.path, file.path)}")
    for path in said.value_files:
        words += ("--values", path if "://" in path else _place(source.path, path))
    if said.values or said.values_object:
        yield f"# Save the values that the Application has as {_VALUES}: they are in no file."
        words += ("--values", _VALUES)
    flags = ((not said.skip_crds, "--include-crds"), (said.skip_tests, "--skip-tests"))
    words += (flag for wanted, flag in (*flags, (said.skip_schema_validation, "--skip-schema-validation")) if wanted)
    yield join(words)


def _place(folder: str, path: str = "") -> str:
    """Seen from the root of the clone; what begins with a slash is there too."""
    inside = path.lstrip("/") if path.startswith("/") else posixpath.join(folder.lstrip("/"), path)
    return f"./{posixpath.normpath(inside)}" if posixpath.normpath(inside) != "." else "."
