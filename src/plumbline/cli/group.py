"""The command `plumb`: verbs by name, imported only when typed, and every way to fail with its own exit code."""

import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final, Never

import click

from plumbline.base.environment import environment
from plumbline.base.errors import PlumblineError
from plumbline.cli import failures
from plumbline.cli.exits import Exit, exit_of
from plumbline.cli.terminal import Settings

_COMPLETION: Final = "_PLUMB_COMPLETE"


class Plumb(click.Group):
    """Verbs are given as names with one line of help each, so that `plumb --help` imports none of them."""

    def __init__(self, *, verbs: dict[str, str], **attributes: Any) -> None:
        super().__init__(**attributes)
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in self.verbs:
            return None
        command: click.Command = import_module(f"plumbline.cli.verbs.{cmd_name}").verb
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Verbs"):
            formatter.write_dl(list(self.verbs.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.verbs and not args[0].startswith("-"):
            raise NoSuchVerb(args[0], get_close_matches(args[0], self.verbs))
        return super().resolve_command(ctx, args)

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> Never:
        """Run, print what went wrong where something did, and leave with the code that says so."""
        del prog_name, extra
        settings = Settings()
        _tolerate_odd_encodings()
        arguments = list(sys.argv[1:] if args is None else args)
        code = outcome(lambda: self._perform(arguments, settings), arguments, settings)
        sys.exit(int(code))

    def _perform(self, arguments: list[str], settings: Settings) -> Exit:
        # Not click's own main: it answers 1 where nobody reads the output, and 1 is an answer of ours.
        if wanted := environment().get(_COMPLETION):
            from click.shell_completion import shell_complete  # noqa: PLC0415 - only when a shell asks

            return Exit(shell_complete(self, {}, "plumb", _COMPLETION, wanted))
        try:
            with self.make_context("plumb", arguments, obj=settings) as ctx:
                result = self.invoke(ctx)
        except click.exceptions.Exit as early:
            result = early.exit_code
        sys.stdout.flush()
        return Exit(result or Exit.DONE)


class NoSuchVerb(click.UsageError):
    def __init__(self, typed: str, close: Sequence[str]) -> None:
        super().__init__(f"There is no verb {typed!r}")
        self.close = tuple(close)


def outcome(perform: Callable[[], Exit], arguments: Sequence[str], settings: Settings) -> Exit:
    """The exit code of *perform*, having told a person on stderr why it is not a plain answer."""
    try:
        return perform()
    except PlumblineError as error:
        failures.show_error(error, settings)
        return exit_of(error)
    except click.ClickException as error:
        failures.show_usage(error, settings)
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        return Exit.INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return Exit.UNREAD
    except Exception as bug:  # noqa: BLE001 - the last place that can keep a bug from looking like an answer
        failures.show_bug(bug, arguments, settings)
        return Exit.BUG


def _tolerate_odd_encodings() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _abandon_stdout() -> None:
    # The interpreter flushes stdout when it ends and would complain about the same pipe again.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every verb has, before or after its name."""

    def colour(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        settings = ctx.ensure_object(Settings)
        if value:
            settings.colour = value  # type: ignore[assignment]  # click has checked the choice
        ctx.color = settings.coloured(environment())

    def verbose(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            ctx.ensure_object(Settings).verbose = True

    choice = click.Choice(["auto", "always", "never"])
    command = click.option(
        "-v", "--verbose", is_flag=True, expose_value=False, callback=verbose, help="Say more about failures."
    )(command)
    return click.option(
        "--color", type=choice, expose_value=False, callback=colour, help="Colour on terminals, always, or never."
    )(command)
