"""Which replica looks after which key, and how a key changes hands without being in two.

Keys are spread by rendezvous hashing over the live replicas, so one that comes or goes moves only its own share. A replica
announces the membership it acts on, after it has finished what it began under the one before. A key that moves is taken
up only when everybody who is alive has announced the new membership: late is better than twice. Pure; `membership` does
the talking.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Replica(NamedTuple):
    """What one replica shows of itself."""

    name: str
    acts_on: frozenset[str]
    """The membership that it has announced."""


class Shards(NamedTuple):
    """The division of work as one replica sees it."""

    me: str
    members: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()
    """The last membership that all agreed on: what was ours under it stays ours while they make up their minds anew."""
    agreed: bool = False

    def mine(self, key: tuple[str, ...]) -> bool:
        if owner(key, self.members) != self.me:
            return False
        return self.agreed or owner(key, self.held) == self.me


def divided(before: Shards, replicas: Iterable[Replica]) -> Shards:
    """The division among the live *replicas*, after *before*."""
    seen: Mapping[str, Replica] = {replica.name: replica for replica in replicas}
    members = frozenset(seen)
    agreed = before.me in members and all(replica.acts_on == members for replica in seen.values())
    return Shards(before.me, members, members if agreed else before.held, agreed)


def owner(key: tuple[str, ...], members: frozenset[str]) -> str:
    """The member with the highest claim to *key*, the same on every machine; empty where there is none."""
    return max(members, key=lambda member: (_weight(member, key), member), default="")


def _weight(member: str, key: tuple[str, ...]) -> bytes:
    return hashlib.blake2b("\0".join((member, *key)).encode(), digest_size=8).digest()
