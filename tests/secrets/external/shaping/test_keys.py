"""Names of a store as keys of a Secret."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secrets.external.shaping.making import opened, plain

from plumbline.base.errors import InvalidInput
from plumbline.secrets.external.shaping.keys import checked, converted, renamed

NAMES = st.text(st.sampled_from("aZ9-._/ :Äя٣€\n😀"), max_size=6)

CONVERTED = [
    ("db/pass word", "Default", "db_pass_word", "what is not allowed becomes an underscore"),
    ("db/pass", "Unicode", "db_U002f_pass", "or tells its code point"),
    ("a😀", "Unicode", "a_U1f600_", "with more digits where it has more"),
    ("Ärger-1.x_y", "Default", "Ärger-1.x_y", "letters and numbers of any script stay"),
    ("a٣", "Default", "a٣", "numbers too"),
]


@pytest.mark.parametrize(("name", "strategy", "key", "why"), CONVERTED, ids=[case[-1] for case in CONVERTED])
def test_names_become_keys(name, strategy, key, why):
    assert opened(converted(plain(**{name: "v"}), strategy)) == {key: b"v"}, why


def test_two_names_for_one_key_are_refused_and_both_told():
    with pytest.raises(InvalidInput, match="error applying conversion strategy Default to keys") as caught:
        converted(plain(**{"a/b": "one", "a:b": "two"}), "Default")
    assert "collision during conversion: a_b" in caught.value.why
    assert "'a/b'" in caught.value.why
    assert "'a:b'" in caught.value.why
    assert "one" not in str(caught.value)


@given(names=st.sets(NAMES))
def test_the_unicode_way_loses_no_name(names):
    """Unless a name has the look of a converted one, none of which can come up here."""
    values = plain(**{name: f"v{name}" for name in names if name})
    assert sorted(opened(converted(values, "Unicode")).values()) == sorted(opened(values).values())


@given(name=NAMES.filter(bool), strategy=st.sampled_from(["Default", "Unicode"]))
def test_what_was_converted_can_be_a_key_and_stays_as_it_is(name, strategy):
    once = converted(plain(**{name: "v"}), strategy)
    assert checked(once) == once
    assert converted(once, strategy) == once


def test_nameless_values_are_left_out():
    assert opened(checked(plain(**{"": "x", "a": "y"}))) == {"a": b"y"}
    assert opened(renamed(plain(a="1", b="2", c="3"), lambda key: "" if key < "c" else key, what="")) == {"c": b"3"}


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("a b", "key has invalid character  , only alphanumeric, '-', '.' and '_' are allowed: a b"),
        ("a/b", "key has invalid character /, only alphanumeric, '-', '.' and '_' are allowed: a/b"),
        ("x" * 254, f"key has length 254 but max is 253: (following is truncated): {'x' * 253}"),
        ("ä" * 127, f"key has length 254 but max is 253: (following is truncated): {'ä' * 126}\ufffd"),
    ],
)
def test_keys_that_no_secret_has_are_refused(key, said):
    with pytest.raises(InvalidInput, match="TIP: use rewrite or conversionStrategy") as caught:
        checked(plain(**{key: "canary"}))
    assert caught.value.why == said
    assert "canary" not in str(caught.value)
