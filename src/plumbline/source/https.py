"""How a repository's server is reached over HTTPS: which certificates are trusted and shown, and through which proxy."""

import ssl

from plumbline.base.environment import environment
from plumbline.base.errors import BadKubeconfig, InvalidInput
from plumbline.base.keyfile import as_file
from plumbline.kube.client.parts import Proxy
from plumbline.kube.client.proxies import environment_proxy
from plumbline.source.repository import Repository
from plumbline.source.urls import redacted


def context(repository: Repository) -> ssl.SSLContext:
    """A client context with the authorities of the system, those of the repository, and its client certificate."""
    made = ssl.create_default_context()
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if repository.insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    elif repository.ca_pem:
        try:
            made.load_verify_locations(cadata=repository.ca_pem)
        except (ssl.SSLError, ValueError, TypeError):
            raise _unusable(repository, "the certificates to trust", "they are not PEM") from None
    credentials = repository.credentials
    if credentials.tls_certificate and credentials.tls_key:
        _show(made, repository, credentials.tls_certificate.encode() + b"\n" + credentials.tls_key.reveal())
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


def _show(made: ssl.SSLContext, repository: Repository, pem: bytes) -> None:
    def no_password() -> str:
        # Without this, OpenSSL would ask on the terminal and wait for ever.
        raise _unusable(repository, "the client key", "it is encrypted with a password")

    try:
        with as_file(pem) as path:
            made.load_cert_chain(path, password=no_password)
    except (ssl.SSLError, OSError):
        raise _unusable(repository, "the client certificate", "it and its key are not PEM, or no pair") from None


def _unusable(repository: Repository, thing: str, why: str) -> InvalidInput:
    return InvalidInput(f"{thing} of {redacted(repository.url)} cannot be used", why=why)
