import math

import pytest

from plumbline.base.errors import EvaluationFailed
from plumbline.base.json import encode
from plumbline.composition.patching.govalues import json_text, positional, settled
from plumbline.composition.patching.templates import Resources, read
from plumbline.composition.patching.transforms import Transforms


def transformed(value, *transforms, native=True):
    given = read({"resources": [{"patches": [{"transforms": list(transforms)}]}]}, Resources)
    return Transforms(given.resources[0].patches[0].transforms, native=native)(value)


def string(kind, **config):
    return {"type": "string", "string": {"type": kind, **config}}


def convert(to, form=None):
    return {"type": "convert", "convert": {"toType": to, **({"format": form} if form else {})}}


@pytest.mark.parametrize(
    ("transform", "value", "expect", "why"),
    [
        ({"type": "math", "math": {"multiply": 3}}, 5, 15, "natively, Multiply is the default"),
        ({"type": "math", "math": {"type": "Multiply", "multiply": 3}}, 2.5, 7.5, "floats stay floats"),
        ({"type": "math", "math": {"type": "Multiply", "multiply": 4}}, 2**61, -(2**63), "in 64 bits"),
        ({"type": "math", "math": {"type": "ClampMin", "clampMin": 10}}, 3, 10, "at least"),
        ({"type": "math", "math": {"type": "ClampMax", "clampMax": 10}}, 10.9, 10.9, "compared without its fraction"),
        ({"type": "math", "math": {"type": "ClampMax", "clampMax": 10}}, 11.5, 10, "the bound is an integer"),
        ({"type": "map", "map": {"eu": {"zones": 3}}}, "eu", {"zones": 3.0}, "any JSON, whose numbers are floats"),
        ({"type": "match", "match": {"patterns": [{"type": "regexp", "regexp": "^h", "result": 1}]}}, "hi", 1.0, "regexp"),
        ({"type": "match", "match": {"patterns": [{"literal": "x", "result": 1}], "fallbackTo": "Input"}}, "hi", "hi", "input"),
        ({"type": "match", "match": {"patterns": [], "fallbackValue": "f"}}, 7, "f", "without patterns, anything"),
        ({"type": "match", "match": {"patterns": []}}, "x", None, "nothing"),
        ({"type": "string", "string": {"fmt": "%s-%s"}}, "x", "x-%!s(MISSING)", "natively, Format is the default"),
        (string("Format", fmt="%05d"), 42, "00042", "Go's verbs"),
        (string("Format", fmt="%v"), {"b": [1, None], "a": 1e21}, "map[a:1e+21 b:[1 <nil>]]", "Go's maps"),
        (string("Format", fmt="%d"), "x", "%!d(string=x)", "misuse"),
        (string("Format", fmt="%05v"), "-7", "000-7", "zeros before a text, whatever it looks like"),
        (string("Format", fmt="%5d"), [None, "x", -7], "[<nil> %!d(string=    x)    -7]", "nothing has no width"),
        (string("Convert", convert="ToUpper"), "straße ᾳ", "STRAßE ᾼ", "letter by letter"),
        (string("Convert", convert="ToLower"), "İX", "ix", "letter by letter"),
        (string("Convert", convert="ToJson"), {"b": "<&>\u2028", "a": 1.5}, '{"a":1.5,"b":"\\u003c\\u0026\\u003e\\u2028"}', "as Go writes JSON"),
        (string("Convert", convert="ToBase64"), "hi", "aGk=", "text"),
        (string("Convert", convert="FromBase64"), "aG\nk=", "hi", "with ends of lines"),
        (string("Convert", convert="ToSha1"), "a", "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", "text as it is"),
        (string("Convert", convert="ToSha256"), 1, "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b", "JSON of the rest"),
        (string("Convert", convert="ToAdler32"), "Crossplane", "373097499", "in decimal"),
        (string("TrimPrefix", trim="arn:"), "arn:aws", "aws", "prefix"),
        (string("TrimSuffix", trim="s"), "aws", "aw", "suffix"),
        (string("Regexp", regexp={"match": "role/(\\w+)", "group": 1}), "iam:role/x", "x", "group"),
        (string("Regexp", regexp={"match": "(a)?b", "group": 1}), "b", "", "a group without part in it"),
        (string("Join", join={"separator": ", "}), ["a", 1, None], "a, 1, <nil>", "items as %v"),
        (convert("int"), "12", 12, "int is int64"),
        (convert("int64"), 12, 12, "the same type"),
        (convert("bool"), "T", True, "strconv's words"),
        (convert("bool"), 2, False, "only one is true"),
        (convert("float64"), "1e3", 1000.0, "float"),
        (convert("float64", "quantity"), "1.5Gi", 1610612736.0, "quantity"),
        (convert("float64", "quantity"), "100m", 0.1, "thousandths"),
        (convert("string"), 1234567.0, "1234567", "never with an exponent"),
        (convert("string"), True, "true", "bool"),
        (convert("int64"), -2.9, -2, "towards zero"),
        (convert("int64"), True, 1, "bool"),
        (convert("float64"), True, 1.0, "bool"),
        (convert("bool"), 1.0, True, "float"),
        (convert("object", "json"), '{"a": 1}', {"a": 1.0}, "JSON"),
        (convert("array", "json"), "[1]", [1.0], "JSON"),
    ],
    ids=lambda each: each if isinstance(each, str) and " " in each else None,
)  # fmt: skip
def test_values_become_what_upstream_makes_of_them(transform, value, expect, why):
    made = transformed(value, transform)
    assert (encode(made), type(made)) == (encode(expect), type(expect)), why


@pytest.mark.parametrize(
    ("transform", "value", "fault"),
    [
        ({"type": "math"}, 1, "given transform type math requires configuration"),
        ({"type": "nope"}, 1, "transform type nope is not supported"),
        ({"type": "math", "math": {"type": "Multiply"}}, 1, "math transform could not resolve: multiply: Required value: must specify a value if a multiply math transform is specified"),
        ({"type": "math", "math": {"type": "Sqrt"}}, 1, 'math transform could not resolve: type: Invalid value: "Sqrt": unknown math transform type'),
        ({"type": "math", "math": {"multiply": 1}}, "1", "math transform could not resolve: input is required to be a number for math transformer, got string"),
        ({"type": "math", "math": {"multiply": 1}}, True, "math transform could not resolve: input is required to be a number for math transformer, got bool"),
        ({"type": "map", "map": {"a": 1}}, "b", "map transform could not resolve: key b is not found in map"),
        ({"type": "map", "map": {"a": None}}, "a", "map transform could not resolve: value for key a is not valid JSON: unexpected end of JSON input"),
        ({"type": "map", "map": {"a": 1}}, None, "map transform could not resolve: type <nil> is not supported for map transform"),
        ({"type": "match", "match": {"patterns": [{"type": "regexp", "regexp": "("}]}}, "x", "match transform could not resolve: cannot match pattern at index 0: cannot compile regexp: error parsing regexp: missing closing ): `(`"),
        ({"type": "match", "match": {"patterns": [{"type": "regexp", "regexp": "x"}]}}, None, "match transform could not resolve: cannot match pattern at index 0: unsupported input type 'null'"),
        ({"type": "match", "match": {"patterns": [{"type": "literal"}]}}, "x", "match transform could not resolve: cannot match pattern at index 0: literal is required by type literal"),
        ({"type": "match", "match": {"patterns": [{"type": "regexp"}]}}, "x", "match transform could not resolve: cannot match pattern at index 0: regexp is required by type regexp"),
        ({"type": "match", "match": {"patterns": [{"type": "glob"}]}}, "x", "match transform could not resolve: cannot match pattern at index 0: unsupported pattern type 'glob'"),
        ({"type": "match", "match": {"fallbackTo": "Input", "fallbackValue": 1}}, "x", "match transform could not resolve: cannot set both a fallback value and the fallback to input flag"),
        (string("Format"), "x", "string transform could not resolve: string transform of type Format fmt is not set"),
        (string("Replace", replace={"search": "a", "replace": "b"}), "x", "string transform could not resolve: type Replace is not supported for string transform type"),
        (string("Convert", convert="ToRot13"), "x", "string transform could not resolve: type ToRot13 is not supported for string convert"),
        (string("Convert", convert="FromBase64"), "a=", "string transform could not resolve: string is not valid base64: illegal base64 data at input byte 1"),
        (string("Convert", convert="FromBase64"), "ab=c", "string transform could not resolve: string is not valid base64: illegal base64 data at input byte 2"),
        (string("Convert", convert="FromBase64"), "ab=\n", "string transform could not resolve: string is not valid base64: illegal base64 data at input byte 4"),
        (string("Regexp", regexp={"match": "x", "group": 3}), "x", 'string transform could not resolve: regexp "x" had no matches for group 3'),
        (string("Regexp", regexp={"match": "["}), "x", "string transform could not resolve: could not compile regexp: error parsing regexp: missing closing ]: `[`"),
        (string("Join", join={"separator": ","}), "x", "string transform could not resolve: cannot join non-array values"),
        (convert("int64"), "x", 'convert transform could not resolve: cannot convert value x: strconv.ParseInt: parsing "x": invalid syntax'),
        (convert("int64"), "9223372036854775808", 'convert transform could not resolve: cannot convert value 9223372036854775808: strconv.ParseInt: parsing "9223372036854775808": value out of range'),
        (convert("bool"), "yes", 'convert transform could not resolve: cannot convert value yes: strconv.ParseBool: parsing "yes": invalid syntax'),
        (convert("float64"), "1e999", 'convert transform could not resolve: cannot convert value 1e999: strconv.ParseFloat: parsing "1e999": value out of range'),
        (convert("float64"), "0x1p9999", 'convert transform could not resolve: cannot convert value 0x1p9999: strconv.ParseFloat: parsing "0x1p9999": value out of range'),
        (convert("float64"), "", 'convert transform could not resolve: cannot convert value : strconv.ParseFloat: parsing "": invalid syntax'),
        (convert("float64", "quantity"), "x", "convert transform could not resolve: cannot convert value x: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        (convert("array"), "x", "convert transform could not resolve: conversion from string to array is not supported with format none"),
        (convert("string"), {}, "convert transform could not resolve: invalid input type map[string]interface {}"),
        (convert("text"), "x", 'convert transform could not resolve: toType: Invalid value: "text": invalid type'),
        (convert("int", "yaml"), "x", 'convert transform could not resolve: format: Invalid value: "yaml": invalid format'),
        (convert("object", "json"), "", "convert transform could not resolve: cannot convert value : unexpected end of JSON input"),
        (convert("object", "json"), "[1]", "convert transform could not resolve: cannot convert value [1]: json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ],
    ids=lambda each: each if isinstance(each, str) and " " in each else None,
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_upstreams_words(transform, value, fault):
    with pytest.raises(EvaluationFailed) as told:
        transformed(value, {"type": "map", "map": {}} if transform is None else transform)
    assert str(told.value) == f"transform at index 0 returned error: {fault}"


def test_the_function_has_its_own_ways():
    assert transformed(["a", "b"], string("Join", join={"separator": ", "}), native=False) == "a, b,"
    assert transformed(["a", "b"], string("Join", join={"separator": ","}), native=False) == "a,b"
    assert transformed(["a", "b"], string("Join", join={"separator": ""}), native=False) == "ab"
    assert transformed("a-b", string("Replace", replace={"search": "-", "replace": "+"}), native=False) == "a+b"
    with pytest.raises(EvaluationFailed, match="math transform type is required"):
        transformed(1, {"type": "math", "math": {"multiply": 2}}, native=False)
    with pytest.raises(EvaluationFailed, match="unsupported pattern type ''"):
        transformed("x", {"type": "match", "match": {"patterns": [{"literal": "x", "result": 1}]}}, native=False)
    with pytest.raises(EvaluationFailed, match=r"could not resolve: strconv.ParseInt"):
        transformed("x", convert("int64"), native=False)


def test_transforms_run_in_order_and_say_which_failed():
    assert (
        transformed("7", convert("int64"), {"type": "math", "math": {"multiply": 2}}, string("Format", fmt="%d!"))
        == "14!"
    )
    with pytest.raises(EvaluationFailed, match=r"^transform at index 1 returned error: string transform"):
        transformed("7", convert("int64"), string("Nope"))


@pytest.mark.parametrize(
    ("value", "expect"),
    [
        (5.0, 5), (-0.0, 0), (0.5, 0.5), (1e21, 1e21), (2.0**60, 1152921504606847000), (1e19, 1e19), ("a\udcff", "a\ufffd"),
        ({"a\udcff": [1.0]}, {"a\ufffd": [1]}), (True, True), (None, None),
    ],
)  # fmt: skip
def test_what_is_written_is_what_would_be_read_again(value, expect):
    made = settled(value)
    assert (encode(made), type(made)) == (encode(expect), type(expect))


def test_what_is_settled_already_stays_the_same_object():
    value = {"a": [1, "x", {"b": None}]}
    assert settled(value) is value


@pytest.mark.parametrize(("value", "word"), [(math.nan, "NaN"), (math.inf, "+Inf"), (-math.inf, "-Inf")])
def test_numbers_that_are_none_cannot_be_written(value, word):
    with pytest.raises(EvaluationFailed, match=r"^cannot marshal value to JSON: json: unsupported value:"):
        settled(value)
    with pytest.raises(EvaluationFailed, match="unsupported value"):
        json_text([value])
    assert positional(value) == word
    with pytest.raises(EvaluationFailed, match="cannot generate hash: cannot marshal to JSON: json: unsupported value"):
        transformed(value, string("Convert", convert="ToSha1"))
    with pytest.raises(EvaluationFailed, match="unable to generate Adler checksum"):
        transformed(value, string("Convert", convert="ToAdler32"))


@pytest.mark.parametrize(
    ("value", "expect"),
    [(1e-7, "1e-7"), (1.5e-7, "1.5e-7"), (0.000001, "0.000001"), (1e21, "1e+21"), (1.5e22, "1.5e+22"), (-2.5, "-2.5"), (100.0, "100"), (False, "false"), ("\x01\n", '"\\u0001\\n"'), ([None], "[null]")],
)  # fmt: skip
def test_json_is_written_as_go_writes_it(value, expect):
    assert json_text(value) == expect
