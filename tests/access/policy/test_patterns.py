"""Cheap tests say what the patterns say."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plumbline.access.policy.lines import Line
from plumbline.access.policy.objects import Objects
from plumbline.access.policy.patterns import GLOB, REGEX, pattern
from plumbline.access.policy.places import BUILT_IN
from plumbline.access.policy.rules import rule_of
from plumbline.base.errors import BadExpression
from plumbline.base.glob import glob
from plumbline.base.regex import compiled

TEXTS = st.text("ab/*", max_size=8)


@given(st.text("ab/*", max_size=8), TEXTS)
@example("a*a", "a")
@example("*ab*b", "ab")
@example("a*b*a", "aba")
@settings(max_examples=settings().max_examples * 3)
def test_a_glob_is_the_glob_of_the_library(text, asked):
    found = pattern(text, GLOB)
    assert found.matches(asked) is glob(text).matches(asked)
    if found.word is not None:
        assert found.matches(asked) is (asked == found.word)
    if found.head is not None and found.matches(asked):
        assert asked.partition("/")[0] == found.head


@given(st.text("ab/^$.*|?", max_size=6), TEXTS)
@example("^a/?b", "ab")
@example("^a/{0}b", "ab")
@example("^a/|b", "b")
@settings(max_examples=settings().max_examples * 3)
def test_an_expression_is_the_expression_of_the_library(text, asked):
    try:
        wanted = compiled(text).matches(asked)
    except BadExpression:
        return
    found = pattern(text, REGEX)
    assert found.matches(asked) is wanted
    if found.head is not None and wanted:
        assert asked.partition("/")[0] == found.head


@pytest.mark.parametrize(
    ("text", "mode", "head"),
    [
        ("shop/*", GLOB, "shop"),
        ("shop/[ab]", GLOB, "shop"),
        ("sh*/x", GLOB, None),
        ("*/x", GLOB, None),
        ("^shop/.*", REGEX, "shop"),
        ("^shop/?", REGEX, None),
        ("^shop/a|b", REGEX, None),
        ("shop/", REGEX, None),
    ],
)
def test_the_first_part_is_known_where_it_can_be(text, mode, head):
    assert pattern(text, mode).head == head


OBJECTS = ("a/b", "a/*", "b/*", "*", "*/b", "a/{b,c}", "a", "b/a", "a/b*")


@given(st.lists(st.sampled_from(OBJECTS), max_size=8), st.sampled_from(("a/b", "a/c", "b/a", "a", "c/b", "a/bb", "/")))
def test_the_first_line_about_an_object_is_found_without_reading_them_all(objects, name):
    lines = [("p", "x", "y", each, "allow") for each in objects]
    rules = [rule_of(_line(fields), order, GLOB) for order, fields in enumerate(lines)]
    found = Objects.of(rules)
    wanted = next((rule for rule in rules if rule.object.matches(name)), None)
    assert (found.first(name) if found else None) == wanted


def _line(fields):
    return Line(fields, ", ".join(fields), BUILT_IN)
