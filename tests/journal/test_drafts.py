"""A draft is refused when it is made: secrets, bytes, what is too long, and what makes no sense never reach a store."""

from datetime import datetime

import pytest

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.plaintext import Plaintext
from plumbline.journal import Actor, Commit, Draft, ExternalResource, LiveObject, ObjectChange, Person, Schedule
from plumbline.journal.chain import Encoded, entry_of
from plumbline.journal.effects import EFFECT_BYTES
from plumbline.journal.parties import printable

from .journals import CHANGE, COMMIT, START, draft, web

SECRET = Plaintext("hunter2")
CARRIERS = [
    ({"summary": SECRET}, "the summary"),
    ({"verb": SECRET}, "the verb"),
    ({"change": SECRET}, "the change"),
    ({"actor": Actor("person", SECRET)}, "an actor's name"),
    ({"subject": web(name=SECRET)}, "an object's name"),
    ({"subject": ExternalResource(provider="aws", id=SECRET)}, "an external id"),
    ({"cause": Person(name=SECRET)}, "a cause"),
    ({"cause": Commit(repo=SECRET, sha=COMMIT.sha)}, "a repository"),
    ({"cause": ObjectChange(object=web(), change=SECRET)}, "an inherited change"),
    ({"effect": SECRET}, "the effect"),
    ({"effect": {"a": SECRET}}, "a value in the effect"),
    ({"effect": {"a": [{"b": (1, SECRET)}]}}, "a value deep in the effect"),
    ({"effect": {"a": SECRET.reveal()}}, "bytes that somebody revealed"),
    ({"effect": {SECRET.reveal(): 1}}, "a key in the effect"),
]


@pytest.mark.parametrize(("fields", "why"), CARRIERS, ids=[why for _, why in CARRIERS])
def test_a_plaintext_cannot_be_journalled_anywhere(fields, why):
    with pytest.raises(TypeError) as caught:
        draft(**fields)
    assert "hunter2" not in str(caught.value), why


def test_a_plaintext_that_is_put_into_an_effect_later_does_not_get_through_either():
    made = draft(effect={"a": 1})
    made.effect["a"] = SECRET
    with pytest.raises(TypeError):
        Encoded.of(made)


def test_a_plaintext_in_a_sentence_prints_as_stars():
    assert draft(summary=f"Set the password to {SECRET}").summary == "Set the password to ***"


@pytest.mark.parametrize("field", ["data", "stringData"])
def test_the_content_of_a_secret_is_refused_even_as_text(field):
    secret = web(kind="Secret", group="")
    with pytest.raises(TypeError):
        draft(subject=secret, effect={"object": {field: {"password": "aHVudGVyMg=="}}})
    assert draft(subject=secret, effect={field: "sha256:ab"}).effect == {field: "sha256:ab"}
    assert draft(subject=web(kind="ConfigMap", group=""), effect={field: {"a": "b"}}).effect


NONSENSE = [
    ({"kind": "exploded"}, InvalidInput, "an unknown kind"),
    ({"summary": ""}, InvalidInput, "no summary"),
    ({"summary": "x" * 501}, LimitExceeded, "a summary that is a story"),
    ({"summary": "two\nlines"}, InvalidInput, "more than one line"),
    ({"summary": "\x1b[2Jgone"}, InvalidInput, "a terminal's escape"),
    ({"summary": "\ud800"}, InvalidInput, "half a character"),
    ({"actor": Actor("robot", "x")}, InvalidInput, "an unknown kind of actor"),
    ({"actor": Actor("person", "")}, InvalidInput, "an actor without a name"),
    ({"actor": Actor("person", "x" * 257)}, LimitExceeded, "a name without end"),
    ({"subject": LiveObject(cluster="", kind="Pod", name="x")}, InvalidInput, "no cluster"),
    ({"subject": ExternalResource(provider="aws", id="x" * 2049)}, LimitExceeded, "an id without end"),
    ({"cause": Commit(repo="r", sha="abc")}, InvalidInput, "an abbreviated commit"),
    ({"cause": Commit(repo="r", sha="A" * 40)}, InvalidInput, "a commit in capitals"),
    ({"cause": Commit(repo="https://u:p@git.example.com/r", sha="a" * 40)}, InvalidInput, "credentials in an address"),
    ({"cause": Commit(repo="r", sha="a" * 40, committed_at=datetime(2026, 1, 1))}, InvalidInput, "no time zone"),  # noqa: DTZ001 - that is it
    ({"cause": Schedule(name="n", due=datetime(2026, 1, 1))}, InvalidInput, "no time zone"),  # noqa: DTZ001 - that is it
    ({"change": "mine"}, InvalidInput, "a change id that somebody made up"),
    ({"kind": "performed"}, InvalidInput, "an effect without its intent"),
    ({"kind": "performed", "settles": "x"}, InvalidInput, "an intent that is no id"),
    ({"kind": "intended", "settles": "0" * 26}, InvalidInput, "an intent that settles"),
    ({"effect": []}, TypeError, "an effect that is no object"),
    ({"effect": {1: 2}}, TypeError, "a key that is no text"),
    ({"effect": {"a": float("nan")}}, TypeError, "a number that JSON does not have"),
    ({"effect": {"a": START}}, TypeError, "a value that JSON does not have"),
    ({"effect": {"a": "x" * EFFECT_BYTES}}, LimitExceeded, "a large effect"),
]


@pytest.mark.parametrize(("fields", "error", "why"), NONSENSE, ids=[why for *_, why in NONSENSE])
def test_nonsense_is_refused(fields, error, why):
    with pytest.raises(error):
        draft(**fields)


def test_an_effect_cannot_be_a_well_without_a_bottom():
    well = {}
    for _ in range(500):
        well = {"a": well}
    with pytest.raises(LimitExceeded):
        draft(effect=well)


def test_every_field_of_a_draft_survives_the_line():
    causes = [
        COMMIT,
        Commit(repo="r", sha="a" * 64, committed_at=START),
        Person(name="alice"),
        ObjectChange(object=web("app"), change=CHANGE),
        Schedule(name="nightly", due=START),
        None,
    ]
    for cause in causes:
        for subject in (web(), web(group="", namespace=""), ExternalResource(provider="aws", id="arn:x"), None):
            made = draft(cause=cause, subject=subject, effect={"n": 1})
            opening = b'{"seq":1,"id":"x","at":"2026-01-01T00:00:00Z","writer":"w","prev":"p",'
            entry = entry_of(opening + Encoded.of(made).json[1:])
            for field in Draft.__struct_fields__:
                assert getattr(entry, field) == getattr(made, field)


def test_an_object_gives_its_ref_back():
    assert LiveObject.at("prod", web().ref) == web()


FOREIGN = [
    ("alice", "alice", "nothing to do"),
    ("a\x1b[2Jb\n", "a\\x1b[2Jb\\n", "what moves a cursor is shown"),
    ("\ud800", "\\ud800", "half a character"),
    ("x" * 300, "x" * 255 + "…", "cut with a mark"),
    ("\n" * 200, ("\\n" * 128)[:255] + "…", "escaping makes longer"),
]


@pytest.mark.parametrize(("text", "expect", "why"), FOREIGN, ids=[why for *_, why in FOREIGN])
def test_words_of_others_are_made_fit_for_an_entry(text, expect, why):
    assert printable(text) == expect
    assert draft(actor=Actor("person", printable(text)))
