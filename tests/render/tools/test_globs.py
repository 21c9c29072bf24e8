import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import MemoryTree
from plumbline.render.tools import globs
from plumbline.render.tools.globs import _matched, _parts, globbed, patterned, shallow

TREE = MemoryTree(
    dict.fromkeys(
        [
            "env/b.yaml", "env/a.yaml", "env/c.yml", "env/.hidden.yaml", "env/eu/x.yaml", "env/eu/deep/y.yaml",
            "env/us/x.yaml", "top.yaml", "env/[odd].yaml",
        ],
        b"",
    ),
    {"env/linked": "us", "env/link.yaml": "b.yaml"},
)  # fmt: skip

CASES = [
    ("env/*.yaml", ["env/.hidden.yaml", "env/[odd].yaml", "env/a.yaml", "env/b.yaml", "env/link.yaml"], "by name"),
    ("env/?.y*ml", ["env/a.yaml", "env/b.yaml", "env/c.yml"], "one character"),
    ("env/[ab].yaml", ["env/a.yaml", "env/b.yaml"], "one of several"),
    ("env/[a-b]*.yaml", ["env/a.yaml", "env/b.yaml"], "one of a range"),
    ("env/[^a-z.[].y*", [], "none of a range"),
    ("env/[!a].yaml", ["env/b.yaml"], "none of several, in the other spelling"),
    ("env/*/x.yaml", ["env/eu/x.yaml", "env/linked/x.yaml", "env/us/x.yaml"], "through folders and links to them"),
    ("env/**/x.yaml", ["env/eu/x.yaml", "env/us/x.yaml"], "at any depth"),
    ("env/**/[a-y].yaml", ["env/a.yaml", "env/b.yaml", "env/eu/x.yaml", "env/eu/deep/y.yaml", "env/us/x.yaml"],
     "outer folders first"),
    ("env/eu/**", ["env/eu/x.yaml", "env/eu/deep/y.yaml"], "everything below"),
    ("env/{b,a}.yaml", ["env/a.yaml", "env/b.yaml"], "alternatives, sorted"),
    ("{env,none}/{a,e{u,x}/x}.yaml", ["env/a.yaml", "env/eu/x.yaml"], "alternatives in alternatives"),
    ("**/top.yaml", ["top.yaml"], "no depth is a depth"),
    ("top.yaml", ["top.yaml"], "no pattern at all"),
    ("none/*.yaml", [], "a folder that is not there"),
    ("top.yaml/*", [], "a file is no folder"),
    ("env/linked/**", ["env/linked/x.yaml"], "below a link"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "expected", "why"), CASES)
def test_patterns_find_what_argo_cd_finds_in_its_order(pattern, expected, why):
    assert globbed(TREE, pattern) == expected, why


def test_plain_patterns_know_no_depth():
    assert shallow(TREE, "env/**/x.yaml") == ["env/eu/x.yaml", "env/linked/x.yaml", "env/us/x.yaml"]
    assert shallow(TREE, "env/eu/**") == ["env/eu/deep", "env/eu/x.yaml"]


@pytest.mark.parametrize("pattern", ["env/[a", "env/[]", "env/[^]x", "env/{a", "{a,{b}"])
def test_what_is_not_closed_is_refused(pattern):
    with pytest.raises(InvalidInput):
        globbed(TREE, pattern)


def test_alternatives_are_bounded():
    with pytest.raises(LimitExceeded):
        globbed(TREE, "{a,b}" * 12)


def test_folders_are_bounded(monkeypatch):
    monkeypatch.setattr(globs, "_FOLDERS", 2)
    with pytest.raises(LimitExceeded):
        globbed(TREE, "**/x.yaml")


def test_a_link_that_leads_out_is_not_followed():
    tree = MemoryTree({"a/x.yaml": b""}, {"b": "../outside"})
    with pytest.raises(InvalidInput, match="Cannot use the path"):
        globbed(tree, "*/x.yaml")


@pytest.mark.parametrize(
    ("path", "is_one"), [("a*", True), ("a?", True), ("[a]", True), ("a/b.yaml", False), ("{a}", False)]
)
def test_what_is_a_pattern(path, is_one):
    assert patterned(path) is is_one


@given(st.text("ab*?", max_size=12), st.text("abc", max_size=12))
def test_matching_agrees_with_regular_expressions(pattern, name):
    expression = "".join({"*": "[^/]*", "?": "[^/]"}.get(each, re.escape(each)) for each in pattern)
    assert _matched(_parts(pattern), name) == bool(re.fullmatch(expression, name))


def test_many_stars_take_no_longer_than_few():
    """A backtracking matcher would not come back from this."""
    assert not _matched(_parts("a*" * 100 + "b"), "a" * 4000)
