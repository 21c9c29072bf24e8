"""Which objects a hand-over means, as flags."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from plumbline.cli.output import print_value

if TYPE_CHECKING:
    from plumbline.kinds.mandate import Grant, MandateSpec

Decorated = Callable[..., Any]


def grant_options(command: Decorated) -> Decorated:
    """What is meant; every flag that is given must match."""
    command = click.option("--project", default="", help="AppProject that the applications belong to.")(command)
    command = click.option("--name", default="", help="Name of one object.")(command)
    command = click.option("--kind", default="", help="Kind of the objects.")(command)
    return click.option("--group", required=True, help="API group of the objects, such as argoproj.io.")(command)


def granted(group: str, kind: str, namespace: str, name: str, project: str) -> "Grant":
    from plumbline.kinds.mandate import Grant  # noqa: PLC0415 - kinds are not needed for --help

    return Grant(group=group, kind=kind, namespace=namespace, name=name, project=project)


def shown(mandate: "MandateSpec", output: str) -> None:
    """The mandate as it is now."""
    from plumbline.kinds.values import written  # noqa: PLC0415 - kinds are not needed for --help

    if output != "text":
        print_value(written(mandate), output)
        return
    click.echo(f"mode: {mandate.mode}")
    for title, grants in (("adopted", mandate.adopted), ("released", mandate.released)):
        for grant in grants:
            click.echo(f"{title}: {' '.join(f'{name}={value}' for name, value in written(grant).items())}")
