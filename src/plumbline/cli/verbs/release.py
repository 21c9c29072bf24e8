from pathlib import Path

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.grants import grant_options, granted, shown
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, namespace_option, output_option


@click.command("release")
@grant_options
@namespace_option
@cluster_options
@output_option("text", "json", "yaml")
@common
def verb(
    group: str,
    kind: str,
    name: str,
    project: str,
    namespace: str,
    kubeconfig: Path | None,
    context: str,
    output: str,
) -> Exit:
    """Hand objects back: Plumbline goes on watching them and writes them no more."""
    from plumbline.cli.handover import handed_back  # noqa: PLC0415 - loads the client, which --help must not

    mandate = performed(handed_back(granted(group, kind, namespace, name, project), kubeconfig, context))
    shown(mandate, output)
    return Exit.DONE
