from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, namespace_option


@click.command("consent")
@click.argument("target", metavar="KIND/NAME")
@click.argument("token")
@namespace_option
@cluster_options
@common
def verb(target: str, token: str, namespace: str, kubeconfig: Path | None, context: str) -> Exit:
    """Agree that what TOKEN stands for may be destroyed.

    The token is printed where something waits for consent, beside what would be lost. It fits exactly that: if anything
    more would be lost by then, it waits again.
    """
    from plumbline.cli.handover import consented  # noqa: PLC0415 - loads the client, which --help must not

    performed(consented(target, token, namespace, kubeconfig, context))
    click.echo(f"{target} may lose what {token} stands for", err=True)
    return Exit.DONE
