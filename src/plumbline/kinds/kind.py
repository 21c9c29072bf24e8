"""The declaration of a kind: everything about it that is not in its fields. `kinds.crd` makes CRDs of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import msgspec

from plumbline.base.json import Json
from plumbline.kinds.fields import Fields
from plumbline.kube.names import GroupKind, GroupVersionKind, GroupVersionResource

S_co = TypeVar("S_co", bound=Fields, covariant=True)
T_co = TypeVar("T_co", bound=Fields, covariant=True)


class NoSpec(Fields):
    """The spec of a kind that has none: what people ask for stands beside it."""


class NoStatus(Fields):
    """The status of a kind that has none."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """What `kubectl get` prints beside the name. *priority* 0 is always shown, others with `-o wide`."""

    name: str
    path: str
    type: Literal["boolean", "date", "integer", "number", "string"] = "string"
    description: str = ""
    priority: int = 0


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Where `kubectl scale` and autoscalers find the numbers."""

    spec_replicas: str
    status_replicas: str
    selector: str = ""


@dataclass(frozen=True, kw_only=True)
class Version(Generic[S_co, T_co]):
    name: str
    spec: type[S_co]
    status: type[T_co]
    also: tuple[tuple[str, Any], ...] = ()
    """Typed fields beside spec and status, such as an Application's `operation`."""
    status_apart: bool = True
    """Status is written through a subresource. Some upstream kinds write it with the object, and so must we."""
    status_depth: int | None = None
    """How deep the API server looks into a status: so many levels of it are described and checked; None for all.

    Nobody but us writes a status, and it is written far more often than a spec: checking all of a deep one, and keeping
    book of who owns each field in it, costs the server as much again as everything else about the write. With a depth the
    status is one field to whoever asks who owns what, and below the depth it holds whatever we put there.
    """
    served: bool = True
    deprecation: str = ""
    """What a client is told that still uses this version; empty while it is current."""
    columns: tuple[Column, ...] = ()
    selectable: tuple[str, ...] = ()
    """Fields by which a list can be filtered on the server, such as `.spec.project`.

    The same ones in every version that has the same schema: the API server refuses anything else.
    """
    scale: Scale | None = None
    rules: tuple[tuple[str, str], ...] = ()
    """CEL rules about the spec as a whole, each with the message that a person sees when it fails."""
    status_default: tuple[tuple[str, Json], ...] = ()
    """What the status says before anybody has written one."""

    def __post_init__(self) -> None:
        demanded = [f.encode_name for f in msgspec.structs.fields(self.status) if f.required]
        if demanded:
            raise TypeError(f"{self.status.__name__} demands {', '.join(demanded)}: a status may always be missing")


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[S_co, T_co]):
    group: str
    kind: str
    plural: str
    description: str
    versions: tuple[Version[S_co, T_co], ...]
    """The first one is how objects are stored."""
    namespaced: bool = True
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    keep_unknown: bool = False
    """Defined elsewhere: a newer upstream may add fields, and the API server must not drop them from people's objects."""

    def __post_init__(self) -> None:
        if not self.versions or not self.versions[0].served:
            raise TypeError(f"{self.kind}: the stored version comes first and is served")
        _distinct(self.kind, (version.name for version in self.versions))

    @property
    def group_kind(self) -> GroupKind:
        return GroupKind(self.group, self.kind)

    @property
    def crd_name(self) -> str:
        return f"{self.plural}.{self.group}"

    @property
    def resource(self) -> GroupVersionResource:
        """Where its objects are read and written, in the stored version."""
        return GroupVersionResource(self.group, self.versions[0].name, self.plural)

    @property
    def gvk(self) -> GroupVersionKind:
        return GroupVersionKind(self.group, self.versions[0].name, self.kind)

    def version(self, name: str) -> Version[S_co, T_co] | None:
        return next((version for version in self.versions if version.name == name), None)


def _distinct(kind: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TypeError(f"{kind}: version {name} is declared twice")
        seen.add(name)
