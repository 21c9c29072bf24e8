from pathlib import Path

import click

from plumbline.cli.applications.options import app_namespace_option, local_options, revision_options, sourced
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import data_option


@click.command("diff", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@revision_options
@local_options
@click.option("--refresh", is_flag=True, help="Ask the repository now.")
@click.option("--hard-refresh", is_flag=True, help="Ask the repository now; nothing is kept between calls anyway.")
@click.option("--exit-code/--no-exit-code", default=True, show_default=True, help="Say with the exit code whether something differs.")  # fmt: skip
@click.option("--diff-exit-code", type=click.IntRange(0, 255), default=1, show_default=True, help="The exit code that says so.")  # fmt: skip
@click.option("--server-side-generate", "whole", is_flag=True, help="--local is all of a repository, in which the application says which folder.")  # fmt: skip
@click.option("--server-side-diff/--no-server-side-diff", default=None, help="Ask the destination, by dry runs, what a sync would change; else as the application says.")  # fmt: skip
@click.option("--local-include", multiple=True, hidden=True, expose_value=False)
@click.option("--ignore-normalizer-jq-execution-timeout", expose_value=False, hidden=True)
@click.option("--server-side-diff-concurrency", expose_value=False, hidden=True)
@click.option("--server-side-diff-max-batch-kb", expose_value=False, hidden=True)
@data_option
@connecting()
def verb(
    name: str,
    app_namespace: str,
    revision: str,
    revisions: tuple[str, ...],
    source_positions: tuple[tuple[int, ...], ...],
    source_names: tuple[str, ...],
    local: Path | None,
    local_repo_root: Path | None,
    whole: bool,
    refresh: bool,
    hard_refresh: bool,
    exit_code: bool,
    diff_exit_code: int,
    server_side_diff: bool | None,
    data: Path | None,
    where: Where,
) -> int:
    """Show what a sync would change, without changing anything.

    Rendered by the server, or here with --core, from the repository or from files at hand, and compared with the cluster as
    delivery compares: fields that are ignored do not count, and values of Secrets are masked. Exits 0 if nothing differs, 1 if something does, and
    with another code if that could not be found out.
    """
    from plumbline.base.environment import home  # noqa: PLC0415 - not for --help
    from plumbline.cli.applications.rendering import Asked, compared  # noqa: PLC0415 - loads every room

    def positioned(sources: list[dict[str, object]]) -> tuple[int, ...]:
        return sourced(sources, source_positions, source_names, revisions)

    if whole and local is None:
        raise click.UsageError("--server-side-generate says what --local is, which is not given.")
    root, fresh = local_repo_root, refresh or hard_refresh
    asked = Asked(name, app_namespace, revision, revisions, positioned, local, root, fresh, server_side_diff, whole)
    told = performed(compared(where, asked, data or home() / ".plumbline"))
    for _, text in told:
        click.echo(text)
    if not told:
        click.echo("No differences.", err=True)
    return diff_exit_code if told and exit_code else Exit.DONE
