import pytest
from hypothesis import given

from plumbline.kube.equality import identical
from plumbline.kube.gotext import printed, quoted, type_name

from .strategies import values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", '"a b"'),
        ('say "x"\\', r'"say \"x\"\\"'),
        ("\n\t\x00\x7f", r'"\n\t\x00\x7f"'),
        ("é\u200b\U000e0001", '"é\\u200b\\U000e0001"'),
    ],
)
def test_text_is_quoted_as_go_does(text, expected):
    assert quoted(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": [1, None, True], "a": {"x": "y z"}}, "map[a:map[x:y z] b:[1 <nil> true]]"),
        ([1.0, 1.5, 1e21, 1e20, 1e-7, False], "[1 1.5 1e+21 100000000000000000000 1e-07 false]"),
        ({}, "map[]"),
    ],
)
def test_values_are_printed_as_go_does(value, expected):
    assert printed(value) == expected


def test_types_have_go_names():
    types = [type_name(value) for value in ({}, [], "", 1, 1.5, True, None)]
    assert types == ["map[string]interface {}", "[]interface {}", "string", "int64", "float64", "bool", "%!s(<nil>)"]


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (0, False), (1, 1.0), ([1], [True]), ({"a": 1}, {"a": 1.0}), ("", None), ([], {}), ([1], [1, 2])],
)
def test_different_values_are_not_identical(left, right):
    assert not identical(left, right)
    assert not identical(right, left)


def test_the_order_of_keys_does_not_matter():
    assert identical({"a": 1, "b": [True]}, {"b": [True], "a": 1})


@given(values, values)
def test_identical_values_print_alike(left, right):
    assert identical(left, left)
    assert identical(left, right) == identical(right, left)
    if identical(left, right):
        assert printed(left) == printed(right)
