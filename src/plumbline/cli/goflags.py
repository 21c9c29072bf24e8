"""Flags as Go's programs take them, beside click's way: `--prune=false`, `--source-positions=1,2`."""

from typing import Any, Final

import click

_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


class GoFlags(click.Command):
    """A verb whose switches may be given a value after an equals sign."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        found = super().get_params(ctx)
        if not ctx.resilient_parsing:
            return found
        from plumbline.cli.completing.arguments import named  # noqa: PLC0415 - only when a shell asks

        return [named(each) for each in found]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        switches = {name: each for each in self.params if _is_switch(each) for name in each.opts}
        given: list[str] = []
        for at, argument in enumerate(args):
            if argument == "--":
                given += args[at:]
                break
            name, equals, value = argument.partition("=")
            given += _rewritten(switches[name], name, value, ctx) if equals and name in switches else [argument]
        return super().parse_args(ctx, given)


def _is_switch(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and parameter.is_flag


def _rewritten(switch: click.Parameter, name: str, value: str, ctx: click.Context) -> list[str]:
    if value in _TRUE:
        return [name]
    if value in _FALSE:
        return list(switch.secondary_opts[:1])
    raise click.BadParameter(f"{value!r} is neither true nor false.", ctx, switch)


class Positions(click.ParamType[tuple[int, ...]]):
    """Numbers from one, separated by commas."""

    name = "positions"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            found = tuple(int(each) for each in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is no list of numbers.", param, ctx)
        if any(each <= 0 for each in found):
            self.fail("positions count from 1.", param, ctx)
        return found


class GoDuration(click.ParamType[str]):
    """A length of time such as 30s or 1h30m, as a text in Go's spelling."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from plumbline.base.errors import InvalidInput  # noqa: PLC0415 - only where one is given
        from plumbline.kinds.duration import Duration  # noqa: PLC0415 - same

        try:
            return str(Duration.parse(str(value)))
        except InvalidInput as refused:
            self.fail(f"{refused.what}: {refused.why}.", param, ctx)
