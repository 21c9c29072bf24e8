"""As much of an object's metadata as tells which Application delivers it. Pure."""

from plumbline.kernel.cache import Meta
from plumbline.ownership.learn.tracking import TRACKING_ID


def tracked(meta: Meta) -> Meta:
    mark = meta.annotations.get(TRACKING_ID)
    return Meta(
        labels=meta.labels,
        annotations={TRACKING_ID: mark} if mark else {},
        owner_references=meta.owner_references[:1],
    )
