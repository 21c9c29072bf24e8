"""Options that these verbs share: which cluster, where its keys are, and who opens what was put aside."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from plumbline.cli.group import common
from plumbline.cli.options import Decorated, cluster_options

if TYPE_CHECKING:
    from plumbline.cli.keys.store import KeySecrets

KEY_NAMESPACE: Final = "kube-system"
STDIN: Final = Path("-")


class Where(NamedTuple):
    """The cluster, and the namespace of its keys."""

    kubeconfig: Path | None = None
    context: str = ""
    namespace: str = KEY_NAMESPACE

    @asynccontextmanager
    async def opened(self) -> "AsyncIterator[KeySecrets]":
        from plumbline.cli.keys.store import KeySecrets  # noqa: PLC0415 - loads cryptography, which --help must not
        from plumbline.kube.client import Client, Connection  # noqa: PLC0415 - loads HTTP, same

        async with Client.connect(Connection.load(self.kubeconfig, context=self.context)) as client:
            yield KeySecrets(client, self.namespace)


def key_namespace_option(command: Decorated) -> Decorated:
    about = "Namespace of the sealing keys."
    return click.option("--key-namespace", default=KEY_NAMESPACE, show_default=True, metavar="NAME", help=about)(
        command
    )


def on_cluster(command: Decorated) -> Decorated:
    """The verb gets `where`."""

    @wraps(command)
    def verb(*args: Any, kubeconfig: Path | None, context: str, key_namespace: str, **more: Any) -> Any:
        return command(*args, where=Where(kubeconfig, context, key_namespace), **more)

    return common(cluster_options(key_namespace_option(verb)))


def file_argument(command: Decorated) -> Decorated:
    kind = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
    return click.argument("file", type=kind, metavar="FILE")(command)


def identity_option(about: str) -> Callable[[Decorated], Decorated]:
    return click.option(
        "-i",
        "--identity",
        "identities",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
        metavar="FILE",
        help=about,
    )


OPENING: Final = "Identity that opens FILE: of age, an SSH private key, or an RSA private key in PEM. May be repeated."
