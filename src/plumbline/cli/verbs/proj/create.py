from pathlib import Path
from typing import Any

import click

from plumbline.base.json import JsonObject
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.projecting.flags import spec_flags


@click.command("create", cls=GoFlags)
@click.argument("name", metavar="[PROJECT]", default="")
@click.option(
    "-f",
    "--file",
    "file",
    type=click.Path(exists=True, allow_dash=True, dir_okay=False, path_type=Path),
    help="File with an AppProject; - for stdin. Flags come on top.",
)
@click.option("--upsert", is_flag=True, help="Replace it if it is there and differs.")
@spec_flags
@connecting()
def verb(name: str, file: Path | None, upsert: bool, given: dict[str, Any], where: Where) -> Exit:
    """Make a project, from flags or from a file."""
    from plumbline.cli.projecting.flags import spec_of  # noqa: PLC0415 - not for --help
    from plumbline.cli.projecting.store import created  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.kinds.appproject import APP_PROJECT  # noqa: PLC0415 - same

    written = _written(file) if file else {}
    metadata = written.get("metadata") or {}
    if name and metadata.get("name") not in {None, name}:
        raise click.UsageError(f"The file is about the project {metadata['name']}, and not {name}.")
    named = name or str(metadata.get("name") or "")
    if not named:
        raise click.UsageError("Name the project, or a file with -f.")
    kept = {part: metadata[part] for part in ("labels", "annotations", "finalizers") if metadata.get(part)}
    project: JsonObject = {
        "apiVersion": APP_PROJECT.gvk.api_version,
        "kind": APP_PROJECT.kind,
        "metadata": {**kept, "name": named, "namespace": where.namespace},
        "spec": spec_of(given, written.get("spec") or {}),
    }
    performed(created(where, project, upsert=upsert))
    click.echo(f"Project '{named}' created", err=True)
    return Exit.DONE


def _written(file: Path) -> JsonObject:
    from plumbline.cli.inputs import objects_in  # noqa: PLC0415 - loads documents, which --help must not
    from plumbline.kinds.appproject import APP_PROJECT  # noqa: PLC0415 - loads kinds

    everything = objects_in([file], named=False, supposed=APP_PROJECT.gvk)
    found = [given.obj for given in everything if given.obj.get("kind") == APP_PROJECT.kind]
    if len(found) != 1:
        raise click.UsageError(f"{file} should hold one AppProject, and holds {len(found)}.")
    return found[0]
