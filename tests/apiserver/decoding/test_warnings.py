"""Warnings as headers."""

from plumbline.apiserver.decoding.warnings import LONGEST, MOST, warning_headers, warnings_of


def test_each_warning_is_one_header_once():
    assert warning_headers(['unknown field "a"', "", "b\\", 'unknown field "a"']) == [
        '299 - "unknown field \\"a\\""',
        '299 - "b\\\\"',
    ]


def test_what_a_header_cannot_hold_is_left_out():
    assert warning_headers(["a\nb", "c\u0085", "d é 😀"]) == ['299 - "d é 😀"']


def test_a_long_warning_stays_whole_while_all_fit():
    assert warning_headers(["x" * MOST]) == [f'299 - "{"x" * MOST}"']


def test_once_they_do_not_fit_each_is_cut():
    shown = warning_headers(["x" * 3000, "y" * 2000, "z" * 300, "w"])
    assert shown == [f'299 - "{char * LONGEST}"' for char in "xyz"] + ['299 - "w"']


def test_and_there_is_an_end_to_them():
    shown = warning_headers([f"{number:04}{'x' * LONGEST}" for number in range(40)])
    assert len(shown) == 16
    assert sum(len(each) - len('299 - ""') for each in shown) == MOST


def test_complaints_about_yaml_come_apart():
    long = "error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: a\n  line 2: b"
    assert list(warnings_of(["x", long])) == ["x", "line 1: a", "line 2: b"]
