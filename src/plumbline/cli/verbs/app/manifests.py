from pathlib import Path

import click

from plumbline.cli.applications.options import app_namespace_option, local_options, revision_options, sourced
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import data_option


@click.command("manifests", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--source", type=click.Choice(["git", "live"]), default="git", show_default=True, help="What is asked for, or what is there.")  # fmt: skip
@revision_options
@local_options
@data_option
@connecting()
def verb(
    name: str,
    app_namespace: str,
    source: str,
    revision: str,
    revisions: tuple[str, ...],
    source_positions: tuple[tuple[int, ...], ...],
    source_names: tuple[str, ...],
    local: Path | None,
    local_repo_root: Path | None,
    data: Path | None,
    where: Where,
) -> Exit:
    """Print the manifests of an application as YAML, with values of Secrets masked."""
    from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - loads YAML, which --help must not
    from plumbline.base.environment import home  # noqa: PLC0415 - same
    from plumbline.cli.applications.rendering import Asked, printed  # noqa: PLC0415 - loads every room

    def positioned(sources: list[dict[str, object]]) -> tuple[int, ...]:
        return sourced(sources, source_positions, source_names, revisions)

    asked = Asked(name, app_namespace, revision, revisions, positioned, local, local_repo_root)
    for obj in performed(printed(where, asked, data or home() / ".plumbline", live=source == "live")):
        click.echo(f"---\n{dump_yaml(obj)}", nl=False)
    return Exit.DONE
