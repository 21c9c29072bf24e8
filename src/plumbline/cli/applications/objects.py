"""Objects of an application, picked by kind, namespace and name."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import Json, JsonObject
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.cli.terminal import argo_table
from plumbline.delivery.tree import Node, Tree
from plumbline.kube.names import GroupVersionKind


class Filters(NamedTuple):
    """Which objects. None means any; an empty group is the core group."""

    group: str | None = None
    kind: str = ""
    namespace: str = ""
    name: str = ""

    def fits(self, node: Node) -> bool:
        named = ((self.kind, node.kind), (self.namespace, node.namespace), (self.name, node.name))
        return self.group in {None, node.group} and all(not wanted or wanted == found for wanted, found in named)


async def acted_on(apps: Applications, app: JsonObject, filters: Filters) -> list[Node]:
    """Those that Git names and that are there, and the application itself."""
    name, gvk = AppName.of(app), GroupVersionKind.of(app)
    uid = str(app["metadata"].get("uid") or "")
    itself = Node(gvk.group, gvk.kind, name.namespace, name.name, uid, app, gvk.version)
    tree = await apps.behind.objects.tree(app, ())
    refuse_unread(tree, filters)
    found = [node for node in (*tree.roots, itself) if node.uid and filters.fits(node)]
    if not found:
        raise NotFound(f"{name} has no such object", why="no matching resource found")
    return found


async def picked(apps: Applications, app: JsonObject, filters: Filters, *, several: bool) -> list[Node]:
    """Those that are there, of it and of what it owns. Raises NotFound; InvalidInput for more than one unless *several*."""
    name, tree = AppName.of(app), await apps.behind.objects.tree(app)
    found = [node for node in tree.nodes().values() if node.uid and filters.fits(node)]
    refuse_unread(tree, filters, listed=bool(found))
    if not found:
        raise NotFound(f"{name} has no such object", why="no matching resource found", hint=f"See what it has with: plumb app resources {name.name}.")  # fmt: skip
    if len(found) > 1 and not several:
        raise InvalidInput(f"{len(found)} objects match", hint="Name one with --resource-name, or use --all.")
    return found


def refuse_unread(tree: Tree, filters: Filters, *, listed: bool = True) -> None:
    """Raise why one that fits could not be read, which is not to have none; so it is of a kind of which none is *listed*."""
    for ref, error in sorted(tree.unread, key=lambda each: not each.ref.name):
        if filters.fits(Node(*ref)) if ref.name else not listed and filters.kind == ref.kind:
            raise error


def narrowed(obj: JsonObject, paths: Sequence[str]) -> JsonObject:
    """Only the fields that *paths* name, dotted, and the name; all of it where there are none."""
    if not paths:
        return obj
    kept: JsonObject = {"metadata": {"name": obj["metadata"]["name"]}}
    for path in paths:
        value: Json = obj
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            _put(kept, path.split("."), value)
    return kept


def _put(into: JsonObject, path: Sequence[str], value: Json) -> None:
    for part in path[:-1]:
        into = into.setdefault(part, {})
    into[path[-1]] = value


def fields(objects: Sequence[JsonObject]) -> str:
    """One line for each value, under the path that leads there."""
    named = len(objects) > 1
    header = ("FIELD", "RESOURCE NAME", "VALUE") if named else ("FIELD", "VALUE")
    rows = []
    for obj in objects:
        name = str(obj["metadata"]["name"])
        rows += [(path, *((name,) if named else ()), text) for path, text in _flat(obj, "")]
    return argo_table(header, rows)


def _flat(value: Json, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _flat(value[key], f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _flat(each, f"{path}[{at}]")
    else:
        yield path, str(value).lower() if isinstance(value, bool) else str(value)
