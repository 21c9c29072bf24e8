"""Which arguments are names of something that can be asked for."""

from collections.abc import Callable
from typing import Final

import click
from click.shell_completion import CompletionItem

Offer = Callable[[click.Context, str], list[str]]


def _of(kind: str) -> Offer:
    def offered(ctx: click.Context, incomplete: str) -> list[str]:
        from plumbline.cli.completing.names import names  # noqa: PLC0415 - loads the client, if anything is asked

        return names(ctx, kind, incomplete)

    return offered


def _contexts(ctx: click.Context, incomplete: str) -> list[str]:
    del ctx, incomplete
    from plumbline.base.errors import PlumblineError  # noqa: PLC0415 - only when a shell asks
    from plumbline.cli.server.files import Files  # noqa: PLC0415 - same

    try:
        return list(Files.found().contexts().names)
    except PlumblineError:
        return []


def _object(ctx: click.Context, incomplete: str) -> list[str]:
    """Kinds; names of one after its slash, or after the kind itself."""
    from plumbline.cli.completing.names import kinds, names  # noqa: PLC0415 - loads the client, if anything is asked

    kind, slash, rest = incomplete.partition("/")
    if slash:
        return [f"{kind}/{name}" for name in names(ctx, kind, rest)]
    typed = ctx.params.get("words") or ()
    if typed and "/" not in typed[0]:
        return names(ctx, str(typed[0]), incomplete)
    return kinds(ctx)


_OFFERS: Final[dict[str, Offer]] = {
    "APP": _of("applications.argoproj.io"),
    "APP...": _of("applications.argoproj.io"),
    "[APP]": _of("applications.argoproj.io"),
    "[APP...]": _of("applications.argoproj.io"),
    "PROJECT": _of("appprojects.argoproj.io"),
    "TERRAFORM": _of("terraforms"),
    "[CONTEXT]": _contexts,
    "[NAME]": _contexts,
    "KIND/NAME": _object,
    "[KIND/NAME]": _object,
    "KIND[/NAME] [NAME...]": _object,
}
"""By how the argument is written in the help, which is how people know it."""


def named(parameter: click.Parameter) -> click.Parameter:
    """The same argument, which can be completed."""
    offer = _OFFERS.get(str(getattr(parameter, "metavar", ""))) if isinstance(parameter, click.Argument) else None
    if offer is None or parameter.name is None:
        return parameter

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(each) for each in offer(ctx, incomplete) if each.startswith(incomplete)]

    return click.Argument(
        [parameter.name], nargs=parameter.nargs, required=False, metavar=parameter.metavar, shell_complete=complete
    )
