"""Why no answer came over a connection, in the words that people search for."""

import errno
import socket
import ssl
from typing import Final

import aiohttp

_ERRNO: Final = {
    errno.ECONNREFUSED: "connect: connection refused",
    errno.ECONNRESET: "connect: connection reset by peer",
    errno.EHOSTUNREACH: "connect: no route to host",
    errno.ENETUNREACH: "connect: network is unreachable",
    errno.ETIMEDOUT: "connect: connection timed out",
}
_UNKNOWN_AUTHORITY: Final = frozenset({18, 19, 20, 21})
_NOT_IN_TIME: Final = frozenset({9, 10})
_OTHER_NAME: Final = frozenset({62, 64})


def connection_error(broken: aiohttp.ClientError, address: str, name: str) -> str:
    """Why no answer came from *address*, whose certificate should have been for *name*."""
    match broken:
        case aiohttp.ClientConnectorCertificateError():
            return certificate_error(broken.certificate_error, name)
        case aiohttp.ClientConnectorDNSError():
            return f"dial tcp: lookup {address.rpartition(':')[0]}: no such host"
        case aiohttp.ClientConnectorSSLError():
            return _tls_error(broken.os_error)
        case aiohttp.ClientConnectorError():
            return f"dial tcp {address}: {_words(broken.os_error)}"
        case aiohttp.ServerDisconnectedError():
            return "EOF"
        case aiohttp.ClientPayloadError():
            return "unexpected EOF"
        case aiohttp.ClientOSError(errno=errno.ECONNRESET):
            return "read: connection reset by peer"
    return f"net/http: {broken}"


def certificate_error(broken: Exception, name: str) -> str:
    code = broken.verify_code if isinstance(broken, ssl.SSLCertVerificationError) else 0
    if code in _UNKNOWN_AUTHORITY:
        why = "certificate signed by unknown authority"
    elif code in _NOT_IN_TIME:
        why = "certificate has expired or is not yet valid"
    elif code in _OTHER_NAME:
        why = f"certificate is valid for other names, not {name}"
    else:
        why = str(getattr(broken, "verify_message", "") or broken)
    return f"tls: failed to verify certificate: x509: {why}"


def _tls_error(broken: OSError) -> str:
    reason = getattr(broken, "reason", "") or ""
    if reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"):
        return "http: server gave HTTP response to HTTPS client"
    return f"remote error: tls: {reason.lower().replace('_', ' ') or 'handshake failure'}"


def _words(broken: OSError) -> str:
    if isinstance(broken, socket.gaierror):
        return "no such host"
    return _ERRNO.get(broken.errno or 0) or f"connect: {broken.strerror or broken}"
