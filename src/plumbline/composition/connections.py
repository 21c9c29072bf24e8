"""Connection Secrets: those that composed resources write are read from a copy, those of composites and claims are written."""

import base64
from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import NotFound, OwnedElsewhere, OwnerSide
from plumbline.base.json import JsonObject, decode
from plumbline.base.plaintext import Plaintext
from plumbline.composition import marks
from plumbline.gate.hands import Behalf, Hands
from plumbline.kernel.cache import Cache, Cached, Relevance
from plumbline.kernel.collections import Collections
from plumbline.kernel.informer import Changed, Informer
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.kube.object import controller_reference

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_OURS: Final = f"type={marks.CONNECTION_TYPE}"
_WRITING: Final = Writing(field_manager="crossplane")


class Connections:
    """Secrets of the one type that connection details have; nobody else's are ever seen."""

    def __init__(self, client: Client, collections: Collections, hands: Hands) -> None:
        self._client = client
        self._collections = collections
        self._hands = hands
        self._informer: Informer | None = None

    async def follow(self, changed: Changed) -> None:
        """Begin to follow them; *changed* is told."""
        cache = Cache(Relevance(status=False))
        self._informer, _ = await self._collections.follow(SECRETS, fields=_OURS, cache=cache)
        self._informer.subscribe(changed)

    async def of(self, obj: JsonObject) -> Mapping[str, Plaintext]:
        """The connection details that *obj* says it writes, as far as they are there: in its own namespace, where it has one."""
        where = (obj.get("spec") or {}).get("writeConnectionSecretToRef")
        if not isinstance(where, dict) or not where.get("name"):
            return {}
        namespace = str(obj["metadata"].get("namespace") or where.get("namespace") or "")
        entry = await self.find(namespace, str(where["name"]))
        return details(entry.object()) if entry is not None else {}

    async def find(self, namespace: str, name: str) -> Cached | None:
        assert self._informer is not None  # noqa: S101 - followed before anybody looks
        await self._informer.readable()
        return self._informer.cache.get((namespace, name))

    async def publish(
        self, place: Ref, owner: JsonObject, wanted: Mapping[str, Plaintext], behalf: Behalf, *, additive: bool
    ) -> bool:
        """Make the Secret at *place* say *wanted*; whether that changed anything.

        A Secret that somebody else controls, or that is none of ours, is never written.
        """
        live = await self._read(place)
        if live is None:
            made = _secret(place, owner, wanted)
            reply = await self._hands.create(
                Target(SECRETS, place.namespace), made, _WRITING, behalf, "Publish connection details"
            )
            self._learn(reply)
            return reply is not None
        _check_controllable(live, owner, place)
        before = details(live)
        if not any(before.get(key) != value for key, value in wanted.items()) and (
            additive or before.keys() <= wanted.keys()
        ):
            return False
        gone: dict[str, str | None] = {} if additive else dict.fromkeys(before.keys() - wanted.keys())
        change: JsonObject = {"data": {**_encoded(wanted), **gone}}
        if not _controllers(live):
            change["metadata"] = {
                "ownerReferences": [*live["metadata"].get("ownerReferences", []), controller_reference(owner)]
            }
        target = Target(SECRETS, place.namespace, place.name)
        reply = await self._hands.patch(target, live, change, _WRITING, behalf)
        self._learn(reply)
        return reply is not None

    async def _read(self, place: Ref) -> JsonObject | None:
        known = await self.find(place.namespace, place.name)
        if known is not None:
            return known.object()
        try:
            return decode(await self._client.get(Target(SECRETS, place.namespace, place.name)))
        except NotFound:
            return None

    def _learn(self, reply: bytes | None) -> None:
        if reply and self._informer is not None:
            self._informer.learn(reply)


def details(secret: JsonObject) -> dict[str, Plaintext]:
    stored = secret.get("data")
    if not isinstance(stored, dict):
        return {}
    return {key: Plaintext(base64.b64decode(value)) for key, value in stored.items() if isinstance(value, str)}


def _encoded(wanted: Mapping[str, Plaintext]) -> dict[str, str | None]:
    return {key: base64.b64encode(value.reveal()).decode() for key, value in sorted(wanted.items())}


def _secret(place: Ref, owner: JsonObject, wanted: Mapping[str, Plaintext]) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": place.name,
            "namespace": place.namespace,
            "ownerReferences": [controller_reference(owner)],
        },
        "type": marks.CONNECTION_TYPE,
        "data": _encoded(wanted),
    }


def _controllers(obj: JsonObject) -> list[JsonObject]:
    return [each for each in obj["metadata"].get("ownerReferences") or [] if each.get("controller")]


def _check_controllable(live: JsonObject, owner: JsonObject, place: Ref) -> None:
    controllers = _controllers(live)
    foreign = [each for each in controllers if each.get("uid") != owner["metadata"]["uid"]]
    if not foreign and (controllers or live.get("type") == marks.CONNECTION_TYPE):
        return
    holder = f"{foreign[0].get('kind')} {foreign[0].get('name')}" if foreign else "whoever made it"
    where = f"{place.namespace}/{place.name}"
    raise OwnedElsewhere(
        f"Connection details are not written to Secret {where}",
        why=f"it belongs to {holder}",
        hint="Name another Secret in writeConnectionSecretToRef, or delete this one.",
        holder=OwnerSide(holder, f"Secret {where}"),
        claimant=OwnerSide(str(Ref.of(owner)), "writeConnectionSecretToRef"),
    )
