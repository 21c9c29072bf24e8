"""Events are combined and kept from flooding, as upstream's recorders do it."""

from plumbline.apiserver.controllers.correlation import ALIKE, BURST, REFILL_S, Correlator


def test_the_same_message_is_the_same_event_and_another_is_another():
    events = Correlator()
    first, again = events.correlated("a", "r", "m", 0), events.correlated("a", "r", "m", 1)
    assert first == again
    assert first.message == "m"
    assert events.correlated("a", "r", "n", 1).identity != first.identity
    assert events.correlated("a", "q", "m", 1).identity != first.identity
    assert events.correlated("b", "r", "m", 1).identity != first.identity


def test_from_the_tenth_message_on_they_are_combined_until_it_has_been_calm():
    events = Correlator()
    told = [events.correlated("a", "r", f"m{n}", 0) for n in range(ALIKE + 3)]
    assert [each.message for each in told[: ALIKE - 1]] == [f"m{n}" for n in range(ALIKE - 1)]
    combined = told[ALIKE - 1 :]
    assert len({each.identity for each in combined}) == 1
    assert combined[-1].message == f"(combined from similar events): m{ALIKE + 2}"
    assert events.correlated("a", "r", "m0", 1).message == "m0", "one that was told apart before still is"
    assert events.correlated("a", "r", "later", 10_000).message == "later"


def test_a_flood_about_one_object_ends_and_comes_back_drop_by_drop():
    events = Correlator()
    told = [events.correlated("a", "r", "m", 0) for _ in range(BURST + 10)]
    assert sum(each is not None for each in told) == BURST
    assert events.correlated("b", "r", "m", 0) is not None, "others are not affected"
    assert events.correlated("a", "r", "m", REFILL_S - 1) is None
    assert events.correlated("a", "r", "m", REFILL_S + 1) is not None
    assert events.correlated("a", "r", "m", REFILL_S + 2) is None


def test_what_was_told_long_ago_is_forgotten():
    events = Correlator()
    for n in range(5000):
        assert events.correlated(f"o{n}", "r", "m", 0) is not None
    for _ in range(BURST):
        assert events.correlated("o0", "r", "m", 0) is not None
