"""Manifests beside what is live: found, compared and put into words."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

import click

from plumbline.base.json import Json, JsonObject, encode
from plumbline.base.tasks import task_group
from plumbline.cli.clusters import Cluster, opened
from plumbline.cli.output import identity
from plumbline.cli.terminal import encodable, plain
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.crd import crd_manifest
from plumbline.kube.diff import ABSENT, Absent, Change, Difference, diff
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.schema import FREE, Shape, builtin_shape, crd_shape

_SIGNS: Final = {Change.ADD: ("+", "green"), Change.CHANGE: ("~", "yellow"), Change.REMOVE: ("-", "red")}
_LONGEST_VALUE: Final = 80


class Compared(NamedTuple):
    obj: JsonObject
    exists: bool
    differences: list[Difference]

    @property
    def differs(self) -> bool:
        return not self.exists or bool(self.differences)


def against_files(
    wanted: Sequence[JsonObject], live: Sequence[JsonObject], manager: str, namespace: str
) -> list[Compared]:
    """Each of *wanted* beside the one in *live* that it means; an object that names no namespace is in *namespace*."""
    home = namespace or "default"
    by_ref = {_ref(obj, home): obj for obj in live}
    return [_compared(obj, by_ref.get(_ref(obj, home)), known_shape(obj) or FREE, manager) for obj in wanted]


async def against_cluster(
    wanted: Sequence[JsonObject], manager: str, where: tuple[Path | None, str, str]
) -> list[Compared]:
    async with opened(*where) as cluster, task_group() as tasks:
        asked = [tasks.create_task(_asked(obj, cluster, manager)) for obj in wanted]
    return [each.result() for each in asked]


async def _asked(obj: JsonObject, cluster: Cluster, manager: str) -> Compared:
    live = await cluster.live(obj)
    shape = builtin_shape(GroupVersionKind.of(obj))
    if live is not None and shape is None:
        kind = GroupVersionKind.of(obj)
        crd = await cluster.crd(kind)
        shape = crd_shape(crd, kind.version) if crd else None
    return _compared(obj, live, shape or FREE, manager)


def known_shape(obj: JsonObject) -> Shape | None:
    """The shape of a kind that is known without a cluster: built in, or one of ours."""
    gvk = GroupVersionKind.of(obj)
    for kind in KINDS:
        if gvk.group_kind == kind.group_kind and kind.version(gvk.version):
            return crd_shape(crd_manifest(kind), gvk.version)
    return builtin_shape(gvk)


def _compared(obj: JsonObject, live: JsonObject | None, shape: Shape, manager: str) -> Compared:
    return Compared(obj, live is not None, diff(obj, live, shape, manager=manager) if live is not None else [])


def _ref(obj: JsonObject, home: str) -> Ref:
    ref = Ref.of(obj)
    # Offline nobody knows which kinds have namespaces, so the one that is meant by default counts as none.
    return ref._replace(namespace="") if ref.namespace == home else ref


def item(compared: Compared) -> JsonObject:
    listed = [_entry(each) for each in compared.differences]
    return identity(compared.obj) | {"exists": compared.exists, "differences": listed}


def _entry(difference: Difference) -> JsonObject:
    entry: JsonObject = {
        "path": difference.path,
        "change": difference.change.value,
        "managers": list(difference.managers),
    }
    if difference.secret:
        return entry | {"secret": True}
    values = {"live": difference.live, "desired": difference.desired}
    return entry | {name: value for name, value in values.items() if not isinstance(value, Absent)}


def drawn(compared: Compared, stream: IO[str]) -> Iterator[str]:
    if not compared.differs:
        return
    yield click.style(plain(str(Ref.of(compared.obj))), bold=True)
    if not compared.exists:
        yield click.style("  + does not exist yet", fg="green")
    for each in compared.differences:
        sign, colour = _SIGNS[each.change]
        yield click.style(f"  {sign} {plain(each.path)}: {_change(each, stream)}", fg=colour) + _holders(each)


def _change(difference: Difference, stream: IO[str]) -> str:
    if difference.secret:
        return "secret value, not shown"
    if difference.change is Change.ADD:
        return _value(difference.desired)
    if difference.change is Change.REMOVE:
        return _value(difference.live)
    arrow = "→" if encodable("→", stream) else "->"
    return f"{_value(difference.live)} {arrow} {_value(difference.desired)}"


def _value(value: Json | Absent) -> str:
    if value is ABSENT:
        return "absent"
    text = plain(encode(value).decode())
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _holders(difference: Difference) -> str:
    return f"  (held by {plain(', '.join(difference.managers))})" if difference.managers else ""
