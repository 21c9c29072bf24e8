"""Schemas of CRDs, as each dialect can say them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.openapi.definitions import OPENAPI, SWAGGER
from plumbline.apiserver.openapi.structural import published_schema
from plumbline.base.json import encode

from .examples import EMBEDDED, INT_OR_STRING, MAYBE, NODES, NUMBER, OPEN, SCHEMA, TEXT

EITHER = {"anyOf": [NUMBER, TEXT]}


def node(schema, dialect):
    return published_schema({"type": "object", "properties": {"it": schema}}, dialect)["properties"]["it"]


MODERN = [
    (NODES["size"], {**NODES["size"]}, "zeros are values"),
    (NODES["color"], NODES["color"], "null can be said"),
    (NODES["flag"], {"type": "boolean", "default": False, "example": False}, "a default may be false"),
    (NODES["empty"], {"type": "string", "default": "", "pattern": "^$"}, "empty words are left out"),
    (NODES["ratio"], {"type": "number", "multipleOf": 0.5}, "so is what is false"),
    ({"type": "string", "default": None}, TEXT, "null is no default"),
    (NODES["plain"], {INT_OR_STRING: True, **EITHER}, "an integer or a string"),
    (NODES["port"], NODES["port"], "unless that is already said"),
    (NODES["further"], NODES["further"], "in either of two ways"),
    (
        NODES["other"],
        {**NODES["other"], "allOf": [EITHER]},
        "beside other alternatives it is said as a further condition",
    ),
    (
        NODES["both"],
        {**NODES["both"], "allOf": [EITHER, {"maximum": 8}]},
        "before those that there are",
    ),
    (NODES["choice"], NODES["choice"], "alternatives are kept"),
    (NODES["any_map"], NODES["any_map"], "maps of anything"),
    (NODES["bare"], {"type": "object"}, "no properties are not said"),
    (NODES["known"], NODES["known"], "open objects keep what is known"),
    ({"type": "object", "x-unknown": 1, "$ref": "#/x", "id": "x"}, {"type": "object"}, "nothing that CRDs cannot say"),
    ("hostile", {}, "what is no schema says nothing"),
]
PLAIN = [
    (NODES["size"], {k: v for k, v in NODES["size"].items() if k != "default"}, "defaults are left out"),
    (NODES["color"], {"enum": ["red", "green"]}, "what may be null has no type"),
    (NODES["blob"], {"description": "anything", OPEN: True}, "what is open has none either"),
    (NODES["known"], {OPEN: True, "required": ["known"]}, "nor properties"),
    (NODES["open_list"], {OPEN: True}, "nor items, nor is it a list without them"),
    (NODES["null_list"], {}, "a list that may be null"),
    (NODES["null_map"], {"additionalProperties": TEXT}, "a map that may be null keeps its values"),
    (NODES["labels"], {"type": "object", "additionalProperties": {}, "x-kubernetes-map-type": "atomic"}, "null values"),
    (NODES["all_null"], {"type": "object", "properties": {"a": {}}}, "what may be null cannot be required"),
    (
        {"type": "object", "required": ["x"], "additionalProperties": MAYBE},
        {"type": "object", "additionalProperties": {}},
        "nothing can be required in a map of what may be null",
    ),
    (NODES["plain"], {INT_OR_STRING: True}, "alternatives cannot be said"),
    (NODES["port"], {INT_OR_STRING: True, "pattern": "^x"}, "same"),
    ({"type": "array"}, {}, "a list of nobody knows what has no type"),
    (NODES["template"], {EMBEDDED: True, OPEN: True}, "an open object of any kind says nothing about it"),
    (None, {}, "what is no schema says nothing"),
]


@pytest.mark.parametrize(("schema", "said", "why"), MODERN, ids=[why for *_, why in MODERN])
def test_openapi_says_nearly_everything(schema, said, why):
    assert node(schema, OPENAPI) == said


@pytest.mark.parametrize(("schema", "said", "why"), PLAIN, ids=[why for *_, why in PLAIN])
def test_swagger_leaves_out_what_it_cannot_say(schema, said, why):
    assert node(schema, SWAGGER) == said


@pytest.mark.parametrize("dialect", [OPENAPI, SWAGGER], ids=["openapi", "swagger"])
def test_embedded_objects_have_a_kind_and_metadata(dialect):
    whole = node(NODES["whole"], dialect)
    assert whole["required"] == ["kind", "spec", "apiVersion"]
    assert whole["properties"].keys() == {"apiVersion", "kind", "metadata", "spec"}
    assert "ObjectMeta" in encode(whole["properties"]["metadata"]).decode()


@pytest.mark.parametrize("dialect", [OPENAPI, SWAGGER], ids=["openapi", "swagger"])
def test_a_kind_has_the_metadata_of_all_kinds_whatever_its_schema_says_about_it(dialect):
    found = published_schema(SCHEMA, dialect)
    assert "pattern" not in found["properties"]["metadata"]
    assert found["properties"]["apiVersion"]["description"].startswith("APIVersion defines")
    assert found["required"] == ["spec"]


def test_a_kind_without_a_schema_is_an_object():
    assert published_schema(None, OPENAPI) == {"type": "object"}
    assert published_schema(None, SWAGGER) == {"type": "object"}


def test_swagger_says_nothing_about_an_open_kind_lest_clients_refuse_unknown_fields():
    schema = {"type": "object", OPEN: True, "properties": {"spec": {"type": "object"}}}
    assert published_schema(schema, SWAGGER) == {"type": "object"}
    assert published_schema(schema, OPENAPI)["properties"].keys() == {"apiVersion", "kind", "metadata", "spec"}


def test_schemas_are_not_changed_by_being_shown():
    before = encode(SCHEMA)
    published_schema(SCHEMA, OPENAPI)
    published_schema(SCHEMA, SWAGGER)
    assert encode(SCHEMA) == before


KEYS = [
    "type", "items", "properties", "additionalProperties", "required", "nullable", "anyOf", "allOf", "oneOf", "not",
    "default", "enum", OPEN, EMBEDDED, INT_OR_STRING,
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from(KEYS), each, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6), st.sampled_from([OPENAPI, SWAGGER]))
def test_no_schema_is_too_strange_to_be_shown(schema, dialect):
    assert encode(published_schema(schema, dialect))
