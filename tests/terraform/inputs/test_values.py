"""`values` with its templates, and the typed values of other modules that they use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import Template
from plumbline.terraform.inputs.typed import floating, go_text, read_type, template_inputs, typed
from plumbline.terraform.inputs.variables import filled

TYPED = [
    ('"a"', '"string"', "a", "a string"),
    ("3", '"number"', 3.0, "numbers are floats, as Go has them here"),
    ('"3.5"', '"number"', 3.5, "numbers may be written as texts"),
    ("true", '"bool"', True, "a boolean"),
    ('"1"', '"bool"', True, "and written as text"),
    ('"false"', '"bool"', False, "same"),
    ("1", '"string"', "1", "a number where a text is meant"),
    ("true", '"string"', "true", "a boolean where a text is meant"),
    ("null", '["list","string"]', None, "null has every type"),
    ('["b","a"]', '["list","string"]', ["b", "a"], "a list keeps its order"),
    ('["b","a","b"]', '["set","string"]', ["a", "b"], "a set has none, and nothing twice"),
    ("[2,1,2]", '["set","number"]', [1.0, 2.0], "of numbers too"),
    ('[{"a":1},{"a":1}]', '["set",["object",{"a":"number"}]]', [{"a": 1.0}], "and of objects"),
    ('{"k":1}', '["map","number"]', {"k": 1.0}, "a map"),
    ('["a",1]', '["tuple",["string","number"]]', ["a", 1.0], "a tuple"),
    ('{"a":"x"}', '["object",{"a":"string","b":"number"}]', {"a": "x", "b": None}, "attributes that are not there"),
    ('{"a":"x"}', '["object",{"a":"string"},["a"]]', {"a": "x"}, "or may be left out"),
    ('{"type":"number","value":4}', '"dynamic"', 4.0, "a value that brings its type"),
    ('"e\u0301"', '"string"', "\u00e9", "texts are in their composed form"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "type_", "expected", "why"), TYPED, ids=[each[-1] for each in TYPED])
def test_values_are_what_their_types_say(value, type_, expected, why):
    found = template_inputs({"k": Plaintext(value), "k__type": Plaintext(type_)}, "Secret x")
    assert found == {"k": expected}
    assert type(found["k"]) is type(expected)


@pytest.mark.parametrize(
    ("value", "type_", "why"),
    [
        ("[", '["list","string"]', "it is not JSON"),
        ("{}", '["list","string"]', "its value is no list"),
        ("[]", '["map","string"]', "its value is no map"),
        ("[1]", '["tuple",["string","number"]]', "its value is no tuple of 2"),
        ('{"b":1}', '["object",{"a":"string"}]', "its value is no object with these attributes"),
        ('"x"', '"number"', "its value is no number"),
        ('"inf"', '"number"', "its value is no number"),
        ('"1e999"', '"number"', "its value is no number"),
        ('"x"', '"bool"', "its value is no bool"),
        ("1", '"dynamic"', "its value is no dynamic"),
        ("1", '"float"', "its type is none that outputs can have"),
        ("1", '["bag","string"]', "its type is none that outputs can have"),
        ("1", "[" * 60 + '"string"' + "]" * 60, "its type is none that outputs can have"),
        ("1", '["list",' * 60 + '"string"' + "]" * 60, "it is nested more than 50 levels deep"),
    ],
)
def test_a_value_that_is_not_of_its_type_is_refused(value, type_, why):
    with pytest.raises(InvalidInput) as refused:
        template_inputs({"k": Plaintext(value), "k__type": Plaintext(type_)}, "Secret x")
    assert str(refused.value) == f"Secret x cannot be used: key 'k': {why}"


def test_a_value_without_a_type_is_text_whatever_it_looks_like():
    found = template_inputs({"a": Plaintext("[1]"), "b": Plaintext(b"\xe2\x82!")}, "Secret x")
    assert found == {"a": "[1]", "b": "\ufffd\ufffd!"}


INPUTS = {"net": {"id": "vpc-1", "zones": ["a", "b"], "size": 3.0, "big": 1e6, "evil": '", "admin": true, "x": "'}}

FILLED = [
    ({"a": "${{ .net.id }}"}, {"a": "vpc-1"}, "a value"),
    ({"a": ["x", {"b": "id=${{ .net.id }};"}]}, {"a": ["x", {"b": "id=vpc-1;"}]}, "anywhere"),
    ({"${{ .net.id }}": 1}, {"vpc-1": 1}, "in keys too"),
    (
        {"a": "${{ .net.size }}", "b": "${{ .net.big }}"},
        {"a": "3", "b": "1e+06"},
        "numbers are printed as Go prints floats",
    ),
    ({"a": "${{ range .net.zones }}${{ . }},${{ end }}"}, {"a": "a,b,"}, "with loops"),
    ({"a": "${{ .net.none }}"}, {"a": "<no value>"}, "what is not there"),
    ({"a": '${{ printf "%s!" .net.id }}'}, {"a": "vpc-1!"}, "with quotes, which upstream cannot read"),
    ({"a": "{{ .net.id }} $${ x }"}, {"a": "{{ .net.id }} $${ x }"}, "other brackets mean nothing"),
    ({"a": "${{ .net.evil }}"}, {"a": '", "admin": true, "x": "'}, "a value cannot leave its text"),
    ({"a": 1, "b": None, "c": 1.5}, {"a": 1, "b": None, "c": 1.5}, "what is no text stays"),
]


@pytest.mark.parametrize(("values", "expected", "why"), FILLED, ids=[each[-1] for each in FILLED])
def test_templates_in_values_are_filled_in(values, expected, why):
    assert filled(values, INPUTS) == expected


plain = st.text(st.characters(exclude_characters='"\\', min_codepoint=32, max_codepoint=0x2FF))


@given(st.dictionaries(plain.filter(lambda each: "{" not in each), plain, max_size=4))
def test_where_no_value_needs_escaping_it_is_what_one_template_over_the_whole_text_gives(inputs):
    values = {f"k{at}": f"<${{{{ index .in {encode(key).decode()} }}}}>" for at, key in enumerate(inputs)}
    text = "{" + ",".join(f'"{key}":"{each}"' for key, each in values.items()) + "}"
    whole = Template("values", text, delimiters=("${{", "}}")).execute({"in": inputs})
    assert filled(values, {"in": inputs}) == decode(whole)


json_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=3), each, max_size=3),
    max_leaves=6,
)


@given(json_values)
def test_what_has_no_template_stays_as_it_is(values):
    if b"${{" not in encode(values):
        assert filled(values, {}) == values


@given(st.binary())
def test_bytes_become_text_one_replacement_for_each_that_fits_nowhere(raw):
    text = go_text(raw)
    assert text.count("\ufffd") >= raw.decode(errors="replace").count("\ufffd")
    assert text == raw.decode() if _utf8(raw) else "\ufffd" in text


def _utf8(raw):
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


types = st.recursive(
    st.sampled_from(["string", "number", "bool"]),
    lambda inner: (
        st.tuples(st.sampled_from(["list", "set", "map"]), inner).map(list)
        | st.lists(inner, max_size=3).map(lambda each: ["tuple", each])
        | st.dictionaries(st.text(max_size=3), inner, max_size=3).map(lambda each: ["object", each])
    ),
    max_leaves=6,
)


@given(types)
def test_every_type_reads_null_and_itself(type_):
    assert read_type(type_) is type_
    assert typed(None, type_) is None


def test_numbers_decoded_from_json_are_floats_and_booleans_are_not():
    assert repr(floating({"a": [1, True, "x", 2.5]})) == "{'a': [1.0, True, 'x', 2.5]}"
