from typing import Final

import click

from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import output_option

_REFRESHED_WITHIN_S: Final = 60.0


@click.command("get", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--refresh", is_flag=True, help="Have it looked at anew first.")
@click.option("--hard-refresh", is_flag=True, help="Have it rendered anew as well.")
@click.option("--show-operation", is_flag=True, help="Show the last operation.")
@click.option("--show-params", is_flag=True, help="Show the parameters of its chart.")
@click.option("--source-position", type=int, default=-1, help="Of which source, counting from 1.")
@click.option("--source-name", default="", help="Of which source, by name.")
@click.option(
    "--timeout",
    type=click.FloatRange(0),
    default=_REFRESHED_WITHIN_S,
    show_default=True,
    help="How long to wait for a refresh, in seconds; 0 without end.",
)
@output_option("wide", "json", "yaml", "name", "tree", "tree=detailed")
@connecting()
def verb(
    name: str,
    app_namespace: str,
    refresh: bool,
    hard_refresh: bool,
    show_operation: bool,
    show_params: bool,
    source_position: int,
    source_name: str,
    timeout: float,
    output: str,
    where: Where,
) -> Exit:
    """Show an application: its sources, its state, its objects."""
    if source_name and source_position != -1:
        raise click.UsageError("Only one of source-position and source-name can be specified.")

    async def shown() -> None:
        from plumbline.base.clock import SystemClock  # noqa: PLC0415 - not for --help
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same
        from plumbline.cli.applications.showing import show  # noqa: PLC0415 - loads kinds, which --help must not

        async with applications(where) as apps:
            at = apps.named(name, app_namespace)
            if refresh or hard_refresh:
                await apps.get(at)
                app = await apps.refreshed(at, hard=hard_refresh, within_s=timeout)
            else:
                app = await apps.get(at)
            await show(apps, app, output, SystemClock(), operation=show_operation)
            if show_params and output == "wide":
                click.echo(f"\n{_parameters(app, source_position, source_name)}")

    performed(shown())
    return Exit.DONE


def _parameters(app: dict[str, object], position: int, name: str) -> str:
    from plumbline.cli.applications import drawing  # noqa: PLC0415 - loads kinds, which --help must not

    sources = drawing.sources_of(app)
    named = [source for source in sources if name and source.get("name") == name]
    if name and not named:
        raise click.UsageError(f"There is no source called {name!r}.")
    counted = sources[position - 1 : position] if position > 0 else sources[:1]
    return drawing.parameters(next(iter(named or counted), {}))
