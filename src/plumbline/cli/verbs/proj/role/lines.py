import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import Decorated


def _rule(command: Decorated) -> Decorated:
    command = click.option("-r", "--resource", default="applications", show_default=True, help="What it is about: applications, applicationsets, logs, exec, repositories, clusters.")(command)  # fmt: skip
    command = click.option("-o", "--object", "name", required=True, help="Which of them in the project; * for all.")(
        command
    )
    about = "Allow it, or deny it."
    command = click.option("-p", "--permission", type=click.Choice(["allow", "deny"]), default="allow", show_default=True, help=about)(command)  # fmt: skip
    return click.option("-a", "--action", required=True, help="What to do with it: get, create, update, delete, sync, override, action/...")(command)  # fmt: skip


@click.command("add-policy", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("role", metavar="ROLE-NAME")
@_rule
@connecting()
def add_policy(project: str, role: str, action: str, permission: str, name: str, resource: str, where: Where) -> Exit:
    """Let a role do something with objects of its project, or deny it."""
    from plumbline.cli.projecting.roles import changed, policy, with_line  # noqa: PLC0415 - loads kinds
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    line = policy(project, role, (resource, action, name, permission))
    performed(edited(where, project, changed(role, with_line("policies", line))))
    return Exit.DONE


@click.command("remove-policy", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("role", metavar="ROLE-NAME")
@_rule
@connecting()
def remove_policy(
    project: str, role: str, action: str, permission: str, name: str, resource: str, where: Where
) -> Exit:
    """Take a line out of the policy of a role."""
    from plumbline.cli.projecting.roles import changed, policy, without_line  # noqa: PLC0415 - loads kinds
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    line = policy(project, role, (resource, action, name, permission))
    if not performed(edited(where, project, changed(role, without_line("policies", line)))):
        click.echo("The role has no such policy.", err=True)
    return Exit.DONE


@click.command("add-group", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("role", metavar="ROLE-NAME")
@click.argument("group", metavar="GROUP-CLAIM")
@connecting()
def add_group(project: str, role: str, group: str, where: Where) -> Exit:
    """Give a role to a group of the identity provider."""
    from plumbline.cli.projecting.roles import changed, with_line  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    new = performed(edited(where, project, changed(role, with_line("groups", group))))
    click.echo(f"Group '{group}' {'added to' if new else 'already present in'} role '{role}'")
    return Exit.DONE


@click.command("remove-group", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("role", metavar="ROLE-NAME")
@click.argument("group", metavar="GROUP-CLAIM")
@connecting()
def remove_group(project: str, role: str, group: str, where: Where) -> Exit:
    """Take a role from a group."""
    from plumbline.cli.projecting.roles import changed, without_line  # noqa: PLC0415 - loads kinds
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    gone = performed(edited(where, project, changed(role, without_line("groups", group))))
    click.echo(f"Group '{group}' {'removed from' if gone else 'not present in'} role '{role}'")
    return Exit.DONE
