"""What a body says it is."""

from typing import Final

from plumbline.apiserver.decoding.outcome import Refusal, TypeFault, sort_of
from plumbline.apiserver.decoding.tree import Node, Pairs, text
from plumbline.apiserver.decoding.types import TEXT, Type
from plumbline.kube.names import GroupVersionKind

_FOLDED: Final = str.maketrans({"\u212a": "k", "\u017f": "s"})
"""Letters beyond ASCII that Go takes for ones within, where it does not look at case."""
_NAMES: Final = {"apiversion": "apiVersion", "kind": "kind"}
_HEAD: Final = Type(
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
_UNREADABLE: Final = "couldn't get version/kind; json parse error: "


def said_kind(node: Node) -> GroupVersionKind:
    """Empty where nothing is said. Unlike everywhere else, the case of names does not matter here."""
    try:
        said = _head(node)
    except TypeFault as fault:
        raise Refusal(f"{_UNREADABLE}{fault}") from None
    api_version = said.get("apiVersion", "")
    if api_version.count("/") > 1:
        raise Refusal(f"unexpected GroupVersion string: {api_version}")
    group, _, version = api_version.rpartition("/")
    return GroupVersionKind(group, version, said.get("kind", ""))


def with_defaults(found: GroupVersionKind, expected: GroupVersionKind) -> GroupVersionKind:
    """*found* with what it leaves open as it is *expected*."""
    kind = found.kind or expected.kind
    if found.version or found.group not in ("", expected.group):
        return found._replace(kind=kind)
    return expected._replace(kind=kind)


def _head(node: Node) -> dict[str, str]:
    if not isinstance(node, Pairs):
        if node == b"null":
            return {}
        raise TypeFault(sort_of(node), _HEAD)
    said: dict[str, str] = {}
    fault: TypeFault | None = None
    for key, value in node:
        name = _NAMES.get(key.translate(_FOLDED).lower())
        if name is None or value == b"null":
            continue
        if isinstance(value, bytes) and value[0] == ord('"'):
            said[name] = text(value)
        elif fault is None:
            fault = TypeFault(sort_of(value), TEXT, field=name)
    if fault is not None:
        raise fault
    return said
