"""What every test gets: no sockets but loopback, and the hypothesis profile that CI can repeat."""

import gc

import pytest
from hypothesis import HealthCheck, settings
from pytest_socket import socket_allow_hosts

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# For newcomers in a hurry (make test). Where a test wants more or fewer examples, it says how many times those of the profile.
settings.register_profile("brief", settings.get_profile("repeatable"), max_examples=25)
settings.load_profile("repeatable")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests and what they import stay to the end: the collector need not look at them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _loopback_only():
    """A test that reaches for the network is a bug; servers it starts itself are on loopback."""
    socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)
