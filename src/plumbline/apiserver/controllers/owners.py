"""Who owns a stored object, read without decoding the rest of it."""

from typing import Final

import msgspec

from plumbline.apiserver.storage.entries import Entry


class Owner(msgspec.Struct, frozen=True, rename="camel", gc=False):
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None


class _Metadata(msgspec.Struct, rename="camel"):
    owner_references: tuple[Owner, ...] | None = None


class _Owned(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


_decoder: Final = msgspec.json.Decoder(_Owned)


def owners(entry: Entry) -> tuple[Owner, ...]:
    if b'"ownerReferences"' not in entry.body:
        return ()
    return _decoder.decode(entry.body).metadata.owner_references or ()


def controller(entry: Entry) -> Owner | None:
    """The one among its owners that looks after it."""
    return next((owner for owner in owners(entry) if owner.controller), None)
