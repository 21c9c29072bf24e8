import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, namespace_option, output_option

if TYPE_CHECKING:
    from plumbline.composition.tracing.branches import Node

_EVERY_S: Final = 2.0


@click.command("tree", cls=GoFlags)
@click.argument("target", metavar="KIND/NAME")
@click.option(
    "-s", "--show-connection-secrets", is_flag=True, help="Show connection Secrets too, never what they hold."
)
@click.option("-w", "--watch", is_flag=True, help="Draw it again whenever it changed, until interrupted.")
@namespace_option
@cluster_options
@output_option("default", "wide", "json", "yaml", "dot")
@common
def verb(
    target: str,
    show_connection_secrets: bool,
    watch: bool,
    namespace: str,
    kubeconfig: Path | None,
    context: str,
    output: str,
) -> Exit:
    """Draw what an object is made of, down to the cloud.

    A claim, its composite, what that composes, and so on, to managed resources with their ids in the cloud; an
    Application and what it delivers; a workload and its pods; anything else and what it owns. The first line says what
    is wrong at the deepest.
    """

    async def shown() -> None:
        from plumbline.base.clock import SystemClock  # noqa: PLC0415 - loads the client, which --help must not
        from plumbline.cli.clusters import opened  # noqa: PLC0415 - same
        from plumbline.composition.tracing.growing import Growing  # noqa: PLC0415 - same

        clock, before = SystemClock(), ""
        async with opened(kubeconfig, context, namespace) as cluster:
            while True:
                root = (await cluster.named((target,)))[0]
                tree = await Growing(cluster.client, secrets=show_connection_secrets).tree(root)
                text = _text(tree, output)
                if text != before:
                    if before and sys.stdout.isatty():
                        click.clear()
                    click.echo(text)
                if not watch:
                    return
                before = text
                await clock.sleep(_EVERY_S)

    performed(shown())
    return Exit.DONE


def _text(tree: "Node", output: str) -> str:
    from plumbline.cli.composition.drawing import as_dot, as_json, drawn  # noqa: PLC0415 - same
    from plumbline.cli.output import text_of  # noqa: PLC0415 - same
    from plumbline.cli.terminal import encodable, plain  # noqa: PLC0415 - same
    from plumbline.composition.tracing.causes import sentence  # noqa: PLC0415 - loads health, which --help must not

    if output == "dot":
        return as_dot(tree)
    if output in {"json", "yaml"}:
        return text_of(as_json(tree), output).rstrip("\n")
    drawing = drawn(tree, wide=output == "wide", plain=not encodable("├─ │ └─", sys.stdout))
    return f"{plain(sentence(tree))}\n\n{drawing}"
