import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("get", cls=GoFlags)
@click.argument("name", metavar="PROJECT")
@output_option("wide", "json", "yaml")
@connecting()
def verb(name: str, output: str, where: Where) -> Exit:
    """Show what a project permits."""
    from plumbline.cli.applications.showing import without_managers  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projects import details, named  # noqa: PLC0415 - same

    project = performed(named(where, name))
    if output == "wide":
        click.echo("\n".join(details(project)))
    else:
        print_value(without_managers(project), output)
    return Exit.DONE
