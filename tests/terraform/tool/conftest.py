"""A room, a stand-in for the tool that does as a test says, and a server that keeps state."""

import asyncio
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plumbline.base.plaintext import Plaintext
from plumbline.terraform.tool import Terms, Tool, Toolroom
from plumbline.terraform.tool.places import remove
from plumbline.terraform.work import Placed, Workplace

DATA = b'resource "terraform_data" "x" {\n  input = "one"\n}\n\noutput "o" {\n  value = terraform_data.x.output\n}\n'

_STAND_IN = """#!/bin/sh
# Each command is a file of the module; one that is not there does nothing.
case "$1" in
  version) echo '{"terraform_version": "VERSION", "platform": "linux_amd64"}' ;;
  *) if [ -f "./$1.sh" ]; then . "./$1.sh"; fi ;;
esac
"""


def stand_in(folder: Path, name: str = "terraform", version: str = "1.11.4") -> Path:
    path = folder / name
    path.write_text(_STAND_IN.replace("VERSION", version))
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path):
    """For a room; what the store holds cannot be written by anybody, and so not be removed by pytest."""
    yield tmp_path / "room"
    remove(tmp_path / "room")


@pytest.fixture
def room(folder, terraform):
    return Toolroom(folder, _giving(terraform))


@pytest.fixture
def acted(folder, tmp_path):
    """A room whose tool is the stand-in."""
    return acting_room(folder, stand_in(tmp_path))


def acting_room(folder: Path, path: Path, **terms) -> Toolroom:
    tool = Tool("terraform", "1.11.4", path, "linux_amd64", "stand-in")
    return Toolroom(folder, _giving(tool), terms=Terms(**{"grace_s": 5.0, **terms}))


def _giving(tool):
    async def give():
        return tool

    return give


@pytest.fixture
def upstream(tmp_path):
    """Packages as registries have them."""
    for host in ("registry.terraform.io", "registry.opentofu.org"):
        for version in ("1.0.0", "1.1.0"):
            folder = tmp_path / "upstream" / host / "acme" / "fake"
            folder.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(folder / f"terraform-provider-fake_{version}_linux_amd64.zip", "w") as archive:
                member = zipfile.ZipInfo(f"terraform-provider-fake_v{version}")
                member.external_attr = 0o755 << 16
                archive.writestr(member, b"#!/bin/sh\ntouch executed\nexit 1\n")
    return tmp_path / "upstream"


class StateServer:
    """Terraform's `http` backend, as far as it is needed to keep one state."""

    def __init__(self) -> None:
        self.state = b""
        self.refuses_writes = False
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        verb = head.split(b" ", 1)[0]
        length = next((int(row.split(b":")[1]) for row in head.lower().split(b"\r\n") if b"content-length" in row), 0)
        body = await reader.readexactly(length) if length else b""
        status, reply = b"200 OK", b""
        if verb == b"GET":
            status, reply = (b"200 OK", self.state) if self.state else (b"404 Not Found", b"")
        elif verb == b"POST" and self.refuses_writes:
            status = b"507 Insufficient Storage"
        elif verb == b"POST":
            self.state = body
        writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, len(reply), reply))
        await writer.drain()
        writer.close()

    @property
    def backend(self) -> Placed:
        """The file that has a module use it."""
        text = f'terraform {{\n  backend "http" {{\n    address   = "{self.url}"\n    retry_max = 0\n  }}\n}}\n'
        return Placed("module", "backend_override.tf", Plaintext(text))


@pytest.fixture
async def remote() -> AsyncIterator[StateServer]:
    server = StateServer()
    async with await asyncio.start_server(server.answer, "127.0.0.1", 0) as listening:
        server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/state"
        yield server


def kept_by(remote: StateServer, **more) -> Workplace:
    files = (remote.backend, *more.pop("files", ()))
    return Workplace(files=files, **more)
