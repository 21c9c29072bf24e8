from typing import TYPE_CHECKING

import click

from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value
from plumbline.cli.terminal import argo_table

if TYPE_CHECKING:
    from plumbline.cli.server.contexts import Contexts
    from plumbline.cli.server.files import Files


@click.command("context", cls=GoFlags)
@click.argument("name", metavar="[NAME]", default="")
@click.option("--delete", is_flag=True, help="Forget it instead, with its login.")
@output_option("wide", "name", "json", "yaml")
@connecting()
def verb(name: str, delete: bool, output: str, where: Where) -> Exit:
    """List the servers that you have logged in to, or switch to another.

    Those of Argo CD's own command line are listed as well. Which one is current decides whom verbs ask that Argo CD has too;
    --server and $PLUMB_SERVER or $ARGOCD_SERVER come before it, and --core, --kubeconfig and --context mean the cluster.
    """
    from plumbline.cli.server.files import Files  # noqa: PLC0415 - loads documents, which --help must not

    files = Files.found(where.asked.config)
    known = files.contexts()
    if not name:
        if delete:
            raise click.UsageError("Name the context to delete.")
        return _listed(known, output)
    known.named(name)
    if delete:
        return _deleted(files, name)
    if known.current_context == name:
        click.echo(f"Already at context '{name}'")
        return Exit.DONE
    files.change(lambda ours: ours.switched(name))
    click.echo(f"Switched to context '{name}'")
    return Exit.DONE


def _deleted(files: "Files", name: str) -> Exit:
    if name not in files.ours().names:
        raise click.UsageError(f"{name} is in {files.argocds}, which is Argo CD's: argocd context {name} --delete.")
    files.change(lambda ours: ours.without(name))
    click.echo(f"Context '{name}' deleted")
    return Exit.DONE


def _listed(known: "Contexts", output: str) -> Exit:
    if output == "name":
        for name in known.names:
            click.echo(name)
        return Exit.DONE
    rows = [(each == known.current_context, each, known.named(each).server) for each in known.names]
    if output != "wide":
        told = [{"current": now, "name": name, "server": server.server, "core": server.core} for now, name, server in rows]  # fmt: skip
        print_value(told, output)
        return Exit.DONE
    if not rows:
        click.echo("There are no contexts: verbs ask the cluster of the kubeconfig.", err=True)
        return Exit.DONE
    cells = [("*" if now else "", name, server.server) for now, name, server in rows]
    click.echo(argo_table(("CURRENT", "NAME", "SERVER"), cells))
    return Exit.DONE
