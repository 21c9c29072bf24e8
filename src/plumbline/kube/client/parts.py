"""What a connection is made of, as values. Secrets are carried closed; files that change are only named."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.base.plaintext import Plaintext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plumbline.base.json import Json


@dataclass(frozen=True, slots=True)
class Trust:
    """What a kubeconfig may ask this machine to do.

    A kubeconfig is code: it names commands to run, files to read and hosts to call. The user's own file may do all of it;
    one that came in a Secret or an API object may do nothing but be connected to, over TLS that is checked.
    """

    allow_exec: bool = True
    allow_files: bool = True
    allow_insecure: bool = True
    allow_proxy: bool = True
    commands: frozenset[str] = frozenset()
    """Those that may be run though others may not, spelled as they have to be asked for."""
    login_hosts: frozenset[str] = frozenset()
    """Servers and proxies that may see the login of this machine's own cloud identity, beside those of its cloud.

    `*.example.org` means all below it.
    """

    def runs(self, command: str) -> bool:
        return self.allow_exec or command in self.commands

    def shows_login_to(self, host: str) -> bool:
        return any(host == each or (each.startswith("*.") and host.endswith(each[1:])) for each in self.login_hosts)


OWN_FILE = Trust()
NOBODYS_FILE = Trust(allow_exec=False, allow_files=False, allow_insecure=False, allow_proxy=False)


@dataclass(frozen=True, slots=True)
class Impersonation:
    user: str = ""
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: "Mapping[str, tuple[str, ...]]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proxy:
    url: str
    """Without user and password."""
    authorization: Plaintext | None = None
    """The value of its `Proxy-Authorization` header."""


@dataclass(frozen=True, slots=True)
class ServerTrust:
    """How the server proves that it is the one meant."""

    authorities: bytes = b""
    """PEM; empty for those of this machine."""
    insecure: bool = False
    server_name: str = ""
    file: Path | None = None
    """Where the authorities were read, and others may be by now."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A client certificate: PEM, with its chain and its key."""

    chain: bytes
    key: Plaintext


@dataclass(frozen=True, slots=True)
class ExecPlugin:
    """A command that prints credentials, as client.authentication.k8s.io has it."""

    command: str
    api_version: str
    args: tuple[str, ...] = ()
    environment: tuple[tuple[str, Plaintext], ...] = ()
    interactive: str = "Never"
    provide_cluster: bool = False
    cluster_config: "Json" = None
    install_hint: str = ""
    inherit: tuple[str, ...] | None = None
    """Names of variables that it gets of our environment; None for all of them, as a person's own plugin needs."""
    unattended: bool = False
    """Nobody is there for whom it could open a browser, or who would run it again."""


@dataclass(frozen=True, slots=True)
class EksLogin:
    """A cluster of AWS that is logged in to as who this process is there."""

    cluster: str
    role: str = ""
    """ARN of a role to assume first."""
    profile: str = ""
    """Of the files of AWS's tools; the usual surroundings where none is named."""
    region: str = ""
    """Whose STS vouches for us; the one that the surroundings name, or else that of the cluster."""


@dataclass(frozen=True, slots=True)
class User:
    """Who we are. At most one of certificate and certificate_files, and so on: the loader has chosen."""

    token: Plaintext | None = None
    token_file: Path | None = None
    basic: tuple[str, Plaintext] | None = None
    certificate: Certificate | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None
    exec_plugin: ExecPlugin | None = None
    eks: EksLogin | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that an entry of a kubeconfig came from."""

    name: str
    folder: Path | None
    """What its relative paths are relative to; None where there is no file."""
