"""Expressions that look around, for names: as the library means them that upstream uses, and never for long."""

import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadExpression, LimitExceeded
from plumbline.base.regex import compiled, found_in


@pytest.mark.parametrize(
    ("pattern", "found", "not_found"),
    [
        ("^((?!secret).)*$", ("shop", ""), ("secret", "my-secret-x")),
        ("^team-(?=a)", ("team-a", "team-ab"), ("team-b",)),
        ("(?<=team-)a", ("team-a",), ("a", "teama")),
        ("(?<!team-)a$", ("a", "xa"), ("team-a",)),
        ("a|b{2}", ("a", "bb"), ("b",)),
        ("^a+?b??$", ("a", "aab"), ("b",)),
        (r"\bx\b", ("a-x", "x"), ("ax",)),
    ],
)
def test_it_is_found_anywhere_in_the_text(pattern, found, not_found):
    assert all(found_in(pattern, text) for text in found)
    assert not any(found_in(pattern, text) for text in not_found)


_ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", "(?:ab|a)", "(?=a)", "(?!ab)", "(?<=b)", "(?<!a)", "^", "$"])
_TAILS = st.sampled_from(["", "", "*", "+", "?", "{1,2}"])


def _piece(atom, tail):
    return atom if atom in {"^", "$"} or atom.startswith(("(?=", "(?!", "(?<")) else atom + tail


@given(pieces=st.lists(st.builds(_piece, _ATOMS, _TAILS), max_size=5), text=st.text("ab", max_size=7))
def test_it_agrees_with_python(pieces, text):
    pattern = "".join(pieces)
    assert found_in(pattern, text) == bool(re.search(pattern, text))


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(?=(a+)+b)(.*)*$", "(.*a){30}$", "((a*)*)*b"])
def test_row_6_no_expression_hangs(pattern):
    assert found_in(pattern, "a" * 63 + "!") in {True, False}


def test_one_that_takes_too_long_is_given_up():
    with pytest.raises(LimitExceeded):
        found_in("(?=(.*a){500})" * 20 + "$", "a" * 253)


def test_what_does_not_begin_to_match_is_not_gone_on_with():
    """Ten thousand characters for each of sixty places would be a third of a second, for every application."""
    pattern = "y" * 10_000
    found_in(pattern, "a")
    began = perf_counter()
    assert not found_in(pattern, "a" * 63)
    assert perf_counter() - began < 0.1


@pytest.mark.parametrize("pattern", ["(", "[", "(?>a)", "(" * 51 + ")" * 51, r"\1", "y" * 20_001])
def test_what_cannot_be_read_is_refused(pattern):
    with pytest.raises(BadExpression):
        found_in(pattern, "a")


def test_a_text_longer_than_any_name_is_refused():
    with pytest.raises(LimitExceeded):
        found_in("a", "a" * 254)


def test_the_expressions_of_go_still_look_nowhere():
    with pytest.raises(BadExpression):
        compiled("(?!a)b")
