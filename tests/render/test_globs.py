"""Patterns of include and exclude: the table's answers are those of the library that upstream uses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadExpression
from plumbline.base.glob import glob

MATCHES = [
    ("*.yaml", "a.yaml", True, "a star is any text"),
    ("*.yaml", "deep/er/a.yaml", True, "and crosses slashes"),
    ("**/*.yaml", "a.yaml", False, "two stars are one star, and the slash is still a slash"),
    ("**/*.yaml", "d/a.yaml", True, "which has to be there"),
    ("**.yaml", "d/a.yaml", True, "without it both match"),
    ("a?c", "abc", True, "one character"),
    ("a?c", "a/c", True, "any at all"),
    ("a?c", "ac", False, "but not none"),
    ("{a,b}.yaml", "b.yaml", True, "alternatives"),
    ("{a,b}.yaml", "c.yaml", False, "and nothing else"),
    ("{*.json,config/*.yaml}", "config/x.yaml", True, "with stars in them"),
    ("{a,{b,c}d}", "cd", True, "and alternatives in them"),
    ("{a,b", "b", True, "left open they end with the pattern"),
    ("a,b", "a,b", True, "a comma outside is a comma"),
    ("a}b", "a}b", True, "and so is a brace"),
    ("[ab].yaml", "b.yaml", True, "one of some characters"),
    ("[!ab].yaml", "c.yaml", True, "none of them"),
    ("[!ab].yaml", "a.yaml", False, "is none of them"),
    ("[a-c]", "b", True, "a range"),
    ("[!a-c]", "d", True, "outside of a range"),
    ("[abc-e]", "d", False, "after other characters a dash is one of them"),
    ("[abc-e]", "-", True, "indeed"),
    (r"[\]]", "]", True, "an escaped bracket"),
    (r"\*.yaml", "*.yaml", True, "an escaped star"),
    (r"\*.yaml", "a.yaml", False, "is no star"),
    (r"{a\,b,c}", "a,b", True, "an escaped comma"),
    ("a\\", "a", True, "an escape at the end is nothing"),
    ("]a", "]a", True, "a bracket that nothing opened"),
    (".*", ".hidden", True, "dots are dots"),
    ("A.yaml", "a.yaml", False, "capitals count"),
    ("ä?", "äö", True, "characters, not bytes"),
    ("{,a}b", "b", True, "an empty alternative"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "path", "expected", "why"), MATCHES, ids=[f"{c[0]} {c[3]}" for c in MATCHES])
def test_paths_match_as_upstream_matches_them(pattern, path, expected, why):
    assert glob(pattern).matches(path) is expected, why


@pytest.mark.parametrize("pattern", ["[", "[a", "[]", "[!]", "[b-a]", "[a-cx]", "[a-]", "x{[}", "[\\", "a" * 20_000])
def test_patterns_that_cannot_be_read_are_refused(pattern):
    with pytest.raises(BadExpression):
        glob(pattern)


def test_no_pattern_takes_long():
    many = glob("{" + ",".join(["*a*b*c*d*e"] * 40) + "}" + "*a" * 200)
    assert not many.matches("abcde" * 800 + "x")


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=8))
def test_stars_and_marks_match_as_a_plain_search_says(pattern, text):
    def search(rest, left):
        if not rest:
            return not left
        if rest[0] == "*":
            return search(rest[1:], left) or (bool(left) and search(rest, left[1:]))
        return bool(left) and rest[0] in {"?", left[0]} and search(rest[1:], left[1:])

    assert glob(pattern).matches(text) is search(pattern, text)
