import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("set", cls=GoFlags)
@click.argument("text", metavar="NAME")
@click.option("--name", default="", help="What to call it from now on.")
@click.option(
    "--namespace", "namespaces", multiple=True, help="Only this namespace of it, or * for all; may be repeated."
)
@click.option("--label", "labels", multiple=True, help="Labels instead of those that it has, as KEY=VALUE.")
@click.option("--annotation", "annotations", multiple=True, help="Annotations instead of those, as KEY=VALUE.")
@connecting(namespaced=True)
def verb(
    text: str,
    name: str,
    namespaces: tuple[str, ...],
    labels: tuple[str, ...],
    annotations: tuple[str, ...],
    where: Where,
) -> Exit:
    """Change a cluster: its name, its namespaces, its labels and annotations."""
    if not (name or namespaces or labels or annotations):
        raise click.UsageError("Specify the cluster field to be updated.")

    async def changed() -> None:
        from plumbline.cli.clustering.opening import roster_at  # noqa: PLC0415 - loads kinds, which --help must not
        from plumbline.cli.clustering.roster import one  # noqa: PLC0415 - same
        from plumbline.delivery.joining.edits import Edit  # noqa: PLC0415 - same
        from plumbline.delivery.joining.secrets import labelled  # noqa: PLC0415 - same

        edit = Edit(
            name=name or None,
            namespaces=None if not namespaces else () if namespaces == ("*",) else namespaces,
            labels=labelled(labels) if labels else None,
            annotations=labelled(annotations) if annotations else None,
        )
        async with roster_at(where) as roster:
            await roster.change((await one(roster, text)).cluster, edit)

    performed(changed())
    click.echo(f"Cluster '{text}' updated.")
    return Exit.DONE
