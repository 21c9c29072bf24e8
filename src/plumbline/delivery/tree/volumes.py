"""Volumes of a StatefulSet: nobody owns them in writing, and everybody knows whose they are. Pure."""

from collections.abc import Iterable

import msgspec

from plumbline.kernel.cache import Meta


class _Named(msgspec.Struct, frozen=True):
    name: str = ""


class _Template(msgspec.Struct, frozen=True):
    metadata: _Named = _Named()


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    volume_claim_templates: tuple[_Template, ...] = ()


class _Set(msgspec.Struct, frozen=True):
    spec: _Spec = _Spec()


_read = msgspec.json.Decoder(_Set)


def inferred(claim: Meta, sets: Iterable[tuple[Meta, bytes]]) -> set[str]:
    """Uids of the StatefulSets whose template *claim* is made from: TEMPLATE-SET-NUMBER, in the same namespace."""
    found: set[str] = set()
    for meta, raw in sets:
        if meta.namespace != claim.namespace:
            continue
        try:
            templates = _read.decode(raw).spec.volume_claim_templates
        except msgspec.DecodeError:
            continue
        beginnings = [f"{each.metadata.name}-{meta.name}-" for each in templates]
        if any(claim.name.startswith(each) and claim.name[len(each) :].isdecimal() for each in beginnings):
            found.add(meta.uid)
    return found
