"""How the tables of this room are read.

A line at the margin opens an object: its name, `namespace/name` where it has a namespace. `to:X` marks a ClusterRole
that the aggregated role X is made of, and `from:X` the one that is made of those marked so. An indented line is a rule:
verbs, groups, resources and object names, or verbs and paths; within a column commas separate. `R` stands for reading
verbs, `W` for writing ones, `RW` for both, `core` for the group without a name, `EVENTS` for the rule to report events.
Lines of bindings go on with their subjects; `of:X` names the role where it is called otherwise than the binding.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject

_READING: Final = ("get", "list", "watch")
_WRITING: Final = ("create", "delete", "deletecollection", "patch", "update")
_VERBS: Final = {"R": _READING, "W": _WRITING, "RW": (*_READING, *_WRITING)}
_EVENTS: Final = "create,patch,update core,events.k8s.io events"
_COLUMNS: Final = ("apiGroups", "resources", "resourceNames")


class Heading(NamedTuple):
    name: str
    namespace: str = ""
    to: str = ""
    made_from: str = ""
    of: str = ""
    subjects: tuple[str, ...] = ()


class Entry(NamedTuple):
    heading: Heading
    rules: list[JsonObject]


def entries(table: str) -> Iterator[Entry]:
    entry = None
    for line in table.splitlines():
        if line.startswith(" ") and entry is not None:
            entry.rules.append(_rule(line.strip()))
            continue
        if entry is not None:
            yield entry
        entry = Entry(_heading(line), [])
    if entry is not None:
        yield entry


def _heading(line: str) -> Heading:
    place, *marks = line.split()
    namespace, _, name = place.rpartition("/")
    named = dict(mark.split(":", 1) for mark in marks if mark.startswith(("to:", "from:", "of:")))
    subjects = tuple(mark for mark in marks if "/" in mark)
    return Heading(name, namespace, named.get("to", ""), named.get("from", ""), named.get("of", ""), subjects)


def _rule(line: str) -> JsonObject:
    verbs, *columns = (_EVENTS if line == "EVENTS" else line).split()
    rule: JsonObject = {"verbs": sorted({verb for each in verbs.split(",") for verb in _VERBS.get(each, (each,))})}
    if len(columns) == 1:
        return rule | {"nonResourceURLs": columns[0].split(",")}
    columns[0] = ",".join("" if group == "core" else group for group in columns[0].split(","))
    return rule | {title: column.split(",") for title, column in zip(_COLUMNS, columns, strict=False)}
