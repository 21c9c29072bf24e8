"""TLS contexts from bytes. OpenSSL reads keys from files only; none is left behind, not even for a moment where possible."""

import ssl

from plumbline.base.errors import BadKubeconfig
from plumbline.base.keyfile import as_file
from plumbline.kube.client.parts import Certificate, ServerTrust


def context(trust: ServerTrust, certificate: Certificate | None, source: str) -> ssl.SSLContext:
    """A client context for one server and identity. *source* names the kubeconfig in errors."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if trust.insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    elif trust.authorities:
        _load_authorities(made, trust.authorities, source)
    else:
        made.load_default_certs()
    if certificate is not None:
        _load_certificate(made, certificate, source)
    return made


def _load_authorities(made: ssl.SSLContext, authorities: bytes, source: str) -> None:
    try:
        made.load_verify_locations(cadata=authorities.decode("ascii"))
    except (ssl.SSLError, ValueError) as broken:
        raise BadKubeconfig(
            f"The certificate-authority in {source} cannot be used", why=f"it is not PEM ({broken})"
        ) from None


def _load_certificate(made: ssl.SSLContext, certificate: Certificate, source: str) -> None:
    def no_password() -> str:
        # Without this, OpenSSL would ask on the terminal and wait for ever.
        raise BadKubeconfig(f"The client-key in {source} cannot be used", why="it is encrypted with a password")

    try:
        with as_file(certificate.chain + b"\n" + certificate.key.reveal()) as path:
            made.load_cert_chain(path, password=no_password)
    except (ssl.SSLError, OSError) as broken:
        reason = getattr(broken, "reason", None) or type(broken).__name__
        raise BadKubeconfig(f"The client certificate and key in {source} cannot be used", why=str(reason)) from None
