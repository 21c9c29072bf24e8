"""A manifest from values that somebody has sealed in their browser. The server never sees one of them."""

from typing import Annotated, Final, Literal

import msgspec

from plumbline.base.errors import BadDocument, InvalidInput, LimitExceeded
from plumbline.base.json import Json, JsonObject
from plumbline.web.api.secrets.keys import PublicKey

_TAG_BYTES: Final = 16
_BITS: Final = 8
_LONGEST_NAME: Final = 253
_TYPE: Final = r"^[A-Za-z0-9./-]{0,253}$"
_NAME: Final = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
_NAMESPACE: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
_HINT: Final = "Seal each value against the certificate of /api/v1/sealing/certificate, and send nothing else."


class SealedBody(msgspec.Struct, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """What is taken. There is no field that a value in the clear would fit."""

    namespace: Annotated[str, msgspec.Meta(pattern=_NAMESPACE, max_length=63)]
    name: Annotated[str, msgspec.Meta(pattern=_NAME, max_length=_LONGEST_NAME)]
    scope: Literal["strict", "namespace-wide", "cluster-wide"] = "strict"
    encrypted_data: dict[str, str]
    """Keys, each with its envelope."""
    fingerprint: str = ""
    """Of the key that it was sealed for."""
    type: Annotated[str, msgspec.Meta(pattern=_TYPE)] = ""
    labels: dict[str, str] = {}
    """Of the Secret."""


def read(body: Json) -> SealedBody:
    """Raises BadDocument, in words that quote nothing of the body: somebody may have sent a value after all."""
    try:
        return msgspec.convert(body, SealedBody)
    except msgspec.ValidationError as fault:
        where = str(fault).rpartition(" - at ")[2].strip("`") if " - at " in str(fault) else "the body"
        path = (
            where if where.replace("$", "").replace(".", "").replace("[", "").replace("]", "").isalnum() else "a field"
        )
        raise BadDocument("the sealed values are not taken", why=f"{path} is not as it should be", hint=_HINT) from None


def manifest(sealed: SealedBody, keys: list[PublicKey]) -> JsonObject:
    """The SealedSecret to commit. Raises InvalidInput where a value is no envelope for a key that is known."""
    from plumbline.secrets.sealing.scopes import scope_annotations  # noqa: PLC0415 - cryptography, which few need
    from plumbline.secrets.sealing.shape import API_VERSION, KIND, MOST_ITEMS, SEALED_WITH  # noqa: PLC0415 - same

    if not sealed.encrypted_data:
        raise InvalidInput("nothing is sealed", why="encryptedData is empty", hint=_HINT)
    if len(sealed.encrypted_data) > MOST_ITEMS:
        raise LimitExceeded(f"encryptedData has more than {MOST_ITEMS:,} items")
    meant = [key for key in keys if key.active and sealed.fingerprint in ("", key.fingerprint)]
    if not meant:
        raise InvalidInput(
            "it is sealed for a key that is not used here", hint="Fetch the certificate again, and seal anew."
        )
    for key, value in sealed.encrypted_data.items():
        _check(key, value, meant)
    annotations: JsonObject = {**scope_annotations(sealed.scope)}
    if sealed.fingerprint:
        annotations[SEALED_WITH] = sealed.fingerprint
    place = {"name": sealed.name, "namespace": sealed.namespace}
    template: JsonObject = {"metadata": {**place, **({"labels": dict(sealed.labels)} if sealed.labels else {})}}
    if sealed.scope != "strict":
        template["metadata"]["annotations"] = {**scope_annotations(sealed.scope)}
    if sealed.type:
        template["type"] = sealed.type
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {**place, **({"annotations": annotations} if annotations else {})},
        "spec": {"encryptedData": dict(sorted(sealed.encrypted_data.items())), "template": template},
    }


def _check(key: str, value: str, keys: list[PublicKey]) -> None:
    """Its first part is as long as what a known key wraps: no text that somebody typed looks like that."""
    from plumbline.secrets.sealing.envelope import envelope_of  # noqa: PLC0415 - same
    from plumbline.secrets.sealing.shape import check_key, shown  # noqa: PLC0415 - same

    check_key(key)
    found = envelope_of(value)
    sizes = {(each.bits + _BITS - 1) // _BITS for each in keys}
    if found is None or len(found.wrapped) not in sizes or len(found.body) < _TAG_BYTES:
        raise InvalidInput(
            f"{shown(key)} is not sealed", why="its value is no envelope for a key of this cluster", hint=_HINT
        )
