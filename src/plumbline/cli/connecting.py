"""Options of verbs that Argo CD's command line has too: which cluster, which installation, and what only a server needs."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from plumbline.cli.group import common
from plumbline.cli.options import Decorated, cluster_options

if TYPE_CHECKING:
    from plumbline.kube.client import Client

NAMESPACE: Final = "argocd"
_IGNORED_FLAGS: Final = ("--core", "--grpc-web", "--insecure", "--plaintext", "--port-forward", "--prompts-enabled")
_IGNORED_VALUES: Final = (
    "--argocd-context", "--client-crt", "--client-crt-key", "--config", "--controller-name", "--grpc-web-root-path",
    "--http-retry-max", "--logformat", "--loglevel", "--port-forward-namespace", "--redis-compress",
    "--redis-haproxy-name", "--redis-name", "--repo-server-name", "--server-crt", "--server-name",
)  # fmt: skip
_MISSED: Final = ("--server", "--auth-token")
"""Who gives one of these expects a server to be asked, and is told that none is."""


class Where(NamedTuple):
    """The cluster, and the installation on it."""

    kubeconfig: Path | None = None
    context: str = ""
    namespace: str = NAMESPACE

    @asynccontextmanager
    async def connected(self) -> "AsyncIterator[Client]":
        from plumbline.kube.client import Client, Connection  # noqa: PLC0415 - loads HTTP, which --help must not

        async with Client.connect(Connection.load(self.kubeconfig, context=self.context)) as client:
            yield client


def connecting(*, namespaced: bool = False) -> Callable[[Decorated], Decorated]:
    """The verb gets `where`. With *namespaced*, `--namespace` means something else to it, and only `-n` ours."""

    def decorated(command: Decorated) -> Decorated:
        @wraps(command)
        def verb(*args: Any, kubeconfig: Path | None, context: str, installation: str, **more: Any) -> Any:
            return command(*args, where=Where(kubeconfig, context, installation), **more)

        return common(cluster_options(_installation(namespaced=namespaced)(_argocds(verb))))

    return decorated


def _installation(*, namespaced: bool) -> Callable[[Decorated], Decorated]:
    names = ["-n", "--installation-namespace"] if namespaced else ["-n", "--namespace", "--installation-namespace"]
    about = "Namespace of the installation: settings, projects, and applications that are known by their name alone."
    return click.option(*names, "installation", default=NAMESPACE, show_default=True, help=about)


def _argocds(command: Decorated) -> Decorated:
    """What `argocd` takes everywhere, so that its command lines work. Not shown by --help: it changes nothing here."""
    hidden: dict[str, Any] = {"hidden": True, "expose_value": False}
    command = click.option("--kube-context", default="", callback=_context, **hidden)(command)
    for name in _IGNORED_FLAGS:
        command = click.option(name, _apart(name), is_flag=True, **hidden)(command)
    for name in _IGNORED_VALUES:
        command = click.option(name, _apart(name), **hidden)(command)
    command = click.option("-H", "--header", _apart("--header"), multiple=True, callback=_missed, **hidden)(command)
    for name in _MISSED:
        command = click.option(name, _apart(name), callback=_missed, **hidden)(command)
    return command


def _apart(name: str) -> str:
    """A name that no argument of a verb has."""
    return f"argocd_{name.strip('-').replace('-', '_')}"


def _context(ctx: click.Context, _: click.Parameter, value: str) -> None:
    """Argo CD's name for --context."""
    if value and not ctx.params.get("context"):
        ctx.params["context"] = value


def _missed(_: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value:
        click.echo(
            f"{parameter.opts[-1]} is not used: this version asks the Kubernetes API of the kubeconfig.", err=True
        )
