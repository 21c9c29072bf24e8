"""The same commit is the same change everywhere; what a person does is one of its own; objects hand theirs down."""

import re
from datetime import timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plumbline.base.ids import Ids
from plumbline.journal import Commit, ObjectChange, Person, Schedule, change_of, fresh_change, without_credentials
from plumbline.journal.causes import normalised

from .journals import CHANGE, COMMIT, START, web

SHA = "a" * 40
SAME = [
    "https://github.com/Acme/Shop.git",
    "https://github.com/acme/shop",
    "https://github.com/acme/shop/",
    "https://github.com:443/acme/shop.git",
    "https://token@github.com/acme/shop.git",
    "https://user:pass@github.com/acme/shop.git/",
    "http://github.com/acme/shop",
    "git@github.com:acme/shop.git",
    "git@github.com:/acme/shop.git",
    "github.com:acme/shop",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@github.com:2222/acme/shop.git",
    " git://github.com/acme/shop.git ",
]
OTHER = [
    "https://github.com/acme/shop2",
    "https://gitlab.com/acme/shop",
    "https://github.com/acme/shop/sub",
    "/srv/git/shop.git",
    "github.com/acme",
    "",
]


@pytest.mark.parametrize("address", SAME)
def test_all_addresses_of_a_repository_give_the_same_change(address):
    assert normalised(address) == "github.com/acme/shop"
    assert change_of(Commit(repo=address, sha=SHA), Ids(1)) == change_of(Commit(repo=SAME[0], sha=SHA), Ids(2))


@pytest.mark.parametrize("address", OTHER)
def test_other_repositories_give_other_changes(address):
    assert change_of(Commit(repo=address, sha=SHA), Ids(1)) != change_of(Commit(repo=SAME[0], sha=SHA), Ids(1))


def test_the_change_of_a_commit_never_changes():
    assert CHANGE == "c592d4492c4ea7eeca7225d41"


def test_another_commit_is_another_change_and_its_time_does_not_matter():
    at = Commit(repo=COMMIT.repo, sha=COMMIT.sha, committed_at=START)
    assert change_of(at, Ids(1)) == CHANGE
    assert change_of(Commit(repo=COMMIT.repo, sha=SHA), Ids(1)) != CHANGE


def test_what_a_person_does_is_a_change_of_its_own():
    ids = Ids(1)
    changes = {change_of(Person(name="alice"), ids) for _ in range(100)} | {fresh_change(ids)}
    assert len(changes) == 101


def test_a_tick_of_a_schedule_is_one_change_for_all_who_hear_it():
    tick = Schedule(name="nightly", due=START)
    elsewhere = Schedule(name="nightly", due=START.astimezone(timezone(timedelta(hours=5))))
    assert change_of(tick, Ids(1)) == change_of(elsewhere, Ids(2))
    assert change_of(tick, Ids(1)) != change_of(Schedule(name="nightly", due=START + timedelta(days=1)), Ids(1))


def test_children_inherit():
    assert change_of(ObjectChange(object=web("app"), change=CHANGE), Ids(1)) == CHANGE


def test_a_change_id_fits_into_a_label():
    for cause in (COMMIT, Person(name="alice"), Schedule(name="n", due=START)):
        assert re.fullmatch(r"[a-z][a-z0-9]{24}", change_of(cause, Ids(3)))


@given(st.text(max_size=50), st.sampled_from(["", "https://", "ssh://git@", "git@"]))
@example("[::1/r", "https://")
@example("\ud800", "")
def test_any_address_gives_a_change(address, scheme):
    commit = Commit(repo=scheme + address, sha=SHA)
    assert change_of(commit, Ids(1)) == change_of(commit, Ids(2))
    assert isinstance(without_credentials(commit.repo), str)


CREDENTIALS = [
    ("https://user:pass@git.example.com/r", "https://git.example.com/r"),
    ("https://token@git.example.com/r", "https://git.example.com/r"),
    ("https://a@b@git.example.com/r@x", "https://git.example.com/r@x"),
    ("ssh://git@git.example.com/r", "ssh://git@git.example.com/r"),
    ("ssh://git:pass@git.example.com/r", "ssh://git.example.com/r"),
    ("git@git.example.com:r", "git@git.example.com:r"),
    ("https://git.example.com/r", "https://git.example.com/r"),
    ("https://git.example.com", "https://git.example.com"),
]


@pytest.mark.parametrize(("address", "expect"), CREDENTIALS)
def test_credentials_are_taken_out_of_addresses(address, expect):
    assert without_credentials(address) == expect
