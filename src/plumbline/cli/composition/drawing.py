"""A tree on a terminal, for programs, and for Graphviz."""

from collections.abc import Iterator
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.cli.terminal import Styled, table
from plumbline.composition import marks
from plumbline.composition.parts import below
from plumbline.composition.tracing.branches import FINE, WAITING, Node, State, state_of

_COLOURS: Final = {FINE: "green", WAITING: "yellow"}
_GLYPHS: Final = ("├─ ", "└─ ", "│  ")
_ASCII: Final = ("|- ", "`- ", "|  ")


def drawn(root: Node, *, wide: bool, plain: bool = False) -> str:
    """The columns of `crossplane trace`, and ID where the cloud gave names. *plain*: without box-drawing letters."""
    rows = list(_walked(root, _ASCII if plain else _GLYPHS))
    ids = any(node.external for _, node in rows)
    header = ["NAME", *(["RESOURCE"] if wide else []), "SYNCED", "READY", *(["ID"] if ids else []), "STATUS"]
    return table(header, [_row(stem, node, wide=wide, ids=ids) for stem, node in rows])


def _walked(root: Node, glyphs: tuple[str, str, str]) -> Iterator[tuple[str, Node]]:
    yield "", root
    yield from _below(root, "", glyphs)


def _below(node: Node, stem: str, glyphs: tuple[str, str, str]) -> Iterator[tuple[str, Node]]:
    middle, last, through = glyphs
    for at, child in enumerate(node.children, 1):
        end = at == len(node.children)
        yield stem + (last if end else middle), child
        yield from _below(child, stem + ("   " if end else through), glyphs)


def _row(stem: str, node: Node, *, wide: bool, ids: bool) -> list[str | Styled]:
    state = state_of(node)
    place = f" ({node.namespace})" if node.namespace else ""
    cells: list[str | Styled] = [f"{stem}{node}{place}"]
    if wide:
        cells.append(str(below(node.metadata, "annotations").get(marks.RESOURCE_NAME) or ""))
    cells += [_flag(state.synced), _flag(state.ready)]
    if ids:
        cells.append(node.external)
    return [*cells, _status(state, wide=wide)]


def _flag(value: str) -> Styled:
    return Styled(value, {"True": "green", "False": "red"}.get(value, ""))


def _status(state: State, *, wide: bool) -> Styled:
    text = state.status(wide=wide)
    return Styled(text, _COLOURS.get(state.level, "red") if text else "")


def as_json(node: Node) -> JsonObject:
    """As `crossplane trace -o json` has it; an error is a text."""
    made: JsonObject = {"object": node.obj}
    if node.error:
        made["error"] = node.error
    if node.unlisted:
        made["unlisted"] = [each._asdict() for each in node.unlisted]
    return made | ({"children": [as_json(each) for each in node.children]} if node.children else {})


def as_dot(root: Node) -> str:
    """An undirected graph, level by level."""
    lines, edges, queue = [], [], [(root, -1)]
    for at, (node, parent) in enumerate(queue):
        state = state_of(node)
        label = [f"Name: {node}", f"ApiVersion: {node.gvk.api_version}"]
        label += [f"Namespace: {node.namespace}"] if node.namespace else []
        label += [f"Id: {node.external}"] if node.external else []
        label += [f"Ready: {state.ready.strip('-')}", f"Synced: {state.synced.strip('-')}"]
        label += [f"Error: {node.error}"] if node.error else []
        text = "".join(f"{_escaped(each)}\\n" for each in label)
        lines.append(f'\tn{at + 1}[label="{text}",penwidth="2"];')
        if parent >= 0:
            edges.append(f"\tn{parent + 1}--n{at + 1};")
        queue += [(each, at) for each in node.children]
    return "\n".join(("graph  {", "\t", *lines, *edges, "\t", "}"))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
