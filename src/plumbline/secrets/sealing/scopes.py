"""What a sealed value may become: one Secret, any of a namespace, or any at all. The scope is part of what is encrypted."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from plumbline.base.errors import InvalidInput

Scope: TypeAlias = Literal["strict", "namespace-wide", "cluster-wide"]

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
NAMESPACE_WIDE: Final = "sealedsecrets.bitnami.com/namespace-wide"
CLUSTER_WIDE: Final = "sealedsecrets.bitnami.com/cluster-wide"


def scope_of(annotations: Mapping[str, object]) -> Scope:
    """The scope that *annotations* ask for. The wider wins, and nothing but the text `true` asks for one."""
    if annotations.get(CLUSTER_WIDE) == "true":
        return "cluster-wide"
    return "namespace-wide" if annotations.get(NAMESPACE_WIDE) == "true" else "strict"


def scope_annotations(scope: Scope) -> dict[str, str]:
    return {"strict": {}, "namespace-wide": {NAMESPACE_WIDE: "true"}, "cluster-wide": {CLUSTER_WIDE: "true"}}[scope]


def with_scope(annotations: Mapping[str, str], scope: Scope) -> dict[str, str]:
    """*annotations* that ask for *scope* and for no other."""
    others = {key: value for key, value in annotations.items() if key not in {NAMESPACE_WIDE, CLUSTER_WIDE}}
    return others | scope_annotations(scope)


def label_of(scope: Scope, namespace: str, name: str) -> bytes:
    """What is bound to every value of that scope.

    Raises InvalidInput where a part is missing or has a slash: two different places would have the same label.
    """
    if scope == "cluster-wide":
        return b""
    _check("namespace", namespace, scope)
    if scope == "namespace-wide":
        return namespace.encode()
    _check("name", name, scope)
    return f"{namespace}/{name}".encode()


def _check(part: str, text: str, scope: Scope) -> None:
    if not text:
        raise InvalidInput(
            f"there is no {part}",
            why=f"what is sealed {_SAID[scope]} is bound to its {part}",
            hint=f"Say which {part}, or seal it for a wider scope.",
        )
    if "/" in text or not text.isprintable():
        raise InvalidInput(f"the {part} is not one that Kubernetes accepts", why="it has characters that no name has")


_SAID: Final = {"strict": "for one Secret", "namespace-wide": "for one namespace"}
