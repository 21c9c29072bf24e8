"""Rows of our own kinds, and as much of their metadata as tells which Application delivers them. Pure."""

from typing import Final, TypeVar

import msgspec

from plumbline.kernel.cache import Meta
from plumbline.kube.names import Ref
from plumbline.ownership.learn.tracking import TRACKING_ID

_NONE: Final = Meta()


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """What rows of all kinds have."""

    ref: Ref
    state: str
    marks: Meta = _NONE
    """What of its metadata says who delivers it."""


M = TypeVar("M", bound=Marked)


def tracked(meta: Meta) -> Meta:
    mark = meta.annotations.get(TRACKING_ID)
    return Meta(
        labels=meta.labels,
        annotations={TRACKING_ID: mark} if mark else {},
        owner_references=meta.owner_references[:1],
    )


def unmarked(row: M) -> M:
    """As people see it, who are shown no marks."""
    return msgspec.structs.replace(row, marks=_NONE)
