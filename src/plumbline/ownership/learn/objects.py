"""Everything that an object's metadata says, in one answer."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.kube.names import GroupKind, GroupVersion, Ref
from plumbline.ownership.learn.composed import claimed, composed
from plumbline.ownership.learn.facts import Facts
from plumbline.ownership.learn.packaged import packaged
from plumbline.ownership.learn.tracking import Tracking, tracked
from plumbline.ownership.scopes import Scopes
from plumbline.ownership.values import Claim, ClusterObject, Engine, Learned, Owner, Source

_PEOPLE: Final = ("kubectl", "k9s", "Mozilla", "oc", "headlamp")
"""How field managers begin that somebody drives by hand."""


class Setting(NamedTuple):
    """What has to be known about a cluster to read the marks on its objects."""

    tracking: Tracking = Tracking()
    claim_kinds: Mapping[GroupKind, GroupKind] = {}
    """For each kind of composite the kind of its claims, from the definitions that offer them."""
    scopes: Scopes = Scopes()


def learn(facts: Facts, setting: Setting) -> Learned:
    """Who declares to own the object, whose child it is, and where neither is known whose traces are on it."""
    parent = _parent(facts, setting.scopes)
    claims = [
        *tracked(facts, setting.tracking),
        *packaged(facts),
        *(composed(facts, parent) or claimed(facts, setting.claim_kinds)),
    ]
    if not claims and parent is None:
        claims = _traces(facts)
    return Learned(tuple(claims), ((facts.object, parent),) if parent else ())


def _parent(facts: Facts, scopes: Scopes) -> ClusterObject | None:
    """The object that controls it; where none says so, the first that it names."""
    if not facts.owners:
        return None
    owner = next((each for each in facts.owners if each.controller), facts.owners[0])
    kind = GroupKind(GroupVersion.parse(owner.api_version).group, owner.kind)
    # A reference has no namespace: it is the child's own, or none.
    namespace = facts.object.ref.namespace if scopes.namespaced(kind) else ""
    return ClusterObject(Ref(*kind, namespace, owner.name), facts.object.cluster)


def _traces(facts: Facts) -> list[Claim]:
    return [
        Claim(
            facts.object,
            Owner(_engine(manager), manager),
            Source(object=facts.object, said=f"field manager {manager}"),
            "observed",
            facts.created,
        )
        for manager in facts.managers
    ]


def _engine(manager: str) -> Engine:
    return "person" if manager.startswith(_PEOPLE) else "controller"
