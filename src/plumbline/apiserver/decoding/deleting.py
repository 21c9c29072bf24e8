"""DeleteOptions: read leniently, and the same in whichever group and version they claim to be."""

from typing import Final

from plumbline.apiserver.decoding.bodies import PROTOBUF, tree_in
from plumbline.apiserver.decoding.kinds import said_kind, with_defaults
from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.apiserver.decoding.registered import unregistered, with_scheme
from plumbline.apiserver.decoding.types import structure
from plumbline.apiserver.decoding.unmarshal import unmarshalled
from plumbline.apiserver.protobuf import decoded as decoded_protobuf
from plumbline.base.errors import BadDocument
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

_KIND: Final = GroupVersionKind("meta.k8s.io", "v1", "DeleteOptions")
_OTHERS: Final = frozenset({"CreateOptions", "PatchOptions", "UpdateOptions"})
"""Kinds that are known in each version as well, and are no DeleteOptions."""


def delete_options(body: bytes, media: str) -> JsonObject:
    """What *body* asks for; Refusal with all its words."""
    if media == PROTOBUF:
        try:
            return decoded_protobuf(body, _KIND)
        except BadDocument as bad:
            raise Refusal(with_scheme(str(bad))) from None
    tree, _ = tree_in(body, media)
    found = with_defaults(said_kind(tree), _KIND)
    if not found.version:
        raise Refusal(f"Object 'apiVersion' is missing in '{body.decode(errors='replace')}'")
    if found.kind in _OTHERS:
        raise Refusal(f"converting (v1.{found.kind}) to (v1.DeleteOptions): unknown conversion")
    if found.kind != _KIND.kind:
        raise unregistered(found)
    value: JsonObject = unmarshalled(tree, structure("meta/v1.DeleteOptions"), strict=False).value or {}
    return {name: each for name, each in value.items() if each is not None}
