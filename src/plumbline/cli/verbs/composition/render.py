from pathlib import Path
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoDuration, GoFlags
from plumbline.cli.group import common
from plumbline.cli.options import Decorated

_FILE: Any = click.Path(exists=True, dir_okay=False, path_type=Path)
_PLACE: Any = click.Path(exists=True, path_type=Path)
_FOLDER: Any = click.Path(exists=True, file_okay=False, path_type=Path)


class Pair(click.ParamType[tuple[str, str]]):
    """KEY=VALUE."""

    name = "pair"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        key, equals, rest = str(value).partition("=")
        if not key or not equals:
            self.fail(f"{value!r} is not KEY=VALUE.", param, ctx)
        return key, rest


def _shown(command: Decorated) -> Decorated:
    for names, about in (
        (("-c", "--include-context"), "Print the context as well."),
        (("-x", "--include-full-xr"), "Print the composite with the metadata and spec that it was given with."),
        (("-r", "--include-function-results"), "Print what functions have to say as well."),
    ):
        command = click.option(*names, is_flag=True, help=about)(command)
    return command


def _pairs(command: Decorated) -> Decorated:
    for names, about in (
        (("-a", "--function-annotations"), "KEY=VALUE: annotation to give to every Function."),
        (("--context-values",), "KEY=VALUE of the context, as JSON or YAML; wins over files."),
        (("--context-files",), "KEY=FILE: file with a value of the context, as JSON or YAML."),
    ):
        command = click.option(*names, type=Pair(), multiple=True, metavar="KEY=VALUE", help=about)(command)
    return command


def _files(command: Decorated) -> Decorated:
    for names, kind, about in (
        (("--templates",), _FOLDER, "Folder in which function-go-templating finds its files."),
        (("--python-functions",), _FOLDER, "Folder with functions in Python: NAME.py, NAME/fn.py."),
        (("--xrd",), _FILE, "Definition of the composite: for defaults, and to tell which lineage it is of."),
        (("--function-credentials",), _PLACE, "Secrets for functions that ask for credentials."),
        (("-s", "--required-schemas"), _FOLDER, "Folder with OpenAPI documents that functions may ask for."),
        (("-o", "--observed-resources"), _PLACE, "Composed resources as they are, by their annotation."),
    ):
        command = click.option(*names, type=kind, help=about)(command)
    for names, about in (
        (("--extra-resources",), "The same under its older name."),
        (("-e", "--required-resources"), "Objects that functions may ask for. May be given several times."),
    ):
        command = click.option(*names, type=_PLACE, multiple=True, help=about)(command)
    return command


@click.command("render", cls=GoFlags)
@click.argument("composite", metavar="XR", type=_FILE)
@click.argument("composition", type=_FILE)
@click.argument("functions", type=_PLACE, required=False)
@_files
@_pairs
@_shown
@click.option(
    "--engine",
    type=click.Choice(["new", "old", "v1"]),
    default="new",
    show_default=True,
    help="Print as Crossplane's CLI does since v2.3, as v2.0 to v2.2 did, or as v1 did.",
)
@click.option("--timeout", type=GoDuration(), default="1m", show_default=True, help="How long all of it may take.")
@common
def verb(**asked: Any) -> Exit:
    """Print what a composition makes of a composite, without a cluster.

    The functions that come with us run in this process; FUNCTIONS is needed only for others, which have to run already,
    and for names that do not tell which function is meant. Nothing is pulled, and Docker is not needed. Compositions of
    mode Resources are rendered too.
    """
    from plumbline.cli.composition.rendering import Asked, rendered  # noqa: PLC0415 - loads functions, not for --help
    from plumbline.composition.rendering import Shown  # noqa: PLC0415 - same
    from plumbline.kinds.duration import Duration  # noqa: PLC0415 - same

    text = performed(
        rendered(
            Asked(
                composite=asked["composite"],
                composition=asked["composition"],
                functions=asked["functions"],
                observed=asked["observed_resources"],
                required=(*asked["required_resources"], *asked["extra_resources"]),
                schemas=asked["required_schemas"],
                credentials=asked["function_credentials"],
                xrd=asked["xrd"],
                context_files=dict(asked["context_files"]),
                context_values=dict(asked["context_values"]),
                annotations=dict(asked["function_annotations"]),
                python=asked["python_functions"],
                templates=asked["templates"],
                timeout_s=Duration.parse(asked["timeout"]).seconds,
                engine=asked["engine"],
                shown=Shown(asked["include_function_results"], asked["include_full_xr"], asked["include_context"]),
            )
        )
    )
    click.echo(text, nl=False)
    return Exit.DONE
