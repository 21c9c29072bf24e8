"""Kinds that exist because an XRD says so, as the kernel wants to hear of them."""

from collections.abc import Iterable
from typing import Final

from plumbline.composition.definitions.values import Offer
from plumbline.kernel.cache import Cache, Cached, Relevance
from plumbline.kinds.fields import Fields
from plumbline.kinds.kind import Kind, Version

BY_UID: Final = "uid"


class Open(Fields):
    """A spec or a status whose fields are the XRD's business: they are read from the object itself."""


def kind_of(type_: Offer, *, namespaced: bool) -> Kind[Open, Open]:
    return Kind(
        group=type_.gvk.group,
        kind=type_.gvk.kind,
        plural=type_.gvr.resource,
        namespaced=namespaced,
        description="",
        versions=(Version(name=type_.gvk.version, spec=Open, status=Open),),
        keep_unknown=True,
    )


def cache() -> Cache:
    """A copy of composites or claims, where a status alone is no reason to look, and a uid finds its object."""
    return Cache(Relevance(status=False), {BY_UID: _uids})


def _uids(entry: Cached) -> Iterable[str]:
    return (entry.meta.uid,)
