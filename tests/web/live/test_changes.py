"""Several changes of one thing become one that is as good as all of them."""

from hypothesis import given
from hypothesis import strategies as st

from plumbline.web.live import Change, Kind
from plumbline.web.live.changes import merged

SCOPES = st.sampled_from(["a", "b", "c"])


@st.composite
def histories(draw):
    """What may happen to one thing: it comes, moves between scopes, goes, and comes again."""
    scope = draw(st.none() | SCOPES)
    before, told = scope, []
    for number in range(draw(st.integers(1, 6))):
        if scope is None:
            scope = draw(SCOPES)
            told.append(Change("k", Kind.ADDED, number, scope))
        elif draw(st.booleans()):
            was, scope = scope, draw(SCOPES)
            told.append(Change("k", Kind.MODIFIED, number, scope, None if was == scope else was))
        else:
            told.append(Change("k", Kind.DELETED, None, scope))
            scope = None
    return before, told


def shown(known, change, sees):
    """What a page that sees these scopes shows after it was told."""
    if change.scope in sees:
        return None if change.kind is Kind.DELETED else change.payload
    return None if change.was in sees else known


@given(histories(), st.sets(SCOPES))
def test_whoever_is_told_one_change_shows_what_all_of_them_would_have_shown(history, sees):
    before, told = history
    known = "old" if before in sees else None
    step = known
    for change in told:
        step = shown(step, change, sees)
    one = told[0]
    for change in told[1:]:
        one = merged(one, change)
    assert shown(known, one, sees) == step


@given(histories())
def test_only_what_was_not_there_is_added(history):
    before, told = history
    one = told[0]
    for change in told[1:]:
        one = merged(one, change)
    if one.kind is Kind.ADDED:
        assert before is None
    if one.kind is Kind.DELETED:
        assert told[-1].kind is Kind.DELETED
