from pathlib import Path

import click

from plumbline.base.errors import InvalidInput
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common


@click.command("convert", cls=GoFlags)
@click.argument("file", type=click.Path(exists=True, allow_dash=True, path_type=Path), default="-")
@click.option(
    "-f", "--function-name", default="function-patch-and-transform", show_default=True, help="Name of the Function."
)
@click.option(
    "-o", "--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Where to write it, if not to stdout."
)
@common
def verb(file: Path, function_name: str, output_file: Path | None) -> Exit:
    """Rewrite a composition of mode Resources into a pipeline of one step.

    What comes out composes what went in. FILE may be - for stdin, which is also meant where none is given.
    """
    from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - not for --help
    from plumbline.cli.inputs import objects_in  # noqa: PLC0415 - same
    from plumbline.composition.patching import converted  # noqa: PLC0415 - same

    found = objects_in((file,))
    if len(found) != 1:
        raise InvalidInput(f"{file} holds {len(found)} objects", why="exactly one Composition is wanted")
    before = found[0].obj
    after = converted(before, function_name)
    if after is before:
        click.echo("It is a pipeline already: nothing to convert.", err=True)
    if output_file is None:
        click.echo(dump_yaml(after), nl=False)
        return Exit.DONE
    try:
        output_file.write_text(dump_yaml(after))
    except OSError as fault:
        raise InvalidInput(f"{output_file} cannot be written", why=fault.strerror or str(fault)) from fault
    return Exit.DONE
