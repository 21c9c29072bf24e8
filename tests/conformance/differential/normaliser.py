"""What is left out when our object is compared with the server's: values that only a server can make.

The list is data with a reason for each row. It may only shrink; a test holds its length.
"""

from typing import NamedTuple

from plumbline.base.json import Json, JsonObject

ALWAYS, CREATE = "every write", "create"


class Ignored(NamedTuple):
    when: str
    kind: str
    path: str
    reason: str


IGNORED: tuple[Ignored, ...] = (
    Ignored(ALWAYS, "*", "metadata/resourceVersion", "the revision of the server's store"),
    Ignored(ALWAYS, "*", "metadata/generation", "counted by the server after it has compared specs"),
    Ignored(
        ALWAYS,
        "DaemonSet",
        "metadata/annotations/deprecated.daemonset.template.generation",
        "counted by the server when the template changes",
    ),
    Ignored(CREATE, "*", "metadata/uid", "drawn by the server"),
    Ignored(CREATE, "*", "metadata/creationTimestamp", "the server's clock"),
    Ignored(CREATE, "*", "status", "begun by the server; what a client says about it is dropped"),
)


class Difference(NamedTuple):
    path: str
    ours: Json
    theirs: Json

    def __str__(self) -> str:
        return f"{self.path}: ours {_short(self.ours)}, server's {_short(self.theirs)}"


_MISSING = "(absent)"


def differences(ours: JsonObject, theirs: JsonObject, *, created: bool) -> list[Difference]:
    """Where the objects differ, apart from managedFields and from what is ignored."""
    kind = theirs["kind"]
    rows = [row for row in IGNORED if row.kind in ("*", kind) and (row.when == ALWAYS or created)]
    paths = [("metadata", "managedFields"), *(tuple(row.path.split("/")) for row in rows)]
    for path in paths:
        ours, theirs = _without(ours, path), _without(theirs, path)
    found: list[Difference] = []
    compare("", ours, theirs, found)
    return found


def compare(path: str, ours: Json, theirs: Json, found: list[Difference]) -> None:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            compare(f"{path}.{key}", ours.get(key, _MISSING), theirs.get(key, _MISSING), found)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for n, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            compare(f"{path}[{n}]", mine, other, found)
    elif ours != theirs or isinstance(ours, bool) is not isinstance(theirs, bool):
        found.append(Difference(path, ours, theirs))


def _without(node: Json, path: tuple[str, ...]) -> Json:
    if not isinstance(node, dict) or path[0] not in node:
        return node
    if len(path) == 1:
        return {key: value for key, value in node.items() if key != path[0]}
    return {**node, path[0]: _without(node[path[0]], path[1:])}


def _short(value: Json) -> str:
    text = str(value)
    return text if len(text) <= 400 else f"{text[:400]}…"
