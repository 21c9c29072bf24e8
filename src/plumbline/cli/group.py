"""The command `plumb`: verbs by name, imported only when typed, and every way to fail with its own exit code."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Never

import click

from plumbline.base.environment import environment
from plumbline.base.errors import PlumblineError
from plumbline.cli import failures
from plumbline.cli.compat import argocds, called_argocd, called_kubeseal, kubeseals, named_kubeseal
from plumbline.cli.everywhere import verb_first
from plumbline.cli.exits import Exit, exit_of
from plumbline.cli.lazy import Lazy, NoSuchVerb
from plumbline.cli.shorthand import spelled_out
from plumbline.cli.terminal import Settings

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_COMPLETION: Final = "_PLUMB_COMPLETE"


class Plumb(Lazy):
    """All verbs."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> Never:
        """Run, print what went wrong where something did, and leave with the code that says so."""
        del prog_name, extra
        settings = Settings()
        _tolerate_odd_encodings()
        arguments = list(sys.argv[1:] if args is None else args)
        if named_kubeseal():
            arguments.insert(0, "seal")
        typed, arguments = arguments, spelled_out(verb_first(arguments))
        code = outcome(lambda: self._perform(arguments, settings, typed), arguments, settings)
        sys.exit(int(code))

    def _perform(self, arguments: list[str], settings: Settings, typed: Sequence[str]) -> int:
        # Not click's own main: it answers 1 where nobody reads the output, and 1 is an answer of ours.
        if wanted := environment().get(_COMPLETION):
            from click.shell_completion import shell_complete  # noqa: PLC0415 - only when a shell asks

            return Exit(shell_complete(self, {}, "plumb", _COMPLETION, wanted))
        try:
            with self.make_context("plumb", arguments, obj=settings) as ctx:
                result = self.invoke(ctx)
        except NoSuchVerb:
            self._hand_over(typed)
            raise
        except click.exceptions.Exit as early:
            result = early.exit_code
        sys.stdout.flush()
        return int(result or Exit.DONE)

    def _hand_over(self, typed: Sequence[str]) -> None:
        """Become the plugin that a command line without a verb of ours is meant for; return where there is none."""
        if self._knows(typed[0]):
            return
        from plumbline.cli.plugins import become, plugin  # noqa: PLC0415 - only for what is no verb

        program = plugin(typed[0])
        if program is not None:
            become(program, typed[1:])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only when a shell asks

        from plumbline.cli.plugins import plugins  # noqa: PLC0415 - same

        found = super().shell_complete(ctx, incomplete)
        theirs = (name for name in plugins() if name.startswith(incomplete) and not self._knows(name))
        return [*found, *map(CompletionItem, theirs)]


def outcome(perform: Callable[[], int], arguments: Sequence[str], settings: Settings) -> int:
    """The exit code of *perform*, having told a person on stderr why it is not a plain answer."""
    try:
        return _said(perform(), raised=False)
    except PlumblineError as error:
        failures.show_error(error, settings)
        return _said(exit_of(error), raised=True)
    except click.ClickException as error:
        failures.show_usage(error, settings)
        return _said(Exit.USAGE, raised=False)
    except (KeyboardInterrupt, click.Abort):
        return Exit.INTERRUPTED
    except BrokenPipeError:
        _abandon_stdout()
        return Exit.UNREAD
    except Exception as bug:  # noqa: BLE001 - the last place that can keep a bug from looking like an answer
        failures.show_bug(bug, arguments, settings)
        return Exit.BUG


def _said(code: int, *, raised: bool) -> int:
    if called_argocd():
        return argocds(code, raised=raised)
    return kubeseals(code, raised=raised) if called_kubeseal() else code


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
