"""One tree, stable codes, and nothing that repeats itself."""

import inspect
import re

import pytest

from plumbline.base import errors
from plumbline.base.errors import BadDocument, LimitExceeded, PlumblineError, Refused, Throttled, Transient

EVERY = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, PlumblineError)]
LEAVES = [kind for kind in EVERY if not any(other is not kind and issubclass(other, kind) for other in EVERY)]


@pytest.mark.parametrize("kind", EVERY)
def test_the_tree_is_drawn_as_it_is(kind):
    drawn = re.findall(r"^ {4}([│ ├└─]*)(\w+)", errors.__doc__, re.MULTILINE)
    depths = {name: len(branch) // 4 for branch, name in drawn}
    assert kind.__name__ in depths, "draw it in the docstring"
    assert depths[kind.__name__] == len(kind.__mro__) - len(PlumblineError.__mro__)


def test_codes_are_stable_and_say_the_name():
    codes = [kind.code for kind in EVERY]
    assert len(codes) == len(set(codes))
    for kind in LEAVES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.code)


@pytest.mark.parametrize("kind", LEAVES)
def test_a_leaf_is_either_transient_or_refused(kind):
    assert issubclass(kind, Transient) != issubclass(kind, Refused)


def test_an_error_says_what_and_why_and_keeps_the_hint_apart():
    error = BadDocument("x.yaml cannot be read", why="it is empty", hint="Write something.")
    assert str(error) == "x.yaml cannot be read: it is empty"
    assert error.hint == "Write something."
    assert str(BadDocument("x.yaml cannot be read")) == "x.yaml cannot be read"


def test_a_hint_of_its_own_replaces_that_of_the_kind():
    assert LimitExceeded("too much").hint == LimitExceeded.default_hint != ""
    assert LimitExceeded("too much", hint="Less.").hint == "Less."


def test_documents_and_limits_know_their_place():
    for error in (BadDocument("x", line=3, column=4), LimitExceeded("x", line=3, column=4)):
        assert (error.line, error.column, error.source) == (3, 4, "")


def test_throttled_says_for_how_long():
    assert Throttled("x", after_s=1.5).after_s == 1.5
