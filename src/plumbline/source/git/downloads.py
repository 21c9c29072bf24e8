"""Fetching large files: the batch interface of Git LFS over HTTP, for reading, and nothing else of it."""

import asyncio
import hashlib
import os
import tempfile
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import msgspec

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    InvalidInput,
    LimitExceeded,
    NotFound,
    PlumblineError,
    ServerFault,
    StorageFailed,
    Unauthenticated,
)
from plumbline.base.json import decode, encode
from plumbline.source.git.access import authorization, place
from plumbline.source.git.asking import Client, opened
from plumbline.source.git.large import Pointer, Store
from plumbline.source.replies import beginning
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPE: Final = "application/vnd.git-lfs+json"
_FILE_BYTES: Final = 256 << 20
_TOTAL_BYTES: Final = 1 << 30
_ANSWER_BYTES: Final = 16 << 20
_PIECE_BYTES: Final = 1 << 16
_AT_ONCE: Final = 100
_TOTAL_S: Final = 600.0
_QUIET_S: Final = 30.0
_OK: Final = 200
_STATUSES: Final[dict[int, type[PlumblineError]]] = {401: Unauthenticated, 403: Forbidden, 404: NotFound, 410: NotFound}


class _Action(msgspec.Struct):
    href: str
    header: dict[str, str] = {}


class _Offer(msgspec.Struct):
    oid: str
    actions: dict[str, _Action] = {}


class _Answer(msgspec.Struct):
    objects: list[_Offer]


async def download(repository: Repository, credentials: Credentials, wanted: Iterable[Pointer], store: Store) -> None:
    """Bring every content that is not there yet, or raise; what came before that stays, and is not fetched again."""
    missing = [each for each in dict.fromkeys(wanted) if not store.holds(each.oid)]
    if not missing:
        return
    what = f"Cannot fetch large files of {redacted(repository.url)}"
    _bound(what, missing)
    base, headers = _endpoint(what, repository, credentials)
    async with opened(repository, base, what, total_s=_TOTAL_S, quiet_s=_QUIET_S) as client:
        for start in range(0, len(missing), _AT_ONCE):
            batch = missing[start : start + _AT_ONCE]
            for each, action in zip(batch, await _offered(client, base, headers, batch), strict=True):
                await _fetch(client, action, each, store)


def _bound(what: str, missing: list[Pointer]) -> None:
    largest, total = max(each.size_bytes for each in missing), sum(each.size_bytes for each in missing)
    if largest > _FILE_BYTES or total > _TOTAL_BYTES:
        raise LimitExceeded(what, why=f"the largest has {largest} bytes, and all of them {total}")


def _endpoint(what: str, repository: Repository, credentials: Credentials) -> tuple[str, dict[str, str]]:
    there = place(repository)
    if there.scheme not in {"http", "https"}:
        raise InvalidInput(what, why=f"they come over HTTP only, and the repository over {there.scheme}")
    header, _ = authorization(there, repository, credentials)
    headers = {"Accept": _TYPE, "Content-Type": _TYPE}
    if header:
        name, _, value = header.reveal().decode().partition(": ")
        headers[name] = value
    return f"{there.address.rstrip('/').removesuffix('.git')}.git/info/lfs", headers


async def _offered(client: Client, base: str, headers: dict[str, str], batch: list[Pointer]) -> list[_Action]:
    """Where each of them is to be had."""
    wanted = [{"oid": each.oid, "size": each.size_bytes} for each in batch]
    body = encode({"operation": "download", "transfers": ["basic"], "objects": wanted})
    async with client.asked("POST", f"{base}/objects/batch", headers, body) as response:
        _refuse(client.what, response.status)
        answer = await beginning(response, _ANSWER_BYTES)
    try:
        offers = {offer.oid: offer.actions for offer in decode(answer, type=_Answer).objects}
    except msgspec.DecodeError as garbled:
        raise GarbledReply(client.what, why=str(garbled)) from garbled
    actions = [offers.get(each.oid, {}).get("download") for each in batch]
    if None in actions:
        raise NotFound(client.what, why="the server does not have all of them")
    return [action for action in actions if action is not None]


async def _fetch(client: Client, action: _Action, pointer: Pointer, store: Store) -> None:
    """One content, into its place only once it is the right one. Nothing of ours is sent to where it is."""
    digest, left = hashlib.sha256(), pointer.size_bytes
    async with client.asked("GET", action.href, action.header) as response:
        _refuse(client.what, response.status)
        with _written(client.what, store.path(pointer.oid)) as file:
            async for piece in response.content.iter_chunked(_PIECE_BYTES):
                left -= len(piece)
                if left < 0:
                    break
                digest.update(piece)
                await asyncio.to_thread(file.write, piece)
            if left or digest.hexdigest() != pointer.oid:
                raise GarbledReply(client.what, why="what came is not what the repository points to")


def _refuse(what: str, status: int) -> None:
    if status != _OK:
        raise _STATUSES.get(status, ServerFault)(what, why=f"the server answers with {status}")


@contextmanager
def _written(what: str, path: Path) -> "Iterator[IO[bytes]]":
    """A file that takes its name when all went well, and leaves nothing otherwise."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix="tmp-")
        with os.fdopen(descriptor, "wb") as file:
            try:
                yield file
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        Path(name).replace(path)
    except OSError as full:
        raise StorageFailed(what, why=str(full)) from full
