"""Crossplane's marks: what a composite composes, and which claim a composite belongs to."""

from collections.abc import Mapping
from typing import Final

from plumbline.kube.names import GroupKind, Ref
from plumbline.ownership.learn.facts import Facts
from plumbline.ownership.values import Claim, ClusterObject, Owner, Source

RESOURCE_NAME: Final = "crossplane.io/composition-resource-name"
CLAIM_NAME: Final = "crossplane.io/claim-name"
CLAIM_NAMESPACE: Final = "crossplane.io/claim-namespace"


def composed(facts: Facts, parent: ClusterObject | None) -> list[Claim]:
    """The composite that composes the object. It writes what it composes, so this is a claim and not mere parenthood."""
    if parent is None or RESOURCE_NAME not in facts.annotations:
        return []
    owner = Owner.of("composite", parent.ref, parent.cluster)
    source = Source(object=facts.object, said=f"annotation {RESOURCE_NAME} and its controller reference")
    return [Claim(facts.object, owner, source, since=facts.created)]


def claimed(facts: Facts, claim_kinds: Mapping[GroupKind, GroupKind]) -> list[Claim]:
    """The claim that a composite was made for. Only composites mean it: what they compose carries the same labels."""
    kind = claim_kinds.get(GroupKind(facts.object.ref.group, facts.object.ref.kind))
    name, namespace = facts.labels.get(CLAIM_NAME, ""), facts.labels.get(CLAIM_NAMESPACE, "")
    if kind is None or not name or not namespace:
        return []
    owner = Owner.of("claim", Ref(*kind, namespace, name), facts.object.cluster)
    source = Source(object=facts.object, said=f"labels {CLAIM_NAME} and {CLAIM_NAMESPACE}")
    return [Claim(facts.object, owner, source, since=facts.created)]
