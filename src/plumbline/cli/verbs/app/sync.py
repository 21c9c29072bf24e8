from typing import TYPE_CHECKING, Any, Final

import click

from plumbline.cli.applications.options import (
    AWAITED,
    app_namespace_option,
    local_options,
    resource_option,
    revision_options,
    selector_option,
    timeout_option,
)
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoDuration, GoFlags
from plumbline.cli.options import data_option, output_option

if TYPE_CHECKING:
    from plumbline.cli.applications.syncing import Choice
    from plumbline.delivery.asking.operations import Asked

_OPTIONS: Final = {
    "replace": "Replace=true",
    "server_side": "ServerSideApply=true",
    "apply_out_of_sync_only": "ApplyOutOfSyncOnly=true",
}
_NONE: Final = "No matching apps found for filter:"
_WAITS: Final = {"duration": "duration", "max_duration": "maxDuration", "factor": "factor"}


@click.command("sync", cls=GoFlags)
@click.argument("names", nargs=-1, metavar="[APP]...")
@app_namespace_option
@selector_option
@click.option("--project", "projects", multiple=True, help="All applications of this project; may be repeated.")
@click.option("--prune", is_flag=True, help="Delete what is no longer in Git.")
@click.option("--dry-run", is_flag=True, help="Change nothing, and see whether the cluster would take it.")
@click.option("--force", is_flag=True, help="Delete and make again what cannot be changed.")
@click.option("--replace", is_flag=True, help="Replace objects instead of applying them.")
@click.option("--server-side", is_flag=True, help="Apply on the server's side.")
@click.option("--apply-out-of-sync-only", is_flag=True, help="Apply only what differs.")
@resource_option
@click.option("--label", "labels", multiple=True, help="Only objects with this label, as KEY=VALUE; may be repeated.")
@revision_options
@local_options
@click.option("--strategy", type=click.Choice(["hook", "apply"]), default="hook", show_default=True, help="With hooks, or without.")  # fmt: skip
@click.option("--info", "infos", multiple=True, help="NAME=VALUE to keep with the operation; may be repeated.")
@click.option("--async", "no_wait", is_flag=True, help="Do not wait for the end.")
@click.option("--preview-changes", is_flag=True, help="Show what would change, and ask.")
@click.option("--assumeYes", "sure", is_flag=True, help="Do not ask.")
@click.option("--retry-limit", type=int, default=0, help="How often a failed sync is tried again.")
@click.option("--retry-refresh", is_flag=True, help="Use a newer revision when it is tried again.")
@click.option("--retry-backoff-duration", type=GoDuration(), help="The first wait before that; 5s.")
@click.option("--retry-backoff-max-duration", type=GoDuration(), help="The longest wait; 3m.")
@click.option("--retry-backoff-factor", type=int, help="By how much each wait is longer; 2.")
@click.option("--ignore-normalizer-jq-execution-timeout", expose_value=False, hidden=True)
@click.option("--server-side-diff-concurrency", expose_value=False, hidden=True)
@click.option("--server-side-diff-max-batch-kb", expose_value=False, hidden=True)
@timeout_option
@data_option
@output_option(*AWAITED)
@connecting()
def verb(
    names: tuple[str, ...],
    app_namespace: str,
    selector: str,
    projects: tuple[str, ...],
    where: Where,
    **given: Any,
) -> Exit:
    """Bring the cluster to what Git says, and wait until that has succeeded or failed.

    One line on stderr for each object that changes, under the phase and the wave of the sync that it belongs to, and one
    for what the sync waits for; what the application is at the end comes on stdout. Exits 4 if a sync window forbids it, 3
    if the sync failed, be it a dry run, or if objects are left that would have to be pruned.
    """
    if not names and not selector and not projects:
        raise click.UsageError("Name applications, or select some with -l or --project.")
    if len(names) > 1 and selector:
        raise click.UsageError("Names and -l cannot be given together.")
    if len(names) != 1 and (given["revisions"] or given["source_positions"] or given["source_names"]):
        raise click.UsageError("--revisions are for one application.")

    async def synced() -> Exit:
        from plumbline.cli.applications.people import username  # noqa: PLC0415 - loads kinds
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same
        from plumbline.cli.applications.syncing import Syncing  # noqa: PLC0415 - same

        async with applications(where) as apps:
            syncing = Syncing(apps, *_read(given), username(where))
            found = Exit.DONE
            for name in await apps.chosen(
                names, app_namespace=app_namespace, selector=selector, projects=projects, none=_NONE
            ):
                found = found or await syncing.synced(name)
            return found

    return performed(synced())


def _read(given: dict[str, Any]) -> "tuple[Asked, Choice]":
    from plumbline.base.environment import home  # noqa: PLC0415 - not for --help
    from plumbline.cli.applications.syncing import Choice  # noqa: PLC0415 - same
    from plumbline.delivery.asking.operations import Asked, backoff, info, strategy  # noqa: PLC0415 - loads kinds

    waits = {field: given[f"retry_backoff_{flag}"] for flag, field in _WAITS.items()}
    asked = Asked(
        strategy=strategy(given["strategy"], force=given["force"]),
        options=tuple(option for flag, option in _OPTIONS.items() if given[flag]) or None,
        infos=[info(each) for each in given["infos"]],
        retry=backoff(given["retry_limit"], waits, refresh=given["retry_refresh"]),
        **{name: given[name] for name in ("prune", "dry_run", "revision", "revisions")},
    )
    named = ("resources", "labels", "source_positions", "source_names", "local", "local_repo_root", "output", "timeout")
    choice = Choice(
        preview=given["preview_changes"],
        sure=given["sure"],
        wait=not given["no_wait"],
        data=given["data"] or home() / ".plumbline",
        **{name: given[name] for name in named},
    )
    return asked, choice
