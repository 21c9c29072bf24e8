import click

from plumbline.base.json import JsonObject
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("edit", cls=GoFlags)
@click.argument("name", metavar="PROJECT")
@connecting()
def verb(name: str, where: Where) -> Exit:
    """Change the spec of a project in $VISUAL or $EDITOR, as YAML. What cannot be used comes back with the reason."""
    from plumbline.cli.editor import edited_spec  # noqa: PLC0415 - loads documents, which --help must not
    from plumbline.cli.projecting.store import edited, shown  # noqa: PLC0415 - same

    before = performed(shown(where, name)).get("spec") or {}

    def written(spec: JsonObject) -> None:
        performed(edited(where, name, lambda _: spec))

    if not edited_spec(before, f"project {name}", written):
        click.echo("Nothing was changed.", err=True)
    return Exit.DONE
