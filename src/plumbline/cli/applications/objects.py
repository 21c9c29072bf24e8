"""Objects of an application, picked by kind, namespace and name: shown, patched, deleted."""

from collections.abc import Iterator, Sequence

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import Json, JsonObject
from plumbline.cli.applications.actions import Filters
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.cli.terminal import table
from plumbline.delivery.tree import Node, tree_of
from plumbline.kube.client import Target


async def picked(apps: Applications, name: AppName, filters: Filters, *, several: bool) -> list[Node]:
    """Those that are there, of it and of what it owns. Raises NotFound; InvalidInput for more than one unless *several*."""
    tree = await tree_of(apps.client, await apps.get(name))
    found = [node for node in tree.nodes().values() if node.obj and filters.fits(node)]
    if not found:
        raise NotFound(f"{name} has no such object", why="no matching resource found", hint=f"See what it has with: plumb app resources {name.name}.")  # fmt: skip
    if len(found) > 1 and not several:
        raise InvalidInput(f"{len(found)} objects match", hint="Name one with --resource-name, or use --all.")
    return found


async def target_of(apps: Applications, node: Node) -> Target:
    resource = await apps.client.discovery.resource(node.gvk)
    return resource.target(node.namespace, node.name)


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
    return table(header, rows)


def _flat(value: Json, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _flat(value[key], f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _flat(each, f"{path}[{at}]")
    else:
        yield path, str(value).lower() if isinstance(value, bool) else str(value)
