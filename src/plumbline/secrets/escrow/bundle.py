"""Keys as a text that holds all of them, and back."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Final

from plumbline.base.documents import load_documents
from plumbline.base.errors import InvalidInput, PlumblineError, Undecryptable
from plumbline.base.json import Json, JsonObject, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.object import Object
from plumbline.secrets.sealing import ACTIVE, KEY_LABEL, Keyring, SealingKey, key_of

_KEPT: Final = ("tls.crt", "tls.key")
_CANARY: Final = Plaintext(b"does this key open what its certificate seals?")
_LABEL: Final = b"plumbline/keys"


def bundle_of(secrets: Sequence[JsonObject]) -> Plaintext:
    """The Secrets of keys as one List, without what only their cluster means by them."""
    return Plaintext(encode({"apiVersion": "v1", "kind": "List", "items": [_portable(each) for each in secrets]}))


def keys_in(bundle: Plaintext, source: str) -> list[tuple[JsonObject, SealingKey]]:
    """Every key in *bundle* with its Secret, each proven to open what it seals.

    Raises InvalidInput if there is none, or one that does not work: half of the keys would be found out too late.
    """
    try:
        found = [(_portable(each), key_of(each)) for each in _secrets(bundle, source)]
    except PlumblineError as broken:
        raise InvalidInput(f"{source} does not hold sealing keys: {broken.what}", hint=_HINT) from None
    if not found:
        raise InvalidInput(f"{source} holds no sealing key", hint=_HINT)
    for _, key in found:
        if not _working(key):
            raise InvalidInput(f"the sealing key {key.name} of {source} does not open what it seals", hint=_HINT)
    return found


_HINT: Final = "Use a file that `plumb keys export` wrote, or Secrets that kubectl printed."


def _working(key: SealingKey) -> bool:
    try:
        return Keyring((key,)).opened(key.certificate.sealed(_CANARY, _LABEL), _LABEL).value == _CANARY
    except Undecryptable:
        return False


def _secrets(bundle: Plaintext, source: str) -> Iterator[JsonObject]:
    for document in load_documents(bundle.reveal(), source=source):
        for obj in _taken_apart(document.value):
            if not isinstance(obj, dict) or obj.get("kind") != "Secret":
                raise InvalidInput("there is something else among them than Secrets")
            yield obj


def _taken_apart(value: Json) -> Sequence[Json]:
    items = value.get("items") if isinstance(value, dict) else None
    return items if isinstance(items, list) else (value,)


def _portable(secret: JsonObject) -> JsonObject:
    """What `kubectl apply` needs of it. One without a label is from the first versions, which knew it by its name."""
    view = Object(secret)
    labels = {KEY_LABEL: view.labels.get(KEY_LABEL, ACTIVE)}
    metadata = {"name": view.name, "namespace": view.namespace, "labels": labels}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {name: value for name, value in metadata.items() if value},
        "type": "kubernetes.io/tls",
        "data": _contents(secret),
    }


def _contents(secret: JsonObject) -> JsonObject:
    """In base64, as they are or will be in a cluster: of a key that is in both, `stringData` counts."""
    encoded, written = secret.get("data"), secret.get("stringData")
    found: JsonObject = dict(encoded) if isinstance(encoded, dict) else {}
    for name, text in written.items() if isinstance(written, dict) else ():
        found[name] = b64encode(str(text).encode()).decode()
    return {name: found[name] for name in _KEPT if name in found}
