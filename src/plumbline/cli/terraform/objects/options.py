"""Options that these verbs share: which object, on which cluster, and for how long."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from click.core import ParameterSource

from plumbline.cli.group import common
from plumbline.cli.options import cluster_options

if TYPE_CHECKING:
    from plumbline.terraform.objects.store import Terraforms

Decorated = Callable[..., Any]
WITHIN_S: Final = 1800.0


class Where(NamedTuple):
    """The cluster, and the namespace that is meant; empty for the context's own."""

    kubeconfig: Path | None = None
    context: str = ""
    namespace: str = ""

    @asynccontextmanager
    async def opened(self) -> "AsyncIterator[Terraforms]":
        from plumbline.cli.clusters import opened  # noqa: PLC0415 - loads HTTP, which --help must not
        from plumbline.terraform.objects.store import Terraforms  # noqa: PLC0415 - loads kinds

        async with opened(self.kubeconfig, self.context, self.namespace) as cluster:
            yield Terraforms(cluster.client, cluster.namespace)


def on_cluster(command: Decorated) -> Decorated:
    """The verb gets `where`."""

    @wraps(command)
    def verb(*args: Any, kubeconfig: Path | None, context: str, namespace: str, **more: Any) -> Any:
        return command(*args, where=Where(kubeconfig, context, namespace), **more)

    about = "Namespace of the Terraform object; the context's if not given."
    return common(cluster_options(click.option("-n", "--namespace", default="", help=about)(verb)))


_ABOUT_OBJECTS: Final = frozenset({
    "name", "kubeconfig", "context", "namespace", "timeout", "yes", "comment", "color", "verbose",
})  # fmt: skip


def meant_on_cluster(ctx: click.Context, name: str) -> bool:
    """Whether NAME was given. Options that are about something else are then refused, and the other way round."""
    given = {
        each
        for each in ctx.params.keys() | {"kubeconfig", "context", "namespace"}
        if ctx.get_parameter_source(each) not in (None, ParameterSource.DEFAULT)
    }
    wrong = given - _ABOUT_OBJECTS if name else given & (_ABOUT_OBJECTS - {"color", "verbose"})
    if wrong:
        flags = {option.name: option.opts[-1] for option in ctx.command.params}
        shown = ", ".join(sorted(flags.get(each, each) for each in wrong))
        what = "a Terraform object of a cluster" if name else "root modules of a repository"
        raise click.UsageError(f"{shown} cannot be given for {what}.", ctx)
    return bool(name)


def name_argument(command: Decorated) -> Decorated:
    return click.argument("name", metavar="NAME")(command)


def waiting_option(command: Decorated) -> Decorated:
    return click.option(
        "--timeout",
        type=click.FloatRange(0),
        default=WITHIN_S,
        show_default=True,
        help="How long to wait, in seconds; 0 without end.",
    )(command)


def yes_option(command: Decorated) -> Decorated:
    return click.option("-y", "--yes", is_flag=True, help="Do not ask.")(command)


def comment_option(command: Decorated) -> Decorated:
    return click.option("--comment", default="", help="Why, for those who read it later.")(command)
