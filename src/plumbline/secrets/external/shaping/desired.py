"""A Secret as it should be, its values still closed."""

import base64
import binascii
from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.external.shaping.keys import Values

OPAQUE: Final = "Opaque"
_COMPARED: Final = ("labels", "annotations", "finalizers", "ownerReferences")


class Desired(NamedTuple):
    metadata: JsonObject
    type: str
    immutable: bool
    values: Values

    def body(self) -> JsonObject:
        """The object to be sent, with its values open; for nothing else."""
        encoded = {key: base64.b64encode(self.values[key].reveal()).decode() for key in sorted(self.values)}
        body: JsonObject = {"apiVersion": "v1", "kind": "Secret", "metadata": self.metadata, "data": encoded}
        body["type"] = self.type
        if self.immutable:
            body["immutable"] = True
        return body


def values_of(secret: JsonObject) -> dict[str, Plaintext]:
    """What a Secret of the cluster holds."""
    return {key: Plaintext(_raw(text)) for key, text in (secret.get("data") or {}).items()}


def _raw(text: Json) -> bytes:
    try:
        return base64.b64decode(text or "")
    except (binascii.Error, TypeError, ValueError):
        return b""


def as_it_is(live: JsonObject) -> Desired:
    return Desired(
        live.get("metadata") or {}, live.get("type") or OPAQUE, live.get("immutable") is True, values_of(live)
    )


def strings_of(metadata: JsonObject, field: str) -> dict[str, str]:
    found = metadata.get(field)
    return dict(found) if isinstance(found, Mapping) else {}


def changes_nothing(live: JsonObject, desired: Desired) -> bool:
    """Whether writing *desired* would leave *live* as it is, so that nothing needs to be written."""
    return same_metadata(live, desired) and same_contents(live, desired)


def same_metadata(live: JsonObject, desired: Desired) -> bool:
    metadata = live.get("metadata") or {}
    return all((metadata.get(field) or None) == (desired.metadata.get(field) or None) for field in _COMPARED)


def same_contents(live: JsonObject, desired: Desired) -> bool:
    there = as_it_is(live)
    return there[1:3] == desired[1:3] and dict(there.values) == dict(desired.values)
