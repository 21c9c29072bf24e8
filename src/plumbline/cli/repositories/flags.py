"""Flags that say as whom we come to a repository."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from plumbline.cli.options import Decorated

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_TEXTS: Final = {
    "username": "User name.",
    "password": "Password, or token; asked for where a user name is given without one.",
    "bearer-token": "Bearer token.",
    "github-app-enterprise-base-url": "API of a GitHub Enterprise.",
    "azure-active-directory-endpoint": "Where a sovereign cloud gives tokens.",
    "azure-service-principal-client-id": "Client of the Azure service principal.",
    "azure-service-principal-client-secret": "Secret of the Azure service principal.",
    "azure-service-principal-tenant-id": "Tenant of the Azure service principal.",
}
_FILES: Final = {
    "ssh-private-key-path": "File with the private key for ssh.",
    "tls-client-cert-path": "File with the client certificate.",
    "tls-client-cert-key-path": "File with its key.",
    "github-app-private-key-path": "File with the private key of the GitHub App.",
    "gcp-service-account-key-path": "File with the key of a Google service account.",
}
_NUMBERS: Final = {
    "github-app-id": "Id of the GitHub App.",
    "github-app-installation-id": "Id of its installation; found by itself if not given.",
}
_SWITCHES: Final = {
    "enable-oci": "Charts come from an OCI registry.",
    "force-http-basic-auth": "Send user name and password at once.",
    "insecure-oci-force-http": "The registry has no TLS.",
    "use-azure-workload-identity": "Come as the workload's identity in Azure.",
}
_NAMES: Final = tuple(name.replace("-", "_") for name in (*_TEXTS, *_FILES, *_NUMBERS, *_SWITCHES))


def credential_flags(*types: str) -> Callable[[Decorated], Decorated]:
    """The verb gets `given`, by name with underscores, and `kind`: one of *types*."""

    def decorated(command: Decorated) -> Decorated:
        @wraps(command)
        def verb(*args: Any, **more: Any) -> Any:
            given = {name: more.pop(name) for name in _NAMES}
            return command(*args, given=given, **more)

        made: Decorated = verb
        for option in reversed(_options(types)):
            made = option(made)
        return made

    return decorated


def _options(types: tuple[str, ...]) -> list[Callable[[Decorated], Decorated]]:
    kind = click.option("--type", "kind", type=click.Choice(types), default="git", show_default=True, help="What is there.")  # fmt: skip
    found = [click.option(f"--{name}", default="", help=about) for name, about in _TEXTS.items()]
    found += [click.option(f"--{name}", type=_FILE, help=about) for name, about in _FILES.items()]
    found += [click.option(f"--{name}", type=int, default=0, help=about) for name, about in _NUMBERS.items()]
    found += [click.option(f"--{name}", is_flag=True, help=about) for name, about in _SWITCHES.items()]
    return [kind, *found]
