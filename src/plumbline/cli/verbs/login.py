import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("login", cls=GoFlags)
@click.argument("server", metavar="[SERVER]", default="")
@click.option("--username", hidden=True, expose_value=False)
@click.option("--password", hidden=True, expose_value=False)
@click.option("--name", hidden=True, expose_value=False)
@click.option("--sso", is_flag=True, hidden=True, expose_value=False)
@click.option("--sso-port", hidden=True, expose_value=False)
@click.option("--sso-launch-browser", is_flag=True, hidden=True, expose_value=False)
@click.option("--skip-test-tls", is_flag=True, hidden=True, expose_value=False)
@click.option("--callback", hidden=True, expose_value=False)
@connecting()
def verb(server: str, where: Where) -> Exit:
    """Check that the cluster of the kubeconfig can be reached, and that it knows you.

    This version has no server of its own to log in to: all verbs ask the Kubernetes API, as whoever the kubeconfig names.
    What `argocd login` takes (SERVER, --username, --password, --sso and so on) is accepted and not used.
    """
    from plumbline.cli.checks.reach import reached  # noqa: PLC0415 - loads the client, which --help must not

    if server:
        click.echo(f"{server} is not used: this version asks the Kubernetes API of the kubeconfig.", err=True)
    click.echo(performed(reached(where)))
    return Exit.DONE
