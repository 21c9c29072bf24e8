"""What every test gets: no sockets but loopback, and the hypothesis profile that CI can repeat."""

import pytest
from hypothesis import HealthCheck, settings
from pytest_socket import socket_allow_hosts

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _loopback_only():
    """A test that reaches for the network is a bug; servers it starts itself are on loopback."""
    socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)
