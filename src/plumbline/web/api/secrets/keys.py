"""Sealing keys by their public halves: which there are, which one seals, and which exist nowhere else."""

from typing import Final, NamedTuple

from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject, decode
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import Object

_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_MOST: Final = 200


class PublicKey(NamedTuple):
    """What may be told of a key."""

    name: str
    fingerprint: str
    pem: str
    made: str
    expires: str
    bits: int
    active: bool
    exported: str
    """When it was put aside; empty where it never was."""

    def shaped(self, newest: str) -> JsonObject:
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "madeAt": self.made,
            "expiresAt": self.expires,
            "bits": self.bits,
            "active": self.active,
            "newest": self.active and self.fingerprint == newest,
            "exportedAt": self.exported,
        }


class SealingKeys:
    """Of the private halves, which come along, nothing is kept or even decoded."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._collection = Target(_SECRETS, namespace)

    async def listed(self) -> list[PublicKey]:
        """The newest first."""
        from plumbline.secrets.sealing.keysecrets import KEY_LABEL  # noqa: PLC0415 - cryptography, which few need

        page = await self._client.list(self._collection, Selection(labels=KEY_LABEL))
        found = [key for item in page.items[:_MOST] if (key := public_key(decode(bytes(item)))) is not None]
        return sorted(found, key=lambda key: (key.made, key.name), reverse=True)


def newest_of(keys: list[PublicKey]) -> str:
    return next((key.fingerprint for key in keys if key.active), "")


def public_key(secret: JsonObject) -> PublicKey | None:
    """None for what holds no key, and for what a SealedSecret brought: those are never used as one."""
    from plumbline.secrets.escrow.marks import read_mark  # noqa: PLC0415 - same
    from plumbline.secrets.sealed.keys import EXPORTED  # noqa: PLC0415 - same
    from plumbline.secrets.sealing.certificates import certificate_of  # noqa: PLC0415 - same
    from plumbline.secrets.sealing.envelope import decoded  # noqa: PLC0415 - same
    from plumbline.secrets.sealing.keysecrets import active  # noqa: PLC0415 - same

    view = Object(secret)
    if any(owner.kind == SEALED_SECRET.kind for owner in view.owner_references):
        return None
    contents = secret.get("data")
    text = contents.get("tls.crt") if isinstance(contents, dict) else None
    try:
        found = certificate_of(decoded(text) if isinstance(text, str) else b"")
    except (InvalidInput, ValueError):
        return None
    mark = read_mark(view.annotations.get(EXPORTED, ""))
    return PublicKey(
        name=view.name,
        fingerprint=found.fingerprint,
        pem=found.pem.decode(),
        made=rfc3339(found.not_before),
        expires=rfc3339(found.not_after),
        bits=found.public.key_size,
        active=active(secret),
        exported=mark.when if mark is not None else "",
    )
