import io

import pytest

from plumbline.cli.terminal import BAD, GOOD, Settings, Styled, argo_table, plain, table

COLOURS = [
    ({}, {}, None, "left to whether it is a terminal"),
    ({}, {"NO_COLOR": "1"}, False, "NO_COLOR"),
    ({}, {"NO_COLOR": ""}, None, "an empty NO_COLOR says nothing"),
    ({}, {"FORCE_COLOR": "1"}, True, "FORCE_COLOR"),
    ({}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, "NO_COLOR beats FORCE_COLOR"),
    ({}, {"TERM": "dumb"}, False, "a terminal without colours"),
    ({"colour": "always"}, {"NO_COLOR": "1"}, True, "the flag beats the environment"),
    ({"colour": "never"}, {"FORCE_COLOR": "1"}, False, "both ways"),
]


@pytest.mark.parametrize(("flags", "environment", "expected", "why"), COLOURS)
def test_colour_follows_flag_then_environment_then_terminal(flags, environment, expected, why):
    assert Settings(**flags).coloured(environment) is expected, why


def test_signs_fall_back_to_ascii():
    assert "✔" in GOOD.shown(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert "x" in BAD.shown(io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    assert "+" in GOOD.shown(io.StringIO()), "nobody knows what it can show"


def test_text_from_outside_loses_what_a_terminal_would_obey():
    assert plain("fine: grün ✔") == "fine: grün ✔"
    assert plain("a\nb\tc") == "a b c"
    assert plain("\x1b]0;title\x07") == "\\x1b]0;title\\x07"
    assert plain("\u202e") == "\\u202e"


def test_columns_are_aligned_and_colours_do_not_count():
    text = table(["NAME", "HEALTH", "MESSAGE"], [["a", Styled("Healthy", "green"), ""], ["longer", "Bad", "why\nnot"]])
    assert text == ("NAME     HEALTH    MESSAGE\na        \x1b[32mHealthy\x1b[0m\nlonger   Bad       why not")


def test_tables_of_argocds_verbs_are_spaced_as_argocd_spaces_them():
    assert (
        argo_table(["NAME", "STATUS", "PROJECT"], [["longer", "Bad", ""]])
        == "NAME    STATUS  PROJECT\nlonger  Bad     "
    )


def test_a_cell_cannot_bring_its_own_colours():
    assert "\x1b" not in table(["A"], [["\x1b[31mred\x1b[0m"]])
    assert table(["A"], [[Styled("\x1b[2J", "red")]]).count("\x1b") == 2
