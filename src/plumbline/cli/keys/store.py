"""The Secrets of sealing keys, as whoever runs the command may read and write them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from plumbline.base.errors import AlreadyExists, InvalidInput, PlumblineError
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Client, Selection, Target, Writing
from plumbline.kube.object import Object
from plumbline.secrets.escrow import Mark, read_mark
from plumbline.secrets.sealed.keys import EXPORTED, SECRETS
from plumbline.secrets.sealing import ACTIVE, KEY_LABEL, KEY_PREFIX, SealingKey, active, key_of

_AS_PERSON: Final = Writing(field_manager="plumb")
_MOST_NAMES: Final = 8
"""That are tried before a name for a key is given up on."""


@dataclass(frozen=True, slots=True, repr=False)
class Stored:
    """A Secret that says it holds a key. Not to be printed: *secret* is as the cluster gave it."""

    secret: JsonObject
    key: SealingKey | None
    fault: str = ""
    """Why it holds none."""

    @property
    def name(self) -> str:
        return Object(self.secret).name

    @property
    def status(self) -> str:
        """What its label says: `active`, or whatever else somebody wrote to keep it from being used."""
        return Object(self.secret).labels.get(KEY_LABEL, ACTIVE)

    @property
    def used(self) -> bool:
        return self.key is not None and active(self.secret)

    @property
    def exported(self) -> Mark | None:
        return read_mark(Object(self.secret).annotations.get(EXPORTED, ""))


class KeySecrets:
    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self._collection = Target(SECRETS, namespace)

    async def listed(self) -> list[Stored]:
        """Every Secret with the label of keys, whatever it says, and the one that the first versions wrote without it."""
        labelled = await self.client.list(self._collection, Selection(labels=KEY_LABEL))
        # Whoever may list keys may not always get one.
        legacy = await self.client.list(self._collection, Selection(fields=f"metadata.name={KEY_PREFIX}"))
        found = {(secret := decode(item))["metadata"]["name"]: secret for item in (*labelled.items, *legacy.items)}
        return sorted(map(_stored, found.values()), key=_age, reverse=True)

    async def mark(self, stored: Stored, text: str) -> None:
        """Note on it that it was put aside, if it still is the Secret that was."""
        metadata = {"uid": Object(stored.secret).uid, "annotations": {EXPORTED: text}}
        target = self._collection._replace(name=stored.name)
        await self.client.patch(target, encode({"metadata": metadata}), "merge", _AS_PERSON)

    async def add(self, secret: JsonObject, ids: Ids | None = None) -> str:
        """Create it, and give the name: its own, or another where something else has that. Never changes what is there."""
        ids = ids or Ids()
        metadata = {**secret["metadata"], "namespace": self.namespace}
        for _ in range(_MOST_NAMES):
            metadata["name"] = metadata.get("name") or f"{KEY_PREFIX}{ids.suffix()}"
            try:
                await self.client.create(self._collection, encode({**secret, "metadata": metadata}), _AS_PERSON)
            except AlreadyExists:
                metadata["name"] = ""
            else:
                return str(metadata["name"])
        raise AlreadyExists("there is no name left for a sealing key", hint="Try again.")

    async def sealed(self) -> list[JsonObject]:
        """All SealedSecrets of the cluster, as far as they may be seen: none where they may not, or there is no such kind."""
        try:
            page = await self.client.list(Target(SEALED_SECRET.resource))
        except PlumblineError:
            return []
        return [decode(item) for item in page.items]


def _stored(secret: JsonObject) -> Stored:
    if any(owner.kind == SEALED_SECRET.kind for owner in Object(secret).owner_references):
        return Stored(secret, None, "a SealedSecret brought it, and what those bring is never used as one")
    try:
        return Stored(secret, key_of(secret))
    except InvalidInput as fault:
        return Stored(secret, None, str(fault))


def _age(stored: Stored) -> str:
    """The newest last; what is no key before all."""
    return stored.key.not_before.isoformat() if stored.key else ""


def missing_from(there: Iterable[Stored], fingerprints: Iterable[str]) -> list[Stored]:
    """Those whose keys are not among *fingerprints*."""
    known = set(fingerprints)
    return [each for each in there if each.key is not None and each.key.fingerprint not in known]
