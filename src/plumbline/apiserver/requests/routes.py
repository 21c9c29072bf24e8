"""What a path and a method ask for, whether it is served or not: authorization looks at this first."""

from typing import Final

import msgspec

_VERBS: Final = {"POST": "create", "GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_NAMESPACE_SUBRESOURCES: Final = frozenset({"status", "finalize"})


class Route(msgspec.Struct, frozen=True):
    """`group` to `subresource` are empty for a path that is no resource."""

    verb: str
    path: str
    is_resource: bool = False
    group: str = ""
    version: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    """What follows a subresource: proxied paths."""


def route(method: str, path: str, *, watch: bool = False) -> Route:
    verb = _VERBS.get(method, "")
    root = _root(path.strip("/").split("/")) if not path.startswith("//") else None
    if root is None:
        return Route(method.lower(), path)
    group, version, parts = root
    old_watch = bool(parts) and parts[0] == "watch"
    parts = parts[1:] if old_watch else parts
    if not parts:
        return Route(method.lower(), path)
    namespace, parts = _namespaced(parts)
    resource, name, subresource, *rest = (*parts, "", "", "")[: max(3, len(parts))]
    verb = "watch" if old_watch else _on_collection(verb, name=name, watch=watch)
    return Route(
        verb,
        path,
        True,
        group,
        version,
        resource,
        namespace,
        name,
        subresource,
        "/".join(rest) if len(parts) > 3 else "",  # noqa: PLR2004 - positions of a struct; resource, name, subresource, rest
    )


def _root(parts: list[str]) -> tuple[str, str, list[str]] | None:
    if len(parts) > 2 and parts[0] == "api":  # noqa: PLR2004 - api, version, resource
        return "", parts[1], parts[2:]
    if len(parts) > 3 and parts[0] == "apis":  # noqa: PLR2004 - apis, group, version, resource
        return parts[1], parts[2], parts[3:]
    return None


def _namespaced(parts: list[str]) -> tuple[str, list[str]]:
    """The namespace, and what is below it; a namespace itself and its subresources are in none but their own."""
    if parts[0] != "namespaces" or len(parts) == 1:
        return "", parts
    if len(parts) > 2 and parts[2] not in _NAMESPACE_SUBRESOURCES:  # noqa: PLR2004 - namespaces, name, resource
        return parts[1], parts[2:]
    return parts[1], parts


def _on_collection(verb: str, *, name: str, watch: bool) -> str:
    if name:
        return verb  # to watch one object, clients select it by name
    if verb == "get" and watch:
        return "watch"
    return {"get": "list", "delete": "deletecollection"}.get(verb, verb)
