"""Which owners to look at after a change of something that is theirs, or could be."""

from collections.abc import Iterable
from typing import Final

import msgspec

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.controllers.owners import controller
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import BadSelector
from plumbline.base.json import Json
from plumbline.kube.names import GroupKind
from plumbline.kube.selectors.labels import NOTHING, LabelSelector


class _Spec(msgspec.Struct):
    selector: Json = None


class _Selecting(msgspec.Struct):
    spec: _Spec = msgspec.field(default_factory=_Spec)


_decoder: Final = msgspec.json.Decoder(_Selecting)


def selector_of(selector: Json) -> LabelSelector:
    """Of an owner; a plain map selects by its labels. One that cannot be read, or selects everything, selects nothing."""
    if isinstance(selector, dict) and selector and not selector.keys() & {"matchLabels", "matchExpressions"}:
        return LabelSelector.from_labels(selector)
    try:
        read = LabelSelector.from_object(selector)
    except BadSelector:
        return NOTHING
    return NOTHING if read.empty else read


def owner_of(cluster: Cluster, kind: GroupKind) -> Concerns:
    """The controller of what changed, before and after; or all of *kind* that could take it in."""
    collection = cluster.model(kind).resource.collection

    def concerns(entry: Entry, previous: Entry | None) -> Iterable[Key]:
        keys: dict[Key, None] = {}
        owner = controller(entry)
        before = controller(previous) if previous else None
        for found in (owner, before):
            if found is not None and found.kind == kind.kind:
                keys[Key(collection, entry.key.namespace, found.name)] = None
        if owner is None and (previous is None or before is not None or previous.labels != entry.labels):
            keys.update(dict.fromkeys(_selecting(cluster, kind, entry)))
        return keys

    return concerns


def _selecting(cluster: Cluster, kind: GroupKind, orphan: Entry) -> Iterable[Key]:
    for entry in cluster.entries(kind, orphan.key.namespace):
        if selector_of(_decoder.decode(entry.body).spec.selector).matches(orphan.labels):
            yield entry.key
