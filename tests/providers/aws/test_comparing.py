"""When what AWS has is what a manifest wants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.providers.aws.compare import same

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=2), below, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("wanted", "found", "how", "equal", "why"),
    [
        (5, "5", None, True, "attributes are strings in some services"),
        (5.0, 5, None, True, "JSON has one kind of number"),
        (True, "true", None, True, "and of switch"),
        (False, None, None, True, "off is unsaid"),
        ([], None, None, True, "so is empty"),
        (0, None, None, True, "and zero"),
        ("a", None, None, False, "wanted and not there"),
        (["a", "b"], ["b", "a"], None, True, "lists of names are sets"),
        (["a", "b"], ["b", "a"], "ordered", False, "unless their order counts"),
        (["a"], ["a", "b"], None, False, "one too many"),
        ({"a": 1}, {"a": 1, "b": 2}, None, True, "what is not wanted was AWS's choice"),
        ({"a": 1}, None, None, False, "nothing of it"),
        ([{"a": 1}], {"a": 1, "b": 2}, None, True, "older manifests write a list of one"),
        (
            [{"a": 1}, {"a": 1, "b": 2}],
            [{"a": 1, "b": 2}, {"a": 1, "b": 3}],
            None,
            True,
            "the choosy one chooses first",
        ),
        ("15", "15.4", "version", True, "any minor version"),
        ("15.4", "15.4", "version", True, "this one"),
        ("15.4", "15.6", "version", True, "AWS went on by itself, and nothing goes back"),
        ("15.6", "15.4", "version", False, "an upgrade is wanted"),
        ("16", "15.4", "version", False, "a large one"),
        ("8.0.mysql_aurora.3.05.2", "8.0.mysql_aurora.3.06.0", "version", True, "Aurora's have words in them"),
        ("8.0.mysql_aurora.3.05.2", "5.7.mysql_aurora.2.11.4", "version", False, "and these are older"),
        ("15.4", "latest", "version", False, "no order between these"),
        ('{"A": ["x"]}', '{"A":"x"}', "document", True, "policies say both"),
        ('{"A": ["x", "y"]}', {"A": ["y", "x"]}, "document", False, "structures are compared as they are"),
        ("not json", "not json", "document", True, "at least as text"),
        ("Sun:01:00", "sun:01:00", "lower", True, "AWS writes it small"),
        ("arn:aws:kms:r:1:key/abc", "abc", "id", True, "an id and its ARN"),
        ("alias/mine", "abc", "id", True, "which key an alias means nobody tells"),
        ({"enabled": False, "name": "x"}, {}, "switch", True, "off is off"),
        ([{"enabled": True, "name": "x"}], {"enabled": True, "name": "y"}, "switch", False, "on with another name"),
    ],
)
def test_same(wanted, found, how, equal, why):
    assert same(wanted, found, how) is equal, why


@given(VALUES)
def test_everything_is_the_same_as_itself(value):
    assert same(value, value)


@given(VALUES, VALUES)
def test_comparing_is_total(wanted, found):
    for how in (None, "document", "version", "ordered", "lower", "id", "switch"):
        assert same(wanted, found, how) in {True, False}
