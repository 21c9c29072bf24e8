"""Options of the verbs that seal. Each has kubeseal's name, and its variable `SEALED_SECRETS_…` in the environment."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from plumbline.cli.group import common
from plumbline.cli.options import Decorated

if TYPE_CHECKING:
    from plumbline.cli.sealing.controller import Place

SCOPES: Final = ("strict", "namespace-wide", "cluster-wide")
CONTROLLER_NAMESPACE: Final = "kube-system"
CONTROLLER_NAME: Final = "sealed-secrets-controller"


class Where(NamedTuple):
    """The certificate that was named, the cluster, and the Service of the controller on it."""

    cert: str = ""
    kubeconfig: Path | None = None
    context: str = ""
    controller_namespace: str = CONTROLLER_NAMESPACE
    controller_name: str = CONTROLLER_NAME

    @property
    def place(self) -> "Place":
        from plumbline.cli.sealing.controller import Place  # noqa: PLC0415 - loads HTTP, which --help must not

        return Place(self.kubeconfig, self.context, self.controller_namespace, self.controller_name)


def variable(flag: str) -> str:
    return f"SEALED_SECRETS_{flag.strip('-').replace('-', '_').upper()}"


def option(*names: str, **attributes: Any) -> Callable[[Decorated], Decorated]:
    """An option that the environment can give as well, under its long name."""
    long = next(name for name in names if name.startswith("--"))
    return click.option(*names, envvar=variable(long), **attributes)


def sealing(command: Decorated) -> Decorated:
    """The verb gets `where`."""

    @wraps(command)
    def verb(*args: Any, **more: Any) -> Any:
        where = Where(**{name: more.pop(name) for name in Where._fields})
        return command(*args, where=where, **more)

    made: Decorated = verb
    for each in reversed(_OPTIONS):
        made = each(made)
    return common(made)


_OPTIONS: Final = (
    option("--cert", default="", metavar="FILE|URL", help="Certificate to seal for; the controller's if not given."),
    option(
        "--controller-namespace",
        default=CONTROLLER_NAMESPACE,
        show_default=True,
        metavar="NAME",
        help="Namespace of the controller.",
    ),
    option(
        "--controller-name",
        default=CONTROLLER_NAME,
        show_default=True,
        metavar="NAME",
        help="Name of the controller's Service.",
    ),
    option(
        "--kubeconfig",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config.",
    ),
    option("--context", default="", metavar="NAME", help="Context of the kubeconfig to use."),
)


def scope_option(command: Decorated) -> Decorated:
    return option(
        "--scope",
        type=click.Choice(SCOPES),
        default=None,
        help="What the values may become: this Secret (strict), any of its namespace, or any at all.",
    )(command)


def namespace_option(about: str) -> Callable[[Decorated], Decorated]:
    return option("-n", "--namespace", default="", metavar="NAME", help=about)


def recovery_option(command: Decorated) -> Decorated:
    return option(
        "--recovery-private-key",
        "private_keys",
        multiple=True,
        metavar="FILE",
        help="Private key in PEM, or Secrets that hold keys; may be repeated, or separated by commas.",
    )(command)
