"""What is answered at `/git/`."""

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Annotated, Final, TypeAlias

import msgspec

from plumbline.base.errors import BadDocument, Forbidden, NotFound, PlumblineError, Throttled, ToolFailed
from plumbline.base.log import logger
from plumbline.base.process import Command, run, streamed
from plumbline.forge.local import LocalForge, RefUpdate, checked_name
from plumbline.forge.local.git import Bounds, git
from plumbline.web.git.access import Access
from plumbline.web.git.bodies import unpacked
from plumbline.web.git.receiving import received
from plumbline.web.git.wire import FLUSH, line
from plumbline.web.guard import foreign
from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response, json
from plumbline.web.routes import Route

PATH: Final = "/git/"
_TARGET: Final = re.compile(r"/git/(.+?)(/info/refs|/git-upload-pack|/git-receive-pack)?")
_SERVICES: Final = frozenset({"git-upload-pack", "git-receive-pack"})
_PROTOCOL: Final = re.compile(r"version=[012](?::[a-z0-9=-]{1,64}){0,4}", re.ASCII)
_ASKED_BYTES: Final = 256 << 10
_RETRY_S: Final = 5.0
_TIDY_EVERY: Final = 50

OnPushed: TypeAlias = Callable[[str, tuple[RefUpdate, ...]], None]
"""Told the repository and what moved in it, before whoever pushed is told that it did. Returns at once."""

_log = logger("web.git")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitLimits:
    push_bytes: int = 512 << 20
    ask_bytes: int = 16 << 20
    """Of what a client says it has and wants."""
    pack_bytes: int = 4 << 30
    """Of what it gets."""
    deadline_s: float = 900.0
    at_once: int = 8
    waiting: int = 64


class _Asked(msgspec.Struct, rename="camel"):
    stands_for: Annotated[list[str], msgspec.Meta(max_length=100)] = []


class Git:
    """A part of the web port."""

    def __init__(self, forge: LocalForge, access: Access, on_pushed: OnPushed, limits: GitLimits | None = None) -> None:
        self._forge = forge
        self._access = access
        self._on_pushed = on_pushed
        self._limits = limits or GitLimits()
        self._turns = asyncio.Semaphore(self._limits.at_once)
        self._waiting = 0
        self._pushes: Counter[str] = Counter()
        self._untidy: asyncio.Queue[str] = asyncio.Queue()
        self.routes = (Route(PATH, frozenset({"GET", "POST", "PUT"}), self._serve),)

    async def run(self) -> None:
        """Repositories that many small pushes went to are packed, one at a time."""
        while True:
            name = await self._untidy.get()
            try:
                await self._forge.tidy(name)
            except PlumblineError as error:
                _log.warning("repository not tidied", name=name, error=str(error))

    async def _serve(self, request: Request) -> Response:
        target = _TARGET.fullmatch(request.path)
        if target is None:
            return problem(404, "Not Found")
        name = checked_name(target[1])
        match request.method, target[2]:
            case "PUT", None:
                return await self._create(request, name)
            case "GET", "/info/refs":
                return await self._advertise(request, name)
            case "POST", "/git-upload-pack":
                return await self._upload(request, name)
            case "POST", "/git-receive-pack":
                return await self._receive(request, name)
            case _:
                return problem(404, "Not Found")

    async def _create(self, request: Request, name: str) -> Response:
        """With `{"standsFor": [URL, ...]}` it stands for those from the start."""
        if not self._access.may_write(request):
            return _unknown()
        body = await request.body(_ASKED_BYTES)
        try:
            asked = msgspec.json.decode(body, type=_Asked) if body.strip() else _Asked()
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadDocument("the repository was not created", why="standsFor is a list of addresses") from None
        made = await self._forge.create(name)
        await self._forge.declare(name, asked.stands_for)
        return json(201 if made else 200, {"name": name, "urls": list(self._forge.addresses(name))})

    async def _advertise(self, request: Request, name: str) -> Response:
        service = request.query.get("service", "")
        if service not in _SERVICES:
            raise NotFound("This is no way to read a repository", hint="Use git 1.6.6 or later.")
        if service == "git-receive-pack":
            if not self._access.may_write(request):
                return _unknown()
            _refuse_pages(request)
            await self._forge.create(name)
        elif not self._access.may_read(request):
            return _unknown()
        protocol = _protocol(request) if service == "git-upload-pack" else ""
        verb = service.removeprefix("git-")
        command = git(verb, "--stateless-rpc", "--advertise-refs", ".", at=self._forge.path(name), protocol=protocol)
        async with self._turn():
            told = (await run(command)).stdout
        if not protocol.startswith("version=2"):
            told = line(f"# service={service}\n") + FLUSH + told
        return Response(200, told, f"application/x-{service}-advertisement")

    async def _upload(self, request: Request, name: str) -> Response:
        if not self._access.may_read(request):
            return _unknown()
        path = self._forge.path(name)
        if request.header("content-type") != "application/x-git-upload-pack-request":
            return problem(415, "Unsupported Media Type")
        self._refuse_crowds()
        asked = b"".join([piece async for piece in unpacked(request, self._limits.ask_bytes)])
        bounds = Bounds(deadline_s=self._limits.deadline_s, stdout_bytes=self._limits.pack_bytes)
        command = git(
            "upload-pack", "--stateless-rpc", ".", at=path, protocol=_protocol(request), bounds=bounds, stdin=asked
        )
        return Response(200, b"", "application/x-git-upload-pack-result", stream=self._packed(command))

    async def _packed(self, command: Command) -> AsyncGenerator[bytes]:
        # What went wrong git tells its client itself; what it is left with at the end of a talk is no failure.
        async with self._turn(), streamed(replace(command, accept=None)) as tool:
            while piece := await tool.read():
                yield piece

    async def _receive(self, request: Request, name: str) -> Response:
        if not self._access.may_write(request):
            return _unknown()
        path = self._forge.path(name)
        if request.header("content-type") != "application/x-git-receive-pack-request":
            return problem(415, "Unsupported Media Type")
        limits = self._limits
        bounds = Bounds(deadline_s=limits.deadline_s, file_bytes=limits.push_bytes)
        settings = {"receive.maxInputSize": str(limits.push_bytes)}
        command = git("receive-pack", "--stateless-rpc", ".", at=path, writes=True, settings=settings, bounds=bounds)
        async with self._turn():
            answer, updates = await received(command, unpacked(request, limits.push_bytes))
        if updates:
            await self._pushed(name, updates)
        return Response(200, answer, "application/x-git-receive-pack-result")

    async def _pushed(self, name: str, updates: tuple[RefUpdate, ...]) -> None:
        try:
            await self._forge.settle_head(name, updates)
        except ToolFailed as failed:
            _log.warning("head not settled", repository=name, error=str(failed))
        _log.info("push received", repository=name, refs=len(updates))
        try:
            self._on_pushed(name, updates)
        except Exception:  # noqa: BLE001 - what was pushed is there, whoever was not told of it
            _log.exception("push not announced", repository=name)
        self._pushes[name] += 1
        if self._pushes[name] % _TIDY_EVERY == 0:
            self._untidy.put_nowait(name)

    def _refuse_crowds(self) -> None:
        if self._waiting >= self._limits.waiting:
            raise Throttled("git is busy", after_s=_RETRY_S, why=f"{self._waiting} others wait")

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Git may use a whole core: no more than a few at once, and no endless line of those who wait."""
        self._refuse_crowds()
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turns.release()


def _protocol(request: Request) -> str:
    said = request.header("git-protocol")
    return said if _PROTOCOL.fullmatch(said) else ""


def _refuse_pages(request: Request) -> None:
    """What git asks for with a GET may make a repository: no page of another origin may have a browser ask for it."""
    why = foreign("PUT", request.headers, None, lambda _: False)
    if why:
        raise Forbidden("The request is refused", why=why, hint="Push with git.")


def _unknown() -> Response:
    return problem(
        401,
        "A token is needed here. It is in the file web-token of the data folder, and is sent as a password",
        (("WWW-Authenticate", 'Basic realm="plumbline", charset="UTF-8"'),),
    )
