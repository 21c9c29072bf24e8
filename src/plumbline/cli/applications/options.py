"""Options that several verbs of `plumb app` share."""

from pathlib import Path
from typing import Final

import click

from plumbline.cli.goflags import Positions
from plumbline.cli.options import Decorated

AWAITED: Final = ("wide", "json", "yaml", "name", "tree", "tree=detailed")
_SELECTS: Final = "Labels that they have: KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY notin (A,B), KEY, !KEY."


def app_namespace_option(command: Decorated) -> Decorated:
    about = "Namespace of the application, where it is not the installation's."
    return click.option("-N", "--app-namespace", default="", help=about)(command)


def selector_option(command: Decorated) -> Decorated:
    return click.option("-l", "--selector", default="", help=_SELECTS)(command)


def resource_option(command: Decorated) -> Decorated:
    about = "Only this object, as GROUP:KIND:[NAMESPACE/]NAME; with ! before it, all but it. * stands for anything."
    return click.option("--resource", "resources", multiple=True, metavar="[!]GROUP:KIND:NAME", help=about)(command)


def timeout_option(command: Decorated) -> Decorated:
    about = "How long to wait, in seconds; 0 without end."
    return click.option("--timeout", type=click.FloatRange(0), default=0, show_default=True, help=about)(command)


def revision_options(command: Decorated) -> Decorated:
    command = click.option("--source-names", multiple=True, help="Source that a revision is for, by name.")(command)
    command = click.option(
        "--source-positions", multiple=True, type=Positions(), help="Source that a revision is for, counting from 1."
    )(command)
    command = click.option("--revisions", multiple=True, help="Revision of one of several sources.")(command)
    return click.option("--revision", default="", help="Revision instead of the one in the spec.")(command)


def local_options(command: Decorated) -> Decorated:
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    command = click.option(
        "--local-repo-root",
        type=folder,
        help="Folder that holds all of the repository; the checkout that --local is in.",
    )(command)
    return click.option("--local", type=folder, help="Folder with manifests to use instead of what is in Git.")(command)


def sourced(
    spec_sources: list[dict[str, object]],
    positions: tuple[tuple[int, ...], ...],
    names: tuple[str, ...],
    revisions: tuple[str, ...],
) -> tuple[int, ...]:
    """The positions that are meant, one for each revision."""
    flat = tuple(number for each in positions for number in each)
    if flat and names:
        raise click.UsageError("Only one of source-positions and source-names can be specified.")
    known = {source.get("name"): number for number, source in enumerate(spec_sources, 1)}
    for name in names:
        if name not in known:
            raise click.UsageError(f"There is no source called {name!r}.")
    chosen = flat or tuple(known[name] for name in names)
    if len(chosen) != len(revisions):
        raise click.UsageError("Give as many --revisions as --source-positions or --source-names.")
    return chosen
