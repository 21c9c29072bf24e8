from typing import Any

import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("unset", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("-p", "--parameter", multiple=True, help="Helm value, by its name; may be repeated.")
@click.option("--values", multiple=True, help="Helm value file; may be repeated.")
@click.option("--values-literal", is_flag=True, help="The block of Helm values.")
@click.option("--pass-credentials", is_flag=True, help="Sending credentials to every host.")
@click.option("--ignore-missing-value-files", is_flag=True, help="Skipping value files that are not there.")
@click.option("--nameprefix", is_flag=True, help="Prefix of names in the kustomization.")
@click.option("--namesuffix", is_flag=True, help="Suffix of names in the kustomization.")
@click.option("--kustomize-version", is_flag=True, help="Version of Kustomize.")
@click.option("--kustomize-namespace", is_flag=True, help="Namespace of the kustomization.")
@click.option("--kustomize-image", multiple=True, help="Image, by its name; may be repeated.")
@click.option("--kustomize-replica", multiple=True, help="Replicas of the workload of this name; may be repeated.")
@click.option("--ignore-missing-components", is_flag=True, help="Skipping components that are not there.")
@click.option("--plugin-env", multiple=True, help="Variable of the plugin, by its name; may be repeated.")
@click.option("--ref", is_flag=True, help="Name under which other sources may use files of this one.")
@click.option("--source-position", type=int, default=-1, help="Of which of several sources, counting from 1.")
@click.option("--source-name", default="", help="Of which of several sources, by name.")
@connecting()
def verb(name: str, app_namespace: str, source_position: int, source_name: str, where: Where, **given: Any) -> Exit:
    """Take back what was set on a source: Helm and Kustomize parameters, variables of a plugin, its ref."""
    if not any(given.values()):
        raise click.UsageError("Name at least one thing to take back.")
    if source_name and source_position != -1:
        raise click.UsageError("Only one of source-position and source-name can be specified.")

    async def unset_() -> bool:
        from plumbline.cli.applications.changing import changed, position_of, with_source  # noqa: PLC0415 - loads kinds
        from plumbline.cli.applications.editing.unsetting import unset  # noqa: PLC0415 - same
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same

        def edit(app: JsonObject) -> JsonObject:
            return with_source(app, position_of(app, source_position, source_name), lambda source: unset(source, given))

        async with applications(where) as apps:
            return await changed(apps, apps.named(name, app_namespace), edit, validate=False)

    if not performed(unset_()):
        click.echo(f"application '{name}' unchanged", err=True)
    return Exit.DONE
