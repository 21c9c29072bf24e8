"""Versions and constraints, compared with what Argo CD 3.5.6 answered to the same questions."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base import versions
from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode

GOLDEN = decode(Path(__file__).with_name("goldens").joinpath("versions.json").read_bytes())
TAGS = GOLDEN["tags"]
PREFIXED = ["prod/v1.0.0", "prod/v1.0.1", "prod/v1.1.0", "staging/v2.0.0", "v3.0.0", "prod/main", "prod/"]


@pytest.mark.parametrize(("revision", "what", "best", "mask"), GOLDEN["picks"])
def test_a_revision_means_what_it_means_upstream(revision, what, best, mask):
    assert versions.is_version(revision) == (what == "version")
    assert versions.is_constraint(revision) == (what == "constraint")
    assert (versions.best(revision, TAGS) or "") == best
    allowed = [tag for tag in TAGS if versions.best(revision, [tag]) == tag]
    bits = int(mask, 16)
    assert allowed == [tag for index, tag in enumerate(TAGS) if bits >> index & 1]


@pytest.mark.parametrize(
    ("revision", "best", "why"),
    [
        ("v1.0.*", "prod/v1.0.1", "the prefix is taken off before and put back after"),
        ("*", "prod/v1.1.0", "others do not count"),
        (">=1 <2", "prod/v1.1.0", "both have to hold"),
        ("1.0.0", "prod/1.0.0", "a version is a pin, there or not"),
        (">=2", None, "only with another prefix"),
        ("main", None, "with a prefix only versions and constraints"),
    ],
)
def test_tags_may_share_a_prefix(revision, best, why):
    assert versions.best(revision, PREFIXED, "prod/") == best


def test_a_text_that_is_no_constraint_means_the_tag_of_that_name():
    assert versions.best("latest", ["1.0.0", "latest"]) == "latest"
    assert versions.best("latest", ["1.0.0"]) is None


def test_one_tag_that_is_almost_a_version_does_not_hide_the_others():
    almost = ["1.0.0-01", "1.18446744073709551616.0", "9" * 5000, "1.0.0"]
    assert versions.best("*", almost) == "1.0.0"


def test_the_first_of_equal_tags_is_taken():
    assert versions.best("1.x", ["1.0", "v1.0.0", "1.0.0+b"]) == "1.0"


def test_prereleases_are_taken_only_where_the_constraint_names_one():
    tags = ["1.0.0", "1.1.0-rc.1"]
    assert versions.best(">=1.0", tags) == "1.0.0"
    assert versions.best(">=1.0-0", tags) == "1.1.0-rc.1"
    assert versions.best("<1.0 || >=1.0.0-0", tags) == "1.1.0-rc.1"


def test_hostile_lengths_are_refused():
    with pytest.raises(InvalidInput):
        versions.parse("1." + "0" * 300)
    for text in ("1 " * 300, "||".join(["1"] * 40), "1" + " " * 400 + "!", "1.0.0-" + "a." * 240):
        with pytest.raises(InvalidInput):
            versions.constraint(text)


def test_what_is_read_can_be_asked():
    assert versions.parse("v1.2.3-rc.1+b").order < versions.parse("1.2.3").order
    assert versions.constraint("^1.2").allows(versions.parse("1.9"))
    with pytest.raises(InvalidInput):
        versions.parse("one")


@given(st.text(max_size=80), st.lists(st.text(max_size=20), max_size=8))
def test_any_text_has_an_answer(revision, tags):
    found = versions.best(revision, tags)
    assert found is None or found == revision or found in tags


NUMBERS = st.integers(0, 3).map(str)
TEXT = st.builds(".".join, st.lists(NUMBERS, min_size=1, max_size=3))
FULL = st.builds(
    lambda parts, pre: ".".join(parts) + pre,
    st.lists(NUMBERS, min_size=3, max_size=3),
    st.sampled_from(["", "-a", "-1", "-a.1"]),
)


@given(FULL, FULL, FULL)
def test_versions_are_in_one_order(one, two, three):
    a, b, c = (versions.parse(text).order for text in (one, two, three))
    assert (a < b) + (a == b) + (a > b) == 1
    assert not (a <= b <= c) or a <= c


@given(TEXT, FULL)
def test_complements_share_no_version(text, version):
    found = versions.parse(version)
    if found.pre:
        return
    for one, other in ((">", "<="), ("<", ">="), ("=", "!=")):
        if one == "<" and text.count(".") < 2:
            continue
        allowed = [versions.constraint(f"{sign}{text}").allows(found) for sign in (one, other)]
        assert allowed.count(True) == 1, (one, text, version)
