import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("add-destination", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("server", metavar="SERVER/NAME")
@click.argument("namespace", metavar="NAMESPACE")
@click.option("--name", "by_name", is_flag=True, help="SERVER/NAME is the name of a cluster.")
@connecting(namespaced=True)
def add_destination(project: str, server: str, namespace: str, by_name: bool, where: Where) -> Exit:
    """Let a project deliver to a namespace of a cluster; both may be patterns."""
    from plumbline.cli.projecting.edits import added  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    part = "name" if by_name else "server"
    item = {part: server, "namespace": namespace}
    edit = added(
        "destinations",
        item,
        "destination",
        lambda each: each.get("namespace") == namespace and each.get(part) == server,
    )
    performed(edited(where, project, edit))
    return Exit.DONE


@click.command("remove-destination", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("server", metavar="SERVER/NAME")
@click.argument("namespace", metavar="NAMESPACE")
@connecting(namespaced=True)
def remove_destination(project: str, server: str, namespace: str, where: Where) -> Exit:
    """No longer let a project deliver there."""
    from plumbline.cli.projecting.edits import removed  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    edit = removed(
        "destinations",
        lambda each: each.get("namespace") == namespace and server in {each.get("server"), each.get("name")},
        "destination",
    )
    performed(edited(where, project, edit))
    return Exit.DONE


@click.command("add-destination-service-account", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("server", metavar="SERVER")
@click.argument("namespace", metavar="NAMESPACE")
@click.argument("account", metavar="SERVICE_ACCOUNT")
@click.option("--service-account-namespace", "home", default="", help="Namespace that the account is in; the destination's if not given.")  # fmt: skip
@connecting(namespaced=True)
def add_destination_service_account(
    project: str, server: str, namespace: str, account: str, home: str, where: Where
) -> Exit:
    """Have a project deliver to a namespace of a cluster as a ServiceAccount of it."""
    if "*" in account or "*" in home:
        raise click.UsageError("An account and its namespace are names, not patterns.")
    from plumbline.cli.projecting.edits import added  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    item = {"server": server, "namespace": namespace, "defaultServiceAccount": f"{home}:{account}" if home else account}
    performed(edited(where, project, added("destinationServiceAccounts", item, "destination service account")))
    return Exit.DONE


@click.command("remove-destination-service-account", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("server", metavar="SERVER")
@click.argument("namespace", metavar="NAMESPACE")
@click.argument("account", metavar="SERVICE_ACCOUNT")
@connecting(namespaced=True)
def remove_destination_service_account(project: str, server: str, namespace: str, account: str, where: Where) -> Exit:
    """No longer have it deliver there as that account."""
    from plumbline.cli.projecting.edits import removed  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    item = {"server": server, "namespace": namespace, "defaultServiceAccount": account}
    edit = removed("destinationServiceAccounts", item.__eq__, "destination service account")
    performed(edited(where, project, edit))
    return Exit.DONE
