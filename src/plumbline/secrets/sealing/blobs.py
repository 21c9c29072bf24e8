"""The form in which the first versions sealed: a whole Secret as one JSON text in one envelope."""

from collections.abc import Mapping
from typing import NamedTuple

from plumbline.base.documents import load_json
from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.contents import contents_of
from plumbline.secrets.sealing.shape import fields, text_at, texts


class Blob(NamedTuple):
    metadata: JsonObject
    type: str
    immutable: bool | None
    values: Mapping[str, Plaintext]


def blob_of(opened: Plaintext) -> Blob:
    """Raises InvalidInput, which quotes nothing of what was opened."""
    secret = _secret(opened)
    if secret is None:
        raise InvalidInput("what spec.data holds is not a Secret", why="JSON of a Secret was expected")
    return secret


def _secret(opened: Plaintext) -> Blob | None:
    try:
        found = load_json(opened.reveal(), source="spec.data").value
        if not isinstance(found, dict) or found.get("kind", "Secret") != "Secret":
            return None
        immutable = found.get("immutable")
        if immutable is not None and not isinstance(immutable, bool):
            return None
        return Blob(_metadata(found), text_at(found, "type"), immutable, contents_of(found))
    except InvalidInput:
        return None


def _metadata(secret: JsonObject) -> JsonObject:
    """Checked here, where complaints are dropped: the names of labels were sealed as well."""
    metadata = fields(secret, "metadata")
    for name in ("labels", "annotations"):
        texts(metadata, name)
    for name in ("finalizers", "ownerReferences"):
        if not isinstance(metadata.get(name) or [], list):
            raise InvalidInput(f"{name} is not a list")
    return metadata
