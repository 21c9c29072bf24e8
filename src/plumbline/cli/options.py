"""Options that several verbs share."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plumbline.base.errors import InvalidInput
from plumbline.kinds.rooms import EVERY_ROOM, ROOMS

if TYPE_CHECKING:
    from plumbline.managed.endpoints import Origin

Decorated = Callable[..., Any]
_host = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*|[0-9a-f:.]*:[0-9a-f:.]*", re.ASCII).fullmatch
"""One host, or all below a name; addresses as well."""


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


def local_git_option(command: Decorated) -> Decorated:
    return click.option(
        "--local-git",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Folder whose Git repositories may be named by file://; none may if not given.",
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


def login_options(command: Decorated) -> Decorated:
    """What cluster Secrets may ask for to log in."""
    command = click.option(
        "--login-host",
        "login_hosts",
        multiple=True,
        metavar="HOST",
        callback=_hosts,
        help="Server or proxy, beside AWS's own, that a cluster Secret may have our login to EKS sent to; may be repeated.",
    )(command)
    return click.option(
        "--login-command",
        "login_commands",
        multiple=True,
        metavar="NAME",
        callback=_commands,
        help="Command that cluster Secrets may have run to log in, with any arguments: a name or an absolute path; may be repeated.",
    )(command)


def _commands(ctx: click.Context, option: click.Parameter, said: tuple[str, ...]) -> frozenset[str]:
    for each in said:
        if not each or ("/" in each and not each.startswith("/")):
            raise click.BadParameter(f"{each!r} is neither the name of a command nor an absolute path", ctx, option)
    return frozenset(said)


def _hosts(ctx: click.Context, option: click.Parameter, said: tuple[str, ...]) -> frozenset[str]:
    for each in said:
        if not _host(each.lower()):
            raise click.BadParameter(f"{each!r} is no host name or address", ctx, option)
    return frozenset(each.lower() for each in said)


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
