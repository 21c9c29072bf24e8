import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apiserver.cel.patterns import FOUND, REFUSED, WORDS

from plumbline.base.errors import BadExpression
from plumbline.base.regex import Regex, compiled
from plumbline.base.regex import matching as machine
from plumbline.base.regex import program as steps


@pytest.mark.parametrize("pattern", FOUND)
def test_a_pattern_matches_and_finds_what_it_does_in_go(pattern):
    regex = Regex(pattern)
    assert {word: regex.find_all(word) for word in WORDS if regex.find_all(word)} == FOUND[pattern]
    assert [word for word in WORDS if regex.matches(word)] == [word for word in WORDS if word in FOUND[pattern]]


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_go_refuses_is_refused_in_its_words(pattern):
    with pytest.raises(BadExpression) as refusal:
        Regex(pattern)
    assert refusal.value.what == REFUSED[pattern]


def test_as_many_are_found_as_were_asked_for():
    assert Regex("[0-9]").find_all("1a2b3", 2) == ["1", "2"]
    assert Regex("a*").find_all("baac") == ["", "aa", ""]


_ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", "(?:ab|a)", "(?:b|)", "\\d", "x"])
_TAILS = st.sampled_from(["", "", "*", "+", "?", "*?", "{1,2}"])
_PATTERNS = st.lists(st.tuples(_ATOMS, _TAILS).map("".join), max_size=5).map("".join)


@given(pattern=_PATTERNS, text=st.text("abx0", max_size=8))
def test_it_agrees_with_python_where_both_mean_the_same(pattern, text):
    found = re.search(pattern, text)
    assert Regex(pattern).matches(text) is (found is not None)
    assert Regex(pattern).find(text) == (found.span() if found else None)


def test_no_text_can_make_it_go_back_and_forth():
    regex = Regex("^(a+)+$")
    assert not regex.matches("a" * 5000 + "b")
    assert len(regex._states) < 10, "states depend on the pattern, not on the text"


def test_states_are_forgotten_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(machine, "_MOST_STATES", 3)
    regex = Regex("(?:a|b)*abb(?:a|b){5}$")
    assert regex.matches("ababbabbabaabbabababab" + "abbaaaaa")
    assert len(regex._states) <= 3


def test_a_text_that_takes_too_much_work_does_not_match(monkeypatch):
    monkeypatch.setattr(machine, "_WORK", 10)
    assert not Regex("abcdefgh").matches("xxxxxxabcdefgh")


def test_a_pattern_may_not_become_too_large(monkeypatch):
    monkeypatch.setattr(steps, "_MOST_STEPS", 50)
    with pytest.raises(BadExpression, match="expression too large"):
        Regex("[a-z]{100}")


def test_a_pattern_may_not_nest_too_deep():
    with pytest.raises(BadExpression, match="nests too deeply"):
        Regex("(" * 1100 + ")" * 1100)


def test_patterns_are_compiled_once():
    assert compiled("a+b") is compiled("a+b")
