"""Whom a store trusts to be Vault, and the certificate that it shows."""

import ssl
from collections import OrderedDict
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.keyfile import as_file
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.vault import VaultProvider
from plumbline.secrets.stores.store import Cluster, Selector
from plumbline.secrets.stores.vault.digest import Digest
from plumbline.secrets.stores.vault.logins import at

_MOST: Final = 128


class Contexts:
    """Of TLS, one for each set of certificates: connections are only shared by those who have the same one."""

    def __init__(self, digest: Digest) -> None:
        self._digest = digest
        self._made: OrderedDict[bytes, ssl.SSLContext] = OrderedDict()

    async def context(self, spec: VaultProvider, cluster: Cluster) -> ssl.SSLContext | None:
        """None for a server without TLS. Raises InvalidInput for certificates that are none."""
        if not spec.server.lower().startswith("https:"):
            return None
        authorities, pair = await _authorities(spec, cluster), await _pair(spec, cluster)
        key = self._digest(authorities, *(each.reveal() for each in pair))
        if key not in self._made:
            self._made[key] = _made(authorities, pair)
        self._made.move_to_end(key)
        while len(self._made) > _MOST:
            self._made.popitem(last=False)
        return self._made[key]


async def _authorities(spec: VaultProvider, cluster: Cluster) -> bytes:
    """In PEM; empty for those of this machine."""
    if spec.ca_bundle:
        return spec.ca_bundle
    provider = spec.ca_provider
    if provider is None:
        return b""
    selector = Selector(provider.name, provider.key, provider.namespace)
    if provider.type == "Secret":
        return (await cluster.secret(selector)).reveal()
    return (await cluster.config_map(selector)).encode()


async def _pair(spec: VaultProvider, cluster: Cluster) -> tuple[Plaintext, ...]:
    """Certificate and key, or nothing. The one that the login needs is shown before the other."""
    if spec.auth and spec.auth.cert and not _earlier(spec):
        cert = spec.auth.cert
        return await cluster.secret(at(cert.client_cert)), await cluster.secret(at(cert.secret_ref))
    shown, key = spec.tls.cert_secret_ref, spec.tls.key_secret_ref
    if shown and key:
        return await cluster.secret(at(shown, "tls.crt")), await cluster.secret(at(key, "tls.key"))
    if shown or key:
        raise InvalidInput(
            "The client certificate for Vault cannot be used", why="tls has one of certSecretRef and keySecretRef only"
        )
    return ()


def _earlier(spec: VaultProvider) -> bool:
    """Whether another method is said that comes before certificates."""
    auth = spec.auth
    return auth is not None and any(
        (auth.token_secret_ref, auth.app_role, auth.kubernetes, auth.ldap, auth.user_pass, auth.jwt)
    )


def _made(authorities: bytes, pair: tuple[Plaintext, ...]) -> ssl.SSLContext:
    try:
        made = ssl.create_default_context(cadata=authorities.decode("ascii") if authorities else None)
    except (ssl.SSLError, ValueError):
        raise InvalidInput(
            "The certificates that Vault is trusted by cannot be used",
            why="they are not PEM",
            hint="Put the PEM of the authority into caBundle (in base64), or where caProvider points to.",
        ) from None
    if pair:
        _show(made, b"\n".join(each.reveal() for each in pair))
    return made


def _show(made: ssl.SSLContext, pem: bytes) -> None:
    def no_password() -> str:
        # Without this, OpenSSL would ask on the terminal and wait for ever.
        raise _unusable("its key is encrypted with a password")

    try:
        with as_file(pem) as path:
            made.load_cert_chain(path, password=no_password)
    except (ssl.SSLError, OSError):
        raise _unusable("it and its key are not PEM, or no pair") from None


def _unusable(why: str) -> InvalidInput:
    return InvalidInput("The client certificate for Vault cannot be used", why=why)
