"""Patterns mean the same on every Python that we run on."""

import ast
import re
from pathlib import Path

import pytest

import plumbline

SOURCES = Path(plumbline.__file__).parent
ESCAPED, CLASS = re.compile(r"\\."), re.compile(r"\[\^?\]?[^\]]*\]")
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+")


def _offends(text):
    return "(?" in text and POSSESSIVE_GROUP.search(CLASS.sub("x", ESCAPED.sub("x", text))) is not None


def _texts(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            yield node.value if isinstance(node.value, str) else node.value.decode("latin-1")


@pytest.mark.parametrize("pattern", [r"(?:ab)*+", r"(?:[)]b){2,3}+", r"(?P<a>b)?+", r"(?:a|b\))++"])
def test_a_group_that_gives_nothing_back_is_seen(pattern):
    assert _offends(pattern)


@pytest.mark.parametrize("pattern", [r"(?:a*+b)*", r"(?:a[(?:)*+])", r"(?:a)\)*+", "()*+,;"])
def test_anything_else_is_none(pattern):
    assert not _offends(pattern)


def test_no_group_is_repeated_without_giving_back():
    """Before Python 3.11.5 a round of it that fails in the middle is not undone; of single characters it is right everywhere."""
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if any(map(_offends, _texts(ast.parse(path.read_text()))))
    }
    assert not found
