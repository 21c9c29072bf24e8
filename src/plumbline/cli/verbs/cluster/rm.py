import click

from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("rm", cls=GoFlags)
@click.argument("texts", nargs=-1, required=True, metavar="SERVER/NAME...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def verb(texts: tuple[str, ...], yes: bool, where: Where) -> Exit:
    """Forget clusters. Applications that go there stay, and nobody looks after what they have delivered.

    The account argocd-manager is taken away on it as well, where the kubeconfig has a context of the cluster's name.
    """
    from plumbline.cli.clustering.removing import removed  # noqa: PLC0415 - loads the client, which --help must not

    for text in texts:
        sure(f"Forget the cluster {text}? Applications that go there are no longer looked after.", yes=yes)
        left = performed(removed(where, text))
        click.echo(f"Cluster '{text}' removed")
        if left:
            click.echo(left, err=True)
    return Exit.DONE
