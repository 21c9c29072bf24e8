"""The one place that imports gRPC and the protocol's messages."""

from importlib import import_module
from typing import Any

from plumbline.base.errors import ToolMissing


def messages() -> Any:
    """The module with the messages of the protocol, v1; those of v1beta1 are the same on the wire."""
    return _imported("crossplane.function.proto.v1.run_function_pb2")


def grpc() -> Any:
    """With its submodule `aio`."""
    _imported("grpc.aio")
    return _imported("grpc")


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as missing:
        raise ToolMissing(
            "functions cannot be called by gRPC",
            why="the protocol's SDK is not installed",
            hint="Install it with `pip install plumbline[functions]`.",
        ) from missing
