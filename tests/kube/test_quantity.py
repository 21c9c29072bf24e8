from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadQuantity
from plumbline.kube.quantity import Format, Quantity, canonical, same_quantity

SPELLINGS = [
    ("0", "0", "zero"),
    ("-0", "0", "has no sign"),
    ("0Ki", "0", "and no suffix"),
    (".", "0", "even where no digit is"),
    ("m", "0", "only a suffix"),
    ("1000m", "1", "thousandths become ones"),
    ("0.5", "500m", "fractions become thousandths"),
    ("1.5", "1500m", "all of it"),
    ("0.0001", "100u", "or smaller parts"),
    ("0.0000000001", "1n", "down to the smallest, rounded up"),
    ("-0.0000000001", "-1n", "away from zero"),
    ("1.0000000001Mi", "1048576000104858n", "also of binary numbers"),
    ("1000", "1k", "thousands have a suffix"),
    ("1024", "1024", "if they are whole"),
    ("1000000000", "1G", "the largest there is"),
    ("1024Mi", "1Gi", "binary ones, too"),
    ("1025Mi", "1025Mi", "if they are whole"),
    ("1.5Gi", "1536Mi", "without fractions"),
    ("0.5Ki", "512", "small ones have none"),
    ("0.5Mi", "512Ki", "but larger ones do"),
    ("0.0005Ki", "512m", "fractions are decimal"),
    ("1.5Mi", "1536Ki", "binary stays binary"),
    ("8Ei", "9223372036854775807", "up to what 64 bits hold"),
    ("-8Ei", "-9223372036854775807", "either way"),
    ("10E", "10E", "decimal ones go on"),
    ("1e3", "1e3", "exponents stay"),
    ("1E3", "1E3", "as they are written"),
    ("1e4", "10e3", "in steps of three"),
    ("1.5e3", "1500", "and vanish"),
    ("12e-10", "2e-9", "they are rounded up, too"),
    ("1e-1", "100e-3", "they may be negative"),
    ("1000e21", "1e24", "or large"),
    ("+5Mi", "+5Mi", "the server keeps what it takes for canonical"),
    ("1.500", "1.500", "though it is not"),
    ("005", "005", "by any other measure"),
    ("8Mi", "8Mi", "and else gives the same"),
    ("100000000000000000000", "100E", "long numbers are shortened"),
    ("12345678901234567890", "12345678901234567890", "if they can be"),
    ("1000E", "1e21", "beyond E there is only the exponent"),
]


@pytest.mark.parametrize(("text", "expected", "why"), SPELLINGS, ids=[case[0] for case in SPELLINGS])
def test_each_number_has_the_servers_spelling(text, expected, why):
    assert canonical(text) == expected, why


REFUSED = [
    ("", "quantities must match"),
    ("1 ", "quantities must match"),
    ("x", "quantities must match"),
    ("1.2.3", "quantities must match"),
    ("1Mi1x", "quantities must match"),
    ("1٣", "quantities must match"),
    ("1\n", "quantities must match"),
    ("1Mib", "quantities must match"),
    ("1K", "unable to parse quantity's suffix"),
    ("1ki", "unable to parse quantity's suffix"),
    ("1e", "unable to parse quantity's suffix"),
    ("1+3", "unable to parse quantity's suffix"),
    ("1ee3", "unable to parse quantity's suffix"),
    (".Pi", "unable to parse numeric part of quantity"),
    ("1e2000", "unable to parse quantity's suffix"),
    ("1" * 600, "quantities must match"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED, ids=[case[0][:10] for case in REFUSED])
def test_what_is_no_quantity_is_refused(text, why):
    with pytest.raises(BadQuantity) as refused:
        Quantity.parse(text)
    assert refused.value.why.startswith(why)


@pytest.mark.parametrize(
    ("value", "expected"), [(1, "1"), (0.5, "500m"), (1500.0, "1500"), (1e22, "10e21"), (" 2 ", "2"), (-3, "-3")]
)
def test_fields_hold_strings_or_numbers(value, expected):
    assert str(Quantity.from_json(value)) == expected


@pytest.mark.parametrize("value", [None, True, [], {}])
def test_but_nothing_else(value):
    with pytest.raises(BadQuantity):
        Quantity.from_json(value)


def test_equal_numbers_are_equal_however_spelled():
    assert same_quantity("1Gi", "1024Mi")
    assert same_quantity("0.5", "500m")
    assert same_quantity(1, "1000m")
    assert same_quantity("1e3", "1k")
    assert not same_quantity("1Gi", "1G")
    assert not same_quantity("what", "what")
    assert hash(Quantity.parse("1Gi")) == hash(Quantity.parse("1024Mi"))
    assert Quantity.parse("1") != 1


def test_sums_keep_the_format_of_the_first_that_is_not_zero():
    assert str(Quantity.parse("1Gi") + Quantity.parse("512Mi")) == "1536Mi"
    assert str(Quantity.parse("0") + Quantity.parse("512Mi")) == "512Mi"
    assert str(Quantity.parse("1") - Quantity.parse("100m")) == "900m"
    assert str(Quantity.parse("250m") * 4) == "1"
    assert not Quantity.parse("1") - Quantity.parse("1")


def test_values_round_away_from_zero():
    assert Quantity.parse("1500m").rounded_up() == 2
    assert Quantity.parse("-1500m").rounded_up() == -2
    assert Quantity.parse("1.5").rounded_up(-3) == 1500
    assert Quantity.parse("1Ki").rounded_up() == 1024


def test_it_shows_itself():
    assert repr(Quantity(1536, 0, Format.BINARY_SI)) == "Quantity('1536')"


digits = st.text("0123456789", min_size=1, max_size=20)
suffixes = st.sampled_from(["", *"numkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e0", "e+7"])
texts = st.builds(
    lambda sign, whole, fraction, suffix: sign + whole + (f".{fraction}" if fraction else "") + suffix,
    st.sampled_from(["", "", "+", "-"]),
    digits,
    st.none() | digits,
    suffixes,
)


@given(texts)
def test_the_spelling_of_a_spelling_is_itself(text):
    assert canonical(canonical(text)) == canonical(text)


@given(texts)
def test_a_spelling_is_the_same_number(text):
    assert Quantity.parse(canonical(text)) == Quantity.parse(text)


@given(texts, texts)
def test_the_order_is_that_of_the_numbers(left, right):
    a, b = Quantity.parse(left), Quantity.parse(right)
    x, y = a.to_decimal(), b.to_decimal()
    assert (a < b, a <= b, a == b, a >= b, a > b) == (x < y, x <= y, x == y, x >= y, x > y)


@given(texts, texts)
def test_what_is_added_can_be_taken_away(left, right):
    a, b = Quantity.parse(left), Quantity.parse(right)
    assert a + b - b == a
    assert a + b == b + a


@given(st.integers(-(10**15), 10**15), st.integers(0, 9))
def test_decimals_are_read_exactly(number, places):
    text = f"{Decimal(number).scaleb(-places):f}"
    assert Quantity.parse(text).to_decimal() == Decimal(number).scaleb(-places)
