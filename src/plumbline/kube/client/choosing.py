"""One context of a kubeconfig, checked and opened as far as it is trusted."""

from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from plumbline.base.errors import BadKubeconfig
from plumbline.base.json import Json
from plumbline.kube.client.credentials import read_bounded
from plumbline.kube.client.kubeconfig import Exec, Kubeconfig, UserEntry
from plumbline.kube.client.parts import Certificate, ExecPlugin, Impersonation, Origin, Proxy, ServerTrust, Trust, User
from plumbline.kube.client.proxies import parsed_proxy

T = TypeVar("T")

_PLUGIN_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_INTERACTIVE_MODES = ("Never", "IfAvailable", "Always")
_PLUGIN_CONFIG = "client.authentication.k8s.io/exec"
_NOT_OURS = "It did not come from this machine's own files: allow this explicitly if you trust whoever wrote it."


class Choice:
    """The cluster and user that one context names. Everything raises BadKubeconfig with file, context and field."""

    def __init__(self, config: Kubeconfig, context: str, trust: Trust) -> None:
        self._trust = trust
        self._name = context or config.current_context
        self._origin = Origin(", ".join(origin.name for origin in config.origins), None)
        if not self._name:
            raise self._bad("current-context", f"it is not set; there are {_listed(config.contexts)}")
        self.context, self._origin = self._entry(config.contexts, self._name, "contexts")
        self.cluster, self._cluster_origin = self._entry(config.clusters, self.context.cluster, "clusters")
        self.user, self._user_origin = UserEntry(), self._origin
        if self.context.user:
            self.user, self._user_origin = self._entry(config.users, self.context.user, "users")

    @property
    def source(self) -> str:
        return f"context {self._name!r} of {self._origin.name}"

    def server(self) -> str:
        text = self.cluster.server
        if text and "://" not in text:
            # As client-go guesses it: anything that speaks of certificates means TLS.
            text = f"{'https' if self._speaks_tls() else 'http'}://{text}"
        try:
            parts = urlsplit(text)
            well = bool(parts.hostname) and parts.scheme in {"http", "https"} and parts.port != 0
        except ValueError:
            well = False
        if not well:
            raise self._bad_cluster("server", "it is not the address of an HTTP server")
        if parts.username is not None:
            raise self._bad_cluster("server", "it holds a user or password, which belong to the user")
        if parts.scheme == "http" and not self._trust.allow_insecure:
            raise self._bad_cluster("server", "it is not https", _NOT_OURS)
        return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"

    def _speaks_tls(self) -> bool:
        cluster, user = self.cluster, self.user
        return bool(
            cluster.certificate_authority
            or cluster.certificate_authority_data
            or cluster.insecure_skip_tls_verify
            or user.client_certificate
            or user.client_certificate_data
        )

    def server_trust(self) -> ServerTrust:
        cluster = self.cluster
        insecure = cluster.insecure_skip_tls_verify
        if insecure and not self._trust.allow_insecure:
            raise self._bad_cluster("insecure-skip-tls-verify", "the server would not be checked", _NOT_OURS)
        authorities, path = bytes(cluster.certificate_authority_data), None
        if not authorities and cluster.certificate_authority:
            path = self._path(cluster.certificate_authority, self._cluster_origin, "certificate-authority")
            authorities = read_bounded(path, f"certificate-authority of {self.source}")
        if insecure and authorities:
            why = "it contradicts the certificate-authority next to it"
            raise self._bad_cluster("insecure-skip-tls-verify", why)
        return ServerTrust(authorities, insecure, cluster.tls_server_name, path)

    def identity(self) -> User:
        user = self.user
        if user.auth_provider is not None:
            why = "Kubernetes itself no longer has auth providers; use an exec plugin"
            raise self._bad_user("auth-provider", why)
        certificate_file = self._optional_path(
            user.client_certificate_data, user.client_certificate, "client-certificate"
        )
        key_file = self._optional_path(user.client_key_data, user.client_key, "client-key")
        chain = bytes(user.client_certificate_data)
        has_certificate = bool(chain or certificate_file)
        if has_certificate and not (user.client_key_data or key_file):
            raise self._bad_user("client-key", "there is a client-certificate, but no key to it")
        basic = (user.username, user.password) if user.username or user.password else None
        token = user.token or None
        token_file = self._optional_path(b"", user.token_file, "tokenFile")
        plugin = None
        if user.exec is not None:
            plugin = self._plugin(user.exec)
        if token or token_file or basic or has_certificate:
            plugin = None  # as kubectl has it: what is written down comes before what would have to be run
        return User(
            token=token,
            token_file=token_file,
            basic=basic,
            certificate=Certificate(chain, user.client_key_data)
            if chain or (has_certificate and user.client_key_data)
            else None,
            certificate_file=certificate_file,
            key_file=key_file if has_certificate else None,
            exec_plugin=plugin,
        )

    def impersonation(self) -> Impersonation | None:
        user = self.user
        if not user.impersonate:
            return None
        extra = {key: tuple(values) for key, values in (user.as_user_extra or {}).items()}
        return Impersonation(user.impersonate, tuple(user.as_groups or ()), user.as_uid, extra)

    def proxy(self) -> Proxy | None:
        if not self.cluster.proxy_url:
            return None
        if not self._trust.allow_proxy:
            raise self._bad_cluster("proxy-url", "requests would go through a host of its choice", _NOT_OURS)
        try:
            return parsed_proxy(self.cluster.proxy_url)
        except ValueError as wrong:
            raise self._bad_cluster("proxy-url", str(wrong)) from None

    def _plugin(self, wanted: Exec) -> ExecPlugin:
        if not self._trust.runs(wanted.command):
            raise self._bad_user("exec", "it would run a command on this machine", _NOT_OURS)
        if wanted.api_version not in _PLUGIN_VERSIONS:
            raise self._bad_user("exec.apiVersion", f"it must be one of {', '.join(_PLUGIN_VERSIONS)}")
        if not wanted.command:
            raise self._bad_user("exec.command", "it is missing")
        mode = wanted.interactive_mode
        if not mode and wanted.api_version == _PLUGIN_VERSIONS[0]:
            raise self._bad_user("exec.interactiveMode", f"{_PLUGIN_VERSIONS[0]} requires it")
        if (mode or "IfAvailable") not in _INTERACTIVE_MODES:
            raise self._bad_user("exec.interactiveMode", f"it must be one of {', '.join(_INTERACTIVE_MODES)}")
        if not all(variable.name for variable in wanted.env or ()):
            raise self._bad_user("exec.env", "a variable has no name")
        command = wanted.command
        if "/" in command:
            command = str(self._path(command, self._user_origin, "exec.command"))
        return ExecPlugin(
            command=command,
            api_version=wanted.api_version,
            args=tuple(wanted.args or ()),
            environment=tuple((variable.name, variable.value) for variable in wanted.env or ()),
            interactive=mode or "IfAvailable",
            provide_cluster=wanted.provide_cluster_info,
            cluster_config=self._plugin_config(),
            install_hint=wanted.install_hint,
        )

    def _plugin_config(self) -> Json:
        extensions = self.cluster.extensions or ()
        return next((found.extension for found in extensions if found.name == _PLUGIN_CONFIG), None)

    def _optional_path(self, instead: object, text: str, field: str) -> Path | None:
        """The file that *text* names, unless there is data *instead* of it."""
        return self._path(text, self._user_origin, field) if text and not instead else None

    def _path(self, text: str, origin: Origin, field: str) -> Path:
        if not self._trust.allow_files:
            raise self._bad(field, "it would read a file of this machine", _NOT_OURS)
        return (origin.folder or Path()) / text

    def _entry(self, entries: dict[str, tuple[T, Origin]], name: str, kind: str) -> tuple[T, Origin]:
        try:
            return entries[name]
        except KeyError:
            raise self._bad(f"{kind}[{name}]", f"it is missing; there are {_listed(entries)}") from None

    def _bad_cluster(self, field: str, why: str, hint: str = "") -> BadKubeconfig:
        return self._bad(f"clusters[{self.context.cluster}].cluster.{field}", why, hint)

    def _bad_user(self, field: str, why: str, hint: str = "") -> BadKubeconfig:
        return self._bad(f"users[{self.context.user}].user.{field}", why, hint)

    def _bad(self, field: str, why: str, hint: str = "") -> BadKubeconfig:
        return BadKubeconfig(f"The kubeconfig {self.source} cannot be used", why=f"{field}: {why}", hint=hint)


def _listed(names: dict[str, tuple[T, Origin]]) -> str:
    return ", ".join(sorted(names)[:20]) or "none"
