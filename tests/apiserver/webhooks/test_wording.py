"""The words for connections that fail."""

import errno
import socket
import ssl

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey

from plumbline.apiserver.webhooks.connections import certificate_error, connection_error
from plumbline.apiserver.webhooks.wording import json_type

KEY = ConnectionKey("h", 1, True, True, None, None, None)
CONNECTOR = aiohttp.ClientConnectorError


def broken(code: int, text: str = "text") -> OSError:
    return OSError(code, text)


def unverified(code: int) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError("told by OpenSSL")
    error.verify_code = code
    error.verify_message = "told by OpenSSL"
    return error


def tls(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, "x")
    error.reason = reason
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CONNECTOR(KEY, broken(errno.ECONNREFUSED)), "dial tcp h:1: connect: connection refused"),
        (CONNECTOR(KEY, broken(errno.EHOSTUNREACH)), "dial tcp h:1: connect: no route to host"),
        (CONNECTOR(KEY, broken(99, "odd")), "dial tcp h:1: connect: odd"),
        (CONNECTOR(KEY, socket.gaierror(8, "x")), "dial tcp h:1: no such host"),
        (aiohttp.ClientConnectorDNSError(KEY, broken(8)), "dial tcp: lookup h: no such host"),
        (
            aiohttp.ClientConnectorSSLError(KEY, tls("WRONG_VERSION_NUMBER")),
            "http: server gave HTTP response to HTTPS client",
        ),
        (aiohttp.ClientConnectorSSLError(KEY, tls("TLSV1_ALERT")), "remote error: tls: tlsv1 alert"),
        (aiohttp.ServerDisconnectedError(), "EOF"),
        (aiohttp.ClientPayloadError(), "unexpected EOF"),
        (aiohttp.ClientOSError(errno.ECONNRESET, "x"), "read: connection reset by peer"),
        (aiohttp.ClientError("odd"), "net/http: odd"),
    ],
)
def test_says_why_nobody_answered(error, said):
    assert connection_error(error, "h:1", "h") == said


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (20, "certificate signed by unknown authority"),
        (18, "certificate signed by unknown authority"),
        (10, "certificate has expired or is not yet valid"),
        (62, "certificate is valid for other names, not h"),
        (23, "told by OpenSSL"),
    ],
)
def test_says_what_is_wrong_with_a_certificate(code, said):
    assert certificate_error(unverified(code), "h") == f"tls: failed to verify certificate: x509: {said}"


@pytest.mark.parametrize(
    ("value", "name"),
    [(True, "bool"), (1, "number"), (1.5, "number"), ("", "string"), ([], "array"), ({}, "object"), (None, "null")],
)
def test_names_values_as_go_does(value, name):
    assert json_type(value) == name
