"""Values on their way into Secrets of a namespace.

There is no mark that upstream would leave on a Secret, so that what was pushed is known by its record alone. An entry that is
there, says something else and is not on record is somebody else's, and stays; entries are added beside those of others.
"""

import base64
from collections.abc import Mapping
from typing import Literal

import msgspec

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.secrets.stores.pushing import MANAGER, Effect, Piece, foreign, wanted
from plumbline.secrets.stores.store import Remote

_SECRETS = GroupVersionResource("", "v1", "secrets")
_WRITING = Writing(field_manager=MANAGER)
_OPAQUE = "Opaque"
_PRIVILEGED = frozenset({"kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"})
_HINT = "Take the entry out of that Secret if it may be overwritten; otherwise choose another key."


class _Wanted(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The spec of a PushSecretMetadata for this provider."""

    source_merge_policy: Literal["", "Merge", "Replace"] = ""
    target_merge_policy: Literal["", "Merge", "Replace", "Ignore"] = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class KubernetesSink:
    def __init__(self, client: Client, namespace: str) -> None:
        self._client, self._namespace = client, namespace

    async def exists(self, remote: Remote) -> bool:
        live = await self._live(remote.key)
        return live is not None and (not remote.property or remote.property in (live.get("data") or {}))

    async def pushing(self, piece: Piece) -> Effect | None:
        name = piece.remote.key
        if piece.chosen and not piece.remote.property:
            raise InvalidInput(
                f"{piece.chosen} cannot be pushed to Secret {name}",
                why="requires property in RemoteRef to push secret value if secret key is defined",
            )
        live = await self._live(name)
        entries = _entries(piece)
        if live is None:
            body = _made(self._namespace, name, piece, entries)
            return Effect("create", lambda: self._created(body))
        there = live.get("data") or {}
        if not piece.ours and any(there.get(key, value) != value for key, value in entries.items()):
            raise foreign(f"Secret {self._namespace}/{name}", _HINT)
        after = _merged(live, piece, entries)
        return None if after == live else Effect("update", lambda: self._replaced(after))

    async def withdrawing(self, remote: Remote) -> Effect | None:
        live = await self._live(remote.key)
        if not remote.property:
            if live is not None and not _made_here(live):
                raise InvalidInput(
                    f"Secret {self._namespace}/{remote.key} is not deleted",
                    why="others have written to it too, and no property says which part of it is to go",
                    hint="Delete it by hand, or set deletionPolicy to None.",
                )
            return None if live is None else Effect("delete", lambda: self._deleted(live))
        there = dict((live or {}).get("data") or {})
        if live is None or there.pop(remote.property, None) is None:
            return None
        if there:
            return Effect("delete", lambda: self._replaced({**live, "data": there}))
        return Effect("delete", lambda: self._deleted(live))

    async def _live(self, name: str) -> JsonObject | None:
        try:
            return decode(await self._client.get(self._target(name)))
        except NotFound:
            return None

    async def _created(self, body: JsonObject) -> None:
        try:
            await self._client.create(Target(_SECRETS, self._namespace), encode(body), _WRITING)
        except AlreadyExists as outrun:
            raise Conflict(str(outrun)) from outrun

    async def _replaced(self, body: JsonObject) -> None:
        await self._client.update(self._target(body["metadata"]["name"]), encode(body), _WRITING)

    async def _deleted(self, live: JsonObject) -> None:
        try:
            await self._client.delete(self._target(live["metadata"]["name"]), uid=live["metadata"]["uid"])
        except NotFound:
            return

    def _target(self, name: str) -> Target:
        if not name:
            raise InvalidInput("A secret cannot be written", why="Its key is empty")
        return Target(_SECRETS, self._namespace, name)


def _made_here(live: JsonObject) -> bool:
    """Whether nobody else has ever written to it."""
    return {each.get("manager") for each in live["metadata"].get("managedFields") or ()} == {MANAGER}


def _entries(piece: Piece) -> dict[str, str]:
    pushed: Mapping[str, Plaintext] = {piece.remote.property: piece.value} if piece.remote.property else piece.entries
    return {key: base64.b64encode(value.reveal()).decode() for key, value in pushed.items()}


def _made(namespace: str, name: str, piece: Piece, entries: Mapping[str, str]) -> JsonObject:
    kind = piece.type or _OPAQUE
    if kind in _PRIVILEGED:
        raise InvalidInput(f"A Secret of type {kind} is not pushed", why="it becomes a credential of somebody else")
    metadata: JsonObject = {"name": name, "namespace": namespace}
    for part, texts in _noted(piece).items():
        if texts:
            metadata[part] = dict(texts)
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": kind, "data": dict(entries)}


def _merged(live: JsonObject, piece: Piece, entries: Mapping[str, str]) -> JsonObject:
    metadata = dict(live["metadata"])
    policy = wanted(piece.metadata, _Wanted).target_merge_policy
    for part, texts in _noted(piece).items():
        before = metadata.get(part) or {}
        after = {"Replace": dict(texts), "Ignore": before}.get(policy, {**before, **texts})
        if after != before:
            metadata[part] = after
    return {**live, "metadata": metadata, "data": {**(live.get("data") or {}), **entries}}


def _noted(piece: Piece) -> Mapping[str, Mapping[str, str]]:
    said = wanted(piece.metadata, _Wanted)
    if said.source_merge_policy == "Replace":
        return {"labels": said.labels, "annotations": said.annotations}
    return {
        "labels": {**piece.labels, **said.labels},
        "annotations": {**piece.annotations, **said.annotations},
    }
