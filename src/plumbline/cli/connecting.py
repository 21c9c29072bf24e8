"""Options of verbs that Argo CD's command line has too: which cluster or server, and which installation."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from plumbline.base.environment import environment
from plumbline.cli.everywhere import (
    AUTHORITIES,
    HEADER,
    IGNORED_SWITCHES,
    IGNORED_VALUES,
    LOG_FORMAT,
    SWITCHES,
    VALUES,
    kept_in,
)
from plumbline.cli.group import common
from plumbline.cli.options import Decorated, cluster_options
from plumbline.cli.server.asked import Asked
from plumbline.cli.terminal import Settings

if TYPE_CHECKING:
    from plumbline.cli.server.api import Api
    from plumbline.cli.server.contexts import Context
    from plumbline.kube.client import Client

Answers = TypeVar("Answers")

NAMESPACE: Final = "argocd"
_ASKED: Final = "plumbline.asked"


class Where(NamedTuple):
    """The cluster or the server, and the installation on it."""

    kubeconfig: Path | None = None
    context: str = ""
    namespace: str = NAMESPACE
    asked: Asked = Asked()

    @asynccontextmanager
    async def connected(self) -> "AsyncIterator[Client]":
        from plumbline.kube.client import Client, Connection  # noqa: PLC0415 - loads HTTP, which --help must not

        login = self.login()
        if login is not None:
            from plumbline.cli.server.api import opened  # noqa: PLC0415 - only who has logged in waits for it
            from plumbline.cli.server.bridge import Bridge  # noqa: PLC0415 - same

            async with opened(login, self.asked) as api:
                yield Client(Bridge(api))
            return
        async with Client.connect(Connection.load(self.kubeconfig, context=self.context)) as client:
            yield client

    @asynccontextmanager
    async def answered(
        self, by_cluster: "Callable[[Client], Answers]", by_server: "Callable[[Api], Answers]"
    ) -> AsyncIterator[Answers]:
        """Whoever answers: made of the server that is to be asked, or else of the cluster."""
        login = self.login()
        if login is None:
            async with self.connected() as client:
                yield by_cluster(client)
            return
        from plumbline.cli.server.api import opened  # noqa: PLC0415 - only who has logged in waits for it

        async with opened(login, self.asked) as api:
            yield by_server(api)

    def login(self) -> "Context | None":
        """The server that is to be asked; None where it is the cluster. Whoever names a cluster means it."""
        from plumbline.cli.server.choosing import chosen  # noqa: PLC0415 - loads documents, which --help must not

        asked = self.asked
        named = bool(self.kubeconfig or self.context) and not (asked.server or asked.context)
        return chosen(asked._replace(core=asked.core or named), environment())


def connecting(*, namespaced: bool = False) -> Callable[[Decorated], Decorated]:
    """The verb gets `where`. With *namespaced*, `--namespace` means something else to it, and only `-n` ours."""

    def decorated(command: Decorated) -> Decorated:
        @wraps(command)
        def verb(*args: Any, kubeconfig: Path | None, context: str, installation: str, **more: Any) -> Any:
            asked = Asked(**{**kept_in(environment()), **click.get_current_context().meta.get(_ASKED, {})})
            return command(*args, where=Where(kubeconfig, context, installation, asked), **more)

        return common(cluster_options(_installation(namespaced=namespaced)(_argocds(verb))))

    return decorated


def _installation(*, namespaced: bool) -> Callable[[Decorated], Decorated]:
    names = ["-n", "--installation-namespace"] if namespaced else ["-n", "--namespace", "--installation-namespace"]
    about = "Namespace of the installation: settings, projects, and applications that are known by their name alone."
    return click.option(*names, "installation", default=NAMESPACE, show_default=True, help=about)


def _argocds(command: Decorated) -> Decorated:
    """What `argocd` takes everywhere, so that its command lines work. Not shown by --help of every verb."""
    hidden: dict[str, Any] = {"hidden": True, "expose_value": False}
    command = click.option("--kube-context", default="", callback=_context, **hidden)(command)
    for name in IGNORED_SWITCHES:
        command = click.option(name, _apart(name), is_flag=True, **hidden)(command)
    for name in IGNORED_VALUES:
        command = click.option(name, _apart(name), **hidden)(command)
    for name, part in SWITCHES.items():
        command = click.option(name, _apart(name), is_flag=True, callback=_kept(part), **hidden)(command)
    for name, part in VALUES.items():
        command = click.option(name, _apart(name), callback=_kept(part), **hidden)(command)
    command = click.option(LOG_FORMAT, _apart(LOG_FORMAT), callback=_log_format, **hidden)(command)
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    command = click.option(AUTHORITIES, _apart(AUTHORITIES), type=file, callback=_kept("authorities"), **hidden)(command)  # fmt: skip
    return click.option("-H", HEADER, _apart(HEADER), multiple=True, callback=_kept("headers"), **hidden)(command)  # fmt: skip


def _apart(name: str) -> str:
    """A name that no argument of a verb has."""
    return f"argocd_{name.strip('-').replace('-', '_')}"


def _context(ctx: click.Context, _: click.Parameter, value: str) -> None:
    """Argo CD's name for --context."""
    if value and not ctx.params.get("context"):
        ctx.params["context"] = value


def _log_format(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value:
        ctx.ensure_object(Settings).log_format = value


def _kept(part: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def kept(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            ctx.meta.setdefault(_ASKED, {})[part] = value

    return kept
