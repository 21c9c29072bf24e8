"""A kind as the matrix needs it: where it is served, one complete object, and where that may change."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.conformance.differential.dice import Dice
from tests.conformance.differential.spots import Entries, Items, Members, Spot

from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind, GroupVersionResource

LABELS = ("tier", "team", "example.org/colour")
WORDS = ("red", "green", "blue")


@dataclass(frozen=True)
class Subject:
    gvk: GroupVersionKind
    plural: str
    spec: Callable[[Dice], JsonObject]
    """Everything beside metadata, written out as the server completes it."""
    spots: tuple[Spot, ...] = ()
    birth_spots: tuple[Spot, ...] = ()
    """Spots that may only be chosen when the object is created."""
    status_spots: tuple[Spot, ...] = ()
    namespaced: bool = True
    metadata: JsonObject = field(default_factory=dict)
    crd: JsonObject | None = None

    @property
    def name(self) -> str:
        return self.gvk.kind

    @property
    def all_spots(self) -> tuple[Spot, ...]:
        return METADATA + self.spots

    def path(self, namespace: str) -> str:
        root = GroupVersionResource(self.gvk.group, self.gvk.version, self.plural).root
        return f"{root}/namespaces/{namespace}/{self.plural}" if self.namespaced else f"{root}/{self.plural}"

    def identity(self, namespace: str, name: str) -> JsonObject:
        where = {"namespace": namespace} if self.namespaced else {}
        return {"apiVersion": self.gvk.api_version, "kind": self.gvk.kind, "metadata": {"name": name, **where}}

    def made(self, namespace: str, name: str, dice: Dice) -> JsonObject:
        identity = self.identity(namespace, name)
        return {**identity, "metadata": {**identity["metadata"], **self.metadata}, **self.spec(dice)}


def owner(letter: str, number: int) -> JsonObject:
    uid = f"00000000-0000-4000-8000-{number:012d}"
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": f"owner-{letter}", "uid": uid}


METADATA: tuple[Spot, ...] = (
    Entries("metadata.labels", LABELS, WORDS),
    Entries("metadata.annotations", ("note", "example.org/url"), ("one", "two", "https://example.org/?a=b&c")),
    Members("metadata.finalizers", ("example.org/a", "example.org/b", "example.org/c")),
    Items(
        "metadata.ownerReferences",
        ("uid",),
        (owner("a", 1), owner("b", 2), {**owner("c", 3), "blockOwnerDeletion": True}),
        patch_key="uid",
    ),
)
