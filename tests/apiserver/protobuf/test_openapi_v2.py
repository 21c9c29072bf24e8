import struct

import pytest

from plumbline.apiserver.protobuf import openapi_v2

from .written import chunk, number


def written(schema):
    return openapi_v2({"definitions": {"p": schema}})


def parameter(value):
    return openapi_v2({"parameters": {"p": value}})


def named(where, raw):
    return chunk(where, chunk(1, chunk(1, "p") + chunk(2, raw)))


def text(value):
    """Any value is YAML, and JSON is YAML."""
    return chunk(2, value + "\n")


def test_a_document_is_written_in_the_order_of_its_fields():
    document = {
        "paths": {"/api/": {"get": {"responses": {"200": {"description": "OK"}}}}},
        "info": {"version": "1.36", "title": "Kubernetes"},
        "swagger": "2.0",
    }
    response = chunk(1, chunk(1, "200") + chunk(2, chunk(1, chunk(1, "OK"))))
    get = chunk(2, chunk(9, response))
    expected = chunk(1, "2.0") + chunk(2, chunk(1, "Kubernetes") + chunk(2, "1.36"))
    expected += chunk(8, chunk(2, chunk(1, "/api/") + chunk(2, get)))
    assert openapi_v2(document) == expected


@pytest.mark.parametrize(
    ("schema", "expected", "why"),
    [
        ({"$ref": "#/definitions/y"}, chunk(1, "#/definitions/y"), "a reference"),
        ({"description": ""}, b"", "empty texts are not written"),
        ({"type": "string"}, chunk(22, chunk(1, "string")), "one type"),
        ({"type": ["string", "null"]}, chunk(22, chunk(1, "string") + chunk(1, "null")), "several"),
        ({"items": {"format": "x"}}, chunk(23, chunk(1, chunk(2, "x"))), "one schema of items"),
        ({"items": [{}, {"format": "x"}]}, chunk(23, chunk(1, b"") + chunk(1, chunk(2, "x"))), "several"),
        ({"required": ["a", "b"]}, chunk(19, "a") + chunk(19, "b"), "a list of texts"),
        ({"enum": ["a", 1]}, chunk(20, text('"a"')) + chunk(20, text("1")), "a list of anything"),
        ({"default": None}, chunk(5, text("null")), "null is a value"),
        ({"default": {"a": [True]}}, chunk(5, text('{"a":[true]}')), "any value"),
        ({"additionalProperties": True}, chunk(21, number(2, 1)), "any property"),
        ({"additionalProperties": False}, chunk(21, number(2, 0)), "none: it has to be said"),
        ({"additionalProperties": {"format": "x"}}, chunk(21, chunk(1, chunk(2, "x"))), "some"),
        ({"minimum": 1, "maximum": 0.5}, b"\x39" + struct.pack("<d", 0.5) + b"\x49" + struct.pack("<d", 1), "numbers"),
        ({"maxLength": 300, "minLength": 0}, number(11, 300), "zero is not written"),
        ({"uniqueItems": True, "readOnly": False}, b"\x80\x01\x01", "nor is false"),
        ({"allOf": [{"format": "x"}]}, chunk(24, chunk(2, "x")), "a list of schemas"),
        (
            {"properties": {"x-b": {}, "a": {}}},
            chunk(25, chunk(1, chunk(1, "x-b") + chunk(2, b"")) + chunk(1, chunk(1, "a") + chunk(2, b""))),
            "a property may be called like an extension",
        ),
        (
            {"x-kubernetes-list-type": "map"},
            chunk(31, chunk(1, "x-kubernetes-list-type") + chunk(2, text('"map"'))),
            "an extension",
        ),
        ({"nullable": True, "oneOf": [{}]}, b"", "what OpenAPI v2 does not know"),
    ],
)
def test_schemas_are_written(schema, expected, why):
    assert written(schema) == named(9, expected), why


@pytest.mark.parametrize(
    "schema",
    [
        {"description": 1},
        {"type": 1},
        {"items": "x"},
        {"required": "a"},
        {"uniqueItems": 1},
        {"maxLength": "x"},
        {"maxLength": True},
        {"maxLength": 2**80},
        {"maximum": 10**400},
        {"maximum": True},
    ],
)
def test_what_is_of_the_wrong_type_is_left_out(schema):
    assert written(schema) in {named(9, b""), written({"type": []}), written({"items": []})}


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], True])
def test_a_schema_that_is_none_is_empty(value):
    assert written(value) == named(9, b"")


@pytest.mark.parametrize(
    ("value", "expected", "why"),
    [
        ({"in": "body", "schema": {}}, chunk(1, chunk(3, "body") + chunk(5, b"")), "a body"),
        ({"in": "header", "name": "h"}, chunk(2, chunk(1, chunk(2, "header") + chunk(4, "h"))), "a header"),
        ({"in": "formData"}, chunk(2, chunk(2, chunk(2, "formData"))), "a form"),
        ({"in": "query", "type": "x"}, chunk(2, chunk(3, chunk(2, "query") + chunk(6, "x"))), "a query"),
        ({"in": "path", "type": "x"}, chunk(2, chunk(4, chunk(2, "path") + chunk(5, "x"))), "a path"),
        ({"in": "cookie"}, chunk(2, b""), "what OpenAPI v2 does not know"),
        (1, b"", "no parameter"),
    ],
)
def test_parameters_are_written_by_where_they_are(value, expected, why):
    assert parameter(value) == named(10, expected), why


def test_references_to_parameters_and_responses_are_no_parameters_and_responses():
    operation = {"parameters": [{"$ref": "#/p"}, {"in": "path"}], "responses": {"401": {"$ref": "#/r"}, "x-a": 1}}
    written_operation = chunk(8, chunk(2, chunk(1, "#/p"))) + chunk(8, chunk(1, chunk(2, chunk(4, chunk(2, "path")))))
    responses = chunk(1, chunk(1, "401") + chunk(2, chunk(2, chunk(1, "#/r"))))
    responses += chunk(2, chunk(1, "x-a") + chunk(2, text("1")))
    expected = chunk(2, written_operation + chunk(9, responses))
    assert openapi_v2({"paths": {"/": {"get": operation}}}) == chunk(8, chunk(2, chunk(1, "/") + chunk(2, expected)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": "basic"}, chunk(1, chunk(1, "basic"))),
        ({"type": "apiKey", "in": "header"}, chunk(2, chunk(1, "apiKey") + chunk(3, "header"))),
        ({"type": "oauth2", "flow": "implicit"}, chunk(3, chunk(1, "oauth2") + chunk(2, "implicit"))),
        ({"type": "oauth2", "flow": "password"}, chunk(4, chunk(1, "oauth2") + chunk(2, "password"))),
        ({"type": "oauth2", "flow": "application"}, chunk(5, chunk(1, "oauth2") + chunk(2, "application"))),
        (
            {"type": "oauth2", "flow": "accessCode", "scopes": {"a": "b"}},
            chunk(6, chunk(1, "oauth2") + chunk(2, "accessCode") + chunk(3, chunk(1, chunk(1, "a") + chunk(2, "b")))),
        ),
        ({"type": "oauth2", "flow": "?"}, b""),
        ({}, b""),
    ],
)
def test_security_is_written_by_its_sort(value, expected):
    assert openapi_v2({"securityDefinitions": {"p": value}}) == named(13, expected)


def test_security_that_asks_for_nothing_in_particular_is_still_asked_for():
    assert openapi_v2({"security": [{"BearerToken": []}]}) == chunk(
        12, chunk(1, chunk(1, "BearerToken") + chunk(2, b""))
    )


def test_a_file_is_a_schema_of_its_own():
    response = {"schema": {"type": "file"}}
    assert openapi_v2({"responses": {"p": response}}) == named(11, chunk(2, chunk(2, chunk(6, "file"))))


def test_what_yaml_may_not_hold_is_escaped():
    assert written({"default": "a\x7f\x9f\ufeff\uffffé"}) == named(
        9, chunk(5, text('"a\\u007f\\u009f\\ufeff\\uffffé"'))
    )
