"""Values on their way into a key engine of Vault.

An engine of version 2 compares versions, so that nobody's write is lost between our look and ours; the mark is noted beside the
secret, once it is ours. An engine of version 1 has neither: the mark is an entry of the secret, as upstream has it.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final, NamedTuple

from plumbline.base.errors import Conflict, GarbledReply, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.pushing import MANAGED_BY, MANAGER, Effect, Piece, foreign, texts
from plumbline.secrets.stores.store import Remote
from plumbline.secrets.stores.vault.contents import absent, metadata_in
from plumbline.secrets.stores.vault.paths import Mount
from plumbline.secrets.stores.vault.replies import SUCCESSES, fault
from plumbline.secrets.stores.vault.wire import Call, Reply

_NOTES: Final = "custom_metadata"
_MARK: Final = {MANAGED_BY: MANAGER}
_CHECKED: Final = "check-and-set"

Ask = Callable[[Call], Awaitable[Reply]]


class _There(NamedTuple):
    """A secret as it was found; *entries* is None where there is none."""

    entries: JsonObject | None
    version: int = 0
    marked: bool = False

    def __repr__(self) -> str:
        return f"<version {self.version}>"


class VaultSink:
    def __init__(self, ask: Ask, mount: Mount) -> None:
        self._ask, self._mount = ask, mount

    async def exists(self, remote: Remote) -> bool:
        entries = (await self._found(remote.key)).entries
        return entries is not None and (not remote.property or remote.property in entries)

    async def pushing(self, piece: Piece) -> Effect | None:
        key = piece.remote.key
        there = await self._found(key)
        after = _with(piece, there.entries or {})
        if there.entries is not None:
            same = there.entries == after
            if same and there.marked:
                return None
            # What we wrote and had no time to mark is as we wrote it.
            if not there.marked and not (piece.ours and same):
                raise foreign(f"{key} in Vault")
        return Effect("create" if there.entries is None else "update", lambda: self._written(key, after, there))

    async def withdrawing(self, remote: Remote) -> Effect | None:
        there = await self._found(remote.key)
        if there.entries is None or not there.marked:
            return None
        if not remote.property:
            return Effect("delete", lambda: self._removed(remote.key))
        if remote.property not in there.entries:
            return None
        left = {name: value for name, value in there.entries.items() if name != remote.property}
        if not left:
            return Effect("delete", lambda: self._removed(remote.key))
        return Effect("delete", lambda: self._written(remote.key, left, there))

    async def _found(self, key: str) -> _There:
        what = f"{key} cannot be read from Vault"
        reply = await self._ask(Call("GET", self._mount.value(key)))
        if not self._mount.versioned:
            return self._of_version_1(reply, what)
        version = _version(reply)
        if reply.status not in SUCCESSES or reply.content.get("data") is None:
            fault_or_absent = absent(reply, what) if reply.status not in SUCCESSES else NotFound(what)
            if not isinstance(fault_or_absent, NotFound):
                raise fault_or_absent
            return _There(None, version)
        entries = reply.content["data"]
        if not isinstance(entries, dict):
            raise GarbledReply(what, why="the answer has no entries", hint="Check version of the store.")
        return _There(entries, version, marked=await self._marked(key))

    def _of_version_1(self, reply: Reply, what: str) -> _There:
        if reply.status in SUCCESSES:
            noted = reply.content.get(_NOTES)
            marked = isinstance(noted, dict) and noted.get(MANAGED_BY) == MANAGER
            return _There({name: value for name, value in reply.content.items() if name != _NOTES}, marked=marked)
        error = absent(reply, what)
        if isinstance(error, NotFound):
            return _There(None)
        raise error

    async def _marked(self, key: str) -> bool:
        try:
            noted = metadata_in(await self._ask(Call("GET", self._mount.metadata(key))), key)
        except NotFound:
            return False
        return noted.get(MANAGED_BY) == MANAGER

    async def _written(self, key: str, entries: JsonObject, there: _There) -> None:
        if not self._mount.versioned:
            await self._sent("POST", self._mount.value(key), {**entries, _NOTES: _MARK}, key)
            return
        if entries != there.entries:
            body = {"data": entries, "options": {"cas": there.version}}
            await self._sent("POST", self._mount.value(key), body, key)
        if not there.marked:
            await self._sent("POST", self._mount.metadata(key), {_NOTES: _MARK}, key)

    async def _removed(self, key: str) -> None:
        # Of an engine of version 2 the metadata has all versions in it; nobody wants those of a secret that has to go.
        path = self._mount.metadata(key) if self._mount.versioned else self._mount.value(key)
        await self._sent("DELETE", path, None, key)

    async def _sent(self, method: str, path: str, body: JsonObject | None, key: str) -> None:
        what = f"{key} cannot be written to Vault"
        reply = await self._ask(Call(method, path, body=None if body is None else Plaintext(encode(body))))
        if reply.status in SUCCESSES or (method == "DELETE" and reply.status == HTTPStatus.NOT_FOUND):
            return
        if reply.status == HTTPStatus.BAD_REQUEST and _CHECKED in reply.errors:
            raise Conflict(what, why="somebody else has written it meanwhile")
        raise fault(reply, what)


def _with(piece: Piece, entries: JsonObject) -> JsonObject:
    """*entries* once the piece is among them."""
    if piece.remote.property:
        return {**entries, piece.remote.property: piece.value.reveal().decode(errors="replace")}
    if not piece.chosen:
        return dict(texts(piece.entries))
    what = f"{piece.remote.key} cannot be written to Vault"
    try:
        return decode(piece.value.reveal(), type=JsonObject)
    except ValueError:
        raise InvalidInput(
            what,
            why="a secret of Vault has entries, and the value is no JSON object",
            hint="Set match.remoteRef.property to the entry that it belongs in.",
        ) from None


def _version(reply: Reply) -> int:
    noted = reply.content.get("metadata")
    found = noted.get("version") if isinstance(noted, dict) else 0
    return found if isinstance(found, int) else 0
