"""Which values go where, and who else has a say about it. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput, OwnedElsewhere, OwnerSide
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kernel.cache import Cached
from plumbline.kinds.externalsecrets.pushsecret import PushData, PushRemoteRef
from plumbline.secrets.external.asking import StoreName
from plumbline.secrets.stores.pushing import Piece
from plumbline.secrets.stores.store import Remote

_ESCAPED: Final = re.compile("_U([0-9a-fA-F]{4,5})_")

Synced = Mapping[str, Mapping[str, JsonObject]]
"""By store and by the name there, as the status has it."""


class Source(NamedTuple):
    """A Secret, once its template has been at it."""

    name: str
    entries: Mapping[str, Plaintext]
    type: str = ""
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}


def store_key(store: StoreName) -> str:
    return f"{store.kind}/{store.name}"


def store_of(key: str) -> StoreName:
    kind, _, name = key.partition("/")
    return StoreName(kind, name)


def place_of(ref: PushRemoteRef) -> str:
    """As the status names it."""
    return f"{ref.remote_key}/{ref.property}" if ref.property else ref.remote_key


def remote_of(ref: PushRemoteRef) -> Remote:
    return Remote(ref.remote_key, ref.property)


def piece_of(data: PushData, source: Source, *, ours: bool) -> Piece:
    """Raises InvalidInput where the Secret has no such key, or two of its keys become one."""
    entries = _converted(source.entries) if data.conversion_strategy == "ReverseUnicode" else source.entries
    chosen = data.match.secret_key
    if chosen and chosen not in entries:
        raise InvalidInput(f"secret key {chosen} does not exist", hint=f"It is to be in {source.name}.")
    return Piece(
        remote_of(data.match.remote_ref),
        entries,
        chosen,
        data.metadata,
        ours,
        source.type,
        source.labels,
        source.annotations,
    )


def _converted(entries: Mapping[str, Plaintext]) -> dict[str, Plaintext]:
    found: dict[str, Plaintext] = {}
    for name, value in entries.items():
        key = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), name)
        if key in found:
            raise InvalidInput(f"secret name collision during conversion: {key}")
        found[key] = value
    return found


def synced_of(status: object) -> dict[str, dict[str, JsonObject]]:
    """What the status says was pushed; nothing of what it cannot have said."""
    said = status.get("syncedPushSecrets") if isinstance(status, dict) else None
    found = {key: value for key, value in said.items() if isinstance(value, dict)} if isinstance(said, dict) else {}
    return {
        key: {name: entry for name, entry in entries.items() if isinstance(entry, dict)}
        for key, entries in found.items()
    }


def noted(data: PushData) -> JsonObject:
    plain: JsonObject = msgspec.to_builtins(data)
    return plain


def reread(entry: JsonObject) -> PushData:
    """Raises InvalidInput for what nobody could have noted."""
    try:
        return msgspec.convert(entry, PushData)
    except msgspec.ValidationError as wrong:
        raise InvalidInput("status.syncedPushSecrets cannot be read", why=str(wrong)) from None


def check_sole(me: Cached, others: Iterable[Cached], store: StoreName, ref: PushRemoteRef) -> None:
    """Raises OwnedElsewhere where another PushSecret has that place: who has pushed to it, else who is older."""
    mine = _rank(me, store, ref)
    for other in others:
        shares = store.kind == "ClusterSecretStore" or other.meta.namespace == me.meta.namespace
        if other.meta.uid == me.meta.uid or not shares or not _claims(other, store, ref):
            continue
        if _rank(other, store, ref) < mine:
            what = f"{place_of(ref)} in {store} is pushed by PushSecret {'/'.join(other.meta.key)}"
            raise OwnedElsewhere(
                what,
                holder=OwnerSide("PushSecret", "/".join(other.meta.key)),
                claimant=OwnerSide("PushSecret", "/".join(me.meta.key)),
                hint="Take it out of one of them.",
            )


def _rank(entry: Cached, store: StoreName, ref: PushRemoteRef) -> tuple[bool, str, str]:
    obj = entry.object()
    record = synced_of(obj.get("status")).get(store_key(store), {})
    pushed = any(_overlaps(each, ref) for each in record.values())
    return not pushed, str(obj["metadata"].get("creationTimestamp") or ""), entry.meta.uid


def _claims(entry: Cached, store: StoreName, ref: PushRemoteRef) -> bool:
    obj = entry.object()
    said = obj.get("spec")
    spec: JsonObject = said if isinstance(said, dict) else {}
    named = any(
        (each.get("kind") or "SecretStore", each.get("name")) == store for each in _objects(spec.get("secretStoreRefs"))
    )
    if not named and store_key(store) not in synced_of(obj.get("status")):
        return False
    return any(_overlaps(each, ref) for each in _objects(spec.get("data")))


def _overlaps(data: JsonObject, ref: PushRemoteRef) -> bool:
    match = data.get("match")
    there = match.get("remoteRef") if isinstance(match, dict) else None
    if not isinstance(there, dict) or there.get("remoteKey") != ref.remote_key:
        return False
    part = there.get("property") or ""
    return not part or not ref.property or part == ref.property


def _objects(listed: Any) -> Iterator[JsonObject]:
    yield from (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
