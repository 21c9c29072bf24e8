"""From upstream's words to Google's and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import SchemaViolation
from plumbline.providers.gcp.facts import api
from plumbline.providers.gcp.provider import TABLES
from plumbline.providers.gcp.services import compute, sql, storage
from plumbline.providers.gcp.shapes import described, differences, late, normal, request_body, styled, written_as_lists
from plumbline.providers.gcp.tables import _field, tree
from plumbline.providers.rest.types import NUMBERS, from_wire, schema_of, to_wire

SQL = sql.INSTANCE
_TEXT = st.text("abcxyz-", min_size=1, max_size=6)


def _leaf(field):
    if field.link is not None:
        return _TEXT.map(lambda name: f"projects/shop/global/networks/{name}")
    if field.says is not None:
        return st.sampled_from([said for said, meant in field.says.items() if meant is not None])
    kind = field.type
    if kind.startswith("[]"):
        return st.lists(_TEXT, min_size=1, max_size=3)
    if kind.startswith("{}"):
        return st.dictionaries(_TEXT, _TEXT, min_size=1, max_size=3)
    if kind in NUMBERS:
        return st.integers(1, 10**6)
    return st.booleans() if kind == "boolean" else _TEXT


def _value(node):
    parts = {field.name: _leaf(field) for field in node.fields}
    for child in node.nodes:
        below = _value(child).filter(bool)
        parts[child.name] = st.lists(below, min_size=1, max_size=1 if not child.listed else 3) if child.many else below
    return st.fixed_dictionaries({}, optional=parts)


def wanted_of(table):
    return _value(tree(table))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_what_is_told_is_heard_again_as_it_was_meant(table):
    @given(wanted_of(table))
    def check(wanted):
        told = request_body(table, wanted, "shop")
        heard = described(table, told)
        assert differences(table, wanted, heard) == ()
        assert late(table, wanted, heard) == {}
        assert normal(table, wanted) == wanted
        assert normal(table, styled(table, wanted, lists=True)) == wanted

    check()


@pytest.mark.parametrize(
    ("wanted", "field", "why"),
    [
        ({"settings": {"teir": "x"}}, "settings.teir", "a typing error"),
        (
            {"settings": [{"ipConfiguration": [{"ipv4Enable": True}]}]},
            "settings.ipConfiguration.ipv4Enable",
            "deep in lists",
        ),
        ({"settings": [{"tier": "a"}, {"tier": "b"}]}, "settings", "two where one can be"),
        ({"settings": "db-f1-micro"}, "settings", "no object at all"),
        ({"settings": {"databaseFlags": ["fsync"]}}, "settings.databaseFlags", "a list of other things"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_version_has_is_refused_by_its_path(wanted, field, why):
    with pytest.raises(SchemaViolation, match=f"spec.forProvider.{field} "):
        normal(SQL, wanted)


def test_a_typing_error_is_told_with_what_was_meant():
    with pytest.raises(SchemaViolation) as refused:
        normal(SQL, {"settings": {"teir": "x"}})
    assert refused.value.hint == "Did you mean tier?"


def test_references_and_selectors_are_no_typing_errors():
    wanted = {"settings": {"ipConfiguration": {"privateNetworkRef": {"name": "net"}}}, "projectRef": {"name": "p"}}
    assert normal(SQL, wanted) == wanted
    assert request_body(SQL, wanted, "shop") == {"settings": {"ipConfiguration": {}}}


def test_empty_lists_of_one_and_nulls_mean_nothing():
    assert normal(SQL, {"settings": [], "clone": [], "region": None}) == {}
    assert normal(SQL, {"settings": {"databaseFlags": {"name": "a", "value": "b"}}}) == {
        "settings": {"databaseFlags": [{"name": "a", "value": "b"}]}
    }


@pytest.mark.parametrize(
    ("wanted", "lists"),
    [
        ({}, False),
        ({"settings": {}}, False),
        ({"settings": [{}]}, True),
        ({"settings": {"ipConfiguration": [{}]}}, True),
        ({"settings": {"databaseFlags": [{}]}}, False),
    ],
)
def test_who_writes_lists_of_one_is_answered_with_lists_of_one(wanted, lists):
    assert written_as_lists(SQL, wanted) is lists


SAME = [
    ({"settings": {"diskSize": 50}}, {"settings": {"dataDiskSizeGb": "50"}}, "numbers are text on the wire"),
    ({"settings": {"diskSize": "50"}}, {"settings": {"dataDiskSizeGb": "50"}}, "and may be text in the manifest"),
    ({"settings": {"retainBackupsOnDelete": False}}, {"settings": {}}, "what is zero is left out"),
    ({"settings": {"databaseFlags": []}}, {"settings": {}}, "so are empty lists"),
    (
        {"settings": {"databaseFlags": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]}},
        {"settings": {"databaseFlags": [{"value": "2", "name": "b"}, {"name": "a", "value": "1"}]}},
        "order means nothing",
    ),
    (
        {"settings": {"ipConfiguration": {"privateNetwork": "projects/p/global/networks/n"}}},
        {
            "settings": {
                "ipConfiguration": {
                    "privateNetwork": "https://www.googleapis.com/compute/v1/projects/p/global/networks/n"
                }
            }
        },
        "links have a host or not",
    ),
    (
        {"settings": {"ipConfiguration": {"pscConfig": []}}},
        {"settings": {"ipConfiguration": {}}},
        "a list of none for an object",
    ),
]


@pytest.mark.parametrize(("wanted", "found", "why"), SAME, ids=[why for _, _, why in SAME])
def test_what_means_the_same_is_no_difference(wanted, found, why):
    assert differences(SQL, wanted, described(SQL, found)) == ()


def test_what_google_chose_is_offered_for_what_nobody_set():
    found = described(
        SQL, {"region": "us-central1", "settings": {"tier": "a", "edition": "ENTERPRISE", "dataDiskSizeGb": "9"}}
    )
    assert late(SQL, {"settings": {"tier": "b"}}, found) == {
        "region": "us-central1",
        "settings": {"edition": "ENTERPRISE"},
    }
    flags = described(SQL, {"settings": {"databaseFlags": [{"name": "a", "value": "1"}]}})
    assert late(SQL, {}, flags) == {"settings": {"databaseFlags": [{"name": "a", "value": "1"}]}}


@pytest.mark.parametrize(
    ("value", "kind", "wire"),
    [
        (5, "int64", "5"),
        (5.0, "int64", "5"),
        (5.0, "int32", 5),
        (True, "int64", True),
        ([1, 2], "[]int64", ["1", "2"]),
        ({"a": 1}, "{}int64", {"a": "1"}),
        ("five", "int64", "five"),
        (0.5, "float", 0.5),
    ],
)
def test_numbers_travel_as_google_writes_them(value, kind, wire):
    assert to_wire(value, kind) == wire


def test_what_is_no_number_is_left_to_google():
    assert from_wire("many", "int64") == "many"
    assert from_wire(["1"], "[]int64") == [1]
    assert schema_of("any") == {"x-kubernetes-preserve-unknown-fields": True}


def test_a_table_cannot_name_what_google_does_not_have():
    with pytest.raises(KeyError):
        _field(SQL, (), "diskSize")
    with pytest.raises(ValueError, match="is no field"):
        _field(SQL, (), "disk size=")


def test_a_log_that_has_settings_is_turned_on():
    told = request_body(compute.SUBNETWORK, {"logConfig": {"flowSampling": 0.5}}, "shop")
    assert told["logConfig"] == {"enable": True, "flowSampling": 0.5}


def test_either_state_of_an_object_is_said_by_leaving_it_out():
    rules = [{"action": {"type": "Delete"}, "condition": {"age": 1, "withState": "ANY"}}]
    told = request_body(storage.BUCKET, {"lifecycleRule": rules}, "shop")
    assert told == {"lifecycle": {"rule": [{"action": {"type": "Delete"}, "condition": {"age": 1}}]}}
    assert differences(storage.BUCKET, {"lifecycleRule": rules}, described(storage.BUCKET, told)) == ()


def test_facts_know_the_types_of_what_is_deep():
    assert api("storage.v1").type_at("Bucket", ("lifecycle", "rule", "condition", "age")) == "int32"
