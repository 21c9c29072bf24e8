"""What a person reads when something did not work: what, why and what to do. Always on stderr, never a traceback."""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

import click

from plumbline.base.environment import environment
from plumbline.base.errors import PlumblineError
from plumbline.cli.compat import called_argocd
from plumbline.cli.terminal import Settings, encodable, plain

_CHAIN: Final = 8


def show_error(error: PlumblineError, settings: Settings) -> None:
    if _for_programs(settings):
        _say(_line(error), settings)
        return
    _show(error.code, error.what, error.why, error.hint, settings)
    if settings.verbose:
        for cause in _causes(error):
            _say(f"  because {type(cause).__name__}: {plain(str(cause))}", settings)


def show_usage(error: click.ClickException, settings: Settings) -> None:
    ctx = getattr(error, "ctx", None)
    path = ctx.command_path if ctx else "plumb"
    _show("usage", error.format_message(), "", f"Run `{path} --help`.", settings)
    for name in getattr(error, "close", ()):
        _say(f"      Did you mean `{path} {name}`?", settings)


def show_bug(bug: BaseException, arguments: Sequence[str], settings: Settings) -> None:
    from plumbline.cli import crashes  # noqa: PLC0415 - only when there is one

    report = crashes.report(bug, arguments)
    path = crashes.save(report)
    saved = f"a report without your values is in {path}" if path else "a report could not be saved"
    why = f"{type(crashes.first_of(bug)).__name__} was raised where nothing may be; {saved}"
    _show("bug", "Plumbline failed in a way that it should not", why, "Please send us the report.", settings)
    if settings.verbose or not path:
        _say(report, settings)


def _for_programs(settings: Settings) -> bool:
    """Whether errors are lines of JSON, as `argocd` writes them: scripts look for the words in it as it quotes them."""
    if settings.log_format:
        return settings.log_format == "json"
    return called_argocd() and not sys.stderr.isatty()


def _line(error: PlumblineError) -> str:
    from plumbline.base.clock import SystemClock, rfc3339  # noqa: PLC0415 - only when there is one
    from plumbline.base.json import encode  # noqa: PLC0415 - same

    told = f"{error.what}: {error.why}" if error.why else error.what
    hint = {"hint": error.hint} if error.hint else {}
    line = {"code": error.code, **hint, "level": "fatal", "msg": told, "time": rfc3339(SystemClock().now())}
    return encode(line).decode()


def _show(code: str, what: str, why: str, hint: str, settings: Settings) -> None:
    arrow = "╰─>" if encodable("╰─>", sys.stderr) else "`->"
    _say(f"{click.style(f'error[{code}]', fg='red', bold=True)}: {plain(what)}", settings)
    if why:
        _say(f"  {arrow} {plain(why)}", settings)
    if hint:
        _say(f"{click.style('hint', fg='cyan')}: {plain(hint)}", settings)


def _say(text: str, settings: Settings) -> None:
    click.echo(text, err=True, color=settings.coloured(environment()))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The chain below *error*, as far as it was not cut with `from None`."""
    for _ in range(_CHAIN):
        below = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if below is None:
            return
        yield below
        error = below
