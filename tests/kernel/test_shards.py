"""Keys are shared evenly, move little, and are never in two hands."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from plumbline.kernel.shards import Replica, Shards, divided, owner

KEYS = [("ns", f"app-{number}") for number in range(600)]
NAMES = st.frozensets(st.sampled_from("abcdef"), min_size=1)


def test_every_replica_gets_its_share():
    shares = Counter(owner(key, frozenset("abc")) for key in KEYS)
    assert min(shares.values()) > len(KEYS) / 3 * 0.8


def test_a_replica_that_leaves_moves_only_its_own_keys():
    before, after = frozenset("abc"), frozenset("ab")
    moved = [key for key in KEYS if owner(key, before) != owner(key, after)]
    assert {owner(key, before) for key in moved} == {"c"}


def test_nobody_owns_anything_among_nobody():
    assert owner(("a",), frozenset()) == ""
    assert not Shards("a").mine(("a",))


def test_until_all_agree_only_what_was_ours_before_stays_ours():
    alone = divided(Shards("a"), [Replica("a", frozenset("a"))])
    assert all(alone.mine(key) for key in KEYS)
    both = [Replica("a", frozenset("a")), Replica("b", frozenset("ab"))]
    view = divided(alone, both)
    assert not view.agreed
    kept = [key for key in KEYS if view.mine(key)]
    assert 0 < len(kept) < len(KEYS)
    newcomer = divided(Shards("b"), both)
    assert not any(newcomer.mine(key) for key in KEYS), "the other has not said yet that it let go"


@given(st.dictionaries(st.sampled_from("abcdef"), NAMES, min_size=1))
def test_no_key_is_in_two_hands_whoever_has_announced_what(announced):
    replicas = [Replica(name, members) for name, members in announced.items()]
    views = [divided(Shards(name, held=frozenset(announced)), replicas) for name in announced]
    for key in KEYS[:40]:
        assert sum(view.mine(key) for view in views) <= 1


@given(NAMES)
def test_once_all_agree_every_key_is_in_exactly_one_hand(members):
    replicas = [Replica(name, members) for name in members]
    views = [divided(Shards(name), replicas) for name in members]
    for key in KEYS[:40]:
        assert sum(view.mine(key) for view in views) == 1
