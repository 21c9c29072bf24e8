"""Options that several verbs share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plumbline.base.errors import InvalidInput
from plumbline.kinds.rooms import EVERY_ROOM, ROOMS

if TYPE_CHECKING:
    from plumbline.managed.endpoints import Origin

Decorated = Callable[..., Any]


def output_option(*forms: str) -> Callable[[Decorated], Decorated]:
    """`-o`: the first of *forms* is what people get."""
    return click.option(
        "-o", "--output", type=click.Choice(forms), default=forms[0], show_default=True, help="How to print the answer."
    )


def file_option(*, required: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "-f",
        "--filename",
        "filenames",
        multiple=True,
        required=required,
        type=click.Path(exists=True, allow_dash=True, path_type=Path),
        help="File or folder with manifests; - for stdin. May be given several times.",
    )


def cluster_options(command: Decorated) -> Decorated:
    """Which cluster is meant."""
    command = click.option("--context", default="", help="Context of the kubeconfig to use.")(command)
    return click.option(
        "--kubeconfig",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config.",
    )(command)


def namespace_option(command: Decorated) -> Decorated:
    about = "Namespace of objects that do not name one."
    return click.option("-n", "--namespace", default="", help=about)(command)


def data_option(command: Decorated) -> Decorated:
    return click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder with everything it keeps; ~/.plumbline if not given.",
    )(command)


def endpoints_option(command: Decorated) -> Decorated:
    return click.option(
        "--allow-endpoint",
        "endpoints",
        multiple=True,
        metavar="ORIGIN",
        callback=_origins,
        help="Server, as https://HOST[:PORT], that ProviderConfigs may name instead of their cloud's own; may be repeated.",
    )(command)


def _origins(ctx: click.Context, option: click.Parameter, said: tuple[str, ...]) -> "frozenset[Origin]":
    from plumbline.managed.endpoints import named  # noqa: PLC0415 - only where one is given

    try:
        return named(said)
    except InvalidInput as odd:
        raise click.BadParameter(f"{odd}. {odd.hint}", ctx, option) from odd


def log_option(command: Decorated) -> Decorated:
    return click.option(
        "--log-level",
        type=click.Choice(["debug", "info", "warning", "error"]),
        default="info",
        show_default=True,
        help="How much is written to stderr about what happens.",
    )(command)


def only_option(command: Decorated) -> Decorated:
    """Which rooms are looked after."""
    return click.option(
        "--only",
        default=",".join(ROOMS),
        show_default=True,
        metavar="ROOM,…",
        callback=_rooms,
        help="Controllers to run; the kinds of others are left alone.",
    )(command)


def _rooms(ctx: click.Context, option: click.Parameter, said: str) -> frozenset[str]:
    named = frozenset(said.split(","))
    if unknown := named - EVERY_ROOM:
        raise click.BadParameter(f"{min(unknown)!r} is none of {', '.join(ROOMS)}", ctx, option)
    return named
