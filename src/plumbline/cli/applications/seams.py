"""What verbs ask about what is behind Applications, whoever answers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from plumbline.base.json import JsonObject
from plumbline.cli.applications.folders import Folder
from plumbline.delivery.tree import Node, Tree
from plumbline.kube.names import Ref


class Change(NamedTuple):
    body: bytes
    kind: str
    """As the Content-Type of a patch names it."""


class Available(NamedTuple):
    """An action that an object offers."""

    node: Node
    name: str
    disabled: bool = False

    def as_json(self) -> JsonObject:
        """With capitals, as `argocd app actions list -o json` has it."""
        node = self.node
        named = {"Group": node.group, "Kind": node.kind, "Name": node.name}
        return {**named, "Action": self.name, "Disabled": self.disabled}


class Sought(NamedTuple):
    """What Git is asked for."""

    app: JsonObject
    revisions: tuple[str, ...] = ()
    """One for each source, empty where the source's own is meant; none for all of them."""
    folder: Folder | None = None
    """Files at hand, instead of a repository."""
    fresh: bool = False
    data: Path = Path()
    """Where this user's installation keeps what it keeps."""
    server_side: bool | None = None
    """Whether the destination is asked what it would make of each object; None for what the application says."""
    committed: bool = False
    """Whether Git counts also where manifests at hand were synced, which else count until the next sync."""


class Chosen(NamedTuple):
    """Behind which objects pods are. Empty means any."""

    group: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""

    def fits(self, node: Node) -> bool:
        asked = (
            (self.group, node.group),
            (self.kind, node.kind),
            (self.name, node.name),
            (self.namespace, node.namespace),
        )
        return all(not wanted or wanted == found for wanted, found in asked)


class Reading(NamedTuple):
    """Which lines of which pods."""

    chosen: Chosen
    parameters: Mapping[str, str]
    """As PodLogOptions has them."""
    wanted: str = ""
    until: str = ""
    match_case: bool = False


class Objects(Protocol):
    async def tree(self, app: JsonObject, kinds: Iterable[str] | None = None) -> Tree:
        """Of what is owned, *kinds* at least. What is there has a uid; how it is in full says `whole`."""

    async def orphans(self, app: JsonObject) -> tuple[Ref, ...]:
        """What is in its namespace and nobody's, where its project wants to know."""

    async def whole(self, app: JsonObject, node: Node) -> JsonObject: ...

    async def patch(self, app: JsonObject, node: Node, change: Change) -> None: ...

    async def delete(self, app: JsonObject, node: Node, *, orphan: bool, force: bool) -> None: ...


class Actions(Protocol):
    async def offered(self, app: JsonObject, nodes: Sequence[Node]) -> list[Available]: ...

    async def run(self, app: JsonObject, nodes: Sequence[Node], action: str) -> None: ...


class Git(Protocol):
    async def differences(self, sought: Sought) -> list[tuple[Ref, str]]:
        """What a sync would change, object by object, as text without a secret value."""

    async def manifests(self, sought: Sought, *, live: bool) -> list[JsonObject]:
        """What is asked for, or what is there, with values of Secrets masked."""

    async def bodies(self, sought: Sought) -> list[str]:
        """What files at hand ask for, as they are to be applied."""


class Logs(Protocol):
    async def print(self, app: JsonObject, pods: Sequence[Node], reading: Reading) -> None:
        """Lines on stdout, until there are no more; *pods* are those that are meant."""


class Behind(NamedTuple):
    objects: Objects
    actions: Actions
    git: Git
    logs: Logs
    judges: bool = False
    """Whether it refuses by itself what projects and destinations forbid."""
