"""Operations as values: what a document says about one method of one path, before its dialect is chosen."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.openapi.parameters import Parameter
from plumbline.kube.names import GroupVersionKind

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
ANY: Final = ("*/*",)
OBJECTS: Final = (JSON, YAML, PROTOBUF)
STREAMS: Final = (*OBJECTS, f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
PATCHES: Final = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
OK: Final = (200,)
REPLACED: Final = (200, 201)
CREATED: Final = (200, 201, 202)
DELETED: Final = (200, 202)
WORDS: Final = {200: "OK", 201: "Created", 202: "Accepted", 401: "Unauthorized"}


class Body(NamedTuple):
    definition: str
    required: bool = True


class Operation(NamedTuple):
    """`answers` is the name of the definition that it answers with; empty where that is plain text."""

    method: str
    path: str
    id: str
    tag: str
    description: str
    answers: str
    statuses: tuple[int, ...] = OK
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    consumes: tuple[str, ...] = ANY
    produces: tuple[str, ...] = OBJECTS
    action: str = ""
    kind: GroupVersionKind | None = None

    def definitions(self) -> Iterator[str]:
        if self.answers:
            yield self.answers
        if self.body:
            yield self.body.definition


class PathItem(NamedTuple):
    """The operations of a path without the parameters that all of them share."""

    path: str
    operations: tuple[Operation, ...]
    shared: tuple[Parameter, ...]


def path_items(operations: Iterable[Operation]) -> list[PathItem]:
    """Grouped by path, in the order of paths; parameters in the order of their names."""
    by_path: dict[str, list[Operation]] = {}
    for each in operations:
        by_path.setdefault(each.path, []).append(each)
    return [_item(path, by_path[path]) for path in sorted(by_path)]


def _item(path: str, operations: list[Operation]) -> PathItem:
    first, *others = operations
    shared = [each for each in first.parameters if all(each in other.parameters for other in others)]
    bare = tuple(_without(each, shared) for each in operations)
    return PathItem(path, bare, _ordered(shared))


def _without(operation: Operation, shared: list[Parameter]) -> Operation:
    own = _ordered(each for each in operation.parameters if each not in shared)
    return operation._replace(parameters=own)


def _ordered(parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    return tuple(sorted(parameters, key=lambda each: (each.name, each.place)))
