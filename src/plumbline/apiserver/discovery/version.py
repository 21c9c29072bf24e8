"""Which Kubernetes this server says that it is."""

import platform
from typing import Final

import msgspec

from plumbline.base.json import encode

_MACHINES: Final = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}


class ServerVersion(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The body of `/version`. Clients compare `major`, `minor` and `git_version`; the rest is for people."""

    major: str = "1"
    minor: str = "36"
    emulation_major: str = "1"
    emulation_minor: str = "36"
    min_compatibility_major: str = "1"
    min_compatibility_minor: str = "35"
    git_version: str = "v1.36.3"
    git_commit: str = ""
    git_tree_state: str = "clean"
    build_date: str = "1970-01-01T00:00:00Z"
    go_version: str = ""
    compiler: str = ""
    platform: str = ""

    def encoded(self) -> bytes:
        return msgspec.json.format(encode(self), indent=2)


def server_version() -> ServerVersion:
    """This server on this machine. `goVersion` and `compiler` name what runs it instead of Go."""
    machine = platform.machine()
    return ServerVersion(
        go_version=f"python{platform.python_version()}",
        compiler=platform.python_implementation().lower(),
        platform=f"{platform.system().lower()}/{_MACHINES.get(machine, machine)}",
    )
