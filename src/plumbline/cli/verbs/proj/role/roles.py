import click

from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("list", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@output_option("wide", "name", "json", "yaml")
@connecting()
def list_(project: str, output: str, where: Where) -> Exit:
    """List the roles of a project."""
    from plumbline.cli.projecting.roles import roles  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import shown  # noqa: PLC0415 - same

    found = (performed(shown(where, project)).get("spec") or {}).get("roles") or []
    if output in {"json", "yaml"}:
        print_value(found, output)
    elif output == "name":
        for each in found:
            click.echo(each.get("name"))
    else:
        click.echo(roles(found))
    return Exit.DONE


@click.command("get", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("name", metavar="ROLE-NAME")
@connecting()
def get(project: str, name: str, where: Where) -> Exit:
    """Show a role: its policies, its groups, and when its tokens were made and end."""
    from plumbline.cli.projecting.roles import named, role  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import shown  # noqa: PLC0415 - same

    found = performed(shown(where, project))
    click.echo("\n".join(role(found, named(found.get("spec") or {}, name))))
    return Exit.DONE


@click.command("create", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("name", metavar="ROLE-NAME")
@click.option("--description", default="", help="What it is for.")
@connecting()
def create(project: str, name: str, description: str, where: Where) -> Exit:
    """Make a role, which may do nothing yet but see the project."""
    from plumbline.cli.projecting.roles import made  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    new = performed(edited(where, project, made(name, description)))
    click.echo(f"Role '{name}' created" if new else f"Role '{name}' already exists")
    return Exit.DONE


@click.command("delete", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("name", metavar="ROLE-NAME")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def delete(project: str, name: str, yes: bool, where: Where) -> Exit:
    """Delete a role. Its tokens end with it."""
    sure(f"Delete the role {name} of {project}?", yes=yes)
    from plumbline.cli.projecting.roles import dropped  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    gone = performed(edited(where, project, dropped(name)))
    click.echo(f"Role '{name}' deleted" if gone else f"Role '{name}' does not exist in project")
    return Exit.DONE
