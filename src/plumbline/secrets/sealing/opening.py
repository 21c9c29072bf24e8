"""From a SealedSecret to the Secret that it stands for."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, PlumblineError, Undecryptable
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import Surroundings
from plumbline.secrets.sealing.blobs import blob_of
from plumbline.secrets.sealing.contents import encoded
from plumbline.secrets.sealing.items import opened_blob, opened_items
from plumbline.secrets.sealing.keyring import Keyring, Opened
from plumbline.secrets.sealing.shape import API_VERSION, KIND, Sealed, fields, sealed_of, text_at, texts
from plumbline.secrets.sealing.templates import check_templates, with_templates

SKIP_OWNER: Final = "sealedsecrets.bitnami.com/skip-set-owner-references"
BLOB: Final = "spec.data"
"""What stands for the key of the one item that a SealedSecret of the old form has."""


class Unsealed(NamedTuple):
    metadata: JsonObject
    """Name and namespace of the SealedSecret, the rest from its template; and whom it belongs to."""
    type: str
    """Empty where the template has none; the API server says `Opaque` then."""
    immutable: bool | None
    values: Mapping[str, Plaintext]
    fingerprints: Mapping[str, str]
    """Which key opened each item of `encryptedData`."""
    changing: frozenset[str] = frozenset()
    """Keys that would hold something else if they were made again."""

    def secret(self) -> JsonObject:
        """The Secret to send to the API server. Its values are in the clear: it goes nowhere else."""
        optional: JsonObject = {"type": self.type} if self.type else {}
        if self.immutable is not None:
            optional["immutable"] = self.immutable
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": self.metadata,
            **optional,
            "data": encoded(self.values),
        }


def unsealed(
    sealed: JsonObject,
    keyring: Keyring,
    *,
    now: datetime,
    hint: str = "",
    ids: Ids | None = None,
    accept_blob: bool = True,
) -> Unsealed:
    """Open all of it and render its template, which may ask for *now* and, of *ids*, for chance.

    *hint* is the fingerprint of the key that opened it the last time; otherwise its own annotation says which to try first.

    Raises Undecryptable naming the items that no key opens, InvalidInput or LimitExceeded for what is no SealedSecret,
    EvaluationFailed for templates that do not work. There is no part of a result then.
    """
    found = sealed_of(sealed, accept_blob=accept_blob)
    owner = _owner(sealed, found)
    if found.blob is not None:
        return _from_blob(found, opened_blob(found.blob, found, keyring, hint), owner)
    templates = fields(found.template, "data", "spec.template.")
    check_templates(templates)
    metadata = _metadata(found, fields(found.template, "metadata", "spec.template."), owner)
    immutable = _immutable(found.template)
    opened = opened_items(found, keyring, hint)
    surroundings = Surroundings(lambda: now, ids or Ids())
    contents = with_templates({key: each.value for key, each in opened.items()}, templates, surroundings)
    return Unsealed(
        metadata=metadata,
        type=text_at(found.template, "type", "spec.template."),
        immutable=immutable,
        values=contents.values,
        fingerprints={key: each.fingerprint for key, each in opened.items()},
        changing=contents.changing,
    )


def verified(sealed: JsonObject, keyring: Keyring, *, accept_blob: bool = True) -> None:
    """Raises Undecryptable, in the same words whatever is wrong with it. Templates are not looked at.

    Who may ask this may ask it often, with what they like: a word more, and it is an oracle.
    """
    try:
        found = sealed_of(sealed, accept_blob=accept_blob)
        if found.blob is not None:
            opened_blob(found.blob, found, keyring)
        else:
            opened_items(found, keyring)
    except PlumblineError:
        fine = False
    else:
        fine = True
    if not fine:
        raise Undecryptable("the SealedSecret cannot be decrypted")


def outdated(sealed: JsonObject, keyring: Keyring, *, accept_blob: bool = True) -> dict[str, str]:
    """The items that another key than the newest sealed, and which did. Raises as `unsealed` does, short of templates."""
    found = sealed_of(sealed, accept_blob=accept_blob)
    blob = found.blob
    opened = opened_items(found, keyring) if blob is None else {BLOB: opened_blob(blob, found, keyring)}
    newest = keyring.newest.fingerprint if opened else ""
    return {key: each.fingerprint for key, each in opened.items() if each.fingerprint != newest}


def _from_blob(found: Sealed, opened: Opened, owner: list[JsonObject] | None) -> Unsealed:
    blob = blob_of(opened.value)
    return Unsealed(
        metadata=_metadata(found, blob.metadata, owner),
        type=blob.type,
        immutable=blob.immutable,
        values=blob.values,
        fingerprints={BLOB: opened.fingerprint},
    )


def _owner(sealed: JsonObject, found: Sealed) -> list[JsonObject] | None:
    """Whom the Secret goes with; None where it keeps what the template says.

    A SealedSecret that is in no cluster has no uid, and a reference without one would be refused.
    """
    template = fields(found.template, "metadata", "spec.template.")
    if texts(template, "annotations", "spec.template.metadata.").get(SKIP_OWNER) == "true":
        return None
    uid = text_at(fields(sealed, "metadata"), "uid", "metadata.")
    owner = {"apiVersion": API_VERSION, "kind": KIND, "name": found.name, "uid": uid, "controller": True}
    return [owner] if uid else []


def _metadata(found: Sealed, given: JsonObject, owner: list[JsonObject] | None) -> JsonObject:
    """What a writer of a template can decide about a Secret; the rest of metadata is the API server's."""
    metadata: JsonObject = {"name": found.name}
    if found.namespace:
        metadata["namespace"] = found.namespace
    for name in ("labels", "annotations"):
        listed = texts(given, name, "spec.template.metadata.")
        if listed:
            metadata[name] = dict(listed)
    for name, value in (("finalizers", given.get("finalizers")), ("ownerReferences", _owners(given, owner))):
        if value:
            metadata[name] = _listed(value, name)
    return metadata


def _owners(given: JsonObject, owner: list[JsonObject] | None) -> Json:
    return given.get("ownerReferences") if owner is None else owner


def _listed(value: Json, name: str) -> list[Json]:
    if not isinstance(value, list):
        raise InvalidInput(f"spec.template.metadata.{name} is not a list")
    return value


def _immutable(template: JsonObject) -> bool | None:
    found = template.get("immutable")
    if found is not None and not isinstance(found, bool):
        raise InvalidInput("spec.template.immutable is neither true nor false")
    return found
