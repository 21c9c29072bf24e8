"""The ledger: who owns what, in memory, with a second owner refused or, where it is a fact already, reported.

Pure: it neither reads nor writes anything but itself. Every change costs what it touches, so that a watch can feed it:
`replace` swaps what one object or file said before for what it says now.
"""

from collections.abc import Hashable, Iterator
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import NotFound, OwnedElsewhere, OwnerSide
from plumbline.ownership.bags import Bag, added, items, without
from plumbline.ownership.conflicts import Conflict, contested, ordered, overlaps, same_thing
from plumbline.ownership.values import Claim, ClusterObject, External, Learned, Owner, Resource, Source, Unnamed

LONGEST_CHAIN: Final = 32
"""Owners of owners. Nobody nests that deep on purpose."""

_Key: TypeAlias = ClusterObject | tuple[str, str]
_NOTHING: Final = Learned()


class Link(NamedTuple):
    """One step from a resource to its root: the claims on it, or the object whose child it is."""

    resource: Resource
    owner: Owner | None
    parent: ClusterObject | None
    claims: tuple[Claim, ...]


class Ledger:
    def __init__(self) -> None:
        self._claims: dict[Resource, Bag[Claim]] = {}
        self._kin: dict[tuple[str, str], Bag[External]] = {}
        self._of_owner: dict[Owner, dict[Resource, None]] = {}
        self._crowded: set[_Key] = set()
        """Where more than one owner was seen: all that `conflicts` has to look at."""
        self._parents: dict[ClusterObject, ClusterObject] = {}
        self._learned: dict[Hashable, Learned] = {}

    def __len__(self) -> int:
        """How many resources somebody claims."""
        return len(self._claims)

    def claim(self, claim: Claim) -> None:
        """Record a claim, or raise OwnedElsewhere naming both sides if somebody else has declared theirs before."""
        self.permit(claim)
        self.record(claim)

    def permit(self, claim: Claim) -> None:
        """Raise OwnedElsewhere if *claim* would be a second one. Nothing is recorded."""
        if claim.strength == "observed" or isinstance(claim.resource, Unnamed):
            return
        others = [held for held in self._near(claim.resource) if _stands_against(held, claim)]
        if others:
            raise refusal(min(others, key=_precedence), claim)

    def record(self, claim: Claim) -> None:
        """Write down a claim that is a fact already, whoever else has one: `conflicts` will tell."""
        resource, owner = claim.resource, claim.owner
        held = self._claims.get(resource)
        if held is None and isinstance(resource, External):
            self._kin[resource.key] = added(self._kin.get(resource.key), resource)
        key = _key(resource)
        if key is not None and key not in self._crowded and (other := self._first(key)) and other.owner != owner:
            self._crowded.add(key)
        self._claims[resource] = added(held, claim)
        self._of_owner.setdefault(owner, {})[resource] = None

    def release(self, resource: Resource, owner: Owner) -> bool:
        """Forget all that *owner* claims of *resource*. False where that was nothing."""
        unwanted = [claim for claim in items(self._claims.get(resource)) if claim.owner == owner]
        for claim in unwanted:
            self._drop(claim)
        return bool(unwanted)

    def transfer(self, resource: Resource, giver: Owner, taker: Claim) -> None:
        """Hand *resource* over: only from its one owner, to a claim on the same thing, both at once."""
        declared = [claim for claim in self._near(resource) if claim.strength == "declared"]
        if not declared:
            raise NotFound(f"Nobody owns {resource}", hint="Claim it; there is nothing to hand over.")
        others = [claim for claim in declared if claim.owner != giver]
        if others:
            raise refusal(min(others, key=_precedence), taker)
        for claim in declared:
            self._drop(claim)
        self.record(taker)

    def replace(self, origin: Hashable, learned: Learned) -> None:
        """Forget what *origin* said before, and record what it says now; an empty `Learned` forgets it altogether."""
        before = self._learned.pop(origin, _NOTHING)
        for claim in set(before.claims).difference(learned.claims):
            self._drop(claim)
        for child, parent in before.parents:
            if self._parents.get(child) == parent:
                del self._parents[child]
        for claim in learned.claims:
            self.record(claim)
        self._parents.update(learned.parents)
        if learned != _NOTHING:
            self._learned[origin] = learned

    def claims_on(self, resource: Resource) -> tuple[Claim, ...]:
        """Every claim on *resource*, and on what may be the same thing under a less exact name; in a fixed order."""
        return ordered(self._near(resource))

    def owner_of(self, resource: Resource) -> Owner | None:
        """Who has it: the declared owner, of several the one that has it longest; observed ones do not count."""
        declared = (claim for claim in self._near(resource) if claim.strength == "declared")
        holder = min(declared, key=_precedence, default=None)
        return holder.owner if holder else None

    def owned_by(self, owner: Owner) -> tuple[Resource, ...]:
        return tuple(sorted(self._of_owner.get(owner, ()), key=str))

    def owners(self) -> tuple[Owner, ...]:
        return tuple(sorted(self._of_owner, key=str))

    def resources(self) -> Iterator[Resource]:
        """All that somebody claims, in no particular order."""
        return iter(self._claims)

    def claims(self) -> Iterator[Claim]:
        """Every claim, in no particular order."""
        return (claim for held in self._claims.values() for claim in items(held))

    def parent_of(self, resource: Resource) -> ClusterObject | None:
        return self._parents.get(resource) if isinstance(resource, ClusterObject) else None

    def chain(self, resource: Resource) -> tuple[Link, ...]:
        """From *resource* through its owners and their owners to the root, each with what says so."""
        links: list[Link] = []
        seen: set[Resource] = set()
        at: Resource | None = resource
        while at is not None and at not in seen and len(links) < LONGEST_CHAIN:
            seen.add(at)
            owner = self.owner_of(at)
            parent = None if owner else self.parent_of(at)
            links.append(Link(at, owner, parent, self.claims_on(at)))
            at = owner.object if owner else parent
        return tuple(links)

    def root_of(self, resource: Resource) -> Owner | None:
        """The owner at the end of the chain: for a pod the Application, for a database the claim's Application."""
        owners = [link.owner for link in self.chain(resource) if link.owner]
        return owners[-1] if owners else None

    def conflicts(self) -> tuple[Conflict, ...]:
        """Everything with more than one declared owner, in an order that does not depend on who came first."""
        found = [conflict for key in self._crowded for conflict in self._conflicts_at(key)]
        return tuple(sorted(found, key=lambda conflict: conflict.order))

    def _near(self, resource: Resource) -> Iterator[Claim]:
        """Claims on it and on what may be the same thing."""
        if not isinstance(resource, External):
            yield from items(self._claims.get(resource))
            return
        for kin in items(self._kin.get(resource.key)):
            if same_thing(kin, resource):
                yield from items(self._claims[kin])

    def _first(self, key: _Key) -> Claim | None:
        """One claim of those with the same key. Where it is not crowded, all others have the same owner."""
        return next((claim for kin in self._at(key) for claim in items(self._claims.get(kin))), None)

    def _at(self, key: _Key) -> Iterator[Resource]:
        if isinstance(key, tuple):
            yield from items(self._kin.get(key))
        else:
            yield key

    def _conflicts_at(self, key: _Key) -> list[Conflict]:
        if isinstance(key, tuple):
            return overlaps({kin: tuple(items(self._claims[kin])) for kin in items(self._kin.get(key))})
        return contested(key, items(self._claims.get(key)))

    def _drop(self, claim: Claim) -> None:
        resource = claim.resource
        left = without(self._claims.get(resource), claim)
        if all(other.owner != claim.owner for other in items(left)):
            self._forget_owner(claim.owner, resource)
        if left is not None:
            self._claims[resource] = left
        elif self._claims.pop(resource, None) is not None:
            self._forget_kin(resource)
        key = _key(resource)
        if key in self._crowded:
            self._settle(key)

    def _settle(self, key: _Key) -> None:
        """No longer crowded once all that is left has one owner."""
        owners = {claim.owner for each in self._at(key) for claim in items(self._claims.get(each))}
        if len(owners) <= 1:
            self._crowded.discard(key)

    def _forget_owner(self, owner: Owner, resource: Resource) -> None:
        owned = self._of_owner.get(owner, {})
        owned.pop(resource, None)
        if not owned:
            self._of_owner.pop(owner, None)

    def _forget_kin(self, resource: Resource) -> None:
        if not isinstance(resource, External):
            return
        left = without(self._kin.get(resource.key), resource)
        if left is None:
            self._kin.pop(resource.key, None)
        else:
            self._kin[resource.key] = left


def refusal(held: Claim, asked: Claim) -> OwnedElsewhere:
    """The error that names both sides, with the place of each."""
    holder = OwnerSide(str(held.owner), _where(held.source))
    claimant = OwnerSide(str(asked.owner), _where(asked.source))
    return OwnedElsewhere(
        f"{asked.resource} is owned by {holder.owner}",
        holder=holder,
        claimant=claimant,
        why=f"{holder.owner} has it by {holder.place}, and {claimant.owner} claims it by {claimant.place}",
        hint=f"Run `plumb own explain {typed(asked.resource)}` to see both claims, then remove one or hand it over.",
    )


def typed(resource: Resource) -> str:
    """*resource* as people type it for `plumb own explain`."""
    if isinstance(resource, ClusterObject):
        return str(resource.ref)
    return resource.type if isinstance(resource, Unnamed) else f"{resource.type}/{resource.id}"


def _where(source: Source) -> str:
    return f"{source.place} ({source.said})" if source.said else source.place


def _key(resource: Resource) -> _Key | None:
    """What claims collide over; None for things of which nobody knows whether they are the same."""
    if isinstance(resource, External):
        return resource.key
    return resource if isinstance(resource, ClusterObject) else None


def _stands_against(held: Claim, asked: Claim) -> bool:
    return held.strength == "declared" and held.owner != asked.owner


def _precedence(claim: Claim) -> tuple[bool, str, tuple[str, str, str, int, str, str]]:
    """The oldest first; those of unknown age after them, in their fixed order."""
    return not claim.since, claim.since, claim.order
