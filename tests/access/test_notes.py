"""What replicas tell each other: bounded, and on the safe side where it is full."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.access import notes as module
from plumbline.access.notes import (
    EMPTY,
    Failures,
    Notes,
    digest,
    read_notes,
    with_failure,
    with_revoked,
    with_spent,
    without_failures,
    written,
)
from plumbline.base.errors import Corrupted


def test_it_survives_being_written():
    notes = with_failure(with_revoked(EMPTY, digest("argocd", "1"), 100, 10), "bob", 10, 300)
    assert read_notes(written(notes)) == notes
    assert notes.knows("argocd", "1")
    assert not notes.knows("argocd", "2")
    assert not notes.knows("other", "1")


def test_revocations_end_when_their_tokens_do():
    notes = with_revoked(with_revoked(EMPTY, "a", 100, 10), "b", 200, 10)
    assert with_revoked(notes, "c", 300, 150).revoked == {"b": 200, "c": 300}


def test_a_revocation_is_never_shortened():
    assert with_revoked(with_revoked(EMPTY, "a", 100, 10), "a", 50, 10).revoked == {"a": 100}


def test_where_there_are_too_many_all_sessions_up_to_now_end(monkeypatch):
    monkeypatch.setattr(module, "MOST_REVOKED", 2)
    notes = with_revoked(with_revoked(EMPTY, "a", 100, 10), "b", 100, 10)
    full = with_revoked(notes, "c", 100, 20)
    assert (full.revoked, full.void_before_s) == ({"c": 100}, 20)


def test_what_was_used_is_known_until_it_would_have_ended(monkeypatch):
    monkeypatch.setattr(module, "_MOST_SPENT", 2)
    notes = with_spent(with_spent(EMPTY, "a", 100, 10), "b", 200, 10)
    assert with_spent(notes, "c", 300, 20).spent == {"b": 200, "c": 300}
    assert with_spent(notes, "c", 300, 250).spent == {"c": 300}
    assert with_revoked(notes, "x", 300, 150).spent == {"b": 200}, "sessions that are ended do not push it out"


def test_failures_are_counted_until_they_are_old_or_forgiven():
    notes = with_failure(with_failure(EMPTY, "bob", 10, 300), "bob", 20, 300)
    assert notes.failures == {"bob": Failures(2, 20)}
    assert with_failure(notes, "eve", 321, 300).failures == {"eve": Failures(1, 321)}
    assert without_failures(notes, "bob").failures == {}


@given(st.lists(st.sampled_from("abcdefgh"), max_size=60))
def test_failures_are_bounded_and_the_most_of_them_stay(names):
    limit, module._MOST_FAILURES = module._MOST_FAILURES, 3
    try:
        notes = with_failure(with_failure(Notes(), "admin", 1, 300), "admin", 1, 300)
        for at, name in enumerate(names):
            notes = with_failure(notes, name, at % 200, 300)
            assert len(notes.failures) <= 3
    finally:
        module._MOST_FAILURES = limit


@pytest.mark.parametrize("text", [b"", b"[]", b'{"revoked": 1}', b"\xff"])
def test_with_notes_that_cannot_be_read_nobody_is_believed(text):
    with pytest.raises(Corrupted):
        read_notes(text)
