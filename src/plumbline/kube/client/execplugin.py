"""Credentials that a command prints, as client.authentication.k8s.io defines it.

The command belongs to whoever wrote the kubeconfig: it runs with a deadline, its output has a limit, and a thousand waiting
requests do not start it a thousand times.
"""

import base64
from collections.abc import Awaitable, Callable
from datetime import datetime

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.environment import environment
from plumbline.base.errors import BadKubeconfig, LoginFailed, ToolFailed, ToolMissing
from plumbline.base.json import JsonObject, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Command, Finished
from plumbline.base.process import run as run_process
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.credentials import Identity, bearer
from plumbline.kube.client.parts import Certificate, ExecPlugin
from plumbline.kube.client.renewing import Lasting, Renewed

_DEADLINE_S = 60.0
"""Plugins may open a browser for a person to log in."""
_UNATTENDED_S = 15.0
"""Where there is no person, others wait for it."""
_STDOUT_BYTES = 1 << 20
_STDERR_BYTES = 500

Run = Callable[[Command], Awaitable[Finished]]


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None

    def __repr__(self) -> str:
        return "***"


class _ExecCredential(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str = ""
    kind: str = ""
    status: _Status | None = None


_decoder = msgspec.json.Decoder(_ExecCredential)


class FromPlugin:
    """What the plugin printed last, until it expires or the server refuses it."""

    def __init__(self, plugin: ExecPlugin, connection: Connection, clock: Clock, run: Run = run_process) -> None:
        self._plugin = plugin
        self._connection = connection
        self._run = run
        self._kept = Renewed(self._printed, clock, self._useless if plugin.unattended else None)

    def ready(self) -> Identity | None:
        return self._kept.ready()

    async def renew(self, refused: Identity | None) -> Identity | None:
        return await self._kept.renew(refused)

    async def _printed(self) -> Lasting:
        try:
            status = await self._credential()
        except ToolFailed as failed:
            if not self._plugin.unattended:
                raise
            raise LoginFailed(failed.what, why=failed.why) from failed
        return Lasting(self._identified(status), status.expiration_timestamp)

    def _useless(self, why: str) -> LoginFailed:
        return LoginFailed(f"{self._what} is of no use", why=why)

    async def _credential(self) -> _Status:
        plugin = self._plugin
        if plugin.interactive == "Always":
            why = "it insists on a terminal (interactiveMode: Always), and there is none"
            raise BadKubeconfig(f"{self._what} cannot be run", why=why)
        try:
            finished = await self._run(self._command())
        except ToolMissing as missing:
            hint = _clean(plugin.install_hint)
            raise ToolMissing(f"{self._what} cannot be run", why=missing.why or missing.what, hint=hint) from None
        if finished.exit_code:
            said = _clean(finished.stderr[-_STDERR_BYTES:].decode(errors="replace").strip())
            why = f"it ended with {finished.exit_code} and said {said!r}"
            raise ToolFailed(f"{self._what} failed", why=why, hint="Run it by hand, or log in again.")
        return self._read(finished.stdout)

    def _command(self) -> Command:
        plugin = self._plugin
        asked = encode({"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": self._spec()})
        return Command(
            argv=(plugin.command, *plugin.args),
            inherit=tuple(environment()) if plugin.inherit is None else plugin.inherit,
            environment={**dict(plugin.environment), "KUBERNETES_EXEC_INFO": asked.decode()},
            deadline_s=_UNATTENDED_S if plugin.unattended else _DEADLINE_S,
            stdout_limit_bytes=_STDOUT_BYTES,
            mask_stdout=False,
            accept=None,
        )

    def _spec(self) -> JsonObject:
        spec: JsonObject = {"interactive": False}
        if self._plugin.provide_cluster:
            spec["cluster"] = _cluster(self._connection, self._plugin)
        return spec

    def _read(self, stdout: bytes) -> _Status:
        """The credential in what was printed, or ToolFailed that says what is wrong with it and quotes nothing."""
        try:
            credential = _decoder.decode(stdout)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ToolFailed(f"{self._what} failed", why="what it printed is no ExecCredential") from None
        wanted = self._plugin.api_version
        if credential.kind != "ExecCredential" or credential.api_version != wanted:
            why = f"it was to print an ExecCredential of {wanted}, and printed something else"
            raise ToolFailed(f"{self._what} failed", why=why)
        status = credential.status or _Status()
        if bool(status.client_certificate_data) != bool(status.client_key_data):
            raise ToolFailed(
                f"{self._what} failed", why="it printed a certificate without key, or a key without certificate"
            )
        if not (status.token or status.client_certificate_data):
            raise ToolFailed(f"{self._what} failed", why="it printed neither a token nor a certificate")
        if status.expiration_timestamp is not None and status.expiration_timestamp.tzinfo is None:
            raise ToolFailed(f"{self._what} failed", why="its expirationTimestamp has no time zone")
        return status

    @staticmethod
    def _identified(status: _Status) -> Identity:
        certificate = None
        if status.client_certificate_data:
            certificate = Certificate(status.client_certificate_data.encode(), Plaintext(status.client_key_data))
        return Identity(bearer(Plaintext(status.token)) if status.token else (), certificate)

    @property
    def _what(self) -> str:
        return f"The credential plugin {_clean(self._plugin.command)} of {self._connection.source}"


def _cluster(connection: Connection, plugin: ExecPlugin) -> JsonObject:
    trust = connection.trust
    told = {
        "server": connection.server,
        "tls-server-name": trust.server_name,
        "insecure-skip-tls-verify": trust.insecure,
        "certificate-authority-data": base64.b64encode(trust.authorities).decode(),
        "proxy-url": connection.proxy.url if connection.proxy else "",
        "config": plugin.cluster_config,
    }
    return {key: value for key, value in told.items() if value}


def _clean(text: str) -> str:
    """Without what would move the cursor or colour the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
