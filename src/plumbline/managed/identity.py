"""Which thing outside a managed resource stands for, and who stood for it first. Pure.

Two managed resources with the same external name through the same ProviderConfig would undo each other's work: the older
one has it, and the other waits.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.kernel.cache import Cached
from plumbline.kube.names import Ref
from plumbline.kube.object import Object
from plumbline.managed.external import merged_under
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.spec import EXTERNAL_NAME
from plumbline.ownership.external import Scope, rule_of_kind
from plumbline.ownership.learn.managed import learn_managed, writes
from plumbline.ownership.values import Claim, ClusterObject, External, Owner, Source

_PLACES: Final = ("region", "location", "project")


class Identity(NamedTuple):
    """Equal for two resources that stand for the same thing."""

    config: str
    name: str
    place: tuple[str, ...]


def external_name(kind: ManagedKind, entry: Cached) -> str:
    """As it is recorded, or as it will be."""
    said = entry.meta.annotations.get(EXTERNAL_NAME, "")
    return said or (entry.meta.name if kind.external_name == "chosen" else "")


def name_index(kind: ManagedKind) -> Callable[[Cached], Iterable[str]]:
    def index(entry: Cached) -> Iterator[str]:
        if name := external_name(kind, entry):
            yield name

    return index


def identity(kind: ManagedKind, obj: JsonObject, config: Ref, name: str) -> Identity:
    """What tells it from others: besides its name, where it is and what it belongs to."""
    spec = Object(obj).spec
    said = merged_under(_mapping(spec, "forProvider"), _mapping(spec, "initProvider"))
    manifest = _mapping(said, "manifest")
    inner = str(Ref.of(manifest)) if manifest else ""
    parents = (each.field for each in kind.references if "." not in each.field and not each.many)
    place = tuple(str(said.get(field) or "") for field in (*_PLACES, *parents))
    return Identity(str(config), name, (*place, inner))


def older(one: JsonObject, other: JsonObject) -> bool:
    """Whether *one* was there before *other*; of two that came in the same second the same one on every machine."""
    return _age(one) < _age(other)


def claims(obj: JsonObject, config: Ref, cluster: str = "") -> tuple[Claim, ...]:
    """What the ledger should know: the thing that it stands for, where the tables know how things of its sort are named."""
    found = learn_managed(obj, cluster)
    return tuple(msgspec.structs.replace(each, resource=_within(each.resource, obj, config)) for each in found)


def _within(resource: object, obj: JsonObject, config: Ref) -> External | ClusterObject | object:
    """Names are unique in an account, and which account it is only the config knows."""
    rule = rule_of_kind(Object(obj).group_kind)
    if not isinstance(resource, External) or resource.account or (rule and rule.scope is Scope.GLOBAL):
        return resource
    return msgspec.structs.replace(resource, account=str(config))


def claim_of(kind: ManagedKind, obj: JsonObject, name: str) -> Claim:
    """The claim of one managed resource on what it stands for, for people who are told of two."""
    ref = Ref.of(obj)
    thing = External(str(kind.group_kind), name)
    source = Source(object=ClusterObject(ref), said=f"external name {name}")
    return Claim(thing, Owner.of("crossplane", ref), source, since=Object(obj).creation_timestamp)


def may_write(obj: JsonObject) -> bool:
    """Several may look at the same thing, if one at most changes it."""
    return writes(Object(obj).spec)


def _age(obj: JsonObject) -> tuple[str, str, str]:
    view = Object(obj)
    return view.creation_timestamp, str(view.ref), view.uid


def _mapping(parent: JsonObject, field: str) -> JsonObject:
    value: Json = parent.get(field)
    return value if isinstance(value, dict) else {}
