import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from plumbline.base.json import JsonObject
from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, file_option, namespace_option, output_option
from plumbline.cli.output import print_value

if TYPE_CHECKING:
    from plumbline.cli.comparison import Compared

_MANAGER: Final = "argocd-controller"


@click.command("diff")
@file_option(required=True)
@click.option(
    "--live",
    "live_files",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="File or folder with the objects as they are, instead of a cluster.",
)
@click.option(
    "--field-manager",
    default=_MANAGER,
    show_default=True,
    help="Who applies: fields that it holds and the manifest no longer has would be removed.",
)
@namespace_option
@cluster_options
@output_option("text", "json", "yaml")
@common
def verb(
    filenames: tuple[Path, ...],
    live_files: tuple[Path, ...],
    field_manager: str,
    namespace: str,
    kubeconfig: Path | None,
    context: str,
    output: str,
) -> Exit:
    """Show what applying manifests would change, and whose each field is.

    One line per field: what is there, what is wanted, and which field manager holds what is there. Fields that the
    manifest does not mention are left alone by an apply, so they are no difference. Nothing is written, and values of
    Secrets are never shown. Exits 0 if nothing would change, 1 if something would.
    """
    from plumbline.cli.comparison import against_cluster, against_files, drawn, item  # noqa: PLC0415 - not for --help
    from plumbline.cli.inputs import objects_in  # noqa: PLC0415 - same

    wanted = [given.obj for given in objects_in(filenames)]
    if live_files:
        live = [given.obj for given in objects_in(live_files)]
        compared = against_files(wanted, live, field_manager, namespace)
    else:
        compared = performed(against_cluster(wanted, field_manager, (kubeconfig, context, namespace)))
    if output != "text":
        print_value({"items": [item(each) for each in compared]}, output)
    else:
        for each in compared:
            for line in drawn(each, sys.stdout):
                click.echo(line)
    return _answer(compared, wanted)


def _answer(compared: "list[Compared]", wanted: list[JsonObject]) -> Exit:
    differing = sum(1 for each in compared if each.differs)
    if not differing:
        click.echo(f"No differences in {len(wanted)} objects.", err=True)
        return Exit.DONE
    click.echo(f"{differing} of {len(wanted)} objects differ.", err=True)
    return Exit.NO
