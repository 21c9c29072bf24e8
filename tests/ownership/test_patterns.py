from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.ownership.patterns import allowed, fits


@given(st.text("ab.", max_size=8), st.text("ab.*", max_size=8))
def test_a_star_stands_for_anything_and_nothing_else_is_special(text, pattern):
    assert fits(text, pattern) == fnmatchcase(text, pattern)


def test_many_stars_take_no_longer_than_the_text_is_long():
    assert not fits("a" * 20_000, "*a" * 10_000 + "b")


@pytest.mark.parametrize(
    ("text", "patterns", "expected", "why"),
    [
        ("shop", ["shop"], True, "named"),
        ("shop", ["sh*", "!shop"], False, "left out again"),
        ("cart", ["!shop"], True, "exclamation marks alone leave everything else in"),
        ("shop", ["!shop"], False, "but not that"),
        ("cart", ["shop"], False, "not named"),
    ],
)
def test_patterns_select_and_leave_out(text, patterns, expected, why):
    assert allowed(text, patterns) is expected, why
