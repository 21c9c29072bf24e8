import click

from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common
from plumbline.cli.options import Decorated
from plumbline.cli.output import print_value
from plumbline.cli.terminal import argo_table


@click.group("actions", invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """List and run the actions of an application's objects: those that argocd-cm defines for their kinds."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _filters(command: Decorated) -> Decorated:
    command = click.option("--resource-name", default="", help="Only the object of this name.")(command)
    command = click.option("--namespace", default="", help="Only objects in this namespace.")(command)
    return click.option("--group", default=None, help="Only objects of this group.")(command)


@verb.command("list", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@_filters
@click.option("--kind", default="", help="Only objects of this kind.")
@click.option("-o", "--out", "output", type=click.Choice(["wide", "json", "yaml"]), default="wide", show_default=True, help="How to print the answer.")  # fmt: skip
@connecting(namespaced=True)
def list_verb(
    name: str,
    app_namespace: str,
    group: str | None,
    kind: str,
    namespace: str,
    resource_name: str,
    output: str,
    where: Where,
) -> Exit:
    """List the actions that the objects offer now."""

    async def offered() -> list[dict[str, object]]:
        from plumbline.cli.applications.objects import Filters, acted_on  # noqa: PLC0415 - loads kinds
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        async with applications(where) as apps:
            app = await apps.get(apps.named(name, app_namespace))
            nodes = await acted_on(apps, app, Filters(group, kind, namespace, resource_name))
            return [each.as_json() for each in await apps.behind.actions.offered(app, nodes)]

    rows = performed(offered())
    if output != "wide":
        print_value(rows, output)
        return Exit.DONE
    cells = [[str(value).lower() if isinstance(value, bool) else str(value) for value in row.values()] for row in rows]
    click.echo(argo_table(("GROUP", "KIND", "NAME", "ACTION", "DISABLED"), cells))
    return Exit.DONE


@verb.command("run", cls=GoFlags)
@click.argument("name", metavar="APP")
@click.argument("action", metavar="ACTION")
@app_namespace_option
@_filters
@click.option("--kind", required=True, help="Objects of this kind.")
@click.option("--all", "all_", is_flag=True, help="Run it on all that match.")
@connecting(namespaced=True)
def run_verb(
    name: str,
    action: str,
    app_namespace: str,
    group: str | None,
    kind: str,
    namespace: str,
    resource_name: str,
    all_: bool,
    where: Where,
) -> Exit:
    """Run an action on the object that matches, or with --all on every one that does."""

    async def ran() -> int:
        from plumbline.base.errors import InvalidInput  # noqa: PLC0415 - not for --help
        from plumbline.cli.applications.objects import Filters, acted_on  # noqa: PLC0415 - loads kinds
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        async with applications(where) as apps:
            app = await apps.get(apps.named(name, app_namespace))
            nodes = await acted_on(apps, app, Filters(group, kind, namespace, resource_name))
            if len(nodes) > 1 and not all_:
                raise InvalidInput(f"{len(nodes)} objects match", hint="Use --all to run the action on all of them.")
            await apps.behind.actions.run(app, nodes, action)
            return len(nodes)

    click.echo(f"{action} was run on {performed(ran())} objects", err=True)
    return Exit.DONE
