"""The program that people type. Nothing is imported here that `plumb --help` does not need."""

from typing import Never

import click

from plumbline.cli.group import Plumb, common
from plumbline.cli.vocabulary import UNLISTED, VERBS


@click.command(
    cls=Plumb,
    package="plumbline.cli.verbs",
    verbs=VERBS,
    unlisted=UNLISTED,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Git says what is true; Plumbline keeps everything hanging straight from it.",
    epilog="Exit codes: 0 done, 1 the answer is no, 2 usage, 3 failed, 4 denied, 5 not found, 6 refused, 7 timed out, "
    "8 needs approval, 70 bug, 130 interrupted.",
)
@common
@click.pass_context
def plumb(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> Never:
    plumb.main()
