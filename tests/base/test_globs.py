"""Patterns with stars: what they mean, and that nobody can make them slow."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadExpression, LimitExceeded
from plumbline.base.glob import automaton, glob, glob_matches, path_glob, path_glob_matches


@pytest.mark.parametrize(
    ("pattern", "separators", "fits", "not_", "why"),
    [
        ("a*", "", ("a", "ab", "a/b"), ("", "ba"), "without separators a star takes everything"),
        ("a/*", "/", ("a/", "a/b"), ("a/b/c",), "with them it stops"),
        ("a/**", "/", ("a/b", "a/b/c"), ("a",), "two stars do not"),
        ("?", "/", ("x", "é"), ("", "/", "xy"), "one character, but no separator"),
        ("[!a]", "/", ("b", "/"), ("a", ""), "classes know no separators"),
        ("{a,b*}c", "", ("ac", "bc", "bxc"), ("abc", "c"), "braces are alternatives"),
        ("{a,{b,c}d}", "", ("a", "bd", "cd"), ("b", "ad"), "within each other too"),
        ("{a,b", "", ("a", "b"), ("{a,b",), "braces end with the pattern at the latest"),
        ("a,b", "", ("a,b",), ("a",), "a comma outside of braces is one"),
        (r"\*\{\,", "", ("*{,",), ("x",), "a backslash takes the meaning away"),
        (r"{a\,b,c}", "", ("a,b", "c"), ("a",), "within braces as well"),
        ("*a*b*", "", ("ab", "xaxbx", "aab"), ("ba",), "several stars"),
    ],
)
def test_a_pattern_stands_for_whole_texts(pattern, separators, fits, not_, why):
    assert all(glob_matches(pattern, text, separators) for text in fits), why
    assert not any(glob_matches(pattern, text, separators) for text in not_), why


@pytest.mark.parametrize("pattern", ["[", "[a", "[]", "[a-zA-Z]", "[z-a]", "[!]", "\0", "{" * 40 + "a", "x" * 1025])
def test_what_cannot_be_read_stands_for_nothing(pattern):
    with pytest.raises(BadExpression):
        glob(pattern)
    assert not glob_matches(pattern, pattern)


@pytest.mark.parametrize("pattern", ["[", "[]a]", "[a-]", "a\\", "x" * 1025])
def test_nor_does_a_path_pattern(pattern):
    with pytest.raises(BadExpression):
        path_glob(pattern)
    assert not path_glob_matches(pattern, pattern)


@pytest.mark.parametrize(
    ("pattern", "fits", "not_"),
    [
        ("*Set", ("ReplicaSet", "Set"), ("a/Set",)),
        ("[^a-z]?[xy]", ("Abx",), ("abx", "A/x")),
        (r"\*", ("*",), ("a",)),
        ("{a,b}", ("{a,b}",), ("a",)),
    ],
)
def test_a_path_pattern_is_one_of_go(pattern, fits, not_):
    assert all(path_glob_matches(pattern, text) for text in fits)
    assert not any(path_glob_matches(pattern, text) for text in not_)


def test_an_endless_text_is_not_matched_by_guessing():
    with pytest.raises(LimitExceeded):
        glob("a*").matches("a" * 5000)
    assert not glob_matches("a*", "a" * 5000)
    assert glob("a" * 1000).matches("a" * 1000)


_PARTS = st.sampled_from(["a", "b", "/", "*", "**", "?", "[ab]", "[!a]", "{a,b/}", "{,a*}"])
_AS_REGEX = {"*": "[^/]*", "**": ".*", "?": "[^/]", "[!a]": "[^a]", "{a,b/}": "(?:a|b/)", "{,a*}": "(?:|a[^/]*)"}


@given(parts=st.lists(_PARTS, max_size=6), text=st.text("ab/", max_size=7))
def test_it_agrees_with_an_expression_that_means_the_same(parts, text):
    # Two stars in a row would be read as one of the other kind.
    parts = [part for at, part in enumerate(parts) if not ("*" in part and at and "*" in parts[at - 1])]
    expression = "".join(_AS_REGEX.get(part, part) for part in parts)
    assert glob_matches("".join(parts), text, "/") == bool(re.fullmatch(expression, text, re.DOTALL))


@given(pattern=st.text("ab*?[]!{},\\-/", max_size=12), text=st.text("ab/-,", max_size=6))
def test_no_pattern_breaks_it(pattern, text):
    assert glob_matches(pattern, text, "/") in {True, False}
    assert path_glob_matches(pattern, text) in {True, False}


def test_the_worst_pattern_takes_a_bounded_number_of_moves(monkeypatch):
    asked = []
    holds = automaton.Chars.holds
    monkeypatch.setattr(automaton.Chars, "holds", lambda chars, char: asked.append(char) or holds(chars, char))
    assert not glob("*a" * 100 + "b").matches("a" * 4000)
    assert len(asked) < 100_000


def test_moves_are_forgotten_before_there_are_too_many(monkeypatch):
    monkeypatch.setattr(automaton, "_MOST_MOVES", 2)
    pattern = automaton.Glob("x", (automaton.Star(automaton.ANY), automaton.Text("abc")))
    assert pattern.matches("xyzabcabc")
    assert not pattern.matches("abcab")
