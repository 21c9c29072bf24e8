"""A plugin in a sidecar: Argo CD's own `argocd-cmp-server`, behind a socket on this machine."""

import asyncio
import hashlib
import tarfile
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from plumbline.base.errors import LimitExceeded, PlumblineError, ToolFailed, ToolMissing, Unreachable
from plumbline.base.process import scratch
from plumbline.base.tree import written
from plumbline.render.environment import plugin_environment
from plumbline.render.plugins.wire import Archive, announced, first_flag, manifests, piece
from plumbline.render.requests import Request

_SERVICE: Final = "/plugin.ConfigManagementPluginService/"
_MIB: Final = 1 << 20
_DEADLINE_S: Final = 90.0
_ASKING_S: Final = 10.0
_ANSWER_BYTES: Final = 32 * _MIB
_PIECE_BYTES: Final = 64 << 10
_SAID_CHARS: Final = 4096
_OPTIONS: Final = (("grpc.max_receive_message_length", _ANSWER_BYTES), ("grpc.enable_retries", 0))


class _Packed(NamedTuple):
    file: Path
    checksum: str
    size: int


class SidecarPlugin:
    def __init__(self, name: str, socket: Path) -> None:
        self.name = name
        self._socket = socket
        self._discovers: tuple[str, bool] | None = None

    def identity(self) -> str:
        """Another with every start of the sidecar: what runs in it is not known here."""
        try:
            found = self._socket.stat()
        except OSError:
            return "gone"
        return f"{found.st_ino} {found.st_mtime_ns}"

    async def discovers(self) -> bool:
        identity = self.identity()
        if self._discovers is None or self._discovers[0] != identity:
            answer = await self._unary("CheckPluginConfiguration")
            self._discovers = (identity, first_flag(answer))
        return self._discovers[1]

    async def claims(self, request: Request) -> bool:
        return first_flag(await self._streamed("MatchRepository", request))

    async def generated(self, request: Request) -> bytes:
        return b"\n---\n".join(manifests(await self._streamed("GenerateManifest", request)))

    async def _unary(self, method: str) -> bytes:
        async with self._channel() as channel:
            called = channel.unary_unary(_SERVICE + method)(b"", timeout=_ASKING_S)
            return await self._answered(called)

    async def _streamed(self, method: str, request: Request) -> bytes:
        variables = plugin_environment(request)
        async with scratch() as folder, self._channel() as channel:
            packed = await asyncio.to_thread(_packed, request, folder)
            name = request.place.rpartition("/")[2]
            archive = Archive(name, request.place or ".", packed.checksum, packed.size, variables)
            sent = channel.stream_unary(_SERVICE + method)(_messages(archive, packed), timeout=_DEADLINE_S)
            return await self._answered(sent)

    def _channel(self) -> Any:
        return _grpc().aio.insecure_channel(f"unix:{self._socket}", options=_OPTIONS)

    async def _answered(self, call: Any) -> bytes:
        try:
            return bytes(await call)
        except _grpc().aio.AioRpcError as error:
            raise self._failure(error) from None

    def _failure(self, error: Any) -> PlumblineError:
        codes, said = _grpc().StatusCode, str(error.details())[:_SAID_CHARS]
        match error.code():
            case codes.UNAVAILABLE:
                return Unreachable(
                    f"plugin {self.name} cannot be reached", why=said, hint="Look at the log of its sidecar."
                )
            case codes.DEADLINE_EXCEEDED | codes.RESOURCE_EXHAUSTED:
                return LimitExceeded(f"plugin {self.name} was not waited for", why=said)
            case _:
                return ToolFailed(f"plugin {self.name} failed", exit_code=1, why=said)


async def _messages(archive: Archive, packed: _Packed) -> AsyncIterator[bytes]:
    yield announced(archive)
    with packed.file.open("rb") as opened:
        while content := opened.read(_PIECE_BYTES):
            yield piece(content)


def _packed(request: Request, folder: Path) -> _Packed:
    """The files of the source in one archive, links as what they point to."""
    tree, file = folder / "tree", folder / "tree.tgz"
    written(request.tree, tree)
    with tarfile.open(file, "w:gz", compresslevel=1) as archive:
        for each in sorted(tree.iterdir()):
            archive.add(each, each.name, filter=_anonymous)
    with file.open("rb") as opened:
        return _Packed(file, hashlib.file_digest(opened, "sha256").hexdigest(), file.stat().st_size)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Whose it is here is nobody's business there; what is executable stays so for those who keep that."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    return member


def _grpc() -> Any:
    try:
        import_module("grpc.aio")
        return import_module("grpc")
    except ImportError as missing:
        raise ToolMissing(
            "plugins in sidecars cannot be asked",
            why="gRPC is not installed",
            hint="Install it with `pip install plumbline[functions]`.",
        ) from missing
