"""Sealing keys as Secrets of the cluster, in the form of sealed-secrets: either side reads what the other wrote."""

from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.timestamp import Time
from plumbline.secrets.sealing.envelope import decoded
from plumbline.secrets.sealing.keys import SealingKey, key_from_pem

KEY_LABEL: Final = "sealedsecrets.bitnami.com/sealed-secrets-key"
ACTIVE: Final = "active"
KEY_PREFIX: Final = "sealed-secrets-key"
_TLS: Final = "kubernetes.io/tls"


def active(secret: JsonObject, prefix: str = KEY_PREFIX) -> bool:
    """Whether it holds a key to be used: it says so, or it is the one that the first versions wrote without a label."""
    metadata = _fields(secret, "metadata")
    label = _fields(metadata, "labels").get(KEY_LABEL)
    return label == ACTIVE or (label is None and metadata.get("name") == prefix)


def key_of(secret: JsonObject) -> SealingKey:
    """Read a key. Raises InvalidInput, which names the Secret and the part of it that is wrong."""
    metadata = _fields(secret, "metadata")
    name = str(metadata.get("name") or "")
    try:
        certificate = _part(secret, "tls.crt").reveal()
        return key_from_pem(_part(secret, "tls.key"), certificate, name=name, created=_created(metadata))
    except InvalidInput as fault:
        what, why, hint = fault.what, fault.why, fault.hint
    raise InvalidInput(f"the sealing key {name or 'without a name'} cannot be used: {what}", why=why, hint=hint)


def key_secret(
    key: SealingKey,
    namespace: str,
    *,
    name: str = "",
    prefix: str = KEY_PREFIX,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> JsonObject:
    """The Secret that keeps *key*, under *name*, else its own, else one that begins with *prefix*.

    It holds the private half in the clear: it is sent to the API server and goes nowhere else.
    """
    named = {"name": name or key.name} if name or key.name else {"generateName": prefix}
    metadata: JsonObject = {**named, "namespace": namespace, "labels": {**(labels or {}), KEY_LABEL: ACTIVE}}
    if annotations:
        metadata["annotations"] = dict(annotations)
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "type": _TLS,
        "data": {
            "tls.crt": b64encode(key.certificate_pem).decode(),
            "tls.key": b64encode(key.private.reveal()).decode(),
        },
    }


def _part(secret: JsonObject, name: str) -> Plaintext:
    text = _fields(secret, "data").get(name)
    written = _fields(secret, "stringData").get(name)
    if isinstance(written, str):
        return Plaintext(written)
    content = None
    try:
        content = decoded(text) if isinstance(text, str) else None
    except ValueError:
        content = None
    if not content:
        raise InvalidInput(f"its {name} is missing or not base64")
    return Plaintext(content)


def _created(metadata: JsonObject) -> datetime | None:
    try:
        return Time.read(metadata.get("creationTimestamp")).moment
    except ValueError:
        return None


def _fields(parent: Json, name: str) -> JsonObject:
    found = parent.get(name) if isinstance(parent, dict) else None
    return found if isinstance(found, dict) else {}
