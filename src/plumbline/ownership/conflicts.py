"""When two claims are about the same thing, and what is said when they are."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.ownership.patterns import fits
from plumbline.ownership.values import Claim, External, Resource, Unnamed

_FOR_ONE_ID: Final = 100
"""Conflicts about one type and id, in different regions and accounts. Whoever has more does not read them."""


class Conflict(NamedTuple):
    """One thing with several declared owners. Of each owner every claim is kept: each is a place to look at."""

    resource: Resource
    claims: tuple[Claim, ...]

    @property
    def order(self) -> tuple[str, tuple[tuple[str, str, str, int, str, str], ...]]:
        return str(self.resource), tuple(claim.order for claim in self.claims)


class Possible(NamedTuple):
    """A claim on something whose id is only partly known, and claims of others that fit what is known."""

    claim: Claim
    others: tuple[Claim, ...]


def ordered(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(sorted(claims, key=lambda claim: claim.order))


def same_thing(one: External, other: External) -> bool:
    """Whether they may be one thing: what both know of region and account does not differ."""
    return (
        one.key == other.key
        and (not one.region or not other.region or one.region == other.region)
        and (not one.account or not other.account or one.account == other.account)
    )


def contested(resource: Resource, claims: Iterable[Claim]) -> list[Conflict]:
    declared = [claim for claim in claims if claim.strength == "declared"]
    several = len({claim.owner for claim in declared}) > 1
    return [Conflict(resource, ordered(declared))] if several else []


def overlaps(claims: Mapping[External, Collection[Claim]]) -> list[Conflict]:
    """Conflicts among resources with the same type and id.

    "May be the same" does not carry over: a queue of unknown region may be the one here or the one there, which are
    two. So claims are gathered round each of the most exactly known, and the vague ones are counted to each they fit.
    """
    found: dict[tuple[Claim, ...], Conflict] = {}
    for resource in sorted(_most_exact(claims), key=str)[:_FOR_ONE_ID]:
        near = [claim for kin, held in claims.items() if same_thing(kin, resource) for claim in held]
        for conflict in contested(resource, near):
            found.setdefault(conflict.claims, conflict)
    return list(found.values())


def _most_exact(resources: Iterable[External]) -> Iterator[External]:
    """Those of which no other says the same and more."""
    known = list(resources)
    regions = {each.region for each in known if each.account}
    accounts = {each.account for each in known if each.region}
    for each in known:
        if each.region and each.account:
            yield each
        elif each.region:
            if each.region not in regions:
                yield each
        elif each.account:
            if each.account not in accounts:
                yield each
        elif len(known) == 1:
            yield each


def possible(claims: Iterable[Claim]) -> list[Possible]:
    """Claims whose ids are only partly known, with those of other owners that they could turn out to mean.

    A pattern that says nothing fits everything of its type and is no lead; neither is an id that a provider assigns.
    """
    named: dict[str, list[tuple[str, Claim]]] = {}
    partly: list[tuple[Unnamed, Claim]] = []
    for claim in claims:
        resource = claim.resource
        if isinstance(resource, External) and claim.strength == "declared":
            named.setdefault(resource.type, []).append((resource.id, claim))
        elif isinstance(resource, Unnamed) and not resource.assigned and resource.pattern.strip("*"):
            partly.append((resource, claim))
            if "*" not in resource.pattern:
                # Its name is known, only not whether the name is unique.
                named.setdefault(resource.type, []).append((resource.pattern, claim))
    found = []
    for resource, claim in partly:
        candidates = named.get(resource.type, ())
        others = [each for id_, each in candidates if each.owner != claim.owner and fits(id_, resource.pattern)]
        if others:
            found.append(Possible(claim, ordered(others[:_FOR_ONE_ID])))
    return sorted(found, key=lambda each: each.claim.order)
