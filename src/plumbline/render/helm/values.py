"""Which files a chart's values come from. Looked up in trees, so that nothing outside of them can be meant."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import Tree, followed, joined
from plumbline.render.environment import Environment
from plumbline.render.requests import Request
from plumbline.render.tools.globs import globbed, patterned

NO_MATCH: Final = "matched no files"
"""How it ends what is said of a pattern. Files for it may come later."""
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


class ValueFile(NamedTuple):
    """A file of values: at a place in one of the trees, or at an address."""

    written: str
    """What the Application calls it, for people to recognise."""
    ref: str = ""
    """The source that it is in; empty for the chart's own."""
    place: str = ""
    digest: str = ""
    address: str = ""

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.ref, self.place, self.address


class _Named(NamedTuple):
    """A path that somebody wrote, in the tree that it is meant for."""

    tree: Tree
    ref: str
    path: str
    address: str = ""


def value_files(request: Request, variables: Environment) -> tuple[ValueFile, ...]:
    """The request's value files in the order in which later ones beat earlier ones.

    A pattern stands for what it matches, less what is also named by itself: that keeps its own turn. Raises InvalidInput
    for what is missing, unless that is to be ignored, and for what leads out of the source.
    """
    helm = request.source.helm
    if helm is None or not helm.value_files:
        return ()
    named = [(written, _named(request, written, variables)) for written in helm.value_files]
    explicit = {(each.ref, each.path) for _, each in named if not each.address and not patterned(each.path)}
    chosen: dict[tuple[str, str, str], ValueFile] = {}
    for written, each in named:
        for found in _found(written, each, explicit, optional=helm.ignore_missing_value_files):
            chosen.setdefault(found.identity, found)
    return tuple(chosen.values())


def named_file(request: Request, written: str, variables: Environment) -> ValueFile:
    """One file that is not a pattern: of a parameter."""
    each = _named(request, written, variables)
    return ValueFile(written, address=each.address) if each.address else _file(written, each)


def _named(request: Request, written: str, variables: Environment) -> _Named:
    source, slash, rest = written.partition("/")
    ref = source.removeprefix("$")
    if source.startswith("$") and ref in request.refs:
        # What comes before the first slash names the source, and is no variable.
        return _Named(request.refs[ref], ref, joined("", variables.substituted(slash + rest)))
    if request.refs and source.startswith("$") and not variables.substituted(source):
        # With nothing in its place it would be another file, or one that may be missing.
        raise InvalidInput(
            f"Cannot use the value file {written}",
            why=f"{source} is none of the sources that can be referred to: {', '.join(f'${each}' for each in request.refs)}",
            hint="Refer to the `ref` of a source that is no chart.",
        )
    path = variables.substituted(written)
    if scheme := _SCHEME.match(path):
        allowed = {each.lower() for each in request.settings.helm_value_file_schemes}
        if scheme[1].lower() not in allowed:
            raise InvalidInput(
                f"Cannot use the value file {path}",
                why=f"the URL scheme {scheme[1]!r} is not allowed",
                hint="Add it to helm.valuesFileSchemes in argocd-cm, or put the file into the repository.",
            )
        return _Named(request.tree, "", "", address=path)
    return _Named(request.tree, "", joined(request.place, path))


def _found(written: str, named: _Named, explicit: set[tuple[str, str]], *, optional: bool) -> Iterator[ValueFile]:
    if named.address:
        yield ValueFile(written, address=named.address)
    elif patterned(named.path):
        matches = globbed(named.tree, named.path)
        if not matches and not optional:
            raise InvalidInput(f"Cannot use the value files {written}", why=f'values file glob "{written}" {NO_MATCH}')
        for path in matches:
            if (named.ref, path) not in explicit:
                yield _file(path, named._replace(path=path))
    elif not optional or followed(named.tree, named.path)[1] is not None:
        yield _file(written, named)


def _file(written: str, named: _Named) -> ValueFile:
    place, entry = followed(named.tree, named.path)
    if entry is None or entry.kind != "file":
        folder = entry is not None and entry.kind == "folder"
        fault = f"read {named.path}: is a directory" if folder else f"open {named.path}: no such file or directory"
        raise InvalidInput(
            f"Cannot use the value file {written}",
            why=f"Error: {fault}",  # what helm says
            hint="Set ignoreMissingValueFiles to go without it." if entry is None else "Name the files in it.",
        )
    return ValueFile(written, named.ref, place, entry.digest)
