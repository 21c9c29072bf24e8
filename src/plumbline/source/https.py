"""How a repository's server is reached over HTTPS: which certificates are trusted and shown, and through which proxy."""

import ssl

from plumbline.base.environment import environment
from plumbline.base.errors import BadKubeconfig, InvalidInput
from plumbline.kube.client import tls
from plumbline.kube.client.parts import Certificate, Proxy, ServerTrust
from plumbline.kube.client.proxies import environment_proxy
from plumbline.source.repository import Repository
from plumbline.source.urls import redacted


def context(repository: Repository) -> ssl.SSLContext:
    """A client context with the authorities of the system, those of the repository, and its client certificate."""
    chain, key = repository.credentials.tls_certificate, repository.credentials.tls_key
    shown = Certificate(chain.encode(), key) if chain and key else None
    try:
        made = tls.context(ServerTrust(insecure=repository.insecure), shown, redacted(repository.url))
    except BadKubeconfig as wrong:
        raise _unusable(repository, "the client certificate", wrong.why) from None
    if repository.ca_pem and not repository.insecure:
        # A cluster's authorities stand instead of the system's; those of a repository stand beside them.
        try:
            made.load_verify_locations(cadata=repository.ca_pem)
        except (ssl.SSLError, ValueError, TypeError):
            raise _unusable(repository, "the certificates to trust", "they are not PEM") from None
    return made


def proxy(repository: Repository, server: str) -> Proxy | None:
    """The proxy that the repository names, else the one of our environment; None where the server is spared."""
    variables = environment()
    if repository.proxy:
        variables = {"HTTP_PROXY": repository.proxy, "HTTPS_PROXY": repository.proxy, "NO_PROXY": repository.no_proxy}
    try:
        return environment_proxy(server, variables)
    except (BadKubeconfig, ValueError) as wrong:
        reason = wrong.why if isinstance(wrong, BadKubeconfig) else "its address cannot be read"
        raise _unusable(repository, "the proxy", reason) from None


def _unusable(repository: Repository, thing: str, why: str) -> InvalidInput:
    return InvalidInput(f"{thing} of {redacted(repository.url)} cannot be used", why=why)
