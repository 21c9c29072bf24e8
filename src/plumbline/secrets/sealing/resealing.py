"""The same values under the newest key. Templates are carried along and never rendered: who may ask for this may write them."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.items import opened_blob, opened_items
from plumbline.secrets.sealing.keyring import Keyring
from plumbline.secrets.sealing.sealing import sealed_object, stripped
from plumbline.secrets.sealing.shape import SEALED_WITH, Sealed, fields, sealed_of


def resealed(sealed: JsonObject, keyring: Keyring, *, accept_blob: bool = True) -> JsonObject:
    """A new SealedSecret with the same values, name, namespace and scope, as the controller answers `/v1/rotate`.

    The scope is that of `metadata.annotations`, whatever the template asks for; and the metadata of the template is
    that of the SealedSecret, as with sealed-secrets. What `renewed` gives differs from the original as little as it can.
    Raises as `unsealed` does, short of templates.
    """
    found = sealed_of(sealed, accept_blob=accept_blob)
    metadata = fields(sealed, "metadata")
    template: JsonObject = {**found.template, "metadata": stripped(metadata, found.scope)}
    spec = {**_sealed_again(found, keyring), "template": template}
    return sealed_object(metadata, found.scope, spec, keyring.newest.fingerprint)


def renewed(sealed: JsonObject, keyring: Keyring, *, accept_blob: bool = True) -> JsonObject:
    """*sealed* with its values under the newest key and nothing else changed, for files in Git.

    What the newest key sealed already stays as it is. Raises as `unsealed` does, short of templates.
    """
    found = sealed_of(sealed, accept_blob=accept_blob)
    spec = {**fields(sealed, "spec"), **_sealed_again(found, keyring, keep=True)}
    if "encryptedData" not in fields(sealed, "spec") and found.blob is not None:
        spec.pop("encryptedData")
    metadata = fields(sealed, "metadata")
    annotations = {**found.annotations, SEALED_WITH: keyring.newest.fingerprint}
    return {**sealed, "metadata": {**metadata, "annotations": annotations}, "spec": spec}


def _sealed_again(found: Sealed, keyring: Keyring, *, keep: bool = False) -> JsonObject:
    newest = keyring.newest.certificate
    if found.blob is not None:
        # Still in the old form: what the new one would show in the clear, labels and annotations, was sealed.
        blob = opened_blob(found.blob, found, keyring)
        kept = keep and blob.fingerprint == newest.fingerprint
        return {"encryptedData": {}, "data": found.blob if kept else newest.sealed(blob.value, found.label)}
    opened = opened_items(found, keyring)
    done: Mapping[str, str] = {
        key: found.items[key] for key, each in opened.items() if keep and each.fingerprint == newest.fingerprint
    }
    values: Mapping[str, Plaintext] = {key: each.value for key, each in opened.items()}
    return {"encryptedData": {key: done.get(key) or newest.sealed(values[key], found.label) for key in found.items}}
