import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.compat import called_argocd
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("can-i", cls=GoFlags)
@click.argument("action", metavar="ACTION")
@click.argument("resource", metavar="RESOURCE")
@click.argument("name", metavar="OBJECT")
@click.option("--as", "person", default="", help="Whether this account, person or proj:PROJECT:ROLE may; on a cluster.")
@click.option("--group", "groups", multiple=True, help="Group that they are in; may be repeated.")
@output_option("text", "json", "yaml")
@connecting()
def verb(
    action: str, resource: str, name: str, person: str, groups: tuple[str, ...], output: str, where: Where
) -> Exit:
    """Say whether you, or somebody, may do ACTION on OBJECT of RESOURCE: yes or no, and on stderr which line decides.

    Such as: sync applications 'shop/*'. Exits 0 for yes and 1 for no.
    """
    from plumbline.access.policy import Subject  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.accounts.permissions import decided  # noqa: PLC0415 - same
    from plumbline.cli.terminal import plain  # noqa: PLC0415 - same

    subject = Subject(person, groups) if person or groups else None
    verdict = performed(decided(where, (action, resource, name), subject))
    if output == "text":
        click.echo("yes" if verdict.allowed else "no")
        if verdict.why:
            click.echo(plain(verdict.why), err=True)
    else:
        print_value(verdict.as_json(), output)
    # Argo CD's command line answers in words alone.
    return Exit.DONE if verdict.allowed or called_argocd() else Exit.NO
