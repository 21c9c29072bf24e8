"""Sealing keys from files, for when there is no cluster to ask: PEM, Secrets, and lists of them."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.documents import load_documents
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.cli.sealing.files import value_from
from plumbline.kube.object import Object
from plumbline.secrets.sealing import Keyring, SealingKey, key_from_pem, key_of, loaded_private, self_signed

_MARK: Final = b"PRIVATE KEY-----"
_BEGIN: Final = b"-----BEGIN"
_UNDATED: Final = datetime(1970, 1, 1, tzinfo=UTC)
_HINT: Final = (
    "Name a file with a private key in PEM, or what "
    "`kubectl get secret -l sealedsecrets.bitnami.com/sealed-secrets-key -o yaml` printed."
)


class Recovered(NamedTuple):
    keyring: Keyring
    dated: frozenset[str]
    """Fingerprints of those that came with their certificate, so that it is known which of them is the newest."""


def recovered(names: Sequence[str]) -> Recovered:
    """The keys in all these files; commas separate them too, as kubeseal has it."""
    paths = [Path(part) for name in names for part in name.split(",") if part]
    if not paths:
        raise InvalidInput("there is no private key", why="--recovery-private-key names no file", hint=_HINT)
    keys = [key for path in paths for key in _keys(path)]
    return Recovered(Keyring(keys), frozenset(each.fingerprint for each in keys if each.not_before != _UNDATED))


def _keys(path: Path) -> list[SealingKey]:
    content = value_from(path)
    if content.reveal().lstrip().startswith(_BEGIN) and _MARK in content.reveal():
        return [_bare(content, str(path))]
    found = [_of_secret(secret, str(path)) for secret in _secrets(content, str(path))]
    if not found:
        raise InvalidInput(f"{path} holds no sealing key", hint=_HINT)
    return found


def _secrets(content: Plaintext, source: str) -> Iterator[JsonObject]:
    for document in load_documents(content.reveal(), source=source):
        for obj in _taken_apart(document.value):
            if isinstance(obj, dict) and obj.get("kind") in {"Secret", None}:
                yield obj


def _taken_apart(value: Json) -> Sequence[Json]:
    items = value.get("items") if isinstance(value, dict) else None
    return items if isinstance(items, list) else (value,)


def _of_secret(secret: JsonObject, source: str) -> SealingKey:
    written, encoded = secret.get("stringData"), secret.get("data")
    names = {*(written if isinstance(written, dict) else ()), *(encoded if isinstance(encoded, dict) else ())}
    if "tls.key" not in names:
        name = Object(secret).name or "without a name"
        raise InvalidInput(f"{source} holds no sealing key", why=f"the Secret {name} has no tls.key", hint=_HINT)
    return key_of(secret)


def _bare(private: Plaintext, source: str) -> SealingKey:
    """A private key alone opens; a certificate is made for it that says nothing but which key it is."""
    try:
        loaded = loaded_private(private)
        ends = _UNDATED + timedelta(days=1)
        return key_from_pem(private, self_signed(loaded, 1, (_UNDATED, ends)), name=Path(source).name)
    except InvalidInput as odd:
        raise InvalidInput(f"{source} holds no sealing key: {odd.what}", why=odd.why, hint=_HINT) from None
