"""Secrets and ConfigMaps that go into a run: each is read once, and who was asked for is remembered, found or not."""

import base64
import binascii
from collections.abc import Mapping
from typing import Final, Protocol, TypeAlias

from plumbline.base.errors import InvalidInput, LimitExceeded, Unresolved
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.kinds.flux.runnerpod import KeySelector
from plumbline.kinds.flux.terraform import Holder
from plumbline.kube.names import Ref

Entries: TypeAlias = Mapping[str, Plaintext]

_MOST: Final = 256
_PLURALS: Final[Mapping[Holder, str]] = {"Secret": "secrets", "ConfigMap": "configmaps"}


class Reader(Protocol):
    async def secret(self, namespace: str, name: str) -> JsonObject | None: ...

    async def config_map(self, namespace: str, name: str) -> JsonObject | None: ...


class Sources:
    """What one run reads. Two mentions of the same object see the same version of it."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._read: dict[Ref, Entries | None] = {}

    @property
    def uses(self) -> frozenset[Ref]:
        return frozenset(self._read)

    async def entries(self, kind: Holder, namespace: str, name: str) -> Entries:
        """Raises Unresolved where there is no such object."""
        found = await self.find(kind, namespace, name)
        if found is None:
            raise Unresolved(
                f"{kind} {namespace}/{name} cannot be read",
                why=f'{_PLURALS[kind]} "{name}" not found',
                sought=("", kind, namespace, name),
            )
        return found

    async def offered(self, kind: Holder, namespace: str, name: str, *, optional: bool) -> Entries:
        """The same, and nothing where it is optional and not there."""
        if optional:
            return await self.find(kind, namespace, name) or {}
        return await self.entries(kind, namespace, name)

    async def entry(self, kind: Holder, namespace: str, name: str, key: str) -> Plaintext:
        """Raises Unresolved where there is no such object, or no such key in it."""
        return required(await self.entries(kind, namespace, name), Ref("", kind, namespace, name), key)

    async def selected(self, kind: Holder, namespace: str, selector: KeySelector) -> Plaintext | None:
        """None where it is optional and not there. Raises Unresolved where it is not there and should be."""
        if selector.optional:
            return (await self.find(kind, namespace, selector.name) or {}).get(selector.key)
        return await self.entry(kind, namespace, selector.name, selector.key)

    async def find(self, kind: Holder, namespace: str, name: str) -> Entries | None:
        ref = Ref("", kind, namespace, name)
        if ref not in self._read:
            if len(self._read) == _MOST:
                raise LimitExceeded("Not everything that goes in was read", why=f"it names more than {_MOST} objects")
            read = self._reader.secret if kind == "Secret" else self._reader.config_map
            obj = await read(namespace, name)
            self._read[ref] = None if obj is None else self._learnt(entries_of(obj, kind), kind)
        return self._read[ref]

    @staticmethod
    def _learnt(entries: Entries, kind: Holder) -> Entries:
        """Values of Secrets are from now on known to those who take secrets out of texts."""
        if kind == "Secret":
            for value in entries.values():
                known.add(value)
        return entries


def required(entries: Entries, holder: Ref, key: str) -> Plaintext:
    value = entries.get(key)
    if value is None:
        raise Unresolved(
            f"{holder.kind} {holder.namespace}/{holder.name} cannot be used",
            why=f"it has no key {key[:253]!r}",
            hint="Add the key, correct its name, or mark the reference as optional.",
            sought=holder,
        )
    return value


def entries_of(obj: JsonObject, kind: Holder) -> Entries:
    """Keys and their values."""
    if kind == "Secret":
        return {key: _decoded(obj, key, value) for key, value in _mapping(obj, "data").items()}
    texts = {key: Plaintext(str(value)) for key, value in _mapping(obj, "data").items()}
    return texts | {key: _decoded(obj, key, value) for key, value in _mapping(obj, "binaryData").items()}


def _mapping(obj: JsonObject, field: str) -> JsonObject:
    found = obj.get(field)
    return found if isinstance(found, dict) else {}


def _decoded(obj: JsonObject, key: str, value: object) -> Plaintext:
    try:
        return Plaintext(base64.b64decode(str(value), validate=True))
    except (binascii.Error, ValueError):
        raise InvalidInput(f"{Ref.of(obj)} cannot be used", why=f"its key {key[:253]!r} is not base64") from None
