"""One part of a secret that is a JSON document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secrets.stores.paths import ANSWERS, DOCUMENTS, FRIENDS, NAMES, PATHS, ROUTES, VALUES

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.gjson import PATH_LIMIT
from plumbline.secrets.stores.gjson import found as found_in
from plumbline.secrets.stores.gjsonpath import matches_wildcard
from plumbline.secrets.stores.properties import entries_of, printed, property_of

CASES = [
    ("name.last", "Anderson", "a dot goes one level down"),
    ("age", "37", "a number"),
    ("huge", "123456789012345678901234567890", "a whole number keeps all its digits"),
    ("ratio", "0.5", "others are printed as short as possible"),
    ("wide", "1000000000000000000000", "without an exponent"),
    ("tiny", "0.0000001", "however small"),
    ("minus", "-0", "signed zero"),
    ("on", "true", "a truth"),
    ("none", "", "null is there, and empty"),
    ("fav.movie", "Deer Hunter", "the very name comes before the path"),
    ("fav\\.movie", "Deer Hunter", "an escaped dot is part of the name"),
    ("a*b", "star", "the very name comes before what fits a wildcard"),
    ("umläut", "ü\n", "escapes of JSON are read in names and values"),
    ("children.1", "Alex", "an index"),
    ("children.#", "3", "how many"),
    ("friends.#.age", "[44,68,47]", "one of each"),
    ("name", '{"first": "Tom", "last": "Anderson"}', "what is no string stays as it is written"),
    ('friends.#(last="Murphy")#|1.first', "Jane", "a query and a pipe"),
    ("", "nothing's name", "an empty name is a name"),
]


@pytest.mark.parametrize(("path", "value", "why"), CASES, ids=[why for _, _, why in CASES])
def test_a_property_is_found(path, value, why):
    assert property_of(Plaintext(FRIENDS), path) == Plaintext(value), why


def test_paths_lead_where_gjson_leads():
    found = {path: found_in(FRIENDS.encode(), path) for path in PATHS}
    assert {path: None if text is None else printed(text).decode() for path, text in found.items()} == ANSWERS


@pytest.mark.parametrize(
    "path", ["name.middle", "children.3", "children.x", "age.x", "friends.#x", 'friends.#(last="No")']
)
def test_what_is_not_there_is_none(path):
    assert property_of(Plaintext(FRIENDS), path) is None


@pytest.mark.parametrize(
    "path",
    [
        "@reverse",
        "friends.@keys",
        "[name,age]",
        "{age}",
        "!true",
        "..#",
        "name.[first]",
        "friends.#(last",
        "friends.#(age!44)#",
        'flags.#(="a\\qb")#',
    ],
)
def test_what_gjson_would_do_and_is_not_spoken_is_refused_and_not_missing(path):
    with pytest.raises(InvalidInput):
        property_of(Plaintext(FRIENDS), path)


def test_modifiers_are_no_names_only_where_gjson_knows_them():
    document = Plaintext('{"@x": {"y": 1}, "@this": 2}')
    assert property_of(document, "@x.y") == Plaintext("1")
    assert property_of(document, "@this") == Plaintext("2")
    assert property_of(document, "@this.@x.y") == Plaintext("1")


@pytest.mark.parametrize("text", ["", "hunter2", "{", '{"a":}', "[1,", "\xff", "{" * 5 + '"a":' + "[" * 100_000])
def test_what_is_not_json_is_refused_without_being_told(text):
    with pytest.raises(InvalidInput) as refused:
        property_of(Plaintext(text.encode("latin-1")), "a")
    assert refused.value.__cause__ is None
    assert "hunter2" not in f"{refused.value}{refused.value.hint}"


def test_values_below_that_are_not_json_are_not_reached():
    """msgspec skips what nobody asks for, but reads it."""
    with pytest.raises(InvalidInput):
        property_of(Plaintext(b'{"a": {"b": "\\ud800"}}'), "a.b")


def test_a_document_may_be_text_or_a_number():
    assert property_of(Plaintext('"text"'), "a") is None
    assert property_of(Plaintext(" 17 \n"), "a") is None
    assert property_of(Plaintext(" [1, 2]"), "1") == Plaintext("2")


def test_numbers_beyond_all_numbers_print_as_go_prints_them():
    assert property_of(Plaintext('{"a": [1e308, -1e-3]}'), "a.0") == Plaintext("1" + "0" * 308)
    assert property_of(Plaintext('{"a": [1e308, -1e-3]}'), "a.1") == Plaintext("-0.001")


def test_long_paths_are_refused_unless_they_are_a_name():
    name = "x" * (PATH_LIMIT + 1)
    assert property_of(Plaintext(encode({name: "v"})), name) == Plaintext("v")
    with pytest.raises(LimitExceeded):
        property_of(Plaintext("{}"), name)


def test_the_members_of_an_object():
    found = entries_of(Plaintext(' {"a": "text", "b": 1.50, "c": {"d": [1, 2]}, "e": null, "f": true} '))
    expected = {"a": "text", "b": "1.50", "c": '{"d": [1, 2]}', "e": "", "f": "true"}
    assert found == {name: Plaintext(value) for name, value in expected.items()}


@pytest.mark.parametrize("text", ["[]", "17", '"a"', "null", "hunter2"])
def test_what_is_no_object_has_no_members(text):
    with pytest.raises(InvalidInput):
        entries_of(Plaintext(text))


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=5))
def test_every_member_is_found_by_its_very_name(value):
    document = Plaintext(encode(value))
    for name, member in value.items():
        found = property_of(document, name)
        assert found is not None
        if isinstance(member, str):
            assert found == Plaintext(member)
        elif isinstance(member, (dict, list)):
            assert decode(found.reveal()) == member
        elif isinstance(member, float):
            assert float(found.reveal()) == member


@given(st.lists(NAMES, min_size=1, max_size=4), st.text(max_size=5))
def test_an_escaped_path_leads_down_any_names(names, value):
    document = value
    for name in reversed(names):
        document = {name: document}
    path = ".".join("".join(f"\\{letter}" for letter in name) for name in names)
    assert property_of(Plaintext(encode(document)), path) == Plaintext(value)


@given(DOCUMENTS, ROUTES | st.text(alphabet='ab01.#*?\\|()[]="<>!%~@{}, ', max_size=14) | st.sampled_from(PATHS))
def test_no_path_does_harm(document, path):
    try:
        found = property_of(Plaintext(document), path)
    except InvalidInput:
        return
    assert found is None or isinstance(found, Plaintext)


@given(st.text(alphabet="ab*?\\", max_size=8), st.text(alphabet="ab*", max_size=8))
def test_wildcards_match_as_they_are_defined(pattern, text):
    assert matches_wildcard(text, pattern) == _matches(text, pattern)


def _matches(text, pattern):
    if not pattern:
        return not text
    head, rest = pattern[0], pattern[1:]
    if head == "*":
        return any(_matches(text[at:], rest) for at in range(len(text) + 1))
    if head == "\\":
        if not rest:
            return not text
        head, rest = rest[0], rest[1:]
    elif head == "?":
        return bool(text) and _matches(text[1:], rest)
    return text[:1] == head and _matches(text[1:], rest)


def test_a_hostile_wildcard_takes_no_longer_than_the_product_of_both():
    assert not matches_wildcard("a" * 500, "*a" * 200 + "b")
