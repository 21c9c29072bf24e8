import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("list", cls=GoFlags)
@output_option("wide", "name", "json", "yaml")
@connecting()
def verb(output: str, where: Where) -> Exit:
    """List projects."""
    from plumbline.cli.applications.showing import without_managers  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projects import drawn, listed  # noqa: PLC0415 - same

    found = performed(listed(where))
    if output in {"json", "yaml"}:
        print_value([without_managers(each) for each in found], output)
    elif output == "name":
        for each in found:
            click.echo(each["metadata"]["name"])
    else:
        click.echo(drawn(found))
    return Exit.DONE
