"""From the `config` of a cluster Secret to how that cluster is reached.

Whoever can write such a Secret names commands to run, hosts to call and servers to trust. Every way around TLS is refused.
Logins that are more than something written down have rules of their own, next door in `logins`.
"""

import base64
import binascii
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.limits import SETTINGS
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.settings.logins import Asked, AwsAuth, ExecProvider, login_of, refused
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.parts import Certificate, Proxy, ServerTrust, Trust, User
from plumbline.kube.client.proxies import is_loopback, parsed_proxy

FROM_A_SECRET: Final = Trust(allow_exec=False, allow_files=False, allow_insecure=False)
"""Proxies are allowed: they see nothing of a connection that is checked from end to end."""

_CHECKED: Final = "Use https, and put who signed the server's certificate into tlsClientConfig.caData."


def allowing(commands: frozenset[str], hosts: frozenset[str]) -> Trust:
    """What a Secret may ask for where whoever started this program named *commands* and *hosts* for logins."""
    return replace(FROM_A_SECRET, commands=commands, login_hosts=hosts)


class _Tls(msgspec.Struct, frozen=True, rename="camel"):
    insecure: bool = False
    server_name: str = ""
    cert_data: str = ""
    key_data: str = ""
    ca_data: str = ""


class Config(msgspec.Struct, frozen=True, rename="camel"):
    """What upstream knows of it. Never printed: half of it is secret."""

    username: str = ""
    password: str = ""
    bearer_token: str = ""
    tls_client_config: _Tls = _Tls()
    aws_auth_config: AwsAuth | None = None
    exec_provider_config: ExecProvider | None = None
    disable_compression: bool = False
    proxy_url: str = msgspec.field(name="proxyUrl", default="")

    def __repr__(self) -> str:
        return "Config(***)"

    def user(self) -> User | None:
        """Who to come as, by token or password; None where neither is given."""
        if not (self.username or self.password or self.bearer_token):
            return None
        basic = (self.username, Plaintext(self.password)) if self.username or self.password else None
        return User(token=Plaintext(self.bearer_token) if self.bearer_token else None, basic=basic)


def read_config(text: bytes, where: str) -> Config:
    """Raises InvalidInput, which says where it is wrong and quotes nothing."""
    if not text.strip():
        return Config()
    from plumbline.base.documents import load_json  # noqa: PLC0415 - it brings YAML, which many never need

    loaded = load_json(text, limits=SETTINGS, source=where, repeats="report").value
    try:
        return msgspec.convert(loaded, Config)
    except msgspec.ValidationError as fault:
        raise InvalidInput(f"{where} cannot be read", why=str(fault)) from None


def connection(server: str, config: Config, where: str, trust: Trust = FROM_A_SECRET) -> Connection:
    """How *server* is reached. Raises BadKubeconfig where *trust* does not go that far."""
    _check_server(server, where, trust)
    return Connection(
        server=server,
        source=where,
        trust=_server_trust(config.tls_client_config, where, trust),
        user=_identity(server, config, where, trust),
        proxy=_proxy(config.proxy_url, where, trust),
        compress=not (config.disable_compression or is_loopback(server)),
    )


def _check_server(server: str, where: str, trust: Trust) -> None:
    try:
        parts = urlsplit(server)
        well = bool(parts.hostname) and parts.scheme in {"http", "https"} and parts.port != 0
    except ValueError:
        well = False
    if not well:
        raise refused(where, "server is not the address of an HTTP server")
    if parts.username is not None:
        raise refused(where, "server holds a user or password, which belong into config")
    if parts.scheme == "http" and not trust.allow_insecure:
        raise refused(where, "server is not https", _CHECKED)


def _server_trust(tls: _Tls, where: str, trust: Trust) -> ServerTrust:
    if tls.insecure and not trust.allow_insecure:
        raise refused(where, "tlsClientConfig.insecure: the server would not be checked", _CHECKED)
    if tls.insecure and tls.ca_data:
        raise refused(where, "tlsClientConfig.insecure contradicts the caData next to it")
    return ServerTrust(_decoded(tls.ca_data, "caData", where), tls.insecure, tls.server_name)


def _identity(server: str, config: Config, where: str, trust: Trust) -> User:
    tls = config.tls_client_config
    asked = Asked(where, server, config.proxy_url, tls.insecure, config.aws_auth_config, config.exec_provider_config)
    # As upstream has it: with such a login, passwords and tokens beside it count for nothing.
    user = login_of(asked, trust) or config.user() or User()
    if bool(tls.cert_data) is not bool(tls.key_data):
        raise refused(where, "tlsClientConfig has only one of certData and keyData")
    if not tls.cert_data:
        return user
    key = Plaintext(_decoded(tls.key_data, "keyData", where))
    return replace(user, certificate=Certificate(_decoded(tls.cert_data, "certData", where), key))


def _proxy(url: str, where: str, trust: Trust) -> Proxy | None:
    if not url:
        return None
    if not trust.allow_proxy:
        raise refused(where, "proxyUrl: requests would go through a host of its choice")
    try:
        return parsed_proxy(Plaintext(url))
    except ValueError as wrong:
        raise refused(where, f"proxyUrl: {wrong}") from None


def _decoded(text: str, field: str, where: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise refused(where, f"tlsClientConfig.{field} is not base64") from None
