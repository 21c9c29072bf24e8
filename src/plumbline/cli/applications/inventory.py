"""Objects of an application, and objects beside them that are nobody's."""

from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import SystemClock
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.applications.store import Applications
from plumbline.cli.applications.trees import age, tell_unread
from plumbline.cli.terminal import argo_table
from plumbline.delivery.tree import Node, Tree
from plumbline.kube.names import Ref

_HEADER: Final = ("GROUP", "KIND", "NAMESPACE", "NAME", "ORPHANED")
_DETAILS: Final = ("AGE", "HEALTH", "REASON")


class Inventory(NamedTuple):
    tree: Tree
    orphans: tuple[Ref, ...]
    now: datetime

    def written(self, output: str, *, own: bool, orphans: bool) -> str:
        if output in {"json", "yaml"}:
            return self._values(output, own=own, orphans=orphans)
        detailed = output == "tree=detailed"
        nodes = list(self.tree.walk()) if output != "wide" else [("", node) for node in self.tree.roots]
        rows = [self._row(branch, node, detailed=detailed) for branch, node in nodes] if own else []
        if orphans:
            rows += [[*each, "Yes", *(("", "", "") if detailed else ())] for each in self.orphans]
        return argo_table((*_HEADER, *_DETAILS) if detailed else _HEADER, rows)

    def _row(self, branch: str, node: Node, *, detailed: bool) -> list[str]:
        cells = [branch + node.group, node.kind, node.namespace, node.name, "No"]
        if not detailed:
            return cells
        health = node.health
        return [*cells, age(node.obj, self.now), str(health.status) if health else "", health.message if health else ""]

    def _values(self, output: str, *, own: bool, orphans: bool) -> str:
        from plumbline.base.documents import dump_yaml  # noqa: PLC0415 - only who asks for YAML waits for it

        listed: list[tuple[tuple[str, ...], bool]] = [(node[:4], False) for node in self.tree.roots] if own else []
        listed += [(tuple(each), True) for each in self.orphans] if orphans else []
        items = [dict(zip(("group", "kind", "namespace", "name"), place, strict=True)) | {"orphaned": lost} for place, lost in listed]  # fmt: skip
        text = encode({"items": items})
        return (
            dump_yaml(decode(text)).rstrip("\n") if output == "yaml" else msgspec.json.format(text, indent=2).decode()
        )


async def inventory(apps: Applications, app: JsonObject, *, trees: bool) -> Inventory:
    objects = apps.behind.objects
    tree = await objects.tree(app, None if trees else ())
    tell_unread(tree)
    return Inventory(tree, await objects.orphans(app), SystemClock().now())
