from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common
from plumbline.cli.looking.forms import form_option
from plumbline.cli.looking.options import place_options
from plumbline.cli.options import cluster_options

if TYPE_CHECKING:
    from plumbline.cli.looking.forms import Form


@click.command("get", cls=GoFlags)
@click.argument("words", nargs=-1, required=True, metavar="KIND[/NAME] [NAME...]")
@place_options
@click.option(
    "-l", "--selector", default="", help="Labels that they have: KEY=VALUE, KEY!=VALUE, KEY in (A,B), KEY, !KEY."
)
@click.option("--field-selector", default="", help="Fields that they have: PATH=VALUE, PATH!=VALUE.")
@click.option("--limit", type=click.IntRange(0), default=0, help="At most so many of each kind; 0 for all.")
@click.option("-w", "--watch", is_flag=True, help="Go on with every change, until interrupted.")
@click.option("--show-managed-fields", "managers", is_flag=True, help="With who wrote which field.")
@form_option
@cluster_options
@common
def verb(
    words: tuple[str, ...],
    namespace: str,
    everywhere: bool,
    selector: str,
    field_selector: str,
    limit: int,
    watch: bool,
    managers: bool,
    form: "Form",
    kubeconfig: Path | None,
    context: str,
) -> Exit:
    """List objects of any kind, or show some: KIND, KIND NAME..., KIND/NAME..., or KIND,KIND.

    As `kubectl get` does, and with its tables. Values of Secrets are masked in every form.
    """
    if (selector or field_selector) and (len(words) > 1 or "/" in words[0]):
        raise click.UsageError("Selectors are for lists, and names are given here.")

    async def shown() -> None:
        from plumbline.cli.clusters import opened  # noqa: PLC0415 - loads the client, which --help must not
        from plumbline.cli.looking.asking import wanted  # noqa: PLC0415 - same
        from plumbline.cli.looking.listing import Asked, follow, show  # noqa: PLC0415 - same

        async with opened(kubeconfig, context, namespace) as cluster:
            wants = await wanted(cluster.client, words)
            place = "" if everywhere else cluster.namespace
            asked = Asked(place, form, selector, field_selector, limit, managers)
            if not watch:
                await show(cluster.client, wants, asked)
                return
            if len(wants) > 1:
                raise click.UsageError("Only one kind or one object can be watched.")
            await follow(cluster.client, wants[0], asked)

    performed(shown())
    return Exit.DONE
