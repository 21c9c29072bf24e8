"""The one place of this room that loads AWS's SDK."""

from typing import Any, Final

from plumbline.base import awssdk

_MISSED: Final = "Stores in AWS cannot be opened"
_OPTIONS: Final = {
    "connect_timeout": 5,
    "read_timeout": 20,
    "max_pool_connections": 8,
    # The controller comes again by itself, knows of everybody who waits, and is told of throttling.
    "retries": {"total_max_attempts": 1, "mode": "standard"},
    "ignore_configured_endpoint_urls": True,
    "user_agent_extra": "plumbline",
}


def library(module: str) -> Any:
    """A module of the extra `aws`."""
    return awssdk.library(module, _MISSED)


def prepare(service: str) -> None:
    """Read what a client of *service* is made from, which blocks."""
    awssdk.prepare(service, _MISSED)


def session() -> Any:
    """One that looks for credentials where AWS's tools look, unless its clients are given some."""
    made = library("aiobotocore.session").AioSession()
    made.register_component("data_loader", awssdk.loader())
    return made


def settings(**more: Any) -> Any:
    """A client's."""
    return awssdk.settings(_MISSED, **_OPTIONS, **more)
