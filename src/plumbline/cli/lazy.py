"""Groups of verbs whose modules are imported when one of them is typed."""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click


class Lazy(click.Group):
    """Verbs are given as names with one line of help each, so that help for all of them imports none.

    The verb `a-b` is the `verb` of the module `a_b` in *package*, and `import` that of `import_`. *unlisted* ones are
    typed by programs, and help is silent about them. *homes* says of verbs which module they share with others: there `a-b`
    is called `a_b`.
    """

    def __init__(
        self,
        *,
        package: str,
        verbs: dict[str, str],
        unlisted: Collection[str] = (),
        homes: Mapping[str, str] | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(**attributes)
        self.package = package
        self._homes = homes or {}
        self.verbs = verbs
        self._unlisted = unlisted

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if not self._knows(cmd_name):
            return None
        module = cmd_name.replace("-", "_")
        if cmd_name in self._homes:
            home = import_module(f"{self.package}.{self._homes[cmd_name]}")
            # `list` is called `list_` there.
            shared: click.Command = getattr(home, module, None) or getattr(home, f"{module}_")
            return shared
        command: click.Command = import_module(f"{self.package}.{module}{'_' if iskeyword(module) else ''}").verb
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Verbs"):
            formatter.write_dl(list(self.verbs.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not self._knows(args[0]) and not args[0].startswith("-"):
            raise NoSuchVerb(args[0], get_close_matches(args[0], self.verbs), ctx)
        return super().resolve_command(ctx, args)

    def _knows(self, name: str) -> bool:
        return name in self.verbs or name in self._unlisted


class NoSuchVerb(click.UsageError):
    def __init__(self, typed: str, close: Sequence[str], ctx: click.Context) -> None:
        super().__init__(f"There is no verb {typed!r}", ctx if ctx.parent is not None else None)
        self.close = tuple(close)
